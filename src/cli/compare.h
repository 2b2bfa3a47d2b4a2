/* Supersteps as they were predicted and as they took: what `superstep compare` prints and `superstep report` shows. A
 * list is to be freed with sup_held_free, after a failure too. */
#ifndef SUP_CLI_COMPARE_H
#define SUP_CLI_COMPARE_H

#include "model/model.h"
#include "profile/profile.h"
#include "report/held.h"
#include "trace/trace.h"

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
 * is taken from the trace, and calls with it. */
sup_status sup_compare_held(const sup_profile *profile, const sup_trace *trace, bool described, sup_diag *diag,
                            sup_held_list *out);

#endif
