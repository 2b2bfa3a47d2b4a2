/* The models, and the equation that adds up what they say.
 *
 *     const sup_model *model = sup_model_find("flow");
 *     sup_program_cost cost;
 *     sup_model_program(model, platform, program, &diag, &cost);
 *
 * A model is a file baseline/NAME.c with one object of the type below, and a row of the table models.c. Everything
 * else, help texts included, takes names and summaries from that table. */
#ifndef SUP_MODEL_EQUATION_MODELS_H
#define SUP_MODEL_EQUATION_MODELS_H

#include "base/number/curve.h"
#include "model/equation/noise.h"
#include "program/program.h"

typedef struct sup_platform sup_platform;
typedef struct sup_terms sup_terms;

typedef struct sup_model {
    const char *name, *summary;
    /* Deliveries begin when all have called: the greatest of what comes before the barrier and the greatest of what
     * comes with it and after it are added, and may be of different processes. */
    bool phased;
    /* SUP_ENOENT with the measurement that is missing and the command that makes it. NULL: pairs are all it needs. */
    sup_status (*check)(const sup_platform *platform, const sup_step *step, sup_diag *diag);
    sup_status (*comp)(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
    void (*comm)(const sup_platform *platform, const sup_step *step, int64_t round, sup_terms *terms);
    /* Fills sync and d_sync. */
    sup_status (*sync)(const sup_platform *platform, const sup_step *step, sup_terms *terms, sup_diag *diag);
    /* Adds what a superstep takes more because something happens for the first time; after all others. NULL: it knows
     * nothing of that. */
    void (*first)(const sup_platform *platform, const sup_step *step, sup_terms *terms);
} sup_model;

#define SUP_MODEL_DEFAULT "flow"
extern const sup_model *const sup_models[];        /* NULL at the end; the default first */
const sup_model *sup_model_find(const char *name); /* NULL: no such model */

/* ---- the equation ---- */

typedef enum sup_bound { SUP_BOUND_COMPUTATION, SUP_BOUND_BANDWIDTH, SUP_BOUND_LATENCY, SUP_BOUND_SYNC } sup_bound;
extern const char *const sup_bound_names[];

/* Of communication and synchronisation, what is there because something happens for the first time. */
typedef enum sup_first_part { SUP_FIRST_TOUCH, SUP_FIRST_WAKE, SUP_FIRST_USED, SUP_FIRST_PARTS } sup_first_part;
extern const char *const sup_first_names[]; /* NULL at the end */

typedef struct sup_superstep_cost {
    sup_prediction total;
    sup_prediction typical;          /* what a launch usually sees: its median superstep, and where the next one's is */
    sup_prediction comp, comm, sync; /* of the process that decides; in two phases, of those that decide each */
    double hidden_s;                 /* min(T'comp, T'comm): what overlap saves */
    double calls_s;                  /* of comm, what comes before the barrier; NaN: the model has no phases */
    double part_s[4];                /* by sup_bound: what its time consists of */
    double first_s[SUP_FIRST_PARTS]; /* contained in comm and sync */
    int bound, second;               /* greatest part, and the next */
    bool tie;                        /* the two are within their intervals */
    double imbalance;                /* longest computation / average, 1 balanced */
    int64_t critical;                /* rank */
    sup_seen seen;                   /* by a run, noise and all; NaN: the profile has none */
} sup_superstep_cost;

typedef struct sup_step_cost {
    const sup_step *step;
    double repeat;           /* supersteps */
    sup_superstep_cost cost; /* of one; averages over its rounds */
    bool has_first;          /* the first of them is another: */
    sup_superstep_cost first;
} sup_step_cost;

typedef struct sup_program_cost {
    sup_step_cost *steps;
    size_t step_count;
    sup_prediction total;
    sup_prediction typical; /* with the interruptions that a run meets on its way */
    double part_s[4], hidden_s, first_s[SUP_FIRST_PARTS];
    int bound, second;
    bool tie;
    double imbalance; /* weighted by time of computation */
    sup_seen seen;
} sup_program_cost;

/* The program must fit the platform's processes (sup_program_fit). */
sup_status sup_model_program(const sup_model *model, const sup_platform *platform, const sup_program *program,
                             sup_diag *diag, sup_program_cost *out);
void sup_program_cost_free(sup_program_cost *cost);

/* Whether two predictions overlap so much that neither is the better. */
bool sup_prediction_tie(sup_prediction a, sup_prediction b);

#endif
