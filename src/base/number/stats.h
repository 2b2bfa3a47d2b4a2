/* Statistics of samples: centre, spread and confidence.
 *
 * Functions of `const double *` leave the data as they are; those that need an order work on a copy and return NaN if
 * there is no memory for it. The _sorted variants take ascending data and allocate nothing. An empty sample gives NaN
 * (so does a spread with n < 2), as does a sample with a NaN in it. */
#ifndef SUP_BASE_NUMBER_STATS_H
#define SUP_BASE_NUMBER_STATS_H

#include "base/status.h"

#include <stddef.h>

double sup_stats_mean(const double *x, size_t n);
double sup_stats_variance(const double *x, size_t n); /* n − 1 in the denominator */
double sup_stats_deviation(const double *x, size_t n);
double sup_stats_median(const double *x, size_t n);

/* Quantile p in [0, 1]: linear between order statistics (type 7 of Hyndman & Fan: 0 gives the least, 1 the greatest).
 */
double sup_stats_quantile(const double *x, size_t n, double p);

void sup_stats_sort(double *x, size_t n); /* ascending, NaNs last */
double sup_stats_median_sorted(const double *x, size_t n);
/* Mean of the middle half: a median that a coarse clock does not round. */
double sup_stats_middle_sorted(const double *x, size_t n);
double sup_stats_quantile_sorted(const double *x, size_t n, double p);

typedef struct sup_interval {
    double low;
    double high;
    double confidence; /* what it really has: may be less than was asked for where n is too small */
} sup_interval;

/* Of the mean, by Student-t. n < 2: (−∞, ∞). */
sup_interval sup_stats_mean_interval(const double *x, size_t n, double confidence);

/* Of the median, for any distribution: between two order statistics (binomial). Its confidence is at least what was
 * asked for if n allows that (n ≥ 6 for 95 %), otherwise that of the whole range. */
sup_interval sup_stats_median_interval(const double *x, size_t n, double confidence);
sup_interval sup_stats_median_interval_sorted(const double *x, size_t n, double confidence);

#endif
