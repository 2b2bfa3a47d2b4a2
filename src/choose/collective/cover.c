/* Which candidate each size takes (collective.h), and what only a measurement can settle. */
#include "choose/collective/collective.h"
#include "choose/decide.h"

#include <math.h>
#include <stdlib.h>

/* A border between two ranges must gain as much as this share of a size's time, once: borders that nobody would notice
 * are left out; and more where there would be too many ranges for a plan. */
#define BORDER 0.1
enum { RANGES_MOST = 6 };
#define WORTH 1.03 /* times faster: two runs of one program differ by as much */

/* ---- ties ---- */

static int best_at(const sup_coll_grid *g, size_t size) {
    int best = -1;
    for (size_t i = 0; i < g->count; i++) {
        double v = g->at[i].time[size].cost.value;
        if (v > 0 && (best < 0 || v < g->at[best].time[size].cost.value)) best = (int)i;
    }
    return best;
}

static int kind_of(const sup_choice *c) {
    if (!c->algorithm) return 0; /* MPI's own */
    return c->hosts ? 1 : c->algorithm->traits & SUP_ALGORITHM_SHARED ? 2 : 3;
}

/* May the candidate be held against the usual one? */
static bool comparable(const sup_coll_grid *g, size_t size, int candidate) {
    int usual = g->usual[size];
    if (usual < 0) return false;
    const sup_coll_candidate *c = &g->at[candidate], *u = &g->at[usual];
    return kind_of(&c->choice) == kind_of(&u->choice) || (c->time[size].settled && u->time[size].settled);
}

/* The best that is surely better than the usual; -1: none. */
static int better_at(const sup_coll_grid *g, size_t size) {
    int best = -1, usual = g->usual[size];
    for (size_t i = 0; i < g->count; i++) {
        sup_prediction p = g->at[i].time[size].cost;
        if (!(p.value > 0) || !comparable(g, size, (int)i) || !(g->at[usual].time[size].cost.value > 0)) continue;
        if (!sup_choose_better(p, g->at[usual].time[size].cost)) continue;
        if (best < 0 || p.value < g->at[best].time[size].cost.value) best = (int)i;
    }
    return best;
}

/* The candidate that would be better than the usual, and than what is surely better, if more were known; -1: none. */
static int tied_at(const sup_coll_grid *g, size_t size) {
    int best = best_at(g, size), usual = g->usual[size], better = better_at(g, size);
    if (best < 0 || usual < 0 || best == usual || best == better) return -1;
    const sup_coll_time *b = &g->at[best].time[size], *u = &g->at[usual].time[size];
    if (b->settled && u->settled) return -1;
    return isnan(u->cost.value) || u->cost.value >= WORTH * b->cost.value ? best : -1;
}

static sup_coll_tie tie_of(const sup_coll_grid *g, int number, int best, size_t from, size_t to) {
    size_t at = (from + to - 1) / 2;
    int usual = g->usual[from];
    double u = g->at[usual].time[at].cost.value;
    sup_coll_tie t = {.grid = number, .usual = usual, .best = best, .from = from, .to = to, .at = at};
    t.gain = isnan(u) ? INFINITY : u / g->at[best].time[at].cost.value;
    t.duel = sup_choose_duel_of(SUP_DUEL_COLLECTIVE, g->set.processes, g->bytes[at]);
    t.duel.operation = g->set.operation;
    t.duel.side[0].choice = g->at[best].choice;
    t.duel.side[1].choice = g->at[usual].choice;
    return t;
}

size_t sup_coll_grid_ties(const sup_coll_grid *g, int number, sup_coll_tie *ties, size_t most) {
    size_t found = 0;
    for (size_t from = 0, to; from < g->sizes; from = to) {
        int best = tied_at(g, from), usual = g->usual[from];
        for (to = from + 1; to < g->sizes && g->usual[to] == usual && tied_at(g, to) == best; to++) {
        }
        if (best >= 0 && found < most) ties[found++] = tie_of(g, number, best, from, to);
    }
    return found;
}

size_t sup_coll_grid_changes(const sup_coll_grid *g, int number, sup_coll_tie *changes, size_t most) {
    size_t found = 0;
    for (size_t from = 0, to; from < g->sizes; from = to) {
        int taken = g->taken[from], usual = g->usual[from];
        for (to = from + 1; to < g->sizes && g->usual[to] == usual && g->taken[to] == taken; to++) {
        }
        if (taken >= 0 && usual >= 0 && taken != usual && found < most)
            changes[found++] = tie_of(g, number, taken, from, to);
    }
    return found;
}

void sup_coll_grid_measured(sup_coll_grid *g, const sup_coll_tie *t) {
    g->at[t->best].time[t->at].measured_s = t->duel.seconds[0];
    g->at[t->usual].time[t->at].measured_s = t->duel.seconds[1];
}

void sup_coll_grid_revert(sup_coll_grid *g, const sup_coll_tie *t) {
    for (size_t s = t->from; s < t->to; s++) g->taken[s] = -1;
}

/* At the size that was measured what was measured; at its neighbours the prediction, as much off as it was there. */
static void settle_one(sup_coll_candidate *c, const sup_coll_tie *t, int side) {
    double seconds = t->duel.seconds[side], ci = t->duel.ci[side];
    double off = seconds / c->time[t->at].predicted_s;
    if (!(seconds > 0)) return;
    if (!(ci >= 0)) ci = SUP_CHOOSE_UNSURE * seconds;
    for (size_t s = t->from; s < t->to; s++) {
        sup_coll_time *time = &c->time[s];
        if (time->settled || (s != t->at && !(off > 0))) continue;
        double v = s == t->at ? seconds : time->predicted_s * off, half = v * ci / seconds;
        if (!(v > 0)) continue;
        time->cost = (sup_prediction){v, v > half ? v - half : 0, v + half};
        time->settled = true;
        if (s == t->at) time->measured_s = seconds;
    }
}

void sup_coll_grid_settle(sup_coll_grid *g, const sup_coll_tie *t) {
    if (!(t->duel.seconds[0] > 0) || !(t->duel.seconds[1] > 0)) return;
    settle_one(&g->at[t->best], t, 0);
    settle_one(&g->at[t->usual], t, 1);
}

/* ---- ranges ---- */

/* What a size loses by a candidate, as a share of its time; infinite: it must not take it. Candidate -1 is the usual,
 * which loses nothing where nothing is surely better. */
static double loss(const sup_coll_grid *g, size_t size, int candidate) {
    int best = better_at(g, size), usual = g->usual[size];
    double u = usual < 0 ? NAN : g->at[usual].time[size].cost.value;
    double least = best < 0 ? u : g->at[best].time[size].cost.value;
    if (candidate < 0) return best < 0 ? 0 : log(u / least);
    double v = g->at[candidate].time[size].cost.value;
    if (!(v > 0) || !comparable(g, size, candidate) || !(v <= u)) return INFINITY;
    return v < least ? 0 : log(v / least);
}

/* The same without regard to the usual. */
static double free_loss(const sup_coll_grid *g, size_t size, int candidate) {
    int best = best_at(g, size);
    if (candidate < 0 || best < 0) return candidate < 0 && best < 0 ? 0 : INFINITY;
    double v = g->at[candidate].time[size].cost.value;
    return v > 0 ? log(v / g->at[best].time[size].cost.value) : INFINITY;
}

/* Least sum of losses and borders: state k is candidate k − 1. */
typedef double loss_at(const sup_coll_grid *g, size_t size, int candidate);
static sup_status cover(sup_coll_grid *g, loss_at *lost, double border) {
    size_t states = g->count + 1;
    double *sum = malloc(2 * states * sizeof *sum);
    int *from = malloc(states * g->sizes * sizeof *from + 1);
    if (!sum || !from) {
        free(sum);
        free(from);
        return SUP_ENOMEM;
    }
    double *now = sum, *before = sum + states;
    for (size_t s = 0; s < g->sizes; s++) {
        size_t least = 0;
        for (size_t k = 1; k < states && s; k++)
            if (before[k] < before[least]) least = k;
        for (size_t k = 0; k < states; k++) {
            bool stay = s && before[k] <= before[least] + border;
            from[s * states + k] = (int)(stay ? k : least);
            now[k] = lost(g, s, (int)k - 1) + (!s ? 0 : stay ? before[k] : before[least] + border);
        }
        double *swap = now;
        now = before;
        before = swap;
    }
    size_t k = 0;
    for (size_t i = 1; i < states; i++)
        if (before[i] < before[k]) k = i;
    for (size_t s = g->sizes; s-- > 0;) {
        g->taken[s] = (int)k - 1;
        k = (size_t)from[s * states + k];
    }
    free(sum);
    free(from);
    return SUP_OK;
}

static int ranges_of(const sup_coll_grid *g) {
    int ranges = 1;
    for (size_t s = 1; s < g->sizes; s++) ranges += g->taken[s] != g->taken[s - 1];
    return ranges;
}

static sup_status cover_by_few(sup_coll_grid *g, loss_at *lost) {
    sup_status st = cover(g, lost, BORDER);
    for (double border = 2 * BORDER; !st && ranges_of(g) > RANGES_MOST && border < 1e6; border *= 2)
        st = cover(g, lost, border);
    return st;
}

sup_status sup_coll_grid_cover(sup_coll_grid *g) { return cover_by_few(g, loss); }
sup_status sup_coll_grid_best(sup_coll_grid *g) { return cover_by_few(g, free_loss); }

/* Halfway between two sizes, as their logarithms go. */
static int64_t border(int64_t low, int64_t high) {
    int64_t middle = (int64_t)sqrt((double)low * (double)high) / 8 * 8;
    return middle > low ? middle : high;
}

bool sup_coll_grid_range(const sup_coll_grid *g, size_t k, sup_coll_range *out) {
    size_t from = 0, to = 0;
    for (size_t i = 0; i <= k; i++) {
        from = to;
        if (from >= g->sizes) return false;
        for (to = from + 1; to < g->sizes && g->taken[to] == g->taken[from]; to++) {
        }
    }
    *out = (sup_coll_range){.candidate = g->taken[from],
                            .from = from ? border(g->total[from - 1], g->total[from]) : 0,
                            .to = to < g->sizes ? border(g->total[to - 1], g->total[to]) : -1};
    return true;
}
