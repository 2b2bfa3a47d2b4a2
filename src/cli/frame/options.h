/* Options of a verb as one table, from which come its parser and its help text (options.c, options_help.c) and, through
 * `superstep __options` and tools/options, its manual page and the completion of shells. */
#ifndef SUP_CLI_FRAME_OPTIONS_H
#define SUP_CLI_FRAME_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sup_verb sup_verb;

/* What a value has to be. */
typedef enum sup_value {
    SUP_VALUE_PLAIN, /* as the type of its place says: nothing (bool), a text that is not empty, a number */
    SUP_VALUE_FILE,  /* a text, for which shells offer files; the next two likewise */
    SUP_VALUE_FOLDER,
    SUP_VALUE_COMMAND,
    SUP_VALUE_TIME, /* "30s": seconds; above 0, or in a range if `high` says one */
    SUP_VALUE_RATE, /* "24GB/s": bytes a second, in a range */
    SUP_VALUE_WORD, /* one of the words */
    SUP_VALUE_WORDS /* some of the words, separated by commas */
} sup_value;

/* Type of the place where a value goes; none: a function takes it. */
typedef enum sup_store {
    SUP_STORE_NONE,
    SUP_STORE_FLAG,
    SUP_STORE_TEXT,  /* const char *, into the command line */
    SUP_STORE_CHARS, /* char[], a copy */
    SUP_STORE_INT,
    SUP_STORE_LONG,
    SUP_STORE_REAL
} sup_store;

typedef struct sup_option {
    const char *name;  /* without dashes; NULL: it has a letter only */
    char letter;       /* 0: none */
    const char *also;  /* one more spelling, with its dash: "-np" */
    const char *value; /* what help calls the value; NULL: there is none */
    sup_value kind;
    sup_store store; /* SUP_TO fills these three */
    size_t at, size;
    double low, high; /* of a number, both allowed; high may be INFINITY */
    const char *what; /* "a number of processes", for messages; NULL: "a number" */
    /* Words that the kind demands, or else that shells offer: from a table elsewhere, and SUP_WORDS behind them; NULL
     * at the end of each. */
    const char *(*word)(size_t index);
    const char *const *words;
    /* Takes the value if it has no place. Says what is wrong: exit code, or 0. */
    int (*set)(void *request, const char *value);
    const char *help; /* "{words}" stands for the words */
    bool hidden;      /* for the tool itself */
} sup_option;

/* clang-format off */
#define SUP_TO(type, member)                                          \
    .at = offsetof(type, member),                                     \
    .size = sizeof(((type *)0)->member),                              \
    .store = _Generic(((type *)0)->member,                            \
        bool: SUP_STORE_FLAG,                                         \
        const char *: SUP_STORE_TEXT,                                 \
        char *: SUP_STORE_CHARS,                                      \
        int: SUP_STORE_INT,                                           \
        long: SUP_STORE_LONG,                                         \
        double: SUP_STORE_REAL)
#define SUP_WORDS(...) .words = (const char *const[]){__VA_ARGS__, NULL}
/* Rows of the two commonest shapes. */
#define SUP_FLAG(option, type, member, text) {.name = option, SUP_TO(type, member), .help = text}
#define SUP_FILE(option, type, member, text) \
    {.name = option, .value = "FILE", .kind = SUP_VALUE_FILE, SUP_TO(type, member), .help = text}
/* clang-format on */
/* Every table ends so. */
#define SUP_OPTIONS_END \
    {.name = "help", .letter = 'h', .help = "this text"}, { 0 }

/* Reads a verb's command line into its request, whose defaults are there already. -1: go on, and argc and argv are what
 * is no option. Otherwise an exit code: help was printed, or one line said what is wrong. */
int sup_options_parse(const sup_verb *verb, void *request, int *argc, char ***argv);

/* Is the word in a list such as "curves,cold,ring"? */
bool sup_option_has(const char *list, const char *word);

/* options_help.c: the index-th word of an option; NULL behind the last. */
const char *sup_option_word(const sup_option *option, size_t index);
/* All of them: "ring, ping, broadcast". */
void sup_option_list(const sup_option *option, char *text, size_t size);
/* Prints the help text of a verb; exit code. */
int sup_options_help(const sup_verb *verb);
/* The verb's table for tools/options. */
json_t *sup_options_json(const sup_verb *verb);

#endif
