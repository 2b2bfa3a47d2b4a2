/* The parser of options: every spelling and kind of value ends in its place, and whatever is wrong is one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/frame/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
    bool flag;
    const char *file, *word, *list, *text;
    char chars[8];
    int small;
    long large;
    double real, seconds;
    int sets;
};

static int add(void *request, const char *value) {
    struct request *r = request;
    if (!strcmp(value, "no")) return sup_cli_usage("verb", "--add: not this one");
    r->sets++;
    return 0;
}

static const char *word_at(size_t index) {
    static const char *const words[] = {"one", "two", NULL};
    return words[index];
}

static const sup_option options[] = {
    {"flag", SUP_TO(struct request, flag), .help = "a flag"},
    {"file", .value = "FILE", .kind = SUP_VALUE_FILE, SUP_TO(struct request, file), .help = "a file"},
    {"word", .value = "WORD", .kind = SUP_VALUE_WORD, SUP_TO(struct request, word), .word = word_at,
     .help = "one of {words}"},
    {"list", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(struct request, list), SUP_WORDS("ring", "ping"),
     .help = "some of {words}"},
    {"text", .value = "TEXT", SUP_TO(struct request, text), .help = "a text"},
    {"chars", .value = "TEXT", SUP_TO(struct request, chars), .help = "a short text"},
    {"processes", 'n', "-np", "P", SUP_TO(struct request, small), .low = 1, .high = 64, .what = "a number of processes",
     .help = "processes"},
    {"large", .value = "N", SUP_TO(struct request, large), .low = -5, .high = 1L << 40, .help = "a number"},
    {"real", .value = "X", SUP_TO(struct request, real), .low = 0.5, .high = 0.99, .help = "a real number"},
    {"seconds", .value = "TIME", .kind = SUP_VALUE_TIME, SUP_TO(struct request, seconds), .help = "a time"},
    {"add", .value = "WHAT", .set = add, .help = "one more"},
    {"secret", SUP_TO(struct request, flag), .hidden = true},
    SUP_OPTIONS_END,
};

#define COMMON .name = "verb", .usage = "superstep verb", .about = "Does it.", .options = options
static const sup_verb any = {COMMON, .most = -1}, none = {COMMON}, stops = {COMMON, .most = -1, .stops = true};

static struct request request;
static int left;         /* arguments that are no options … */
static char **arguments; /* … and which */
static char said[65536]; /* on stderr and stdout */

/* Parses a command line; the result, with what was said. */
static int parse_words(const sup_verb *verb, int count, char **words) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(NULL);
    int err = dup(STDERR_FILENO), out = dup(STDOUT_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    memset(&request, 0, sizeof request);
    left = count;
    arguments = words;
    int code = sup_options_parse(verb, &request, &left, &arguments);
    fflush(NULL);
    assert_true(dup2(err, STDERR_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0);
    close(err);
    close(out);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return code;
}

static int parse(const sup_verb *verb, const char *line) {
    static char text[512];
    static char *words[64];
    int count = 0;
    char *rest = NULL;
    snprintf(text, sizeof text, "verb %s", line);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) words[count++] = word;
    words[count] = NULL;
    for (int i = 0; i < count; i++)
        if (!strcmp(words[i], "''")) words[i][0] = '\0';
    return parse_words(verb, count, words);
}

static void accepts(const char *line) {
    int code = parse(&any, line);
    if (code != -1) fail_msg("%s: %s", line, said);
    assert_string_equal(said, "");
}

static void refuses(const sup_verb *verb, const char *line, const char *message) {
    int code = parse(verb, line);
    if (code != SUP_EXIT_USAGE || !strstr(said, message)) fail_msg("%s: %d %s", line, code, said);
    assert_ptr_equal(strchr(said, '\n') + 1, said + strlen(said)); /* one line */
    assert_memory_equal(said, "superstep verb: ", 16);
}

static void every_kind_has_its_place(void **state) {
    (void)state;
    accepts("--flag --file a.json --word two --list=ping,ring --text=x=y --chars 1234567 -n4 --large=-5");
    assert_true(request.flag);
    assert_string_equal(request.file, "a.json");
    assert_string_equal(request.word, "two");
    assert_string_equal(request.list, "ping,ring");
    assert_string_equal(request.text, "x=y");
    assert_string_equal(request.chars, "1234567");
    assert_int_equal(request.small, 4);
    assert_int_equal(request.large, -5);
    accepts("--real 0.5 --seconds 2m --add a --add b --large 1099511627776");
    assert_true(request.real == 0.5 && request.seconds == 120.0);
    assert_int_equal(request.sets, 2);
    assert_true(request.large == 1L << 40);
}

static void every_spelling_is_understood(void **state) {
    static const char *const lines[] = {"-n 7",          "-n7",      "-np 7", "--processes 7",
                                        "--processes=7", "--proc 7", "--p=7", "-n 1 -n 7"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        accepts(lines[i]);
        assert_int_equal(request.small, 7);
    }
    accepts("--fla"); /* --flag alone begins so */
    assert_true(request.flag);
    accepts("--secret");
    assert_true(request.flag);
}

static void arguments_stay(void **state) {
    (void)state;
    accepts("a --flag - b -- --file -x");
    assert_int_equal(left, 5);
    assert_string_equal(arguments[0], "a");
    assert_string_equal(arguments[1], "-");
    assert_string_equal(arguments[4], "-x");
    assert_null(arguments[5]);
    assert_null(request.file);
    assert_int_equal(parse(&stops, "--flag prog -n 3 -- x"), -1);
    assert_int_equal(left, 5);
    assert_string_equal(arguments[1], "-n");
    assert_int_equal(request.small, 0);
    assert_int_equal(parse(&stops, "-- --flag"), -1);
    assert_int_equal(left, 1);
    assert_false(request.flag);
    assert_int_equal(parse(&none, ""), -1);
    assert_int_equal(left, 0);
}

static void what_is_wrong_is_one_line(void **state) {
    (void)state;
    refuses(&none, "x", "unexpected argument \"x\" (try `superstep verb --help`)");
    refuses(&any, "--frob", "unknown option --frob (");
    refuses(&any, "-x", "unknown option -x");
    refuses(&any, "--=x", "unknown option --=x");
    refuses(&any, "--proceses=4", "unknown option --proceses: did you mean --processes?");
    refuses(&any, "-flag", "unknown option -flag: did you mean --flag?");
    refuses(&any, "--secre", "unknown option --secre"); /* what is hidden has to be spelled out, and is not suggested */
    assert_null(strstr(said, "--secret"));
    refuses(&any, "--f", "--f may be --flag or --file");
    refuses(&any, "--file", "--file needs a value");
    refuses(&any, "-np", "-np needs a value");
    refuses(&any, "--flag=yes", "--flag takes no value");
    refuses(&any, "-hx", "unknown option -hx");
    refuses(&any, "--file=", "--file: the value is empty");
    refuses(&any, "--file ''", "--file: the value is empty");
    refuses(&any, "--add=", "--add: the value is empty");
    refuses(&any, "--add no", "--add: not this one");
    refuses(&any, "--chars 12345678", "--chars: the value is longer than 7 characters");
    refuses(&any, "--word three", "--word: \"three\" is none of one, two");
    refuses(&any, "--word=", "--word: \"\" is none of one, two");
    refuses(&any, "--word on", "--word: \"on\" is none of one, two");
    refuses(&any, "--list ring,pong", "--list: \"pong\" is none of ring, ping");
    refuses(&any, "--list ,", "--list: \",\" is none of ring, ping");
    refuses(&any, "-n 0", "-n: \"0\" is not a number of processes from 1 to 64");
    refuses(&any, "--processes 65", "--processes: \"65\" is not a number of processes from 1 to 64");
    refuses(&any, "-n 4x", "-n: \"4x\" is not");
    refuses(&any, "--large -6", "is not a number from -5 to 1099511627776");
    refuses(&any, "--large 99999999999999999999999", "is not a number");
    for (const char *bad = "nan\0inf\0 \0 0.7\0000.7x\0001e999\0000.4\0x\0"; *bad; bad += strlen(bad) + 1) {
        char *words[] = {(char *)"verb", (char *)"--real", (char *)bad, NULL};
        assert_int_equal(parse_words(&any, 3, words), SUP_EXIT_USAGE);
        assert_non_null(strstr(said, "is not a number from 0.5 to 0.99"));
    }
    refuses(&any, "--seconds soon", "--seconds: \"soon\" is not a time such as 30s or 5m");
    refuses(&any, "--seconds -5s", "is not a time");
}

static void bytes_of_any_kind(void **state) {
    (void)state;
    refuses(&any, "--\xff\xfe", "unknown option --?\?");
    refuses(&any, "--fi\nle", "unknown option --fi?le: did you mean --file?");
    refuses(&any, "--word \x1b[2J", "--word: \"?[2J\" is none of");
    enum { MANY = 100000 };
    char **words = calloc(MANY + 1, sizeof *words), *long_word = malloc(MANY + 1);
    assert_non_null(words);
    assert_non_null(long_word);
    for (int i = 0; i < MANY; i++) words[i] = (char *)(i % 2 ? "--flag" : "x");
    assert_int_equal(parse_words(&any, MANY, words), -1);
    assert_int_equal(left, MANY / 2 - 1);
    memset(long_word, '-', MANY);
    long_word[MANY] = '\0';
    char *one[] = {(char *)"verb", long_word, NULL};
    assert_int_equal(parse_words(&any, 2, one), SUP_EXIT_USAGE);
    assert_true(strlen(said) < 300);
    free(long_word);
    free(words);
}

static void help_is_made_from_the_table(void **state) {
    (void)state;
    assert_int_equal(parse(&any, "--flag --help --frob"), SUP_EXIT_OK);
    assert_memory_equal(said, "usage: superstep verb\n\nDoes it.\n\n", 31);
    assert_non_null(strstr(said, "\n  --word WORD                 one of one, two\n"));
    assert_non_null(strstr(said, "\n  -n P, -np P, --processes P"));
    assert_non_null(strstr(said, "\n  -h, --help                  this text\n"));
    assert_null(strstr(said, "secret"));
    for (const char *line = said; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 80);
    json_t *json = sup_options_json(&any);
    assert_non_null(json);
    assert_int_equal(json_array_size(json_object_get(json, "options")), sizeof options / sizeof *options - 2);
    json_decref(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_place), cmocka_unit_test(every_spelling_is_understood),
        cmocka_unit_test(arguments_stay),           cmocka_unit_test(what_is_wrong_is_one_line),
        cmocka_unit_test(bytes_of_any_kind),        cmocka_unit_test(help_is_made_from_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
