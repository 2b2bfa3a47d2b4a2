/* Least squares: a line with its intervals, and the small dense solver behind it and behind curves.
 *
 *     sup_line line;
 *     sup_line_fit(bytes, seconds, n, &line);
 *     sup_interval rate = sup_line_slope_interval(&line, 0.95);
 *
 * Times span orders of magnitude and their errors are relative: points weigh 1/t². */
#ifndef SUP_BASE_LSQ_H
#define SUP_BASE_LSQ_H

#include "base/stats.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* y = intercept + slope·x. The pivot is the (weighted) mean of the data; around it the two errors are independent. */
typedef struct sup_line {
    double intercept, slope;
    double intercept_sd, slope_sd; /* standard errors; infinite with fewer than 3 points */
    double residual;               /* deviation of the data around the line: of sup_line_fit relative, else absolute */
    size_t n;
    double pivot_x, pivot_y;
} sup_line;

/* The error of y is proportional to y. At least 2 different x; SUP_EINVAL otherwise, or if a value is not finite, or a
 * y not positive. */
sup_status sup_line_fit(const double *x, const double *y, size_t n, sup_line *out);

/* With a weight for each point (1/variance up to a common factor, > 0). */
sup_status sup_line_fit_weighted(const double *x, const double *y, const double *w, size_t n, sup_line *out);

double sup_line_at(const sup_line *line, double x);
sup_interval sup_line_slope_interval(const sup_line *line, double confidence);
sup_interval sup_line_intercept_interval(const sup_line *line, double confidence);

/* Minimises |A·v − b|. A is rows × columns, row-major, rows ≥ columns is not required; both are overwritten. Where the
 * columns depend on each other the superfluous ones get 0. With nonnegative[j] the solution has v[j] ≥ 0 (nonnegative
 * may be NULL). *rss is the remaining sum of squares (may be NULL). SUP_ENOMEM. */
sup_status sup_lsq_solve(double *a, double *b, size_t rows, size_t columns, const bool *nonnegative, double *v,
                         double *rss);

#endif
