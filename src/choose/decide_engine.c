/* Decides which engine of the runtime runs which supersteps (T'comm): eager, which starts transfers when they are asked
 * for, or bulk, which starts them at the sync. What counts is how much of a transfer computation hides, as it was
 * measured for each (model/overlap.c), in supersteps that compute as long as they communicate. */
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>

#define UNSURE 0.1 /* of a share whose interval nobody knows */

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
    double ci = isfinite(o->share->ci) ? o->share->ci : UNSURE, s = o->share->value;
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

static sup_status say(sup_plan *plan, bool bulk, int64_t bytes, sup_prediction eager, sup_prediction other) {
    sup_plan_decision *d = sup_choose_say(plan, "engine", bulk ? "bulk" : "eager", "eager");
    if (!d) return SUP_ENOMEM;
    d->predicted_s = bulk ? other.value : eager.value;
    d->otherwise_s = eager.value;
    sup_status st = sup_choose_where(d, "supersteps that move %" PRId64 " bytes and compute as long", bytes);
    if (!st && bulk)
        st = sup_choose_because(d, "computation hides more of transfers that begin at the sync, beyond the intervals");
    if (!st && !bulk)
        st = sup_choose_because(d,
                                "kept: bulk is predicted to take %.2f × as long, which lies within the intervals or "
                                "above",
                                other.value / eager.value);
    return st ? st : sup_choose_beat(d, bulk ? "eager" : "bulk", bulk ? eager.value : other.value, NAN);
}

/* One decision for each size at which bulk is better; where it is at none, one for the size where it comes closest. */
static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    (void)diag;
    if (c->processes < 2 || !c->platform->pairs) return SUP_OK;
    int64_t closest = -1;
    double ratio = INFINITY;
    sup_prediction kept[2] = {0};
    bool any = false;
    for (int64_t b = next_size(c, 0), next; b > 0; b = next) {
        next = next_size(c, b);
        double t = transfer_of(c->platform, (double)b);
        if (!(t > 0)) continue;
        sup_prediction eager = price(find(c, "eager", b), t), bulk = price(find(c, "bulk", b), t);
        if (sup_choose_better(bulk, eager)) {
            sup_status st = add_row(plan, b, next);
            if (!st) st = say(plan, true, b, eager, bulk);
            if (st) return st;
            any = true;
        } else if (bulk.value / eager.value < ratio) {
            ratio = bulk.value / eager.value;
            closest = b;
            kept[0] = eager;
            kept[1] = bulk;
        }
    }
    return any || closest < 0 ? SUP_OK : say(plan, false, closest, kept[0], kept[1]);
}

const sup_decider sup_decider_engine = {"engine", "when transfers begin: at the call or at the sync", decide};
