/* Exchanges, asked for and stored (exchanges.h): two curves each, calls and sync. Tcomm and Tsync, stage "measure". */
#include "measure/exchange/exchanges.h"

#include "measure/exchange/plan.h"
#include "measure/pair/sizes.h"
#include "measure/sync/sync.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 4, CALLS = 0, SYNC, PARTS };

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_profile *profile;
    sup_diag *diag;
    sup_sizes *part; /* of the curve that is being asked for: PARTS of them */
} work;

/* ---- are there pairs of another kind? ---- */

/* What two processes share: a bit each. */
static unsigned shared_by(const sup_rank_place *a, const sup_rank_place *b) {
    unsigned shared = 0;
    if (a->host != b->host) return 0;
    shared |= 1U | (a->package == b->package) << 1 | (a->numa == b->numa) << 2 | (a->core == b->core) << 3;
    for (int d = 0; d < 8; d++) shared |= (unsigned)(a->cache[d] == b->cache[d]) << (4 + d);
    return shared;
}

static bool has_far(const sup_lab *lab) {
    const sup_rank_place *p = lab->places;
    return p && lab->size > 2 && shared_by(&p[0], &p[lab->size / 2]) != shared_by(&p[0], &p[1]);
}

/* ---- into the profile ---- */

static sup_exchange_time *entry(const work *w, const sup_exchange_plan *plan) {
    sup_profile *p = w->profile;
    for (size_t i = 0; i < p->exchanges_count; i++) {
        sup_exchange_time *x = &p->exchanges[i];
        bool same = x->shape == plan->shape && x->move == plan->move && x->records == plan->records;
        if (!same || x->processes != w->lab->size || strcmp(x->transport, w->lab->transport) != 0) continue;
        sup_record_clear(&sup_exchange_record, x);
        return x;
    }
    return SUP_APPEND(&sup_exchange_record, p->exchanges, p->exchanges_count);
}

static void drop(sup_file_curve *curve) {
    if (curve) sup_record_clear(&sup_file_curve_record, curve);
    free(curve);
}

static sup_status store(const work *w, const sup_exchange_plan *plan) {
    sup_file_curve *curve[PARTS] = {NULL, NULL};
    sup_status status = sup_sizes_file_curve(&w->part[CALLS], w->diag, &curve[CALLS]);
    if (!status) status = sup_sizes_file_curve(&w->part[SYNC], w->diag, &curve[SYNC]);
    sup_exchange_time *x = status ? NULL : entry(w, plan);
    if (!status && (!x || sup_record_set_string(&x->transport, w->lab->transport)))
        status = sup_diag_no_memory(w->diag);
    if (status) {
        drop(curve[CALLS]);
        drop(curve[SYNC]);
        return status;
    }
    x->processes = w->lab->size;
    x->shape = plan->shape;
    x->move = plan->move;
    x->records = plan->records;
    x->calls_s = curve[CALLS];
    x->sync_s = curve[SYNC];
    return SUP_OK;
}

/* ---- asking ---- */

static sup_status ask(const work *w, const sup_exchange_plan *plan, size_t bytes, sup_timing out[PARTS]) {
    sup_trial trial = sup_trial_of(SUP_TRIAL_STEP, NULL, 1, w->lab->size, bytes);
    trial.shape = plan->shape;
    trial.move = plan->move;
    trial.records = plan->records;
    return sup_lab_ask(w->lab, w->session, "supersteps", &trial, w->diag, out);
}

/* A superstep without anything. */
static sup_status add_empty(const work *w) {
    static const sup_exchange_plan nothing = {.shape = SUP_EXCHANGE_ONE, .move = SUP_MOVE_PUT, .records = 1};
    sup_timing t[PARTS];
    sup_status status = ask(w, &nothing, 0, t);
    if (!status && sup_sync_keep(w->profile, w->lab, SUP_SYNC_EMPTY, &t[SYNC])) status = sup_diag_no_memory(w->diag);
    return status;
}

/* Half a curve would be trusted beyond its end: too few points, of those that are usual, leave none. */
static sup_status add(const work *w, const sup_exchange_plan *plan, int usual) {
    size_t enough = usual > 0 && usual < ENOUGH ? (size_t)usual : ENOUGH;
    bool absent = false;
    for (int k = 0; k < PARTS; k++) sup_sizes_init(&w->part[k], 1, SUP_EXCHANGE_BYTES_MAX, SUP_EXCHANGE_SIZES, 2.0);
    for (int i = 0; i < plan->count; i++) {
        sup_timing t[PARTS];
        sup_status status = ask(w, plan, plan->bytes[i], t);
        absent |= status == SUP_ETIMEOUT && w->lab->visit;
        if (status == SUP_ETIMEOUT) continue;
        if (status) return status;
        for (int k = 0; k < PARTS; k++) sup_sizes_add(&w->part[k], plan->bytes[i], &t[k]);
    }
    if (!w->part[SYNC].count && !w->lab->visit) return usual ? SUP_ETIMEOUT : SUP_OK;
    if (w->part[SYNC].count < enough) return SUP_ETIMEOUT;
    sup_status status = store(w, plan);
    return status ? status : absent ? SUP_ETIMEOUT : SUP_OK;
}

static int usual_of(int number, const sup_exchange_who *who) {
    sup_exchange_plan plan;
    sup_exchange_who usual = *who;
    usual.deep = false;
    return sup_exchange_plan_at(number, &usual, &plan) ? plan.count : 0;
}

sup_status sup_measure_exchanges(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    work w = {lab, session, profile, diag, malloc(PARTS * sizeof(sup_sizes))};
    if (!w.part) return sup_diag_no_memory(diag);
    sup_exchange_plan plan;
    const sup_exchange_who who = {.processes = lab->size,
                                  .far = has_far(lab),
                                  .shared = !strcmp(lab->transport, "shm"),
                                  .deep = sup_lab_is_deep(lab, SUP_MEASURE_EXCHANGES)};
    bool absent = false;
    sup_status status = add_empty(&w);
    for (int k = 0; sup_exchange_plan_at(k, &who, &plan); k++) {
        absent |= status == SUP_ETIMEOUT;
        if (status && status != SUP_ETIMEOUT && status != SUP_ENOTSUP) break;
        status = plan.count ? add(&w, &plan, usual_of(k, &who)) : SUP_OK;
    }
    free(w.part);
    if (status && status != SUP_ENOTSUP) return status;
    return absent ? SUP_ETIMEOUT : SUP_OK;
}
