/* A straight line through times: what one more costs, and what costs something once. Stage "measure".
 *
 * Relative errors; neither of the two numbers is negative. Typical and bad are those of lines through the typical and
 * bad times. The interval says how far the lines of other launches lie: how far the intervals of the times move it. How
 * well a line describes the times is something else, and not in it. */
#ifndef SUP_MEASURE_LAB_TIMING_LINE_H
#define SUP_MEASURE_LAB_TIMING_LINE_H

#include "measure/lab/trial.h"

enum { SUP_TIMING_LINE_MAX = 16 };

/* count: 2 … SUP_TIMING_LINE_MAX. SUP_EINVAL: there is no such line (a clock that saw nothing). intercept may be NULL.
 */
sup_status sup_timing_line(const double *x, const sup_timing *timings, size_t count, sup_number **intercept,
                           sup_number **slope);

#endif
