/* One launch of a program that is measured as a kernel (program/runs.h): started by `superstep run --trace`, as any run
 * would be, watched, and its trace read. Term Tcomp; stage "measure". */
#include "measure/program/runs.h"

#include "base/clock.h"
#include "base/file/file.h"
#include "base/text.h"
#include "measure/launch/tool_path.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIE_S 5.0 /* to end after SIGTERM */
#define LOOK_MS 50
enum { OPTIONS = 20, PATH = 4096 + 64, EXIT_NO_START = 127, LAST_WORDS = 400 };

/* ---- words ---- */

void sup_program_words_free(char **words) {
    for (size_t i = 0; words && words[i]; i++) free(words[i]);
    free(words);
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/* Takes one word from *at, which is at its first character, into `to`. */
static bool take_word(const char **at, char *to) {
    char quote = 0;
    for (; **at && (quote || !blank(**at)); ++*at) {
        if (quote ? **at == quote : **at == '\'' || **at == '"')
            quote = quote ? 0 : **at;
        else
            *to++ = **at;
    }
    *to = 0;
    return !quote;
}

sup_status sup_program_split(const char *command, sup_diag *diag, char ***out) {
    size_t count = 0, room = strlen(command) + 1;
    char **words = calloc(SUP_PROGRAM_WORDS + 1, sizeof *words);
    sup_status status = words ? SUP_OK : sup_diag_no_memory(diag);
    for (const char *at = command; !status;) {
        while (blank(*at)) at++;
        if (!*at) break;
        if (count == SUP_PROGRAM_WORDS)
            status = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the command has more than %d words", SUP_PROGRAM_WORDS);
        else if (!(words[count] = malloc(room)))
            status = sup_diag_no_memory(diag);
        else if (!take_word(&at, words[count++]))
            status = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a quote is not closed in \"%.100s\"", command);
    }
    if (!status && (!count || !words[0][0]))
        status = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the command names no program");
    if (status)
        sup_program_words_free(words);
    else
        *out = words;
    return status;
}

/* The word with the size in it. NULL: no memory. */
static char *with_size(const char *word, int64_t n) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    for (const char *at; (at = strstr(word, SUP_PROGRAM_SIZE)); word = at + strlen(SUP_PROGRAM_SIZE))
        fprintf(to, "%.*s%" PRId64, (int)(at - word), word, n);
    fputs(word, to);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the child ---- */

typedef struct launch {
    const sup_program_order *order;
    char tool[PATH], trace[PATH], log[PATH], size[16];
    char *const *words; /* as given */
    char **argv;        /* of `superstep run`; those from `mine` on are ours to free */
    size_t mine;
} launch;

static sup_status make_command(launch *l, int64_t n, sup_diag *diag) {
    const sup_program_order *o = l->order;
    size_t words = 0, count = 0;
    while (l->words[words]) words++;
    l->argv = calloc(words + OPTIONS + 1, sizeof *l->argv);
    if (!l->argv) return sup_diag_no_memory(diag);
    snprintf(l->size, sizeof l->size, "%d", o->processes);
    const char *const all[][2] = {{"-n", l->size},       {"--net", o->transport},
                                  {"--place", o->place}, {"--hosts", o->hosts_file},
                                  {"--rsh", o->rsh},     {"--trace", l->trace}};
    l->argv[count++] = l->tool;
    l->argv[count++] = (char *)"run";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2 && all[i][1]; k++) l->argv[count++] = (char *)all[i][k];
    l->argv[count++] = (char *)"--";
    l->mine = count;
    for (size_t i = 0; i < words; i++)
        if (!(l->argv[count++] = with_size(l->words[i], n))) return sup_diag_no_memory(diag);
    return SUP_OK;
}

static void free_command(launch *l) {
    for (size_t i = l->mine; l->argv && l->mine && l->argv[i]; i++) free(l->argv[i]);
    free(l->argv);
}

/* In a group of its own: an interrupt on the terminal reaches the tool alone. It ends when the tool ends. */
static void become(const launch *l, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_NO_START);
    signal(SIGINT, SIG_DFL);
    int in = open("/dev/null", O_RDONLY), out = open(l->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(EXIT_NO_START);
    close(in);
    close(out);
    execv(l->tool, l->argv);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", l->tool, strerror(errno));
    _exit(EXIT_NO_START);
}

/* ---- watching it ---- */

/* Status as waitpid gives it. */
static int watch(const launch *l, pid_t pid, double fraction, const char *text, bool *wished) {
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int status = -1;
    double asked_s = NAN;
    for (pid_t got = 0; got != pid;) {
        sup_wish wish = l->order->progress ? l->order->progress(l->order->context, fraction, text, NAN) : SUP_WISH_ON;
        double now = sup_clock_now();
        if (wish != SUP_WISH_ON && isnan(asked_s)) {
            *wished = true;
            asked_s = now;
            kill(-pid, SIGTERM);
        }
        if (!isnan(asked_s) && now - asked_s > DIE_S) kill(-pid, SIGKILL);
        poll(&end, 1, LOOK_MS);
        got = waitpid(pid, &status, WNOHANG);
        if (got < 0 && errno != EINTR) break;
    }
    if (end.fd >= 0) close(end.fd);
    return status;
}

/* The last line of the text that the launcher did not write about its end, or else the last. */
static const char *last_line(char *text) {
    char *last = NULL, *best = NULL, *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        last = line;
        if (strncmp(line, "superstep: ", 11) != 0) best = line;
    }
    return best ? best : last ? last : "";
}

/* What it wrote last, without what programs may not write to a terminal. */
static void last_words(const char *log, char *text, size_t size) {
    char tail[LAST_WORDS + 1];
    FILE *in = fopen(log, "re");
    text[0] = 0;
    if (!in) return;
    if (fseek(in, -(long)LAST_WORDS, SEEK_END)) rewind(in);
    size_t length = fread(tail, 1, LAST_WORDS, in);
    fclose(in);
    tail[length] = 0;
    const char *line = last_line(tail);
    if (!strncmp(line, "superstep run: ", 15)) line += 15;
    snprintf(text, size, "%s", line);
    sup_text_make_plain(text);
}

static sup_status failed(const launch *l, const char *name, int64_t n, int status, sup_diag *diag) {
    char words[LAST_WORDS + 1], how[48];
    last_words(l->log, words, sizeof words);
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was killed by signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "%.100s with n = %" PRId64 " %s%s%.300s", name, n, how,
                        words[0] ? ": " : "", words);
}

sup_status sup_program_launch(const sup_program_order *order, const char *folder, char *const *words, int64_t n,
                              double fraction, sup_diag *diag, sup_trace **out) {
    launch l = {.order = order, .words = words};
    char text[160];
    bool wished = false;
    int ended = -1;
    char *whole = realpath(folder, NULL); /* the program may go elsewhere before it begins */
    snprintf(l.trace, PATH, "%.4000s/trace", whole ? whole : folder);
    free(whole);
    snprintf(l.log, PATH, "%.4000s/log", folder);
    snprintf(text, sizeof text, "%.60s with n = %" PRId64 " over %s", words[0], n, order->transport);
    unlink(l.trace);
    sup_status status = sup_tool_find(order->tool, l.tool, sizeof l.tool, diag);
    if (!status) status = make_command(&l, n, diag);
    if (status) goto done;
    fflush(NULL);
    pid_t self = getpid(), pid = fork();
    if (pid < 0) {
        status = sup_diag_errno(diag, SUP_EIO, NULL, "cannot start a process");
        goto done;
    }
    if (pid == 0) become(&l, self);
    setpgid(pid, pid);
    ended = watch(&l, pid, fraction, text, &wished);
    if (wished)
        status = sup_diag_set(diag, SUP_EINTR, NULL, 0, "interrupted");
    else if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        status = failed(&l, words[0], n, ended, diag);
    else
        status = sup_trace_read(l.trace, false, diag, out);
done:
    free_command(&l);
    return status;
}
