/* Piecewise-linear curves: seconds as a function of a size (bytes, elements, footprint).
 *
 *     sup_curve *c;
 *     sup_curve_fit(bytes, seconds, n, NULL, diag, &c);        number and place of the segments chosen by the data
 *     double t = sup_curve_at(c, 65536.0);                     O(log segments)
 *     sup_prediction p = sup_curve_predict(c, 65536.0, 0.95);
 *
 *        t |                         ,x       A segment is a line over [x_lo, x_hi]. Fitted segments meet in knots
 *          |                    ,x x'         (x_hi = next x_lo), which lie at measured sizes: between two sizes the
 *          |            x  x  x'  knot        curve is between its values there. Around a jump (a library switched its
 *          |           /joint                 protocol somewhere in there) a joint of two knots leads from the one side
 *          | x  x  x' /                       to the other, and the interval covers both: what nobody measured is
 *          +---------------------------- x    reported as unknown.
 *
 * Files of earlier versions have gaps there instead (x_hi < next x_lo), in which the value changes at √(x_hi·x_lo).
 *
 * A curve is never negative. With SUP_CURVE_NONDECREASING it never decreases, at any pair of arguments.
 *
 * Outside the measured range. Below: the line of the first segment, not below 0; the relative width of the interval
 * grows linearly and is doubled at x = 0. Above: the line of the last segment (level if it falls); the relative width
 * grows by itself with every doubling of x. x < 0 counts as 0. */
#ifndef SUP_BASE_NUMBER_CURVE_H
#define SUP_BASE_NUMBER_CURVE_H

#include "base/status.h"

#include <stddef.h>

/* As profile files store it. */
typedef struct sup_segment {
    double x_lo, x_hi;       /* 0 ≤ x_lo ≤ x_hi, ≤ the next x_lo */
    double intercept, slope; /* t = intercept + slope·x */
    double residual;         /* relative deviation of measurements around the line, ≥ 0 */
    size_t n;                /* measured points behind it, ≥ 1 */
} sup_segment;

/* n of a segment that only joins the ends of its neighbours across a jump. */
#define SUP_CURVE_JOINT ((size_t)1)

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

/* What physics says. A fall that is more than the deviations of the points explain stays: some libraries are quicker
 * with larger messages where they change their protocol. */
typedef enum sup_shape {
    SUP_SHAPE_FREE,
    SUP_SHAPE_RISING, /* times over bytes */
    SUP_SHAPE_VALLEY  /* times of a unit over footprint: fall to their least value, then rise; level beyond the end */
} sup_shape;

typedef struct sup_curve_options {
    unsigned flags; /* SUP_CURVE_… */
    sup_shape shape;
    size_t max_segments; /* 0: 127 */
    size_t min_points;   /* different sizes that a break needs on each side, 0: 3; single points are met without */
    double penalty; /* of a parameter, in units of ln n; 0: 2. Less finds weaker breaks, and breaks that are none */
    double noise;   /* relative deviation of a measurement if known; 0: estimated from neighbouring points */
    const double *deviations; /* relative, of each point, beside that noise; NaN: unknown. NULL: all the same */
} sup_curve_options;

/* Fits the n points (x ≥ 0, y ≥ 0, any order, repeated x allowed), errors relative to y. options may be NULL. O(n²) at
 * most: 0.05 ms for 30 points, 30 ms for 2000 on one line. One point gives a level line.
 * SUP_EINVAL: n = 0 or > 100000, or a value out of its domain. */
sup_status sup_curve_fit(const double *x, const double *y, size_t n, const sup_curve_options *options, sup_diag *diag,
                         sup_curve **out);

typedef struct sup_prediction {
    double value;
    double low, high; /* 0 ≤ low ≤ value ≤ high: where one more measurement falls with the confidence asked for */
} sup_prediction;

/* A segment's residual is averaged with this many points of the whole curve's: few points alone say little. */
#define SUP_CURVE_BORROWED 3.0

/* A step up: the curve rises steeply from `before` at low to `after` at high, and hardly right before and behind. */
typedef struct sup_break {
    double low, high;
    double before, after;
} sup_break;

/* The steps of more than `least`, relatively, ascending; how many, at most `most`. */
size_t sup_curve_breaks(const sup_curve *curve, double least, sup_break *out, size_t most);
/* The same of jumps up: joints, and gaps of files of earlier versions. */
size_t sup_curve_jumps(const sup_curve *curve, double least, sup_break *out, size_t most);

double sup_curve_at(const sup_curve *curve, double x); /* NaN only for x = NaN */
sup_prediction sup_curve_predict(const sup_curve *curve, double x, double confidence);

#endif
