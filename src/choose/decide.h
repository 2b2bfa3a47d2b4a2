/* What deciders share (decide.c): when a prediction is good enough to decide by it, and how a decision says why. */
#ifndef SUP_CHOOSE_DECIDE_H
#define SUP_CHOOSE_DECIDE_H

#include "choose/choose.h"

/* Is it worth deciding for? Only where the intervals do not meet and the gain is more than a measurement can miss: a
 * plan must not make anything slower. */
bool sup_choose_better(sup_prediction chosen, sup_prediction usual);

/* Sets the sentence that says why. */
sup_status sup_choose_because(sup_plan_decision *decision, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Of which processes, sizes or programs. */
sup_status sup_choose_where(sup_plan_decision *decision, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was not taken; NaN: not known. */
sup_status sup_choose_beat(sup_plan_decision *decision, const char *choice, double predicted_s, double measured_s);

/* The plan's section for the runtime, which begins as the defaults are; NULL: no memory. */
sup_plan_bsp *sup_choose_bsp(sup_plan *plan);

/* What the profile measured of a barrier, or of a superstep that asks for nothing (SUP_SYNC_EMPTY), on just so many
 * processes: calm seconds; NaN: nobody did. */
double sup_choose_measured(const sup_profile *profile, const char *transport, const char *algorithm, int64_t processes);
/* A superstep that asks for nothing, as the model has it. */
sup_status sup_choose_empty(const sup_platform *platform, sup_diag *diag, sup_prediction *out);

#endif
