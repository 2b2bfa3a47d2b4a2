/* Supersteps as they were predicted and as they took, and where the time of the run went: what `superstep compare`
 * prints and `superstep report` shows. A list is to be freed with sup_held_free, after a failure too.
 *
 *     compare/held.c   which predicted superstep is which recorded one (all terms)
 *     compare/wall.c   the run's time as lines that add up to it
 *     compare/text.c   both, for people and for programs */
#ifndef SUP_CLI_COMPARE_COMPARE_H
#define SUP_CLI_COMPARE_COMPARE_H

#include "model/equation/model.h"
#include "profile/profile.h"
#include "report/held.h"
#include "trace/trace.h"

/* ---- supersteps (compare/held.c) ---- */

/* The predicted side: of a model's answer, or of a file that `superstep predict --json` wrote. */
sup_status sup_compare_predicted(const sup_program_cost *cost, sup_diag *diag, sup_held_list *out);
sup_status sup_compare_read(const sup_json *doc, sup_diag *diag, sup_held_list *out);

/* Adds what was recorded; predictions that belong to none of it leave the list. clock_s: a recorded time is between two
 * looks at the clock, one of which is in it. */
sup_status sup_compare_measured(sup_held_list *list, const sup_program *recorded, double clock_s, sup_diag *diag);

/* Relative. */
double sup_compare_error(double predicted, double measured);

/* The trace's supersteps as the default model predicts them from the profile, and as they took. described: their
 * requirements are known to be the communication alone, so that calls are predicted too; else what processes computed
 * is taken from the trace where the profile does not know the program, and with older recordings calls with it. */
sup_status sup_compare_held(const sup_profile *profile, const sup_trace *trace, bool described, sup_diag *diag,
                            sup_held_list *out);

/* ---- the run (compare/wall.c) ---- */

typedef enum sup_wall_name {
    SUP_WALL_COMPUTATION,
    SUP_WALL_CALLS,
    SUP_WALL_SYNC,
    SUP_WALL_FIRST,   /* what calls and sync of the first superstep of a kind took more than they usually do */
    SUP_WALL_WAITING, /* for the slowest; and what medians do not hold: noise, recording itself */
    SUP_WALL_OUTSIDE, /* of the recorded supersteps: start, end, input and output, supersteps that were left out */
    SUP_WALL_LINES
} sup_wall_name;

typedef struct sup_wall_line {
    double typical_s;           /* medians of the slowest process, times how often */
    double mean_s;              /* means of the process that ran longest, times how often */
    double judged_s, claimed_s; /* measured and predicted where there is a prediction; NaN: nowhere */
} sup_wall_line;

/* Both columns add up to wall_s. */
typedef struct sup_wall {
    double wall_s; /* of the process that ran longest */
    int64_t rank;  /* which one */
    sup_wall_line line[SUP_WALL_LINES];
    sup_wall_line exchange;          /* calls and sync together: what every model predicts */
    double first_s[SUP_FIRST_PARTS]; /* predicted: of calls and sync, what is there because something is new */
    int64_t new_bytes;               /* that the process which ran longest touched first, in calls and syncs */
    double explained_s;   /* computation, calls and sync of typical supersteps, and what the first ones took more */
    double unexplained_s; /* the rest of the run */
    int64_t supersteps, left_out;
    bool firsts_known; /* the recording says which supersteps were the first of their kind */
    bool calls_known;  /* else they are in the computation */
    bool taken;        /* some computation is the recording's own */
} sup_wall;

extern const char *const sup_wall_names[SUP_WALL_LINES];

/* recorded: made from the trace. clock_s as above. */
void sup_wall_make(const sup_trace *trace, const sup_program *recorded, const sup_held_list *list, double clock_s,
                   sup_wall *out);

/* ---- output (compare/text.c) ---- */

/* notes: lines for people. */
typedef struct sup_comparison {
    const char *program;
    const sup_held_list *list;
    const sup_wall *wall;
    const char *model; /* NULL: a prediction from a file */
    char (*notes)[160];
    int note_count;
} sup_comparison;

void sup_comparison_print(const sup_comparison *c);
json_t *sup_comparison_json(const sup_comparison *c);

#endif
