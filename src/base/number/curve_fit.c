/* Fitting piecewise-linear curves: the number and place of segments are chosen by the data (BSP §4.3 automated).
 *
 * What is minimised is Σ((y − ŷ)/(σ·y))² + penalty·ln n·parameters, σ the relative noise of a measurement: its own
 * where that is known. A jump costs three parameters (place, value, slope), a kink two (place, slope).
 *
 *   1. σ, where it is not known, from the deviation of each point from its two neighbours' line, which breaks spoil
 *      only here and there;
 *   2. dynamic programming over all places of breaks, with independent lines between them: exact, O(n²). The first and
 *      the last size of each line are knots;
 *   3. while it lowers the sum, a knot is taken away, a jump becomes a kink, or a knot moves to another size. All lines
 *      are fitted together here, under the curve's promises;
 *   4. a line that misses a point that is well known is split there, down to lines from point to point.
 *
 * Steps 3 and 4 are in base/number/curve_knots.c. */
#include "base/number/curve.h"
#include "base/number/curve_knots.h"
#include "base/number/stats.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAD_NORMAL 1.4826022185056018 /* median absolute deviation × this: deviation of normal data */
#define LEAST_NOISE 1e-3              /* below 0.1 % a deviation is not worth a segment */
#define VAGUE 0.5                     /* deviation of a point of which nothing is known, or worse */
#define MOST_POINTS ((size_t)100000)
#define MOST_SEGMENTS 127 /* unless told */

typedef sup_fit_point point;
typedef sup_fit data;

static int by_x(const void *a, const void *b) {
    const point *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

static double part_of(const data *d, size_t i) {
    if (!d->options.deviations) return 1.0;
    double own = d->options.deviations[i];
    return fmax(LEAST_NOISE, hypot(own >= 0.0 ? fmin(own, VAGUE) : VAGUE, d->options.noise));
}

static sup_status data_init(data *d, const double *x, const double *y, size_t n, sup_diag *diag) {
    d->p = calloc(n, sizeof *d->p);
    if (!d->p) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %zu points", n);
    d->n = n;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] >= 0.0 && y[i] >= 0.0) || isinf(x[i]) || isinf(y[i])) {
            free(d->p);
            d->p = NULL;
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "point %zu (%g, %g) is negative or not finite", i, x[i],
                                y[i]);
        }
        d->p[i] = (point){.x = x[i], .y = y[i], .order = i, .part = part_of(d, i)};
        if (y[i] > 0.0 && y[i] < least) least = y[i];
    }
    if (isinf(least)) least = 1.0;
    qsort(d->p, n, sizeof *d->p, by_x);
    for (size_t i = 0; i < n; i++) {
        d->p[i].scale = fmax(d->p[i].y, least);
        d->p[i].rank = i == 0 ? 0 : d->p[i - 1].rank + (d->p[i].x > d->p[i - 1].x);
    }
    d->distinct = d->p[n - 1].rank + 1;
    return SUP_OK;
}

/* Step 1. Each point against the line through its neighbours, in deviations that a straight line with relative noise 1
 * would show; the median of their sizes ignores the few that stand next to a break. */
static double estimate_noise(const data *d) {
    if (d->n < 4) return LEAST_NOISE;
    double *r = malloc((d->n - 2) * sizeof *r);
    if (!r) return NAN;
    for (size_t i = 1; i + 1 < d->n; i++) {
        const point *l = &d->p[i - 1], *m = l + 1, *h = l + 2;
        double u = h->x > l->x ? (m->x - l->x) / (h->x - l->x) : 0.5;
        double expected = (1.0 - u) * l->y + u * h->y;
        double spread = hypot(m->scale, hypot((1.0 - u) * l->scale, u * h->scale));
        r[i - 1] = fabs(m->y - expected) / spread;
    }
    double sigma = MAD_NORMAL * sup_stats_median(r, d->n - 2);
    free(r);
    return fmax(sigma, LEAST_NOISE);
}

/* A weighted line that grows point by point: sums around the running mean, so that nothing cancels. */
typedef struct running {
    double w, mx, my, xx, xy, yy;
} running;

static void running_add(running *s, const point *p) {
    double w = sup_fit_weight(p), before = s->w;
    s->w += w;
    double dx = p->x - s->mx, dy = p->y - s->my, part = w / s->w, both = part * before;
    s->mx += part * dx;
    s->my += part * dy;
    s->xx += both * dx * dx;
    s->xy += both * dx * dy;
    s->yy += both * dy * dy;
}

static double running_rss(const running *s) { return s->xx > 0.0 ? fmax(0.0, s->yy - s->xy / s->xx * s->xy) : s->yy; }

/* Step 2, one pass. best[i]: least sum for the points before i; from[i]: where its last segment starts. Returns the
 * number of segments.
 *
 * A segment that is worse up to j, even before its penalty, than the best way to get there is worse for every later end
 * too, as soon as the rest is long enough to be a segment of its own: there the inner loop stops (Killick, Fearnhead,
 * Eckley 2012), which makes it short where breaks are many. */
static size_t cut(const data *d, double segment_penalty, double *best, size_t *from) {
    size_t n = d->n;
    double precision = 1.0 / (d->sigma * d->sigma);
    for (size_t i = 0; i <= n; i++) best[i] = INFINITY;
    best[0] = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (isinf(best[i])) continue;
        running s = {0};
        size_t last_rank = SIZE_MAX;
        for (size_t j = i; j < n && d->p[j].rank <= last_rank; j++) {
            running_add(&s, &d->p[j]);
            if (j + 1 < n && d->p[j + 1].x == d->p[j].x) continue; /* a break needs room */
            bool whole = i == 0 && j + 1 == n;
            if (!whole && d->p[j].rank - d->p[i].rank + 1 < d->options.min_points) continue;
            double sum = best[i] + running_rss(&s) * precision;
            if (sum + segment_penalty < best[j + 1]) {
                best[j + 1] = sum + segment_penalty;
                from[j + 1] = i;
            } else if (sum > best[j + 1] && last_rank == SIZE_MAX) {
                last_rank = d->p[j].rank + d->options.min_points;
            }
        }
    }
    size_t count = 0;
    for (size_t at = n; at > 0; at = from[at]) count++;
    return count;
}

/* The residual deviation of the cut, and (with rescale) the fitted values as the new scale of the errors: dividing by
 * the measured y itself favours points that happen to be low. */
static double cut_residual(data *d, const size_t *from, size_t count, bool rescale) {
    double rss = 0.0;
    for (size_t end = d->n; end > 0; end = from[end]) {
        running s = {0};
        for (size_t i = from[end]; i < end; i++) running_add(&s, &d->p[i]);
        rss += running_rss(&s);
        for (size_t i = from[end]; rescale && i < end; i++) {
            point *p = &d->p[i];
            double fitted = s.my + (s.xx > 0.0 ? s.xy / s.xx * (p->x - s.mx) : 0.0);
            p->scale = fmin(fmax(fitted, 0.5 * p->scale), 2.0 * p->scale);
        }
    }
    return d->n > 2 * count ? sqrt(rss / (double)(d->n - 2 * count)) : 0.0;
}

/* Step 2: cuts, sharpens σ by what is left after the cut, and cuts again. The estimate of step 1 is too high where
 * breaks are dense; it is never lowered below half, because a cut that follows the noise would confirm itself. */
static sup_status find_cuts(data *d, double *best, size_t *from, size_t *count) {
    bool known = d->known;
    if (!known) d->sigma = estimate_noise(d);
    if (isnan(d->sigma)) return SUP_ENOMEM;
    double least = fmax(0.5 * d->sigma, LEAST_NOISE), penalty = 3.0 * d->unit_penalty;
    *count = cut(d, penalty, best, from);
    for (int round = 0; round < 3 && !known; round++) {
        double left = cut_residual(d, from, *count, false);
        if (!(left > 0.0 && left < 0.95 * d->sigma) || d->sigma <= least) break;
        d->sigma = fmax(left, least);
        *count = cut(d, penalty, best, from);
    }
    while (*count > 1 && 2 * *count - 1 > d->options.max_segments) {
        penalty *= 2.0;
        *count = cut(d, penalty, best, from);
    }
    cut_residual(d, from, *count, true);
    return SUP_OK;
}

/* The sizes at both ends of each line of the cut. */
static size_t knots_of(const data *d, const size_t *from, size_t count, size_t *ranks) {
    size_t at = 2 * count;
    for (size_t end = d->n; end > 0; end = from[end]) {
        ranks[--at] = d->p[end - 1].rank;
        ranks[--at] = d->p[from[end]].rank;
    }
    assert(at == 0);
    size_t different = 0;
    for (size_t i = 0; i < 2 * count; i++)
        if (i == 0 || ranks[i] != ranks[different - 1]) ranks[different++] = ranks[i];
    return different;
}

/* Steps 1 to 4 with the memory they need. */
static sup_status fit(data *d, sup_segment *segments, size_t *count) {
    double *best = malloc((d->n + 1) * sizeof *best);
    size_t *from = calloc(d->n + 1, sizeof *from);
    sup_status status = best && from ? find_cuts(d, best, from, count) : SUP_ENOMEM;
    size_t *ranks = status ? NULL : malloc(2 * *count * sizeof *ranks);
    if (!status && !ranks) status = SUP_ENOMEM;
    if (!status) status = sup_knots_fit(d, ranks, knots_of(d, from, *count, ranks), segments, count);
    free(ranks);
    free(from);
    free(best);
    return status;
}

/* The flag is a promise that the curve keeps wherever it is asked; a curve that happens not to fall may give it. */
static unsigned promise(const data *d, const sup_segment *s, size_t count) {
    bool rises = d->options.shape == SUP_SHAPE_RISING;
    for (size_t k = 0; k < count; k++) rises &= s[k].slope >= 0.0;
    return d->options.flags | (rises ? SUP_CURVE_NONDECREASING : 0u);
}

static sup_status resolve(const sup_curve_options *given, size_t n, sup_diag *diag, data *d) {
    sup_curve_options o = given ? *given : (sup_curve_options){0};
    if (o.max_segments == 0) o.max_segments = MOST_SEGMENTS;
    if (o.min_points == 0) o.min_points = 3;
    if (o.penalty == 0.0) o.penalty = 2.0;
    if (o.flags & ~(unsigned)SUP_CURVE_NONDECREASING || o.max_segments > 1000 || o.min_points < 2 ||
        !(o.penalty > 0.0) || !(o.noise >= 0.0) || isinf(o.noise) || o.shape < SUP_SHAPE_FREE ||
        o.shape > SUP_SHAPE_VALLEY)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "options of the curve are out of their domain");
    if (n == 0) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no points to fit a curve to");
    if (n > MOST_POINTS) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "more than %zu points", MOST_POINTS);
    d->options = o;
    d->known = o.noise > 0.0 || o.deviations;
    d->sigma = o.deviations ? 1.0 : o.noise;
    d->unit_penalty = o.penalty * log(fmax((double)n, 2.0));
    return SUP_OK;
}

sup_status sup_curve_fit(const double *x, const double *y, size_t n, const sup_curve_options *options, sup_diag *diag,
                         sup_curve **out) {
    data d = {0};
    sup_status status = resolve(options, n, diag, &d);
    if (status != SUP_OK) return status;
    status = data_init(&d, x, y, n, diag);
    if (status != SUP_OK) return status;
    assert(d.p && d.options.max_segments > 0);
    size_t count = 0, most = d.distinct < d.options.max_segments ? d.distinct : d.options.max_segments;
    sup_segment *segments = malloc((most + 1) * sizeof *segments);
    status = segments ? fit(&d, segments, &count) : SUP_ENOMEM;
    if (status == SUP_OK)
        status = sup_curve_make(segments, count, promise(&d, segments, count), diag, out);
    else
        sup_diag_set(diag, status, NULL, 0, "no memory to fit %zu points", n);
    free(segments);
    free(d.p);
    return status;
}
