/* A plan for people: what `superstep choose` and `superstep show PLAN` print. */
#ifndef SUP_REPORT_PLAN_TEXT_H
#define SUP_REPORT_PLAN_TEXT_H

#include "plan/plan.h"

#include <stdio.h>

/* How many times faster than without it; NaN: not known, or nothing changes. */
double sup_decision_predicted(const sup_plan_decision *decision);
double sup_decision_measured(const sup_plan_decision *decision);
/* The same by its duels that were won, their mean, with its half width. */
double sup_decision_duel(const sup_plan_decision *decision, double *half);

/* All decisions as a table, and why. SUP_ENOMEM. */
sup_status sup_plan_say_decisions(const sup_plan *plan, FILE *out);
/* The whole plan. SUP_ENOMEM. */
sup_status sup_plan_say(const sup_plan *plan, FILE *out);

#endif
