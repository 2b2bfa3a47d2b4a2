/* Where a curve changes its level: neighbouring parts in which it rises (or falls) quickly are one break. For the table
 * of rates (Tcomp). */
#ifndef SUP_REPORT_BREAKS_H
#define SUP_REPORT_BREAKS_H

#include "base/measured.h"

#define SUP_BREAK_LEAST 0.10 /* smaller changes are none, nor are those within the curve's interval */

typedef struct sup_break {
    double low, high;     /* the level before ends, the level after begins */
    double before, after; /* values there */
} sup_break;

/* The next break from *at on, which goes on; false: there is no more. interval: of the curve's values, relative; NaN
 * unknown. */
bool sup_break_next(const sup_file_curve *curve, double interval, size_t *at, sup_break *out);

#endif
