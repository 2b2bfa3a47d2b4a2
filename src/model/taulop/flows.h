/* Flows that share channels, and what is only waited for: which ends next, and when. The clock of taulop/events.c.
 *
 * Of m bytes among τ flows a share dt/T(m,τ) is done in dt. Flows of one size on one channel make a class, which has
 * one measure of progress, so that an event costs a step in a heap and one for each class. A channel has a class for
 * each of the first 64 sizes; sizes beyond are put together by half octaves, and then the class's first size says how T
 * changes with τ. Up to 1024 flows T is that of their number; beyond, it is looked up again when the number has changed
 * by a thousandth. */
#ifndef SUP_MODEL_TAULOP_FLOWS_H
#define SUP_MODEL_TAULOP_FLOWS_H

#include "model/taulop/taulop.h"

typedef struct sup_flows sup_flows;
sup_flows *sup_flows_new(const sup_taulop_costs *costs);
void sup_flows_free(sup_flows *flows);

double sup_flows_now(const sup_flows *flows);
size_t sup_flows_under_way(const sup_flows *flows);
/* Lets time pass, when nothing is under way. */
void sup_flows_pass(sup_flows *flows, double seconds);

/* From now on; `what` comes back when it is done. kind: SUP_EXPR_SEND (without its overhead), TRANSFER, FOLD. `count`
 * of them, `times` one after the other. */
sup_status sup_flows_start(sup_flows *flows, int kind, int channel, double bytes, double count, double times,
                           void *what);
sup_status sup_flows_wait(sup_flows *flows, double seconds, void *what);

/* Goes to the next event. *done: what ended then, all of it; belongs to the flows, until the next call. Where no time
 * is finite, now is infinite from there on. */
sup_status sup_flows_next(sup_flows *flows, void ***done, size_t *count);

/* T without overhead, L or γ. */
double sup_flows_duration(const sup_taulop_costs *costs, int kind, int channel, double bytes, double tau);

#endif
