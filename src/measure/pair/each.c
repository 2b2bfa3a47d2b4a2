/* O and L of every ordered pair (pair.h, `exhaustive`), so that what differs by direction shows. Tcomm, stage
 * "measure".
 *
 * O_ij is the time of i, who starts. L_ij is half a round trip that i begins: nobody's clock is known at the other end,
 * so that the two ways are in both numbers, and they differ only by what their ends do. */
#include "measure/pair/work.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 64, BYTES = 8 }; /* pairs that are looked at one by one, and the message: as in pair/screen.c */
#define WORTH_SAYING 1.15

static sup_status make_list(double **list, size_t *count, size_t cells) {
    *list = calloc(cells, sizeof **list);
    *count = *list ? cells : 0;
    return *list ? SUP_OK : SUP_ENOMEM;
}

sup_status sup_pair_each_start(sup_pair_work *w) {
    int size = w->lab->size;
    if (!w->options.exhaustive || size < 2 || size > SUP_PAIRS_EACH_MAX) return SUP_OK;
    size_t cells = (size_t)size * (size_t)size;
    sup_pair_each *e = w->each = sup_record_make(&sup_pair_each_record);
    sup_status status = e ? make_list(&e->overhead_s, &e->overhead_s_count, cells) : SUP_ENOMEM;
    if (!status) status = make_list(&e->overhead_ci, &e->overhead_ci_count, cells);
    if (!status) status = make_list(&e->latency_s, &e->latency_s_count, cells);
    return status ? status : make_list(&e->latency_ci, &e->latency_ci_count, cells);
}

/* An interval that is not known is as wide as the value. */
static void note(const sup_pair_work *w, double *values, double *cis, int i, int j, double value, double ci) {
    size_t at = (size_t)i * (size_t)w->lab->size + (size_t)j;
    if (!isfinite(value) || value <= 0.0) return;
    values[at] = value;
    cis[at] = isfinite(ci) && ci >= 0.0 ? ci : value;
}

void sup_pair_each_overhead(sup_pair_work *w, int i, int j, double value, double ci) {
    if (w->each) note(w, w->each->overhead_s, w->each->overhead_ci, i, j, value, ci);
}

static sup_status look(sup_pair_work *w, const int *pairs, int count, sup_timing *out) {
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pairs, count, 2, BYTES);
    sup_status status = sup_pair_ask(w, &trial, "pairs: latency of each", out);
    for (int k = 0; k < count && !status; k++)
        if (!out[k].status)
            note(w, w->each->latency_s, w->each->latency_ci, pairs[2 * k], pairs[2 * k + 1], out[k].seconds, out[k].ci);
    return status;
}

/* One round of the tournament, each pair begun by its first. Pairs side by side only where there are many. */
static sup_status look_round(sup_pair_work *w, const int *pairs, int count, sup_timing *room, bool *missing) {
    int width = count <= FEW ? 1 : count;
    sup_status status = SUP_OK;
    for (int from = 0; from < count && !status; from += width) {
        status = look(w, pairs + 2 * from, width, room);
        *missing |= status == SUP_ETIMEOUT;
        if (status == SUP_ETIMEOUT) status = SUP_OK;
    }
    return status;
}

static void turn_round(int *pairs, int count) {
    for (int k = 0; k < count; k++) {
        int first = pairs[2 * k];
        pairs[2 * k] = pairs[2 * k + 1];
        pairs[2 * k + 1] = first;
    }
}

sup_status sup_pair_each_latencies(sup_pair_work *w) {
    int size = w->lab->size;
    if (!w->each) return SUP_OK;
    int *pairs = calloc((size_t)size + 2, sizeof *pairs);
    sup_timing *room = calloc((size_t)size + 2, sizeof *room);
    sup_status status = pairs && room ? SUP_OK : SUP_ENOMEM;
    bool missing = false;
    for (int turn = 0; turn < sup_tournament_rounds(size) && !status; turn++) {
        int count = sup_tournament(size, turn, pairs);
        for (int way = 0; way < 2 && !status; way++) {
            status = look_round(w, pairs, count, room, &missing);
            turn_round(pairs, count);
        }
    }
    free(room);
    free(pairs);
    return status || !missing ? status : SUP_ETIMEOUT;
}

/* ---- the profile ---- */

static void warn(const sup_pair_work *w, const sup_pairs *pairs, sup_pair_quantity what, const char *name) {
    sup_asymmetry a;
    if (!sup_pairs_asymmetry(pairs, what, &a) || !a.differ || a.there < WORTH_SAYING * a.back) return;
    sup_session_warn(w->session, SUP_WARNING_PAIRS_ASYMMETRIC,
                     &(sup_about){.transport = w->lab->transport,
                                  .reason = name,
                                  .number = {(double)a.i, (double)a.j, a.there, a.back, (double)a.differ,
                                             (double)a.pairs}});
}

static bool knows_anything(const sup_pair_each *e) {
    for (size_t k = 0; k < e->overhead_s_count; k++)
        if (e->overhead_s[k] > 0.0 || e->latency_s[k] > 0.0) return true;
    return false;
}

void sup_pair_each_fill(sup_pair_work *w, sup_pairs *pairs) {
    if (!w->each || !knows_anything(w->each)) return;
    pairs->each = w->each;
    w->each = NULL;
    if (w->lab->visit) return; /* of one launch; all of them together say it, or do not */
    warn(w, pairs, SUP_PAIR_OVERHEAD, "the overhead of a message");
    warn(w, pairs, SUP_PAIR_LATENCY, "half a round trip");
}
