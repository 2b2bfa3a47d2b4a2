/* The tool's frame: what a verb is, how verbs report errors, and the exit codes that superstep(1) documents. */
#ifndef SUP_CLI_CLI_H
#define SUP_CLI_CLI_H

#include "base/status.h"

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

typedef struct sup_verb {
    const char *name;
    const char *summary;               /* one line for `superstep --help` */
    const char *help;                  /* whole text of `superstep NAME --help` */
    int (*run)(int argc, char **argv); /* argv[0] is the verb's name; returns the exit code */
} sup_verb;

/* "superstep NAME: text" on stderr. Returns `code`, so that a verb can end with it. */
int sup_cli_fail(const char *verb, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a diag; the exit code follows from its status. */
int sup_cli_fail_diag(const char *verb, const sup_diag *diag);
/* From now on the first message also goes to a file there, alone and bare, for the tool that started this process. The
 * path must stay. */
void sup_cli_also_in(const char *path);
/* Exit code that fits a status. */
int sup_cli_exit_code(sup_status status);
/* Usage error: the message and a pointer to --help. Returns SUP_EXIT_USAGE. */
int sup_cli_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whole decimal number in [low, high]; false if text is anything else. */
bool sup_cli_int(const char *text, long low, long high, long *out);
/* Prints a value on stdout and gives it back; exit code. NULL, what jansson has if it has no memory, is allowed. */
int sup_cli_emit(const char *verb, json_t *json);
/* A name from outside, which need not be UTF-8: then "?". NULL: null. */
json_t *sup_cli_name(const char *name);
/* Prints verb->help to stdout. */
int sup_cli_help(const sup_verb *verb);

extern const sup_verb sup_verb_topo;    /* cli/topo.c */
extern const sup_verb sup_verb_run;     /* cli/run.c */
extern const sup_verb sup_verb_check;   /* cli/check.c */
extern const sup_verb sup_verb_measure; /* cli/measure.c */
extern const sup_verb sup_verb_report;  /* cli/report.c */
extern const sup_verb sup_verb_show;    /* cli/show.c */
extern const sup_verb sup_verb_diff;    /* cli/diff.c */

/* Hidden: one of the processes that `superstep measure` starts (cli/measure_rank.c). */
int sup_measure_rank(int argc, char **argv);
int sup_measure_steps(int argc, char **argv); /* __steps */
extern const sup_verb sup_verb_predict;       /* cli/predict.c */
extern const sup_verb sup_verb_compare;       /* cli/compare.c */
extern const sup_verb sup_verb_tune;          /* cli/tune.c */

#endif
