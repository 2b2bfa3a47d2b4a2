/* Which message size to measure next (pair_sizes.h), and the curve and the line through the points: L and B of BSP
 * §5.6.3 with relative weights. Stage "measure", term Tcomm. */
#include "measure/pair_sizes.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STEP 4.0
#define CURIOSITY 0.02  /* score per octave of an interval wider than one: something may be in there */
#define EXPLAINED 0.004 /* scores below this are not worth a measurement */
#define QUIETEST 0.005  /* relative noise is never taken to be less */
#define FIT_NOISE 0.01  /* of a point in the final curve: what a second trial differs by, whatever the interval says */
#define FALLS 0.03
#define SUSPICIOUS 0.10 /* a single point so far off the curve, relatively, is measured again */

void sup_sizes_init(sup_sizes *s, size_t low, size_t high, size_t most) {
    memset(s, 0, sizeof *s);
    s->low = (double)low;
    s->high = (double)high;
    s->most = most < SUP_SIZES_MAX ? most : SUP_SIZES_MAX;
    s->ratio = 1.03;
}

void sup_sizes_add(sup_sizes *s, size_t bytes, const sup_timing *t) {
    double x = (double)bytes;
    size_t at = 0;
    while (at < s->count && s->x[at] < x) at++;
    bool known = at < s->count && s->x[at] == x;
    if (known) {
        s->again[at] = true;
        /* quicker, or the same within the intervals and better known */
        bool same = fabs(t->seconds - s->y[at]) <= t->ci + s->timing[at].ci;
        if (t->seconds >= s->y[at] && !(same && t->ci < s->timing[at].ci)) return;
    } else {
        if (s->count == SUP_SIZES_MAX) return;
        size_t behind = s->count - at;
        memmove(s->x + at + 1, s->x + at, behind * sizeof *s->x);
        memmove(s->y + at + 1, s->y + at, behind * sizeof *s->y);
        memmove(s->timing + at + 1, s->timing + at, behind * sizeof *s->timing);
        memmove(s->again + at + 1, s->again + at, behind * sizeof *s->again);
        s->again[at] = false;
        s->count++;
    }
    s->x[at] = x;
    s->y[at] = t->seconds;
    s->timing[at] = *t;
}

/* Relative noise of a point: the median over all of their intervals' half widths. */
static double noise(const sup_sizes *s) {
    double relative[SUP_SIZES_MAX];
    for (size_t i = 0; i < s->count; i++) relative[i] = s->y[i] > 0.0 ? s->timing[i].ci / s->y[i] : 0.0;
    return fmax(QUIETEST, sup_stats_median(relative, s->count));
}

static sup_status fit(const sup_sizes *s, size_t min_points, sup_diag *diag, sup_curve **out) {
    sup_curve_options o = {.min_points = min_points, .noise = fmax(FIT_NOISE, noise(s))};
    return sup_curve_fit(s->x, s->y, s->count, &o, diag, out);
}

sup_status sup_sizes_fit(const sup_sizes *s, sup_diag *diag, sup_curve **out) { return fit(s, 0, diag, out); }

/* The segment that a measured size belongs to. */
static size_t segment_of(const sup_curve *c, double x) {
    size_t k = 0;
    while (k + 1 < c->count && x > c->segments[k].x_hi) k++;
    return k;
}

static double line_at(const sup_segment *g, double x) { return g->intercept + g->slope * x; }

static double off_curve(const sup_sizes *s, const sup_curve *c, size_t i) {
    double fitted = line_at(&c->segments[segment_of(c, s->x[i])], s->x[i]);
    return s->y[i] > 0.0 ? fabs(fitted - s->y[i]) / s->y[i] : 0.0;
}

static double between(double v, double a, double b) { return fmin(fmax(v, fmin(a, b)), fmax(a, b)); }

/* How much of the time in the middle of an interval is a guess, relatively. */
static double unexplained(const sup_sizes *s, const sup_curve *c, size_t i, double quiet) {
    size_t left = segment_of(c, s->x[i]), right = segment_of(c, s->x[i + 1]);
    double a = s->y[i], b = s->y[i + 1], middle = sqrt(s->x[i] * s->x[i + 1]);
    if (left == right) return fmax(0.0, fmax(off_curve(s, c, i), off_curve(s, c, i + 1)) - 2.5 * quiet);
    double from_left = between(line_at(&c->segments[left], middle), a, b);
    double from_right = between(line_at(&c->segments[right], middle), a, b);
    double least = fmin(from_left, from_right);
    return least > 0.0 ? fmax(0.0, fabs(from_left - from_right) / least - 2.5 * quiet) : 0.0;
}

static size_t first_sizes(const sup_sizes *s) {
    for (double x = s->low;; x *= FIRST_STEP) {
        double wanted = x * FIRST_STEP > 1.5 * s->high || x > s->high ? s->high : floor(x);
        bool known = false;
        for (size_t i = 0; i < s->count; i++) known |= s->x[i] == wanted;
        if (!known) return (size_t)wanted;
        if (wanted == s->high) return 0;
    }
}

/* A point that lies off the curve while both its neighbours lie on it, or above the next larger size: times hardly ever
 * fall, and where they do, a second measurement says so too. */
static size_t suspicious(const sup_sizes *s, const sup_curve *c, double quiet) {
    double limit = fmax(SUSPICIOUS, 6.0 * quiet), fall = 1.0 + fmax(FALLS, 3.0 * quiet);
    for (size_t i = 0; i < s->count; i++) {
        if (s->again[i]) continue;
        if (i + 1 < s->count && s->y[i] > fall * s->y[i + 1]) return (size_t)s->x[i];
        if (off_curve(s, c, i) <= limit) continue;
        bool left = i == 0 || off_curve(s, c, i - 1) < limit / 2.0;
        bool right = i + 1 == s->count || off_curve(s, c, i + 1) < limit / 2.0;
        if (left && right) return (size_t)s->x[i];
    }
    return 0;
}

static size_t halve(const sup_sizes *s, const sup_curve *c, double quiet) {
    double best = EXPLAINED;
    size_t at = 0;
    for (size_t i = 0; i + 1 < s->count; i++) {
        double a = s->x[i], b = s->x[i + 1], octaves = log2(b / a);
        if (b - a < 2.0 || b / a <= s->ratio) continue;
        double score = octaves * (unexplained(s, c, i, quiet) + (octaves > 1.0 ? CURIOSITY : 0.0));
        if (score <= best) continue;
        double middle = floor(sqrt(a * b) + 0.5);
        if (middle <= a || middle >= b) continue;
        best = score;
        at = (size_t)middle;
    }
    return at;
}

size_t sup_sizes_next(const sup_sizes *s) {
    size_t first = first_sizes(s);
    if (first > 0) return s->count < s->most ? first : 0;
    sup_curve *c;
    if (s->count < 2 || fit(s, 2, NULL, &c)) return 0;
    double quiet = noise(s);
    size_t next = suspicious(s, c, quiet);
    if (next == 0 && s->count < s->most) next = halve(s, c, quiet);
    sup_curve_free(c);
    return next;
}

size_t sup_sizes_vaguest(const sup_sizes *s, double wanted) {
    size_t at = 0;
    for (size_t i = 0; i < s->count; i++) {
        double relative = s->y[i] > 0.0 ? s->timing[i].ci / s->y[i] : 0.0;
        if (s->again[i] || relative <= wanted) continue;
        wanted = relative;
        at = (size_t)s->x[i];
    }
    return at;
}

sup_status sup_sizes_file_curve(const sup_sizes *s, sup_diag *diag, sup_file_curve **out) {
    sup_curve *c = NULL;
    sup_status status = sup_sizes_fit(s, diag, &c);
    if (status) return status;
    sup_file_curve *file = sup_record_make(&sup_file_curve_record);
    status = file ? sup_file_curve_set(file, c) : SUP_ENOMEM;
    sup_curve_free(c);
    double ci[SUP_SIZES_MAX];
    double typical[SUP_SIZES_MAX], bad[SUP_SIZES_MAX];
    int64_t n[SUP_SIZES_MAX];
    for (size_t i = 0; i < s->count; i++) {
        ci[i] = s->timing[i].ci;
        n[i] = s->timing[i].n;
        typical[i] = s->timing[i].typical;
        bad[i] = s->timing[i].bad;
    }
    if (!status)
        status = sup_file_curve_set_points(
            file,
            &(sup_points){.x = (double *)s->x, .y = (double *)s->y, .ci = ci, .typical = typical, .bad = bad, .n = n},
            s->count);
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
