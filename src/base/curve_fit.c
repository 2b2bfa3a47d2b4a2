/* Fitting piecewise-linear curves: the number and place of segments are chosen by the data (BSP §4.3 automated).
 *
 * What is minimised is Σ((y − ŷ)/(σ·y))² + penalty·ln n·parameters, σ the relative noise of a measurement. A jump costs
 * three parameters (place, value, slope), a knot two (place, slope).
 *
 *   1. σ from the deviation of each point from its two neighbours' line, which breaks spoil only here and there;
 *   2. dynamic programming over all places of breaks, with independent lines between them: exact, O(n²);
 *   3. simplification: while it lowers the sum, a break is removed or a jump closed to a knot. All segments are fitted
 *      together here, under the curve's promises;
 *   4. knots move to where they fit best.
 *
 * The joint fit is a least-squares problem in the values at the ends of the segments: all ≥ 0 makes the curve
 * nonnegative between them too, and all increments ≥ 0 makes it nondecreasing everywhere. */
#include "base/curve.h"
#include "base/lsq.h"
#include "base/stats.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAD_NORMAL 1.4826022185056018 /* median absolute deviation × this: deviation of normal data */
#define LEAST_NOISE 1e-3              /* below 0.1 % a deviation is not worth a segment */
#define MOST_POINTS ((size_t)100000)

typedef struct point {
    double x, y;
    double scale; /* what an error is relative to */
    size_t order; /* as given */
    size_t rank;  /* number of different x below this one */
} point;

typedef struct data {
    point *p;
    size_t n;
    size_t distinct;
    double sigma;
    double unit_penalty; /* of one parameter */
    bool rising;         /* fit under the promise not to decrease */
    sup_curve_options options;
    double *a, *b; /* room for the joint fit */
    bool *signs;
} data;

/* A way to cut the axis: segment k lies between at[k] and at[k + 1], whose joint at at[k] is a jump or a knot. */
typedef struct model {
    size_t count;
    double *at;
    bool *jump;
    double *left, *right; /* values at the ends of each segment */
    double rss, cost;
} model;

static void model_free(model *m) { free(m->at); }

static bool model_init(model *m, size_t most) {
    memset(m, 0, sizeof *m);
    m->at = malloc((most + 1) * (3 * sizeof(double) + sizeof(bool)));
    if (!m->at) return false;
    m->left = m->at + most + 1;
    m->right = m->left + most + 1;
    m->jump = (bool *)(m->right + most + 1);
    return true;
}

static void model_copy(const model *from, model *to) {
    to->count = from->count;
    to->rss = from->rss;
    to->cost = from->cost;
    memcpy(to->at, from->at, (from->count + 1) * sizeof(double));
    memcpy(to->left, from->left, from->count * sizeof(double));
    memcpy(to->right, from->right, from->count * sizeof(double));
    memcpy(to->jump, from->jump, from->count * sizeof(bool));
}

static int by_x(const void *a, const void *b) {
    const point *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
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
        d->p[i] = (point){.x = x[i], .y = y[i], .order = i};
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
    double w = 1.0 / (p->scale * p->scale), before = s->w;
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
    bool known = d->options.noise > 0.0;
    d->sigma = known ? d->options.noise : estimate_noise(d);
    if (isnan(d->sigma)) return SUP_ENOMEM;
    double least = fmax(0.5 * d->sigma, LEAST_NOISE), penalty = 3.0 * d->unit_penalty;
    *count = cut(d, penalty, best, from);
    for (int round = 0; round < 3 && !known; round++) {
        double left = cut_residual(d, from, *count, false);
        if (!(left > 0.0 && left < 0.95 * d->sigma) || d->sigma <= least) break;
        d->sigma = fmax(left, least);
        *count = cut(d, penalty, best, from);
    }
    while (*count > d->options.max_segments) {
        penalty *= 2.0;
        *count = cut(d, penalty, best, from);
    }
    cut_residual(d, from, *count, true);
    return SUP_OK;
}

static size_t model_of_point(const model *m, size_t k, double x) {
    while (k + 1 < m->count && x >= m->at[k + 1]) k++;
    return k;
}

/* The two rows that stand for all points of segment k. Around the weighted mean (mx, my) of the points the squared
 * error of a line is  W·(my − line(mx))² + Sxx·(Sxy/Sxx − slope)² + a remainder that no line can reduce,  so that the
 * joint fit has two rows a segment, however many points there are. Returns the remainder. */
static double add_rows(const running *s, double from, double to, double *row, double *b, size_t nodes, size_t left) {
    double length = to - from, u = length > 0.0 ? (s->mx - from) / length : 0.0, weight = sqrt(s->w);
    row[left] = weight * (1.0 - u);
    row[left + 1] = weight * u;
    b[0] = weight * s->my;
    if (!(s->xx > 0.0)) return s->yy;
    double stiffness = sqrt(s->xx);
    row[nodes + left] = -stiffness / length;
    row[nodes + left + 1] = stiffness / length;
    b[1] = s->xy / stiffness;
    return running_rss(s);
}

/* Fills the rows of all segments; false if one has fewer than two different x, and so no line of its own. */
static bool build_rows(const data *d, const model *m, size_t nodes, double *remainder) {
    memset(d->a, 0, 2 * m->count * nodes * sizeof(double));
    memset(d->b, 0, 2 * m->count * sizeof(double));
    *remainder = 0.0;
    size_t i = 0, left = 0;
    for (size_t k = 0; k < m->count; k++) {
        size_t first = i;
        running s = {0};
        for (; i < d->n && (k + 1 == m->count || d->p[i].x < m->at[k + 1]); i++) running_add(&s, &d->p[i]);
        if (i == first || (d->distinct > 1 && d->p[i - 1].rank == d->p[first].rank)) return false;
        if (k > 0) left += 1 + m->jump[k];
        *remainder += add_rows(&s, m->at[k], m->at[k + 1], d->a + 2 * k * nodes, d->b + 2 * k, nodes, left);
    }
    return true;
}

/* Steps 3 and 4: fits all segments together; false if the model cuts off too few points, or out of memory. */
static bool fit_model(const data *d, model *m) {
    size_t nodes = m->count + 1, rows = 2 * m->count;
    for (size_t k = 1; k < m->count; k++) nodes += m->jump[k];
    double remainder;
    if (!build_rows(d, m, nodes, &remainder)) return false;
    /* increments instead of values: each counts for all nodes from its own on */
    for (size_t i = 0; d->rising && i < rows; i++)
        for (size_t j = nodes - 1; j-- > 0;) d->a[i * nodes + j] += d->a[i * nodes + j + 1];
    double *v = d->b + rows;
    if (sup_lsq_solve(d->a, d->b, rows, nodes, d->signs, v, &m->rss) != SUP_OK) return false;
    for (size_t j = 1; d->rising && j < nodes; j++) v[j] += v[j - 1];
    for (size_t s = 0, j = 0; s < m->count; s++) {
        if (s > 0 && m->jump[s]) j++;
        m->left[s] = v[j++];
        m->right[s] = v[j];
    }
    m->rss += remainder;
    m->cost = m->rss / (d->sigma * d->sigma) + d->unit_penalty * (double)(nodes + m->count - 1);
    return true;
}

static void remove_joint(model *m, size_t k) {
    memmove(m->at + k, m->at + k + 1, (m->count - k) * sizeof(double));
    memmove(m->jump + k, m->jump + k + 1, (m->count - k - 1) * sizeof(bool));
    m->count--;
}

/* Where the lines on both sides of joint k would cross, if that is nearer than the middles of the two segments. */
static double crossing(const model *m, size_t k) {
    double len_l = m->at[k] - m->at[k - 1], len_r = m->at[k + 1] - m->at[k];
    double slope_l = (m->right[k - 1] - m->left[k - 1]) / len_l, slope_r = (m->right[k] - m->left[k]) / len_r;
    double x = m->at[k] + (m->right[k - 1] - m->left[k]) / (slope_r - slope_l);
    return x > m->at[k] - 0.5 * len_l && x < m->at[k] + 0.5 * len_r ? x : m->at[k];
}

/* Takes `trial` if it is better than what there is. */
static void offer(const data *d, model *trial, model *best) {
    if (fit_model(d, trial) && trial->cost < best->cost) model_copy(trial, best);
}

/* Step 3: the best single simplification, again and again. */
static void simplify(const data *d, model *m, model *trial, model *best) {
    for (;;) {
        model_copy(m, best);
        for (size_t k = 1; k < m->count; k++) {
            model_copy(m, trial);
            remove_joint(trial, k);
            offer(d, trial, best);
            if (!m->jump[k]) continue;
            double places[2] = {m->at[k], crossing(m, k)};
            for (int i = 0; i < 2; i++) {
                model_copy(m, trial);
                trial->jump[k] = false;
                trial->at[k] = places[i];
                offer(d, trial, best);
            }
        }
        if (!(best->cost < m->cost)) return;
        model_copy(best, m);
    }
}

/* Step 4 for one knot: 16 places around its own, in ever smaller steps; the first reach over some points each way. */
static void move_knot(const data *d, size_t k, model *m, model *trial, model *best) {
    size_t i = 0;
    while (i + 1 < d->n && d->p[i].x < m->at[k]) i++;
    double low = fmax(d->p[i > 3 ? i - 3 : 0].x, m->at[k - 1]);
    double high = fmin(d->p[i + 3 < d->n ? i + 3 : d->n - 1].x, m->at[k + 1]);
    for (int round = 0; round < 4; round++) {
        double step = (high - low) / 16.0;
        model_copy(m, best);
        for (int j = 1; j < 16; j++) {
            model_copy(m, trial);
            trial->at[k] = low + step * j;
            offer(d, trial, best);
        }
        model_copy(best, m);
        low = fmax(low, m->at[k] - step);
        high = fmin(high, m->at[k] + step);
    }
}

/* Step 4: knots pull at each other, so each has its turn again until nothing much is gained. */
static void move_knots(const data *d, model *m, model *trial, model *best) {
    for (int sweep = 0; sweep < 3; sweep++) {
        double before = m->cost;
        for (size_t k = 1; k < m->count; k++)
            if (!m->jump[k]) move_knot(d, k, m, trial, best);
        if (!(m->cost < before - 0.01 * d->unit_penalty)) break;
    }
}

/* Writes the segments of the fitted model, with the residual of each averaged with that of all. */
static void describe(const data *d, const model *m, sup_segment *out) {
    double free_points = (double)d->n - (double)(m->count + 1);
    for (size_t k = 1; k < m->count; k++) free_points -= 1.0 + m->jump[k];
    /* as many parameters as points: nothing is known about the noise, which is not the same as no noise */
    double unknown = d->options.noise > 0.0 ? d->options.noise : 1.0;
    double overall = free_points > 0.0 ? m->rss / free_points : unknown * unknown;
    size_t i = 0;
    for (size_t k = 0; k < m->count; k++) {
        double length = m->at[k + 1] - m->at[k];
        sup_segment *s = &out[k];
        *s = (sup_segment){.slope = length > 0.0 ? (m->right[k] - m->left[k]) / length : 0.0};
        s->intercept = m->left[k] - s->slope * m->at[k];
        s->x_lo = k > 0 && !m->jump[k] ? m->at[k] : d->p[i].x;
        double sum = 0.0;
        for (; i < d->n && model_of_point(m, k, d->p[i].x) == k; i++, s->n++) {
            double r = (d->p[i].y - s->intercept - s->slope * d->p[i].x) / d->p[i].scale;
            sum += r * r;
        }
        s->x_hi = k + 1 < m->count && !m->jump[k + 1] ? m->at[k + 1] : d->p[i - 1].x;
        double own = fmax((double)s->n - 2.0, 0.0);
        s->residual = sqrt((sum + SUP_CURVE_BORROWED * overall) / (own + SUP_CURVE_BORROWED));
    }
}

static void model_from_cuts(const data *d, const size_t *from, size_t count, model *m) {
    m->count = count;
    m->at[count] = d->p[d->n - 1].x;
    for (size_t end = d->n, k = count; k-- > 0; end = from[end]) {
        size_t start = from[end];
        m->at[k] = k == 0 ? d->p[0].x : sup_curve_break(d->p[start - 1].x, d->p[start].x);
        m->jump[k] = k > 0;
        m->left[k] = m->right[k] = 0.0;
    }
}

/* Steps 2 to 4 with the memory they need; segments has room for max_segments. */
static sup_status fit(data *d, sup_segment *segments, size_t *count) {
    size_t most = d->options.max_segments, n = d->n;
    model m = {0}, trial = {0}, spare = {0};
    sup_status status = SUP_ENOMEM;
    double *best = malloc((n + 1) * sizeof *best);
    size_t *from = calloc(n + 1, sizeof *from);
    d->a = malloc(2 * most * 2 * most * sizeof(double));
    d->b = malloc(4 * most * sizeof(double));
    d->signs = malloc(2 * most * sizeof(bool));
    if (!best || !from || !d->a || !d->b || !d->signs) goto free_room;
    if (!model_init(&m, most) || !model_init(&trial, most) || !model_init(&spare, most)) goto free_models;
    for (size_t j = 0; j < 2 * most; j++) d->signs[j] = true;

    status = find_cuts(d, best, from, count);
    if (status != SUP_OK) goto free_models;
    model_from_cuts(d, from, *count, &m);
    /* first free to fall: lines that may not fall cross in the wrong places. Then under the promise, if there is one.
     */
    bool promised = d->options.flags & SUP_CURVE_NONDECREASING;
    for (int pass = 0; pass <= promised; pass++) {
        d->rising = pass;
        if (!fit_model(d, &m)) {
            status = SUP_ENOMEM;
            goto free_models;
        }
        simplify(d, &m, &trial, &spare);
        move_knots(d, &m, &trial, &spare);
        simplify(d, &m, &trial, &spare);
    }
    describe(d, &m, segments);
    *count = m.count;
free_models:
    model_free(&spare);
    model_free(&trial);
    model_free(&m);
free_room:
    free(d->signs);
    free(d->b);
    free(d->a);
    free(from);
    free(best);
    return status;
}

static sup_status resolve(const sup_curve_options *given, size_t n, sup_diag *diag, data *d) {
    sup_curve_options o = given ? *given : (sup_curve_options){0};
    if (o.max_segments == 0) o.max_segments = 16;
    if (o.min_points == 0) o.min_points = 3;
    if (o.penalty == 0.0) o.penalty = 2.0;
    if (o.flags & ~(unsigned)SUP_CURVE_NONDECREASING || o.max_segments > 1000 || o.min_points < 2 ||
        !(o.penalty > 0.0) || !(o.noise >= 0.0) || isinf(o.noise))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "options of the curve are out of their domain");
    if (n == 0) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no points to fit a curve to");
    if (n > MOST_POINTS) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "more than %zu points", MOST_POINTS);
    d->options = o;
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
    size_t count = 0;
    sup_segment *segments = malloc(d.options.max_segments * sizeof *segments);
    status = segments ? fit(&d, segments, &count) : SUP_ENOMEM;
    if (status == SUP_OK)
        status = sup_curve_make(segments, count, d.options.flags, diag, out);
    else
        sup_diag_set(diag, status, NULL, 0, "no memory to fit %zu points", n);
    free(segments);
    free(d.p);
    return status;
}
