/* What changed between two profiles beyond what their confidence intervals allow, for all terms. */
#ifndef SUP_REPORT_COMPARE_H
#define SUP_REPORT_COMPARE_H

#include "profile/profile.h"

typedef enum sup_change_kind { SUP_CHANGE_VALUE, SUP_CHANGE_ONLY_A, SUP_CHANGE_ONLY_B } sup_change_kind;

/* Do the intervals of one profile hold what they promise? Of its numbers whose interval is known, and that the other
 * profile has too: in how many the other's value is inside the 90 % interval. */
typedef struct sup_coverage {
    size_t intervals, hold;
} sup_coverage;

/* A number, or a curve as a whole. */
typedef struct sup_change {
    sup_change_kind kind;
    const char *section, *unit; /* constants */
    char *name;
    size_t compared, changed; /* points of the curve (1 of a number) */
    size_t close;             /* of those compared, within a tenth of each other */
    sup_coverage in_a, in_b;
    double ratio; /* B over A: of the number, or the middle one of the points that changed */
    double a, b;  /* the numbers, or NaN */
    double a_ci, b_ci;
    double x_low, x_high; /* where the curve changed; NaN of a number */
} sup_change;

typedef struct sup_comparison {
    sup_change *changes; /* one a series of either profile, those that did not change too (kind VALUE, changed 0) */
    size_t count;
    size_t compared, changed; /* numbers and points in all */
    size_t close;
    sup_coverage in_a, in_b;
} sup_comparison;

/* Numbers are different if their intervals do not meet and they differ by more than `least` (relative; 0: anything).
 * Points of a curve are held against the other curve, where that was measured, with the interval in which one more
 * measurement would fall; a curve has changed if more than a tenth of its points have, and at least two (one of one).
 * Unknown intervals count as a tenth of the value. SUP_ENOMEM. */
sup_status sup_compare(const sup_profile *a, const sup_profile *b, double least, sup_comparison *out);
void sup_comparison_free(sup_comparison *comparison);

#endif
