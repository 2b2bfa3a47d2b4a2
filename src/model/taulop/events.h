/* Expressions whose parts happen at the same time, followed from event to event: the inside of the evaluator `fluid`.
 */
#ifndef SUP_MODEL_TAULOP_EVENTS_H
#define SUP_MODEL_TAULOP_EVENTS_H

#include "model/taulop/taulop.h"

/* Seconds of an expression of which `count` happen at the same time, and nothing else. */
typedef sup_status (*sup_events_price)(const sup_taulop_costs *costs, const sup_expr *e, double count, double *seconds);

/* price: of repetitions that are left when everything else is done. SUP_EINVAL: too many events. */
sup_status sup_events_run(const sup_taulop_costs *costs, const sup_expr *e, double count, sup_events_price price,
                          double *seconds);

/* One leaf, `count` of them at the same time. */
double sup_events_alone(const sup_taulop_costs *costs, const sup_expr *leaf, double count);

#endif
