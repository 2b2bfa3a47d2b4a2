/* The tool's frame: what a verb is, how verbs report errors, and the exit codes that superstep(1) documents. */
#ifndef SUP_CLI_FRAME_CLI_H
#define SUP_CLI_FRAME_CLI_H

#include "base/status.h"
#include "cli/frame/options.h"
#include "machine/origin.h"

#include <jansson.h>
#include <stdbool.h>

/* Exit codes of every verb except `run`, which ends with the program's own. */
enum {
    SUP_EXIT_OK = 0,
    SUP_EXIT_FAIL = 1,     /* the work was done and the answer is no (floor missed, files differ) */
    SUP_EXIT_USAGE = 2,    /* the command line is wrong */
    SUP_EXIT_FILE = 3,     /* a file cannot be read or written, or is malformed */
    SUP_EXIT_MISMATCH = 4, /* a file is of another machine, placement or version */
    SUP_EXIT_SYSTEM = 5,   /* the machine refused: memory, permission, missing transport */
    SUP_EXIT_NO_PROGRAM = 127
};

struct sup_verb {
    const char *name;
    const char *summary; /* one line for `superstep --help` */
    /* Of `superstep NAME --help`: command lines, a line each; what it does; what is said behind the options, or NULL.
     * Texts are wrapped. */
    const char *usage, *about, *more;
    const sup_option *options;
    const sup_option *arguments; /* what is no option: value, kind and words, for completion; value NULL at the end */
    int most;                    /* arguments that are no options; -1: any number */
    bool stops;                  /* options end at the first argument */
    bool hidden;                 /* for the tool itself */
    int (*run)(int argc, char **argv); /* argv[0] is the verb's name; returns the exit code */
};

/* Every verb, in the order of the help: SUP_VERB(name) stands for sup_verb_name, which a file of this folder has. */
/* clang-format off */
#define SUP_VERBS          \
    SUP_VERB(report)       \
    SUP_VERB(topo)         \
    SUP_VERB(measure)      \
    SUP_VERB(show)         \
    SUP_VERB(diff)         \
    SUP_VERB(run)          \
    SUP_VERB(check)        \
    SUP_VERB(machine)      \
    SUP_VERB(predict)      \
    SUP_VERB(compare)      \
    SUP_VERB(choose)       \
    SUP_VERB(tune)         \
    SUP_VERB(barrier)      \
    SUP_VERB(taulop)       \
    SUP_VERB(measure_child)
/* clang-format on */

#define SUP_VERB(name) extern const sup_verb sup_verb_##name;
SUP_VERBS
#undef SUP_VERB

/* "superstep NAME: text" on stderr. Returns `code`, so that a verb can end with it. */
int sup_cli_fail(const char *verb, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a diag; the exit code follows from its status. */
int sup_cli_fail_diag(const char *verb, const sup_diag *diag);
int sup_cli_no_memory(const char *verb);
/* From now on the first message also goes to a file there, alone and bare, for the tool that started this process. The
 * path must stay. */
void sup_cli_also_in(const char *path);
/* Exit code that fits a status. */
int sup_cli_exit_code(sup_status status);
/* Usage error: the message and a pointer to --help. Returns SUP_EXIT_USAGE. */
int sup_cli_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whole decimal number in [low, high]; false if text is anything else. */
bool sup_cli_int(const char *text, long low, long high, long *out);
/* Will a file of that kind (base/file/file.h) find its place there: exit code, 0; path NULL: 0. Before the work is
 * done, and sup_cli_write when it is. `force`: one of the same kind may be replaced. */
int sup_cli_check_out(const char *verb, const char *path, const char *kind, bool force);
int sup_cli_write(const char *verb, const char *path, const void *bytes, size_t length, bool force);
/* Prints a value on stdout and gives it back; exit code. NULL, what jansson has if it has no memory, is allowed. */
int sup_cli_emit(const char *verb, json_t *json);
/* What a file of this machine alone says it is of. sup_record_clear it. topology: this machine's, if it is loaded. */
sup_status sup_cli_here(const sup_topology *topology, sup_diag *diag, sup_origin *out);
/* A name from outside, which need not be UTF-8: then "?". NULL: null. */
json_t *sup_cli_name(const char *name);

#endif
