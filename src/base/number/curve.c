/* Piecewise-linear curves: construction, evaluation, extrapolation. They hold kernel time over footprint (BSP §4.3,
 * which leaves the segments to a person) and message time over size (BSP §5.6). The fit is in base/number/curve_fit.c.
 */
#include "base/number/curve.h"
#include "base/number/student.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 1e-9 /* files hold decimal digits: ends that should meet may miss each other by their rounding */

static double line_at(const sup_segment *s, double x) { return s->intercept + s->slope * x; }

/* Where the value changes from one segment to the next, given the end of the one and the beginning of the other. */
static double break_at(double x_hi, double x_lo) {
    if (x_hi == x_lo) return x_hi;
    if (x_hi > 0.0) return fmin(fmax(sqrt(x_hi) * sqrt(x_lo), x_hi), x_lo);
    return 0.5 * x_lo;
}

static const char *segment_fault(const sup_segment *s, unsigned flags) {
    if (!isfinite(s->x_lo) || !isfinite(s->x_hi) || !isfinite(s->intercept) || !isfinite(s->slope) ||
        !isfinite(s->residual))
        return "has a value that is not finite";
    if (s->x_lo < 0.0) return "begins below 0";
    if (s->x_hi < s->x_lo) return "ends before it begins";
    if (s->residual < 0.0) return "has a negative residual";
    if (s->n == 0) return "has no points";
    double lo = line_at(s, s->x_lo), hi = line_at(s, s->x_hi);
    if (!isfinite(lo) || !isfinite(hi)) return "has a value that is not finite";
    if (fmin(lo, hi) < -SLACK * (fabs(s->intercept) + fabs(s->slope) * s->x_hi)) return "is negative at one end";
    if ((flags & SUP_CURVE_NONDECREASING) && s->slope < 0.0) return "falls, in a curve that never decreases";
    return NULL;
}

static const char *joint_fault(const sup_segment *left, const sup_segment *right, unsigned flags) {
    if (right->x_lo < left->x_hi) return "begins before the one in front of it ends";
    if (right->x_hi <= left->x_lo) return "covers the same sizes as the one in front of it";
    if (!(flags & SUP_CURVE_NONDECREASING)) return NULL;
    double at = break_at(left->x_hi, right->x_lo), before = line_at(left, at), after = line_at(right, at);
    double scale = fabs(left->intercept) + left->slope * at + fabs(right->intercept) + right->slope * at;
    return after < before - SLACK * scale ? "begins below the one in front of it, in a curve that never decreases"
                                          : NULL;
}

sup_status sup_curve_make(const sup_segment *segments, size_t count, unsigned flags, sup_diag *diag, sup_curve **out) {
    if (count == 0) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a curve needs at least one segment");
    if (flags & ~(unsigned)SUP_CURVE_NONDECREASING)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "unknown curve flags %#x", flags);
    for (size_t k = 0; k < count; k++) {
        const char *fault = segment_fault(&segments[k], flags);
        if (!fault && k > 0) fault = joint_fault(&segments[k - 1], &segments[k], flags);
        if (fault) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "segment %zu %s", k, fault);
    }

    const size_t each = sizeof(sup_segment) + 2 * sizeof(double);
    if (count > (SIZE_MAX - sizeof(sup_curve)) / each)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "too many segments");
    sup_curve *curve = malloc(sizeof *curve + count * each);
    if (!curve) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %zu segments", count);
    sup_segment *copy = (sup_segment *)(curve + 1);
    double *begins = (double *)(copy + count), *floors = begins + count;
    memcpy(copy, segments, count * sizeof *copy);
    begins[0] = floors[0] = 0.0;
    for (size_t k = 1; k < count; k++) {
        begins[k] = break_at(copy[k - 1].x_hi, copy[k].x_lo);
        /* the ends miss each other by rounding: no segment may begin below what was reached before it */
        floors[k] = 0.0;
        if (flags & SUP_CURVE_NONDECREASING) floors[k] = fmax(floors[k - 1], line_at(&copy[k - 1], begins[k]));
    }
    *curve = (sup_curve){.flags = flags, .count = count, .segments = copy, .begins = begins, .floors = floors};
    *out = curve;
    return SUP_OK;
}

void sup_curve_free(sup_curve *curve) { free(curve); }

/* The last segment that begins at or before x. */
static size_t segment_of(const sup_curve *curve, double x) {
    size_t low = 0, high = curve->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (curve->begins[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Rounding is monotonic, so intercept + slope·x never decreases for slope ≥ 0, and neither does its maximum with a
 * floor: the promise of the flag holds for every pair of arguments, not only up to rounding. */
static double value_on(const sup_curve *curve, size_t k, double x) {
    const sup_segment *s = &curve->segments[k];
    if (k + 1 == curve->count && s->slope < 0.0 && x > s->x_hi) x = s->x_hi;
    return fmax(curve->floors[k], line_at(s, x));
}

double sup_curve_at(const sup_curve *curve, double x) {
    if (isnan(x)) return x;
    x = fmin(fmax(x, 0.0), DBL_MAX); /* 0·∞ is no size */
    return value_on(curve, segment_of(curve, x), x);
}

static double widening(const sup_curve *curve, double x) {
    double first = curve->segments[0].x_lo, last = curve->segments[curve->count - 1].x_hi;
    if (x < first) return 1.0 + (first - x) / first;
    if (x > last && last > 0.0) return 1.0 + log2(x / last);
    return 1.0;
}

/* The residual is the noise of one measurement; the line itself adds about 2 parameters / n of its variance. Degrees of
 * freedom: the segment's own and the borrowed ones, but never more than the whole curve has. */
static sup_prediction predict_on(const sup_curve *curve, size_t k, double x, double confidence) {
    const sup_segment *s = &curve->segments[k];
    double own = fmax((double)s->n - 2.0, 0.0) + SUP_CURVE_BORROWED, all = 0.0;
    for (size_t i = 0; i < curve->count; i++) all += fmax((double)curve->segments[i].n - 2.0, 0.0);
    double t = sup_student_two_sided(confidence, fmax(1.0, fmin(own, all)));
    double value = value_on(curve, k, x), part = t * s->residual * sqrt(1.0 + 2.0 / (double)s->n) * widening(curve, x);
    return (sup_prediction){value, fmax(0.0, value - value * part), value + value * part};
}

/* Beside a jump: the interval covers both sides of it, wherever x is. */
static sup_prediction predict_joint(const sup_curve *curve, size_t k, double x, double confidence) {
    const sup_segment *s = &curve->segments[k];
    sup_prediction left = predict_on(curve, k - 1, s->x_lo, confidence);
    sup_prediction right = predict_on(curve, k + 1, s->x_hi, confidence);
    double value = value_on(curve, k, x);
    return (sup_prediction){value, fmin(value, fmin(left.low, right.low)), fmax(value, fmax(left.high, right.high))};
}

sup_prediction sup_curve_predict(const sup_curve *curve, double x, double confidence) {
    if (isnan(x) || !(confidence >= 0.0 && confidence < 1.0)) return (sup_prediction){NAN, NAN, NAN};
    x = fmin(fmax(x, 0.0), DBL_MAX); /* 0·∞ is no size */
    size_t k = segment_of(curve, x);
    if (k > 0 && k + 1 < curve->count && curve->segments[k].n == SUP_CURVE_JOINT && x > curve->segments[k].x_lo)
        return predict_joint(curve, k, x, confidence);
    sup_prediction here = predict_on(curve, k, x, confidence);
    size_t other = k;
    if (k > 0 && x < curve->segments[k].x_lo)
        other = k - 1;
    else if (k + 1 < curve->count && x > curve->segments[k].x_hi)
        other = k + 1;
    if (other == k) return here;
    sup_prediction there = predict_on(curve, other, x, confidence);
    here.low = fmin(here.low, there.low);
    here.high = fmax(here.high, there.high);
    return here;
}
