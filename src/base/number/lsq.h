/* Least squares: a line with its intervals.
 *
 *     sup_line line;
 *     sup_line_fit(bytes, seconds, n, SUP_WEIGHT_RELATIVE, &line);
 *     sup_interval t = sup_line_predict(&line, 65536.0, 0.95);
 *
 * Times span orders of magnitude and their errors are relative: RELATIVE (weights 1/t²) is the default, by being zero,
 * and nothing in Superstep uses EQUAL on times. */
#ifndef SUP_BASE_NUMBER_LSQ_H
#define SUP_BASE_NUMBER_LSQ_H

#include "base/number/stats.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum sup_weighting {
    SUP_WEIGHT_RELATIVE = 0, /* the error of y is proportional to y; every y > 0 */
    SUP_WEIGHT_EQUAL = 1
} sup_weighting;

/* y = intercept + slope·x. The pivot is the (weighted) mean of the data, through which the line goes. */
typedef struct sup_line {
    double intercept, slope;
    double intercept_sd, slope_sd; /* standard errors; infinite with fewer than 3 points */
    double residual;               /* deviation of the data around the line: relative with RELATIVE, else absolute */
    size_t n;
    sup_weighting weighting;
    double pivot_x, pivot_y;
} sup_line;

/* At least 2 different x. SUP_EINVAL otherwise, or if a value is not finite, or not positive with RELATIVE. */
sup_status sup_line_fit(const double *x, const double *y, size_t n, sup_weighting weighting, sup_line *out);

/* With a weight for each point (1/variance up to a common factor, > 0). */
sup_status sup_line_fit_weighted(const double *x, const double *y, const double *w, size_t n, sup_line *out);

double sup_line_at(const sup_line *line, double x);
sup_interval sup_line_slope_interval(const sup_line *line, double confidence);
sup_interval sup_line_intercept_interval(const sup_line *line, double confidence);

#endif
