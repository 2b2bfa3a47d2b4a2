/* Do arguments arrive as they were given? Random argument vectors, from a seed, of all that a launcher on the way could
 * take for its own or a shell could change; the processes compare what they got byte for byte.
 *
 *     arguments SUPERSTEP NET P COUNT SEED     starts COUNT runs of itself; exit 1 if one word of one run differs
 *
 * The runs take place in a folder with an odd name, of a program with an odd name. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 400
#define CASE "ARGUMENTS_CASE" /* "SEED NUMBER", for the processes of a run */
#define ODD "odd :\n'\"$(id) \xff\\%2B+ name"

static const char *const special[] = {
    ":",      "",     "--",       "-",     "-n",        "--help", "--as-rank", "-x",   "--app", "{}",   "*",
    "$(id)",  "`id`", "a b",      " ",     "\n",        "a\nb",   "\t",        "'",    "\"",    "\\",   "\\n",
    "$HOME",  "%",    "%3A",      "+",     "a+b",       "%00",    "=",         "A=B",  ";",     "; id", "&",
    "|",      ">x",   "#",        "~",     "!",         "\xff",   "\xc3\xa9",  "\x01", "\x7f",  "::",   ": :",
    "-hosts", "id",   "--prefix", "--net", "localhost", "\r",     "@file",     "-f",   "...",   "%s%n", "\x1b[0m",
};
#define SPECIALS (sizeof special / sizeof special[0])

static uint64_t state;
static uint64_t below(uint64_t n) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545F4914F6CDD1Du >> 33) % n;
}

static char *any_word(void) {
    if (below(2)) return strdup(special[below(SPECIALS)]);
    size_t length = below(40) == 0 ? below(9000) : below(24);
    char *word = malloc(length + 1);
    if (!word) abort();
    for (size_t i = 0; i < length; i++) word[i] = (char)(1 + below(255));
    word[length] = 0;
    return word;
}

/* The words of one case, NULL at the end. The first ones are chosen, the others random. */
static void make(uint64_t seed, int number, char *words[MOST + 1]) {
    int count = 0;
    state = seed * 1000003u + (uint64_t)number + 1;
    for (int i = 0; i < 8; i++) below(2);
    switch (number) {
    case 0: words[count++] = strdup(":"); break;
    case 1: break;
    case 2: words[count++] = strdup(""); break;
    case 3:
        for (size_t i = 0; i < SPECIALS; i++) words[count++] = strdup(special[i]);
        break;
    case 4: /* longer than a word on the way may be, and more words than some have room for */
        words[count] = malloc(120001);
        if (!words[count]) abort();
        memset(words[count], ':', 120000);
        words[count++][120000] = 0;
        while (count < MOST - 1) words[count++] = any_word();
        break;
    default: /* one of the special ones alone, or first and last */
        words[count++] = strdup(special[below(SPECIALS)]);
        if (below(3) == 0) break;
        for (uint64_t more = below(30); more > 0; more--) words[count++] = any_word();
        words[count++] = strdup(special[below(SPECIALS)]);
    }
    words[count] = NULL;
}

static int compare(int argc, char **argv, const char *which) {
    static char *words[MOST + 1];
    unsigned long long seed;
    int number, count = 0;
    if (sscanf(which, "%llu %d", &seed, &number) != 2) return 3;
    make(seed, number, words);
    while (words[count]) count++;
    if (access("here", R_OK)) {
        fprintf(stderr, "the working directory is another\n");
        return 1;
    }
    if (strcmp(argv[0], "./" ODD)) {
        fprintf(stderr, "the name of the program is another: %s\n", argv[0]);
        return 1;
    }
    if (argc - 1 != count) {
        fprintf(stderr, "%d words instead of %d\n", argc - 1, count);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        if (!strcmp(words[i], argv[i + 1])) continue;
        fprintf(stderr, "word %d is '%.60s' instead of '%.60s'\n", i + 1, argv[i + 1], words[i]);
        return 1;
    }
    printf("same\n");
    return 0;
}

static const char *superstep, *net, *size;

static _Noreturn void run(char *words[MOST + 1], int out) {
    const char *argv[MOST + 12] = {superstep, "run", "--net", net, "-n", size, "--", "./" ODD};
    int count = 8;
    for (char **w = words; *w; w++) argv[count++] = *w;
    dup2(out, STDOUT_FILENO);
    execv(superstep, (char *const *)argv);
    perror(superstep);
    _exit(127);
}

/* Counts the processes that got what they should. */
static int run_case(uint64_t seed, int number) {
    static char *words[MOST + 1];
    char which[64], line[256];
    int ends[2], status, same = 0;
    make(seed, number, words);
    snprintf(which, sizeof which, "%llu %d", (unsigned long long)seed, number);
    setenv(CASE, which, 1);
    if (pipe(ends)) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        run(words, ends[1]);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    while (said && fgets(line, sizeof line, said)) same += !strcmp(line, "same\n");
    if (said) fclose(said);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
    for (char **w = words; *w; w++) free(*w);
    if (status) fprintf(stderr, "case %d: status %d\n", number, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return status ? -1 : same;
}

static int drive(int count, uint64_t seed) {
    int bad = 0;
    for (int i = 0; i < count; i++) {
        if (run_case(seed, i) == atoi(size)) continue;
        printf("not ok %s: case %d of seed %llu\n", net, i, (unsigned long long)seed);
        bad++;
    }
    printf("%s: %d argument vectors to %s processes, %d not as they were given\n", net, count, size, bad);
    return bad ? 1 : 0;
}

int main(int argc, char **argv) {
    const char *which = getenv(CASE);
    char self[4096], folder[] = "/tmp/arguments XXXXXX", inner[64];
    if (which) return compare(argc, argv, which);
    if (argc != 6) return 2;
    superstep = realpath(argv[1], NULL);
    net = argv[2];
    size = argv[3];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!superstep || length <= 0 || !mkdtemp(folder)) return 3;
    self[length] = 0;
    snprintf(inner, sizeof inner, "%s/%s", folder, ODD);
    int code = 3;
    if (!mkdir(inner, 0700) && !chdir(inner) && !symlink(self, ODD) && !symlink(self, "here"))
        code = drive(atoi(argv[4]), strtoull(argv[5], NULL, 10));
    else
        perror(inner);
    unlink("here");
    unlink(ODD);
    if (chdir("/") || rmdir(inner) || rmdir(folder)) perror(folder);
    return code;
}
