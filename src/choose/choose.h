/* The middle of the flow: one profile in, one plan out, with every decision of the product in it.
 *
 * A decider is one file choose/decide_NAME.c with a const sup_decider, and a row of the table in choose/choose.c. It
 * puts what it decides into the plan, and says why in the plan's `decisions`. It changes nothing where the gain is
 * within the interval of the prediction: a plan must not make anything slower. */
#ifndef SUP_CHOOSE_CHOOSE_H
#define SUP_CHOOSE_CHOOSE_H

#include "model/model.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

/* Two ways to do the same collective operation, of which the model does not know the better: measured one against the
 * other. Seconds and half widths are NaN where nobody could. */
typedef struct sup_choose_duel {
    int operation;
    int64_t processes, bytes; /* bytes as in sup_job */
    sup_choice choice[2];
    double seconds[2], ci[2];
} sup_choose_duel;
/* Measures them, in the order given as far as its time goes. */
typedef sup_status sup_choose_duel_run(void *context, const char *transport, sup_choose_duel *duels, size_t count,
                                       sup_diag *diag);

typedef struct sup_choosing {
    const sup_profile *profile;
    const char *transport;        /* of the plan */
    int64_t processes;            /* of the plan */
    const sup_platform *platform; /* opened for these two */
    sup_choose_duel_run *duel;    /* NULL: ties stay as they are without a plan */
    void *duel_context;
} sup_choosing;

typedef struct sup_decider {
    const char *name; /* `about` of its decisions */
    const char *help; /* what it decides, for people */
    sup_status (*decide)(const sup_choosing *choosing, sup_plan *plan, sup_diag *diag);
} sup_decider;

extern const sup_decider sup_decider_barrier, sup_decider_counts, sup_decider_engine, sup_decider_transport,
    sup_decider_placement, sup_decider_processes, sup_decider_tiles, sup_decider_collectives;
extern const sup_decider *const sup_deciders[]; /* all of them, then NULL */

typedef struct sup_choose_options {
    const char *transport;     /* NULL: that of the profile's run */
    int64_t processes;         /* 0: as many as were measured */
    const char *only;          /* names of deciders with commas between them; NULL: all */
    sup_choose_duel_run *duel; /* settles ties; NULL: nobody */
    void *duel_context;
} sup_choose_options;

/* SUP_EINVAL: no such decider; SUP_EINVAL, SUP_ENOENT as sup_platform_open. */
sup_status sup_choose(const sup_profile *profile, const sup_choose_options *options, sup_diag *diag, sup_plan **out);

/* A plan of these processes in which nothing is decided yet. */
sup_status sup_choose_begin(const sup_choosing *choosing, sup_diag *diag, sup_plan **out);

/* For deciders: a decision of the plan, with its texts; NULL: no memory. */
sup_plan_decision *sup_choose_say(sup_plan *plan, const char *about, const char *choice, const char *otherwise);

#endif
