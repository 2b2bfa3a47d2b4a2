/* Decides which engine of the runtime runs which supersteps (T'comm): eager, which starts transfers when they are asked
 * for, or bulk, which starts them at the sync. What counts is how much of a transfer computation hides, as it was
 * measured for each (model/equation/overlap.c), in supersteps that compute as long as they communicate. */
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>

static const sup_overlap *find(const sup_choosing *c, const char *engine, int64_t bytes) {
    for (size_t i = 0; i < c->profile->overlap_count; i++) {
        const sup_overlap *o = &c->profile->overlap[i];
        if (o->share && o->transport && o->engine && o->bytes == bytes && !strcmp(o->engine, engine) &&
            !strcmp(o->transport, c->transport))
            return o;
    }
    return NULL;
}

/* The next larger size at which both were measured; -1: none. */
static int64_t next_size(const sup_choosing *c, int64_t above) {
    int64_t next = -1;
    for (size_t i = 0; i < c->profile->overlap_count; i++) {
        int64_t b = c->profile->overlap[i].bytes;
        if (b > above && (next < 0 || b < next) && find(c, "eager", b) && find(c, "bulk", b)) next = b;
    }
    return next;
}

/* As much computation as communication: T + T, less what is hidden. */
static sup_prediction price(const sup_overlap *o, double transfer_s) {
    double ci = isfinite(o->share->ci) ? o->share->ci : SUP_CHOOSE_UNSURE, s = o->share->value;
    return (sup_prediction){(2 - s) * transfer_s, (2 - fmin(1, s + ci)) * transfer_s,
                            (2 - fmax(0, s - ci)) * transfer_s};
}

static double transfer_of(const sup_platform *m, double bytes) {
    for (size_t i = 0; i < m->class_count; i++)
        if (m->classes[i].known) return sup_pair_time(m, &m->classes[i], bytes).value;
    return NAN;
}

static sup_status add_row(sup_plan *plan, int64_t from, int64_t to) {
    sup_plan_bsp *bsp = sup_choose_bsp(plan);
    sup_plan_engine_row *row = bsp ? SUP_APPEND(&sup_plan_engine_row_record, bsp->engines, bsp->engines_count) : NULL;
    if (!row) return SUP_ENOMEM;
    row->bytes_from = from;
    row->bytes_to = to;
    row->engine = SUP_PLAN_BULK;
    return SUP_OK;
}

/* A size at which both engines were measured. */
typedef struct size {
    int64_t bytes, next; /* of the row: from here to the next */
    sup_prediction eager, bulk;
    sup_choose_duel duel;
} size;
enum { SIZES_MOST = 16 };

static sup_status say(const sup_choosing *c, sup_plan *plan, const size *x, bool better) {
    bool bulk = better && sup_choose_takes(c, &x->duel);
    sup_plan_decision *d = sup_choose_say(plan, "engine", bulk ? "bulk" : "eager", "eager");
    if (!d) return SUP_ENOMEM;
    d->predicted_s = bulk ? x->bulk.value : x->eager.value;
    d->otherwise_s = x->eager.value;
    if (better) sup_choose_gain(d, x->bulk, x->eager);
    sup_status st = bulk ? add_row(plan, x->bytes, x->next) : SUP_OK;
    if (!st) st = sup_choose_where(d, "supersteps that move %" PRId64 " bytes and compute as long", x->bytes);
    if (!st && better) st = sup_choose_keep_duel(d, &x->duel, NULL, "bulk", "eager");
    if (!st && bulk)
        st = sup_choose_because(d, "computation hides more of transfers that begin at the sync, beyond the intervals");
    else if (!st && better)
        st = sup_choose_not(d, &x->duel, "bulk", x->eager.value / x->bulk.value);
    else if (!st)
        st = sup_choose_because(d,
                                "kept: bulk is predicted to take %.2f × as long, which lies within the intervals or "
                                "above",
                                x->bulk.value / x->eager.value);
    return st ? st : sup_choose_beat(d, bulk ? "eager" : "bulk", bulk ? x->eager.value : x->bulk.value, NAN);
}

static size_t find_sizes(const sup_choosing *c, size *out) {
    size_t count = 0;
    for (int64_t b = next_size(c, 0), next; b > 0 && count < SIZES_MOST; b = next) {
        next = next_size(c, b);
        double t = transfer_of(c->platform, (double)b);
        if (!(t > 0)) continue;
        size *x = &out[count++];
        *x = (size){b, next, price(find(c, "eager", b), t), price(find(c, "bulk", b), t),
                    sup_choose_duel_of(SUP_DUEL_STEP, c->processes, b)};
        x->duel.side[0].engine = "bulk";
        x->duel.side[1].engine = "eager";
    }
    return count;
}

/* One decision for each size at which bulk is better; where it is at none, one for the size where it comes closest. */
static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    size x[SIZES_MOST];
    sup_choose_duel duels[SIZES_MOST];
    size_t count, better = 0, closest = 0;
    if (c->processes < 2 || !c->platform->pairs || !(count = find_sizes(c, x))) return SUP_OK;
    for (size_t i = 0; i < count; i++) {
        if (sup_choose_better(x[i].bulk, x[i].eager)) duels[better++] = x[i].duel;
        if (x[i].bulk.value / x[i].eager.value < x[closest].bulk.value / x[closest].eager.value) closest = i;
    }
    if (!better) return say(c, plan, &x[closest], false);
    sup_status st = sup_choose_confirm(c, duels, better, diag);
    for (size_t i = 0, k = 0; i < count && !st; i++) {
        if (!sup_choose_better(x[i].bulk, x[i].eager)) continue;
        x[i].duel = duels[k++];
        st = say(c, plan, &x[i], true);
    }
    return st;
}

const sup_decider sup_decider_engine = {.name = "engine",
                                        .help = "when transfers begin: at the call or at the sync",
                                        .rests = {{"overlap", true}, {"pairs", true}},
                                        .decide = decide};
