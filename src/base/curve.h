/* Piecewise-linear curves: seconds as a function of a size (bytes, elements, footprint).
 *
 *     sup_curve *c;
 *     sup_curve_fit(bytes, seconds, n, NULL, diag, &c);        number and place of the segments chosen by the data
 *     double t = sup_curve_at(c, 65536.0);                     O(log segments)
 *     sup_prediction p = sup_curve_predict(c, 65536.0, 0.95);
 *
 *        t |                         ,x       A segment is a line over [x_lo, x_hi]. Two segments either meet in a
 *          |                    ,x x'         knot (x_hi = next x_lo) or leave a gap between the two measured sizes
 *          |            x  x  x'  knot        around a jump: a library switched its protocol somewhere in there.
 *          |          ^gap^
 *          | x  x  x                          In a gap the value changes at √(x_hi·x_lo), and the interval covers
 *          +---------------------------- x    both sides: what nobody measured is reported as unknown.
 *
 * A curve is never negative. With SUP_CURVE_NONDECREASING it never decreases, at any pair of arguments.
 *
 * Outside the measured range. Below: the line of the first segment, not below 0; the relative width of the interval
 * grows linearly and is doubled at x = 0. Above: the line of the last segment (level if it falls); the relative width
 * grows by itself with every doubling of x. x < 0 counts as 0. */
#ifndef SUP_BASE_CURVE_H
#define SUP_BASE_CURVE_H

#include "base/status.h"

#include <stddef.h>

/* As profile files store it. */
typedef struct sup_segment {
    double x_lo, x_hi;       /* 0 ≤ x_lo ≤ x_hi, ≤ the next x_lo */
    double intercept, slope; /* t = intercept + slope·x */
    double residual;         /* relative deviation of measurements around the line, ≥ 0 */
    size_t n;                /* measured points behind it, ≥ 1 */
} sup_segment;

enum { SUP_CURVE_NONDECREASING = 1 };

typedef struct sup_curve {
    unsigned flags;
    size_t count;
    const sup_segment *segments;
    /* derived, private: where each segment begins to count, and the greatest value before it */
    const double *begins;
    const double *floors;
} sup_curve;

/* Checks and copies: SUP_EINVAL with the number of the segment and the reason (not finite, not ordered, n = 0, negative
 * at an end, falling though the flag says it cannot). Rounding of up to 1e-9 relative at the ends is forgiven. */
sup_status sup_curve_make(const sup_segment *segments, size_t count, unsigned flags, sup_diag *diag, sup_curve **out);
void sup_curve_free(sup_curve *curve);

typedef struct sup_curve_options {
    unsigned flags;      /* SUP_CURVE_… */
    size_t max_segments; /* 0: 16 */
    size_t min_points;   /* different sizes in a segment, 0: 3 */
    double penalty; /* of a parameter, in units of ln n; 0: 2. Less finds weaker breaks, and breaks that are none */
    double noise;   /* relative deviation of a measurement if known; 0: estimated from neighbouring points */
} sup_curve_options;

/* Fits the n points (x ≥ 0, y ≥ 0, any order, repeated x allowed), errors relative to y. options may be NULL. O(n²) at
 * most: 0.3 ms for 30 points, 30 ms for 2000 on one line, 0.3 s for 2000 on sixteen. One point gives a level line.
 * SUP_EINVAL: n = 0 or > 100000, or a value out of its domain. */
sup_status sup_curve_fit(const double *x, const double *y, size_t n, const sup_curve_options *options, sup_diag *diag,
                         sup_curve **out);

typedef struct sup_prediction {
    double value;
    double low, high; /* 0 ≤ low ≤ value ≤ high: where one more measurement falls with the confidence asked for */
} sup_prediction;

/* Where the value changes from one segment to the next, given the end of the one and the beginning of the other. */
double sup_curve_break(double x_hi, double x_lo);

/* A segment's residual is averaged with this many points of the whole curve's: few points alone say little. */
#define SUP_CURVE_BORROWED 3.0

double sup_curve_at(const sup_curve *curve, double x); /* NaN only for x = NaN */
sup_prediction sup_curve_predict(const sup_curve *curve, double x, double confidence);

#endif
