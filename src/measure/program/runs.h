/* A program's own supersteps as kernels: it is run under the recorder at several sizes, and the computation of each of
 * its call sites is fitted over the size. Term Tcomp; stage "measure".
 *
 *     program/runs.c   all launches, and what they found, as a record of the profile
 *     program/start.c  one launch: `superstep run --trace`, watched
 *     program/law.c    which u(n) the seconds follow */
#ifndef SUP_MEASURE_PROGRAM_RUNS_H
#define SUP_MEASURE_PROGRAM_RUNS_H

#include "measure/launch/start.h"
#include "profile/programs.h"
#include "trace/trace.h"

enum { SUP_PROGRAM_ROUNDS = 5, SUP_PROGRAM_ROUNDS_LEAST = 2, SUP_PROGRAM_WORDS = 256 };

typedef struct sup_program_order {
    const char *tool;    /* this program; NULL: /proc/self/exe */
    const char *command; /* "inprod {n} 50": words, of which one or more hold SUP_PROGRAM_SIZE; quotes hold blanks */
    const int64_t *sizes;
    size_t size_count;
    const char *transport;
    int processes;
    const char *place, *hosts_file, *rsh; /* as for superstep run; NULL */
    const char *beside;                   /* temporary files go beside this one */
    double budget_s;                      /* goes round until then; 0: SUP_PROGRAM_ROUNDS times */
    double clock_s;                       /* that looking at the clock adds to a time */
    sup_wish (*progress)(void *context, double fraction, const char *text, double seconds_left);
    void *context;
} sup_program_order;

/* Each round launches every size once, so that what changes with time is part of all alike. *interrupted: somebody
 * stopped it; then *out is what was found if each size was launched twice, and SUP_EINTR is returned otherwise.
 * SUP_EINVAL: the command has no {n}, or no words; sizes are not two or more that ascend. SUP_ENOTSUP: the program
 * failed, or no superstep was recorded. *out is to be cleared with sup_program_times_record. */
sup_status sup_program_measure(const sup_program_order *order, sup_diag *diag, sup_program_times *out,
                               bool *interrupted);

/* ---- program/start.c ---- */

/* The words of a command, to be freed; NULL at the end. SUP_EINVAL: none, too many, a quote that is not closed. */
sup_status sup_program_split(const char *command, sup_diag *diag, char ***out);
void sup_program_words_free(char **words);

/* Runs it once, with the size in its words, and reads the trace. SUP_EINTR: somebody wished so. */
sup_status sup_program_launch(const sup_program_order *order, const char *folder, char *const *words, int64_t n,
                              double fraction, sup_diag *diag, sup_trace **out);

/* ---- program/law.c ---- */

/* Fills law, fixed_s, unit_s and error of a site from its typical seconds and their intervals: the simplest
 * u(n) that they do not contradict; none where three sizes or their launches do not tell. */
void sup_program_law(const int64_t *sizes, size_t count, sup_program_site *site);

#endif
