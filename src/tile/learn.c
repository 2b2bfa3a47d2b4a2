/* The rule by which real calls improve a tile record (CACHE §5.5 asks for such a stage): arithmetic on what the plan
 * holds, without a clock and without a model.
 *
 *   1. The first two calls use the first candidate; the time of the first of them, which wakes workers and touches
 *      memory, does not count. The next calls, up to the 20th, try the others in their order, then the neighbours of
 *      the best (half and double along each axis), then repeat those that are close to the best.
 *   2. From the 21st call on a call tries something else than the best only if the time lost to trying since then,
 *      with what this try is expected to lose, stays within 2 % of the time of all calls since then. What was never
 *      tried is expected to take twice as long as the best.
 *   3. When nothing is left to try the record is settled. The best is the one with the least 10 % quantile of its last
 *      samples: whatever else runs on the machine only ever adds time, mostly without leaving a trace. But the first
 *      guess stays unless it is slower by 1.5 % and by more than the samples scatter: of many that are equal the one
 *      with the luckiest samples looks best. Both are repeated until that can be told.
 *   4. How far off few samples may be is seen from calls of the best itself: where one in ten of them takes twice as
 *      long, a candidate whose only sample is twice as long is tried again.
 *
 * A call during which the kernel took a worker's core away is no sample, so that its candidate is tried again; but
 * after PATIENCE of them in a row the next one counts, until there is a better one: some machines are never quiet.
 *
 * lost_s and total_s of the record count from the 21st call on. Times are those of the size class: divided by the work
 * of the call. */
#include "tile/learn.h"

#include "base/number/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_CALLS = 20, MOST_CANDIDATES = 48, PATIENCE = 3, ENOUGH = 5, DUEL_CALLS = 9 };
static const double BUDGET = 0.02, TOLERANCE = 0.015;
static const double DUEL = 1.10; /* the best and the first guess within this: compared again and again */
static const double LOW = 0.10;

static bool tried(const sup_plan_candidate *c) { return c->call_s && c->call_s->n > 0; }

/* A file may leave them out. */
static double or_zero(double seconds) { return seconds >= 0 ? seconds : 0; }

static size_t least_of(const sup_plan_learned *l) {
    size_t least = 0;
    for (size_t i = 0; i < l->candidates_count; i++) {
        if (!tried(&l->candidates[i])) continue;
        if (!tried(&l->candidates[least]) || l->candidates[i].call_s->value < l->candidates[least].call_s->value)
            least = i;
    }
    return least;
}

/* Is a slower than b beyond what their samples scatter? */
static bool slower(const sup_number *a, const sup_number *b) {
    double scatter = hypot(isfinite(a->ci) ? a->ci : 0, isfinite(b->ci) ? b->ci : 0);
    return a->value - b->value > fmax(TOLERANCE * b->value, scatter);
}

/* The least; the first guess where that is as good as far as can be told: what cannot win must not lose. */
static size_t best_of(const sup_plan_learned *l) {
    size_t least = least_of(l);
    const sup_plan_candidate *first = &l->candidates[0];
    return least && tried(first) && !slower(first->call_s, l->candidates[least].call_s) ? 0 : least;
}

/* How far above what a candidate takes n samples of it may lie. */
static double doubt(const sup_number *best, int64_t n) {
    double typical = best->typical / best->value, bad = best->bad / best->value;
    double usual = n < 2 ? 1.25 : n < 3 ? 1.10 : 1.05, seen = n < 3 ? bad : typical;
    return seen > usual ? seen : usual; /* unknown: not greater */
}

/* Is it still open whether this one is the best? */
static bool contends(const sup_plan_learned *l, size_t i, size_t least) {
    const sup_number *c = l->candidates[i].call_s, *best = l->candidates[least].call_s;
    if (i == least) return false;
    if (i == 0 && c->n < DUEL_CALLS && c->value < fmax(DUEL, doubt(best, 1)) * best->value) return true;
    return c->n < ENOUGH && c->value < doubt(best, c->n) * best->value;
}

/* What to try next; candidates_count: nothing. Of those that contend, and the one they contend with, the one that is
 * known least. */
static size_t target_of(const sup_plan_learned *l) {
    size_t least = least_of(l), none = l->candidates_count, repeat = none;
    for (size_t i = 0; i < none; i++) {
        if (!tried(&l->candidates[i])) return i;
        if (!contends(l, i, least)) continue;
        if (repeat == none || l->candidates[i].call_s->n < l->candidates[repeat].call_s->n) repeat = i;
    }
    return repeat < none && l->candidates[least].call_s->n < l->candidates[repeat].call_s->n ? least : repeat;
}

size_t sup_tile_next(const sup_plan_tile *tile) {
    const sup_plan_learned *l = tile->learned;
    if (l->candidates_count == 0) return 0;
    size_t best = best_of(l), target;
    if (l->settled || l->calls < 2 || !tried(&l->candidates[best])) return best;
    target = target_of(l);
    if (target == l->candidates_count) return best;
    if (l->calls < FREE_CALLS) return target;
    double usual = l->candidates[best].call_s->value;
    double takes = tried(&l->candidates[target]) ? l->candidates[target].call_s->value : 2 * usual;
    return or_zero(l->lost_s) + takes - usual <= BUDGET * (or_zero(l->total_s) + takes) ? target : best;
}

/* ---- after a call -------------------------------------------------------------------------------------------------*/

static bool listed(const sup_plan_learned *l, const sup_plan_candidate *like, const int64_t *shape) {
    for (size_t i = 0; i < l->candidates_count; i++) {
        const sup_plan_candidate *c = &l->candidates[i];
        if (c->shape_count == like->shape_count && strcmp(c->strategy, like->strategy) == 0 &&
            memcmp(c->shape, shape, c->shape_count * sizeof *shape) == 0)
            return true;
    }
    return false;
}

static sup_status add_neighbour(const sup_tile_problem *p, sup_plan_tile *tile, size_t of, size_t place, bool twice) {
    const sup_plan_learned *l = tile->learned;
    int64_t shape[6];
    size_t count = l->candidates[of].shape_count, axis = place % SUP_TILE_AXES;
    memcpy(shape, l->candidates[of].shape, count * sizeof *shape);
    int64_t extent = p->extent[axis], from = shape[place] < extent ? shape[place] : extent;
    /* Down from a whole axis goes to a power of two, so that neighbours of neighbours meet. */
    int64_t half = (int64_t)exp2(ceil(log2((double)from)) - 1);
    shape[place] = twice ? (2 * from > extent ? extent : 2 * from) : half;
    if (shape[place] == from || shape[place] < 2 || shape[place] < p->least[axis]) return SUP_OK;
    if (count == 6 && shape[axis] < shape[axis + 3]) return SUP_OK;
    if (listed(l, &l->candidates[of], shape) || l->candidates_count >= MOST_CANDIDATES) return SUP_OK;
    return sup_plan_tile_add(tile, l->candidates[of].strategy, shape, count);
}

static sup_status refine(const sup_tile_problem *p, size_t best, sup_plan_tile *tile) {
    for (size_t place = 0; place < tile->learned->candidates[best].shape_count; place++)
        for (int twice = 0; twice < 2; twice++) {
            sup_status status = add_neighbour(p, tile, best, place, twice);
            if (status) return status;
        }
    return SUP_OK;
}

/* The low quantile of a ring with what is around it, and how far off it may be: the distance to the next samples. */
static void summarise(const struct sup_tile_ring *ring, sup_number *out) {
    double x[SUP_TILE_RECENT];
    size_t n = ring->n < SUP_TILE_RECENT ? ring->n : SUP_TILE_RECENT;
    memcpy(x, ring->s, n * sizeof *x);
    sup_stats_sort(x, n);
    out->value = sup_stats_quantile_sorted(x, n, LOW);
    out->typical = sup_stats_median_sorted(x, n);
    out->bad = sup_stats_quantile_sorted(x, n, 0.90);
    out->ci = n < 3 ? NAN : sup_stats_quantile_sorted(x, n, 0.30) - out->value;
}

static sup_status note(sup_tile_samples *samples, size_t candidate, double seconds, bool disturbed,
                       sup_plan_candidate *c) {
    bool cold = samples->count == 0;
    if (candidate >= samples->count) {
        struct sup_tile_ring *more = realloc(samples->ring, (candidate + 1) * sizeof *more);
        if (!more) return SUP_ENOMEM;
        memset(more + samples->count, 0, (candidate + 1 - samples->count) * sizeof *more);
        samples->ring = more;
        samples->count = candidate + 1;
    }
    struct sup_tile_ring *r = &samples->ring[candidate];
    bool clean = r->n > 0 && !r->dirty && !r->cold;
    if (disturbed && (clean || r->spoiled++ < PATIENCE)) return SUP_OK;
    r->spoiled = 0;
    if (!c->call_s) c->call_s = sup_record_make(&sup_number_record);
    if (!c->call_s) return SUP_ENOMEM;
    if (r->n == 0 && c->call_s->n > 0) r->s[r->n++] = c->call_s->value; /* of an earlier process: counts as one */
    if (cold && r->n) return SUP_OK;                                    /* the first call of this process */
    if (r->cold || (r->dirty && !disturbed)) r->n = 0, c->call_s->n = 0;
    r->cold = cold;
    r->dirty = disturbed;
    r->s[r->n++ % SUP_TILE_RECENT] = seconds;
    summarise(r, c->call_s);
    c->call_s->n = c->call_s->n > 0 ? c->call_s->n + 1 : 1;
    return SUP_OK;
}

sup_status sup_tile_seen(const sup_tile_problem *p, size_t candidate, double seconds, bool disturbed,
                         sup_tile_samples *samples, sup_plan_tile *tile) {
    sup_plan_learned *l = tile->learned;
    if (candidate >= l->candidates_count || !(seconds >= 0)) return SUP_EINVAL;
    size_t before = best_of(l);
    double usual = tried(&l->candidates[before]) ? l->candidates[before].call_s->value : NAN;
    double took = seconds / sup_tile_class_work(p);
    sup_status status = note(samples, candidate, took, disturbed, &l->candidates[candidate]);
    if (status) return status;
    l->lost_s = or_zero(l->lost_s);
    l->total_s = or_zero(l->total_s);
    l->calls++;
    if (l->calls > FREE_CALLS) l->total_s += took;
    if (candidate != before && l->calls > 1) {
        l->explored++;
        const sup_plan_candidate *c = &l->candidates[candidate]; /* what else ran is no loss by trying */
        double takes = tried(c) ? fmin(c->call_s->value, took) : took;
        if (l->calls > FREE_CALLS && takes > usual) l->lost_s += takes - usual;
    }
    size_t best = best_of(l);
    if (!l->settled && l->calls > 1 && target_of(l) == l->candidates_count) {
        status = refine(p, least_of(l), tile);
        if (status) return status;
        l->settled = target_of(l) == l->candidates_count;
    }
    return best != before || l->calls == 1 ? sup_plan_tile_publish(tile, best) : SUP_OK;
}
