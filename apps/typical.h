/* What programs say of their own time: the median iteration, as rank 0 sees it (all terms of the equation together). */
#ifndef APPS_TYPICAL_H
#define APPS_TYPICAL_H

#include <stdlib.h>

static inline int typical_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts; n > 0. */
static inline double typical_median(double *seconds, long n) {
    qsort(seconds, (size_t)n, sizeof *seconds, typical_order);
    return (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
}

#endif
