/* Which message size to measure next (pair/sizes.h), and the curve and the line through the points: L and B of BSP
 * §5.6.3 with relative weights. Stage "measure", term Tcomm. */
#include "measure/pair/sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CURIOSITY 0.02 /* score per octave of an interval wider than a step: something may be in there */
#define EXPLAINED 0.01 /* scores below this are not worth a measurement */
#define QUIETEST 0.005 /* relative deviation of a point is never taken to be less: the next launch differs by that */
#define CHANCE 3.0     /* deviations that two points differ by without a reason */
#define PENALTY 1.0    /* found by trying: times over sizes are bent more often than straight */

void sup_sizes_init(sup_sizes *s, size_t low, size_t high, size_t most, double step) {
    memset(s, 0, sizeof *s);
    s->low = (double)low;
    s->high = (double)high;
    s->most = most < SUP_SIZES_MAX ? most : SUP_SIZES_MAX;
    s->ratio = 1.03;
    s->step = step;
}

void sup_sizes_add(sup_sizes *s, size_t bytes, const sup_timing *t) {
    double x = (double)bytes;
    size_t at = 0;
    while (at < s->count && s->x[at] < x) at++;
    if (at == s->count || s->x[at] != x) {
        if (s->count == SUP_SIZES_MAX) return;
        size_t behind = s->count - at;
        memmove(s->x + at + 1, s->x + at, behind * sizeof *s->x);
        memmove(s->y + at + 1, s->y + at, behind * sizeof *s->y);
        memmove(s->timing + at + 1, s->timing + at, behind * sizeof *s->timing);
        s->count++;
    }
    s->x[at] = x;
    s->y[at] = t->seconds;
    s->timing[at] = *t;
}

/* Relative deviation of a point: half of its interval's half width, which is two of them. NaN: unknown. */
static double deviation(const sup_sizes *s, size_t i) {
    double relative = s->y[i] > 0.0 ? 0.5 * s->timing[i].ci / s->y[i] : NAN;
    return isfinite(relative) ? fmax(relative, 0.0) : NAN;
}

sup_status sup_sizes_fit(const sup_sizes *s, sup_diag *diag, sup_curve **out) {
    double deviations[SUP_SIZES_MAX];
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        deviations[i] = deviation(s, i);
        any |= !isnan(deviations[i]);
    }
    sup_curve_options o = {.shape = SUP_SHAPE_RISING, .min_points = 2, .penalty = PENALTY};
    if (any) {
        o.noise = QUIETEST;
        o.deviations = deviations;
    }
    return sup_curve_fit(s->x, s->y, s->count, &o, diag, out);
}

static double line_at(const sup_segment *g, double x) { return g->intercept + g->slope * x; }

static double between(double v, double a, double b) { return fmin(fmax(v, fmin(a, b)), fmax(a, b)); }

/* What two neighbouring points differ by without a reason, relatively. */
static double chance(const sup_sizes *s, size_t i) {
    double left = deviation(s, i), right = deviation(s, i + 1);
    return CHANCE *
           hypot(isnan(left) ? QUIETEST : fmax(left, QUIETEST), isnan(right) ? QUIETEST : fmax(right, QUIETEST));
}

/* How much of the time in the middle of an interval is a guess, relatively: what the curve says there and what the
 * lines before and behind would say, if they went on; beyond what the points' own intervals explain. Inside a line
 * nobody guesses: a point that lies off it would have split it. */
static double unexplained(const sup_sizes *s, const sup_curve *c, size_t i) {
    double a = s->x[i], b = s->x[i + 1], middle = sqrt(a * b);
    size_t k = 0;
    while (k + 1 < c->count && c->segments[k].x_hi <= a) k++;
    const sup_segment *g = &c->segments[k];
    double low = line_at(g, middle), high = low;
    for (int side = -1; side <= 1; side += 2) {
        bool end = side < 0 ? k > 0 && g->x_lo == a : k + 1 < c->count && g->x_hi == b;
        if (!end) continue;
        double other = between(line_at(g + side, middle), line_at(g, a), line_at(g, b));
        low = fmin(low, other);
        high = fmax(high, other);
    }
    return low > 0.0 ? fmax(0.0, high / low - 1.0 - chance(s, i)) : 0.0;
}

static size_t first_sizes(const sup_sizes *s) {
    for (double x = s->low;; x *= s->step) {
        double wanted = x * s->step > 0.75 * s->step * s->high || x > s->high ? s->high : floor(x);
        bool known = false;
        for (size_t i = 0; i < s->count; i++) known |= s->x[i] == wanted;
        if (!known) return (size_t)wanted;
        if (wanted == s->high) return 0;
    }
}

static size_t halve(const sup_sizes *s, const sup_curve *c) {
    double best = EXPLAINED;
    size_t at = 0;
    for (size_t i = 0; i + 1 < s->count; i++) {
        double a = s->x[i], b = s->x[i + 1], octaves = log2(b / a);
        if (b - a < 2.0 || b / a <= s->ratio) continue;
        double score = octaves * (unexplained(s, c, i) + (octaves > log2(s->step) ? CURIOSITY : 0.0));
        if (score <= best) continue;
        double middle = floor(sqrt(a * b) + 0.5);
        if (middle <= a || middle >= b) continue;
        best = score;
        at = (size_t)middle;
    }
    return at;
}

size_t sup_sizes_next(const sup_sizes *s) {
    if (s->count >= s->most) return 0;
    size_t first = first_sizes(s);
    if (first > 0) return first;
    sup_curve *c;
    if (s->count < 2 || sup_sizes_fit(s, NULL, &c)) return 0;
    size_t next = halve(s, c);
    sup_curve_free(c);
    return next;
}

/* A list of a file: NULL if one of its numbers is not known. */
static double *list(double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 0.0) || isinf(values[i])) return NULL;
    return values;
}

static sup_status set_points(const sup_sizes *s, sup_file_curve *file) {
    double ci[SUP_SIZES_MAX], typical[SUP_SIZES_MAX], bad[SUP_SIZES_MAX];
    int64_t n[SUP_SIZES_MAX];
    for (size_t i = 0; i < s->count; i++) {
        ci[i] = s->timing[i].ci;
        typical[i] = s->timing[i].typical;
        bad[i] = s->timing[i].bad;
        n[i] = s->timing[i].n;
    }
    sup_points points = {.x = (double *)s->x, .y = (double *)s->y, .n = n};
    points.ci = list(ci, s->count);
    points.typical = list(typical, s->count);
    points.bad = list(bad, s->count);
    return sup_file_curve_set_points(file, &points, s->count);
}

sup_status sup_sizes_file_curve(const sup_sizes *s, sup_diag *diag, sup_file_curve **out) {
    sup_curve *c = NULL;
    sup_status status = sup_sizes_fit(s, diag, &c);
    if (status) return status;
    sup_file_curve *file = sup_record_make(&sup_file_curve_record);
    status = file ? sup_file_curve_set(file, c) : SUP_ENOMEM;
    sup_curve_free(c);
    if (!status) status = set_points(s, file);
    if (status) {
        if (file) sup_record_clear(&sup_file_curve_record, file);
        free(file);
        return sup_diag_set(diag, status, NULL, 0, "out of memory");
    }
    *out = file;
    return SUP_OK;
}

/* Where the best line has a negative slope or intercept, that is what the data cannot tell: it is 0, the other one is
 * then a weighted mean. */
static void not_negative(const sup_sizes *s, const double *w, sup_line *line) {
    double sum = 0.0, with = 0.0;
    if (line->intercept >= 0.0 && line->slope >= 0.0) return;
    bool level = line->slope < 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double base = level ? 1.0 : s->x[i];
        sum += w[i] * s->y[i] * base;
        with += w[i] * base * base;
    }
    line->intercept = level ? sum / with : 0.0;
    line->slope = level ? 0.0 : sum / with;
}

sup_status sup_sizes_line(const sup_sizes *s, sup_line *out) {
    double w[SUP_SIZES_MAX];
    for (size_t i = 0; i < s->count; i++) {
        double from = i > 0 ? s->x[i - 1] : s->x[i], to = i + 1 < s->count ? s->x[i + 1] : s->x[i];
        if (!(s->y[i] > 0.0)) return SUP_EINVAL;
        w[i] = fmax(log2(to / from), 1e-3) / (s->y[i] * s->y[i]);
    }
    sup_status status = sup_line_fit_weighted(s->x, s->y, w, s->count, out);
    if (!status) not_negative(s, w, out);
    return status;
}
