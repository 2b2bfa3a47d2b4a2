/* What `superstep report` uses of `superstep compare`. */
#ifndef SUP_CLI_COMPARE_H
#define SUP_CLI_COMPARE_H

#include "profile/profile.h"
#include "report/held.h"
#include "trace/trace.h"

/* The trace's supersteps as the default model predicts them from the profile, and as they took. described: their
 * requirements are known to be the communication alone, so that calls are predicted too; else what processes computed
 * is taken from the trace, and calls with it. sup_held_free the result. */
sup_status sup_compare_held(const sup_profile *profile, const sup_trace *trace, bool described, sup_diag *diag,
                            sup_held_list *out);

#endif
