/* Curves as chains of lines between measured sizes (curve_knots.h).
 *
 * A knot lies at a measured size: so between two neighbouring sizes a curve is between its values there, and it has no
 * peak without a point. (At the very end a bend may move to where its lines cross, if that is between those values.) A
 * jump of a library is a pair of neighbouring knots; what lies between them is the line from the one to the other,
 * because a library that changes its mind changes it at one size somewhere in there, and time over bytes is made of
 * straight lines.
 *
 * The values at the knots are those of least squares: a tridiagonal system, in which each point has the weight of its
 * own deviation. Where the curve must not fall, or not without reason, neighbours that do are made equal until none is
 * left, as in isotonic regression. */
#include "base/number/curve_knots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REASON 5.0      /* a fall stays if it is this many deviations: a curve has dozens of neighbours … */
#define LEAST_FALL 0.03 /* … and this much, relatively: times of neighbouring sizes differ that much by chance */
#define MISSED 0.05     /* a point so far off, relatively, and further than … */
#define INTERVALS 6.0   /* … three intervals of two deviations each, is missed: it becomes a knot */
#define REACH 3         /* sizes that a knot moves at once */

typedef struct knots {
    size_t count;
    size_t *rank;
    double *value;
    double rss, cost;
} knots;

typedef struct room {
    const sup_fit *f;
    double *at;                        /* x by rank */
    size_t most;                       /* knots */
    size_t *block;                     /* of a knot: those of one block have one value */
    double *diagonal, *beside, *right; /* of the knots */
    double *d, *e, *r, *v, *sharp;     /* of the blocks */
    knots now, trial, best;
} room;

static void copy(const knots *from, knots *to) {
    to->count = from->count;
    to->rss = from->rss;
    to->cost = from->cost;
    memcpy(to->rank, from->rank, from->count * sizeof *to->rank);
    memcpy(to->value, from->value, from->count * sizeof *to->value);
}

/* The normal equations of the values at the knots. */
static void sum_up(room *m, const knots *k) {
    memset(m->diagonal, 0, k->count * sizeof(double));
    memset(m->beside, 0, k->count * sizeof(double));
    memset(m->right, 0, k->count * sizeof(double));
    for (size_t i = 0, j = 0; i < m->f->n; i++) {
        const sup_fit_point *p = &m->f->p[i];
        while (j + 2 < k->count && p->rank > k->rank[j + 1]) j++;
        double u = k->count > 1 ? (p->x - m->at[k->rank[j]]) / (m->at[k->rank[j + 1]] - m->at[k->rank[j]]) : 0.0;
        double w = sup_fit_weight(p), left = w * (1.0 - u), right = w * u;
        m->diagonal[j] += left * (1.0 - u);
        m->right[j] += left * p->y;
        if (k->count == 1) continue;
        m->beside[j] += left * u;
        m->diagonal[j + 1] += right * u;
        m->right[j + 1] += right * p->y;
    }
}

/* Values of the blocks: the tridiagonal system, positive definite because every knot is at a point. Returns how many
 * blocks there are. */
static size_t solve(room *m, const knots *k) {
    size_t blocks = m->block[k->count - 1] + 1;
    memset(m->d, 0, blocks * sizeof(double));
    memset(m->e, 0, blocks * sizeof(double));
    memset(m->r, 0, blocks * sizeof(double));
    for (size_t j = 0; j < k->count; j++) {
        size_t b = m->block[j];
        m->d[b] += m->diagonal[j];
        m->r[b] += m->right[j];
        if (j + 1 == k->count) continue;
        if (m->block[j + 1] == b)
            m->d[b] += 2.0 * m->beside[j];
        else
            m->e[b] = m->beside[j];
    }
    memcpy(m->sharp, m->d, blocks * sizeof(double));
    for (size_t b = 1; b < blocks; b++) {
        double part = m->e[b - 1] / m->d[b - 1];
        m->d[b] -= part * m->e[b - 1];
        m->r[b] -= part * m->r[b - 1];
    }
    for (size_t b = blocks; b-- > 0;) {
        double next = b + 1 < blocks ? m->e[b] * m->v[b + 1] : 0.0;
        m->v[b] = (m->r[b] - next) / m->d[b];
    }
    return blocks;
}

/* By how much, relatively, block b and the next one go the wrong way; 0: they do not, or with reason. `least`: the
 * block before which a valley falls. */
static double wrong(const room *m, size_t b, size_t least) {
    const sup_curve_options *o = &m->f->options;
    bool never = o->flags & SUP_CURVE_NONDECREASING;
    double fall = m->v[b] - m->v[b + 1];
    if (!never && o->shape == SUP_SHAPE_FREE) return 0.0;
    if (!never && o->shape == SUP_SHAPE_VALLEY && b < least) fall = -fall;
    double high = fmax(fabs(m->v[b]), fabs(m->v[b + 1]));
    if (!(fall > 0.0)) return 0.0;
    double chance = REASON * m->f->sigma * sqrt(1.0 / m->sharp[b] + 1.0 / m->sharp[b + 1]);
    return !never && fall > fmax(chance, LEAST_FALL * high) ? 0.0 : fall / high;
}

/* Values at the knots and what they cost. */
static void set_values(room *m, knots *k) {
    for (size_t j = 0; j < k->count; j++) m->block[j] = j;
    sum_up(m, k);
    size_t blocks = solve(m, k), valley = 0;
    for (size_t b = 1; b < blocks; b++)
        if (m->v[b] < m->v[valley]) valley = b;
    for (;;) {
        size_t at = 0;
        double worst = 0.0;
        for (size_t b = 0; b + 1 < blocks; b++) {
            double by = wrong(m, b, m->block[valley]);
            if (by > worst) worst = by, at = b;
        }
        if (!(worst > 0.0)) break;
        for (size_t j = 0; j < k->count; j++) m->block[j] -= m->block[j] > at;
        blocks = solve(m, k);
    }
    for (size_t j = 0; j < k->count; j++) k->value[j] = fmax(0.0, m->v[m->block[j]]);
}

static double value_at(const room *m, const knots *k, size_t j, double x) {
    if (k->count == 1) return k->value[0];
    double from = m->at[k->rank[j]], u = (x - from) / (m->at[k->rank[j + 1]] - from);
    return (1.0 - u) * k->value[j] + u * k->value[j + 1];
}

/* Places and values; of a knot right behind another one the place is no choice. */
static size_t parameters(const knots *k) {
    size_t all = k->count > 1 ? 2 : 1;
    for (size_t j = 1; j + 1 < k->count; j++) all += k->rank[j] == k->rank[j - 1] + 1 ? 1 : 2;
    return all;
}

static void evaluate(room *m, knots *k) {
    set_values(m, k);
    k->rss = 0.0;
    for (size_t i = 0, j = 0; i < m->f->n; i++) {
        const sup_fit_point *p = &m->f->p[i];
        while (j + 2 < k->count && p->rank > k->rank[j + 1]) j++;
        double off = value_at(m, k, j, p->x) - p->y;
        k->rss += sup_fit_weight(p) * off * off;
    }
    k->cost = k->rss / (m->f->sigma * m->f->sigma) + m->f->unit_penalty * (double)parameters(k);
}

static void take_out(knots *k, size_t at) {
    memmove(k->rank + at, k->rank + at + 1, (k->count - at - 1) * sizeof *k->rank);
    k->count--;
}

static void put_in(knots *k, size_t rank) {
    size_t at = k->count;
    for (; at > 0 && k->rank[at - 1] > rank; at--) k->rank[at] = k->rank[at - 1];
    k->rank[at] = rank;
    k->count++;
}

static void offer(room *m) {
    evaluate(m, &m->trial);
    if (m->trial.cost < m->best.cost) copy(&m->trial, &m->best);
}

/* Knot j in other places near its own. */
static void offer_moves(room *m, const knots *base, size_t j) {
    size_t at = base->rank[j], low = at > REACH ? at - REACH : 0, high = at + REACH;
    if (low <= base->rank[j - 1]) low = base->rank[j - 1] + 1;
    if (high >= base->rank[j + 1]) high = base->rank[j + 1] - 1;
    for (size_t to = low; to <= high; to++) {
        copy(base, &m->trial);
        m->trial.rank[j] = to;
        offer(m);
    }
}

/* One of two neighbours away: what was a jump is a kink, somewhere near. */
static void offer_kink(room *m, const knots *base, size_t j) {
    size_t from = base->rank[j] > REACH ? base->rank[j] - REACH : 0, to = base->rank[j] + 1 + REACH;
    for (size_t rank = from; rank <= to; rank++) {
        if (rank <= base->rank[j - 1] || rank >= base->rank[j + 2]) continue;
        copy(base, &m->trial);
        take_out(&m->trial, j);
        m->trial.rank[j] = rank;
        offer(m);
    }
}

/* The best single simplification, again and again. */
static void simplify(room *m) {
    for (;;) {
        copy(&m->now, &m->best);
        for (size_t j = 1; j + 1 < m->now.count; j++) {
            copy(&m->now, &m->trial);
            take_out(&m->trial, j);
            offer(m);
            if (j + 2 < m->now.count && m->now.rank[j + 1] == m->now.rank[j] + 1) offer_kink(m, &m->now, j);
        }
        if (!(m->best.cost < m->now.cost)) return;
        copy(&m->best, &m->now);
    }
}

/* Knots pull at each other, so each has its turn again until nothing much is gained. */
static void move(room *m) {
    for (int sweep = 0; sweep < 3; sweep++) {
        double before = m->now.cost;
        for (size_t j = 1; j + 1 < m->now.count; j++) {
            copy(&m->now, &m->best);
            offer_moves(m, &m->now, j);
            copy(&m->best, &m->now);
        }
        if (!(m->now.cost < before - 0.01 * m->f->unit_penalty)) return;
    }
}

static bool has(const knots *k, size_t rank) {
    for (size_t j = 0; j < k->count; j++)
        if (k->rank[j] == rank) return true;
    return false;
}

/* The point that is missed worst, of those that another knot would help: its rank or that of a neighbour. */
static bool missed(const room *m, size_t *rank) {
    const knots *k = &m->now;
    double worst = 1.0;
    bool any = false;
    for (size_t i = 0, j = 0; i < m->f->n; i++) {
        const sup_fit_point *p = &m->f->p[i];
        while (j + 2 < k->count && p->rank > k->rank[j + 1]) j++;
        double limit = fmax(MISSED, INTERVALS * p->part * m->f->sigma), value = value_at(m, k, j, p->x);
        double off = fabs(value - p->y) / (limit * fmax(p->y, 1e-100 * p->scale));
        if (!(off > worst)) continue;
        size_t wanted = p->rank;
        if (has(k, wanted) && wanted > 0 && !has(k, wanted - 1)) wanted--;
        if (has(k, wanted) && p->rank + 1 < m->f->distinct) wanted = p->rank + 1;
        if (has(k, wanted)) continue;
        worst = off;
        *rank = wanted;
        any = true;
    }
    return any;
}

/* Lines that miss a point are split there, down to lines from point to point. */
static void meet_points(room *m) {
    for (size_t rank; m->now.count < m->most && missed(m, &rank);) {
        put_in(&m->now, rank);
        evaluate(m, &m->now);
    }
}

/* Neighbouring knots that neither the line before nor the one behind explains: nobody knows what is between. */
static bool is_jump(const room *m, const knots *k, size_t j, double limit) {
    if (j == 0 || j + 2 >= k->count) return false;
    double a = k->value[j], b = k->value[j + 1], high = fmax(a, b);
    double ahead = value_at(m, k, j - 1, m->at[k->rank[j + 1]]), back = value_at(m, k, j + 1, m->at[k->rank[j]]);
    return fabs(ahead - b) > limit * high && fabs(back - a) > limit * high;
}

/* Segment j: its line, and how far the points lie around it. `scatter`: square of a point's deviation, in units of its
 * part, over the whole curve. */
static void describe(const room *m, size_t j, double scatter, sup_segment *s) {
    const knots *k = &m->now;
    size_t from = k->rank[j], to = k->count > 1 ? k->rank[j + 1] : from, points = 0;
    double sum = 0.0, weight = 0.0;
    for (size_t i = 0; i < m->f->n; i++) {
        const sup_fit_point *p = &m->f->p[i];
        if (p->rank < from || p->rank > to) continue;
        double r = (value_at(m, k, j, p->x) - p->y) / (p->scale * p->part);
        sum += r * r;
        weight += 1.0 / (p->part * p->part);
        points++;
    }
    *s = (sup_segment){.x_lo = m->at[from], .x_hi = m->at[to], .n = points};
    if (to > from) s->slope = (k->value[j + 1] - k->value[j]) / (s->x_hi - s->x_lo);
    s->intercept = k->value[j] - s->slope * s->x_lo;
    double part = sqrt((double)points / weight), own = fmax((double)points - 2.0, 0.0);
    s->residual = part * sqrt((sum + SUP_CURVE_BORROWED * scatter) / (own + SUP_CURVE_BORROWED));
    if (to == from + 1 && is_jump(m, k, j, fmax(MISSED, INTERVALS / 2.0 * part * m->f->sigma))) s->n = SUP_CURVE_JOINT;
}

/* Where the lines on both sides of a short one cross within it, and between its values but for chance, the curve bends
 * there, and the short one goes. */
static bool cross(sup_segment *s) {
    double a = s->intercept + s->slope * s->x_lo, b = s->intercept + s->slope * s->x_hi;
    double x = (s[-1].intercept - s[1].intercept) / (s[1].slope - s[-1].slope), y = s[-1].intercept + s[-1].slope * x;
    double by_chance = 1.0 + s->residual;
    bool within = x > s->x_lo && x < s->x_hi && y >= fmin(a, b) / by_chance && y <= fmax(a, b) * by_chance;
    if (!within || s->n > 2 || s[-1].n < 3 || s[1].n < 3) return false;
    s[-1].x_hi = s[1].x_lo = x;
    return true;
}

static size_t find_bends(sup_segment *s, size_t count) {
    for (size_t j = 1; j + 1 < count; j++) {
        if (!cross(&s[j])) continue;
        memmove(s + j, s + j + 1, (count - j - 1) * sizeof *s);
        count--;
    }
    return count;
}

static void write_segments(const room *m, sup_segment *out, size_t *segments) {
    const knots *k = &m->now;
    double expected = m->f->known ? m->f->sigma * m->f->sigma : 1.0, borrowed = m->f->known ? SUP_CURVE_BORROWED : 0.0;
    double spare = fmax(0.0, (double)m->f->n - (double)parameters(k)) + borrowed;
    /* as many parameters as points: nothing is known about the noise, which is not the same as no noise */
    double scatter = spare > 0.0 ? (k->rss + borrowed * expected) / spare : expected;
    *segments = k->count > 1 ? k->count - 1 : 1;
    for (size_t j = 0; j < *segments; j++) describe(m, j, scatter, &out[j]);
    *segments = find_bends(out, *segments);
    const sup_segment *last = &out[*segments - 1];
    if (m->f->options.shape != SUP_SHAPE_VALLEY || !(last->slope > 0.0)) return;
    /* nothing says that a rate goes on rising */
    out[*segments] = *last;
    out[*segments].x_lo = last->x_hi;
    out[*segments].intercept = k->value[k->count - 1];
    out[*segments].slope = 0.0;
    ++*segments;
}

static bool knots_init(knots *k, size_t most) {
    k->rank = malloc(most * sizeof *k->rank);
    k->value = calloc(most, sizeof *k->value);
    return k->rank && k->value;
}

static void knots_free(knots *k) {
    free(k->rank);
    free(k->value);
}

static void room_free(room *m) {
    knots_free(&m->now);
    knots_free(&m->trial);
    knots_free(&m->best);
    free(m->block);
    free(m->diagonal);
    free(m->at);
}

static bool room_init(room *m, const sup_fit *f) {
    size_t most = f->options.max_segments + 1 < f->distinct ? f->options.max_segments + 1 : f->distinct;
    *m = (room){.f = f, .most = most};
    m->at = malloc(f->distinct * sizeof *m->at);
    m->block = malloc(most * sizeof *m->block);
    m->diagonal = malloc(8 * most * sizeof(double));
    bool ok = knots_init(&m->now, most);
    ok = knots_init(&m->trial, most) && ok;
    ok = knots_init(&m->best, most) && ok;
    if (!ok || !m->at || !m->block || !m->diagonal) {
        room_free(m);
        return false;
    }
    double **all[] = {&m->diagonal, &m->beside, &m->right, &m->d, &m->e, &m->r, &m->v, &m->sharp};
    for (size_t i = 1; i < sizeof all / sizeof *all; i++) *all[i] = m->diagonal + i * most;
    for (size_t i = 0; i < f->n; i++) m->at[f->p[i].rank] = f->p[i].x;
    return true;
}

sup_status sup_knots_fit(const sup_fit *f, const size_t *ranks, size_t count, sup_segment *out, size_t *segments) {
    room m;
    if (!room_init(&m, f)) return SUP_ENOMEM;
    memcpy(m.now.rank, ranks, count * sizeof *ranks);
    m.now.count = count;
    evaluate(&m, &m.now);
    simplify(&m);
    move(&m);
    simplify(&m);
    meet_points(&m);
    write_segments(&m, out, segments);
    room_free(&m);
    return SUP_OK;
}
