/* A line through measurements, with intervals (BSP §4.1, §5.6: rates and L, B are such lines).
 *
 * Everything is kept around the weighted mean of the data: ŷ(x) = pivot_y + slope·(x − pivot_x) has two uncorrelated
 * errors there, and the sums do not cancel when x spans 1 … 1e8. */
#include "base/number/lsq.h"
#include "base/number/student.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void fit(const double *x, const double *y, const double *w, size_t n, sup_line *out) {
    double sw = 0.0, mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0, rss = 0.0;
    for (size_t i = 0; i < n; i++) {
        double before = sw;
        sw += w[i];
        double dx = x[i] - mx, dy = y[i] - my, part = w[i] / sw;
        mx += part * dx;
        my += part * dy;
        sxx += part * before * dx * dx;
        sxy += part * before * dx * dy;
    }
    double slope = sxy / sxx;
    for (size_t i = 0; i < n; i++) {
        double r = y[i] - my - slope * (x[i] - mx);
        rss += w[i] * r * r;
    }
    double s = n > 2 ? sqrt(rss / (double)(n - 2)) : INFINITY;
    *out = (sup_line){.intercept = my - slope * mx, .slope = slope, .n = n, .pivot_x = mx, .pivot_y = my};
    out->residual = n > 2 ? s : 0.0;
    out->slope_sd = s / sqrt(sxx);
    out->intercept_sd = n > 2 ? hypot(s / sqrt(sw), out->slope_sd * mx) : INFINITY;
}

static bool usable(const double *x, const double *y, size_t n, bool positive) {
    bool spread = false;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]) || (positive && !(y[i] > 0.0))) return false;
        if (x[i] != x[0]) spread = true;
    }
    return spread;
}

sup_status sup_line_fit_weighted(const double *x, const double *y, const double *w, size_t n, sup_line *out) {
    if (!usable(x, y, n, false)) return SUP_EINVAL;
    for (size_t i = 0; i < n; i++)
        if (!(w[i] > 0.0) || isinf(w[i])) return SUP_EINVAL;
    fit(x, y, w, n, out);
    out->weighting = SUP_WEIGHT_EQUAL;
    return SUP_OK;
}

sup_status sup_line_fit(const double *x, const double *y, size_t n, sup_weighting weighting, sup_line *out) {
    if (weighting != SUP_WEIGHT_RELATIVE && weighting != SUP_WEIGHT_EQUAL) return SUP_EINVAL;
    if (!usable(x, y, n, weighting == SUP_WEIGHT_RELATIVE)) return SUP_EINVAL;
    if (n > SIZE_MAX / sizeof(double)) return SUP_ENOMEM;
    double *w = malloc(n * sizeof *w);
    if (!w) return SUP_ENOMEM;

    /* in units of the greatest y, so that 1/y² cannot overflow */
    double unit = 0.0;
    for (size_t i = 0; i < n; i++) unit = fmax(unit, fabs(y[i]));
    for (size_t i = 0; i < n; i++) w[i] = weighting == SUP_WEIGHT_RELATIVE ? (unit / y[i]) * (unit / y[i]) : 1.0;
    sup_line line;
    fit(x, y, w, n, &line);
    /* 1/y² favours points that happen to be low, which drags the line down by about the variance: weigh by the line */
    for (int round = 0; weighting == SUP_WEIGHT_RELATIVE && round < 3; round++) {
        for (size_t i = 0; i < n; i++) {
            double at = fmin(fmax(sup_line_at(&line, x[i]), 0.5 * y[i]), 2.0 * y[i]);
            w[i] = (unit / at) * (unit / at);
        }
        fit(x, y, w, n, &line);
    }
    free(w);
    if (weighting == SUP_WEIGHT_RELATIVE) line.residual /= unit;
    line.weighting = weighting;
    *out = line;
    return SUP_OK;
}

double sup_line_at(const sup_line *line, double x) { return line->pivot_y + line->slope * (x - line->pivot_x); }

static sup_interval interval(const sup_line *line, double centre, double sd, double confidence) {
    if (line->n < 3) return (sup_interval){-INFINITY, INFINITY, confidence};
    double half = sup_student_two_sided(confidence, (double)(line->n - 2)) * sd;
    return (sup_interval){centre - half, centre + half, confidence};
}

sup_interval sup_line_slope_interval(const sup_line *line, double confidence) {
    return interval(line, line->slope, line->slope_sd, confidence);
}

sup_interval sup_line_intercept_interval(const sup_line *line, double confidence) {
    return interval(line, line->intercept, line->intercept_sd, confidence);
}
