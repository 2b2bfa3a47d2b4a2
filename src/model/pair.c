/* Tcomm of pairs: the heterogeneous Hockney model O, L, B with the measured curves (BSP §5.6, §8.5), and two ways to
 * make a superstep's communication of it.
 *
 *     pair   each process sends its messages one after the other: Σ_j (n·O_ij + n·t_ij(bytes/n)); what arrives is free
 *     flow   the default: a message keeps its sender and its receiver busy, and all transfers of a host at once slow
 *            each other down (L(m,τ) of the profile); latency counts once, because messages of a superstep overlap;
 *            over shared memory the copies of our runtime as they were measured with everybody copying
 *
 * meyer's max over destinations (fig. 8.9) is in baselines.c with the others. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one message ---- */

/* The curve where there is one, else a line. The part above the latency is what `B` of a what-if scales. */
sup_prediction sup_pair_moving(const sup_platform *m, const sup_class_cost *c, double bytes) {
    sup_prediction p;
    if (!c->time) {
        double t = c->per_byte * bytes, d = c->d_per_byte * bytes;
        p = (sup_prediction){t, fmax(0, t - d), t + d};
        return p;
    }
    p = sup_curve_predict(c->time, bytes, m->confidence);
    double floor_s = fmin(c->measured_latency, sup_curve_at(c->time, 0));
    p.value = fmax(0, p.value - floor_s) * c->byte_f;
    p.low = fmax(0, p.low - floor_s) * c->byte_f;
    p.high = fmax(0, p.high - floor_s) * c->byte_f;
    return p;
}

sup_prediction sup_pair_time(const sup_platform *m, const sup_class_cost *c, double bytes) {
    sup_prediction p = sup_pair_moving(m, c, bytes);
    double floor_s = c->latency;
    if (c->time) floor_s = fmin(c->measured_latency, sup_curve_at(c->time, 0)) * c->latency_f;
    p.value += floor_s;
    p.low = fmax(0, p.low + floor_s - c->d_latency);
    p.high += floor_s + c->d_latency;
    return p;
}

/* ---- crowding ---- */

static bool shared_memory(const sup_platform *m) {
    return !strcmp(m->transport, "shm") || !strcmp(m->transport, "self");
}

/* Over shared memory a transfer is copies that cores make, so they crowd each other as the kernel copy does. A process
 * goes through the bytes about four times: source, log at both ends, place. */
static double copy_crowd(const sup_platform *m, double bytes, int64_t active) {
    const sup_kernel_profile *k = sup_profile_kernel(m->profile, "copy");
    const sup_kernel_rate *one = NULL, *all = NULL;
    for (size_t i = 0; k && i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        if (!r->unit_s || !r->unit_s->curve) continue;
        if (!one || r->active < one->active) one = r;
        if (!all || llabs(r->active - active) < llabs(all->active - active)) all = r;
    }
    if (!one || one == all) return 1;
    double alone = sup_curve_at(one->unit_s->curve, 4 * bytes);
    return alone > 0 ? fmax(1, sup_curve_at(all->unit_s->curve, 4 * bytes) / alone) : 1;
}

static const sup_transfer *transfer_of(const sup_platform *m) {
    const sup_transfer *found = NULL;
    for (size_t i = 0; i < m->profile->channels_count; i++) {
        const sup_channel *c = &m->profile->channels[i];
        if (!c->transfer || !c->transport || strcmp(c->transport, m->transport) != 0) continue;
        if (!found || (c->setup && !strcmp(c->setup, "ring") && c->cached)) found = c->transfer;
    }
    return found;
}

static double row_at(const sup_transfer *t, const sup_tau_row *row, double bytes) {
    size_t n = t->bytes_count < row->seconds_count ? t->bytes_count : row->seconds_count, k = 0;
    if (!n) return NAN;
    while (k + 1 < n && t->bytes[k + 1] <= bytes) k++;
    if (k + 1 >= n || bytes <= t->bytes[0]) return row->seconds[k];
    double w = (bytes - t->bytes[k]) / (t->bytes[k + 1] - t->bytes[k]);
    return row->seconds[k] + w * (row->seconds[k + 1] - row->seconds[k]);
}

double sup_pair_crowd(const sup_platform *m, double bytes, int64_t active) {
    if (active < 2) return 1;
    if (shared_memory(m)) return copy_crowd(m, bytes, active);
    const sup_transfer *t = transfer_of(m);
    if (!t || t->rows_count < 2) return isnan(m->pairs->interference) ? 1 : fmax(1, m->pairs->interference);
    double base = row_at(t, &t->rows[0], bytes), before = base;
    int64_t tau = t->rows[0].tau;
    for (size_t r = 1; r < t->rows_count; r++) {
        double now = row_at(t, &t->rows[r], bytes);
        if (t->rows[r].tau >= active) {
            double w = (double)(active - tau) / (double)(t->rows[r].tau - tau);
            return base > 0 ? fmax(1, (before + w * (now - before)) / base) : 1;
        }
        before = now;
        tau = t->rows[r].tau;
    }
    return base > 0 ? fmax(1, before / base) : 1;
}

/* ---- a superstep ---- */

/* The last edge that was priced at one of its ends: neighbours of a regular pattern ask the same again and again. */
typedef struct copier {
    double partners, messages, bytes;
    bool first;
    double fixed, moving, spread;
} copier;

typedef struct tally {
    const sup_platform *m;
    sup_terms *t;
    double *reach, *d_reach; /* greatest latency of a process */
    double *last;            /* who sent to it last, + 1: edges come by sender */
    int64_t active;
    bool recorded, shared;
    /* the last message that was priced: neighbours of a regular pattern ask the same again and again */
    int class;
    double bytes, value, half, crowd;
    /* over shared memory, if copies were measured; out, in: partners that a process writes to, and reads from */
    copier part[SUP_COPY_PARTS];
    double *out, *in;
} tally;

static void price(tally *y, const sup_class_cost *c, int class, double bytes) {
    if (class == y->class && bytes == y->bytes) return;
    sup_prediction p = sup_pair_moving(y->m, c, bytes);
    y->crowd = y->active ? sup_pair_crowd(y->m, bytes, y->active) : 1;
    y->value = p.value;
    y->half = fmax(p.high - p.value, p.value - p.low);
    y->class = y->m->ranged ? -1 : class;
    y->bytes = bytes;
}

static const sup_class_cost *class_of(const tally *y, int64_t i, int64_t j, sup_class_cost *room, int *class) {
    *class = sup_platform_class(y->m, i, j);
    if (!y->m->ranged) return &y->m->classes[*class];
    sup_platform_pair(y->m, i, j, room);
    return room;
}

/* What pairs do not say about whole exchanges, as a relative half width that is assumed: over messages nothing of a
 * profile tells it. */
#define FORM 0.12

/* at_least: seconds that the moving takes however short it is. */
static void busy(tally *y, int64_t p, const sup_edge *e, const sup_class_cost *c, double share, double at_least) {
    sup_terms *t = y->t;
    double times = share * e->messages * y->crowd, moving = times * y->value;
    double start = share * e->messages * c->overhead;
    if (moving < at_least) start += at_least - moving;
    t->latency[p] += start;
    t->bytes[p] += moving;
    t->d_comm[p] += times * y->half + share * e->messages * c->d_overhead + FORM * (start + moving);
    t->comm_over[p] += e->overlap * (moving + start);
}

/* ---- copies of our runtime over shared memory ---- */

/* Shorter ones go through the log though they need not (HP_MIN of bsp/shared.c). */
#define STRAIGHT 512

static bool through_log(const sup_edge *e) {
    bool short_one = e->bytes < STRAIGHT * e->messages;
    return e->kind == SUP_MOVE_PUT || e->kind == SUP_MOVE_SEND || (e->kind == SUP_MOVE_HPPUT && short_one);
}

/* Is it the first from its sender to its receiver in this superstep? Edges come by sender. */
static bool first_of(tally *y, const sup_edge *e) {
    bool first = y->last[e->to] != (double)e->from + 1;
    y->last[e->to] = (double)e->from + 1;
    return first;
}

static void count_edge(void *context, const sup_edge *e) {
    tally *y = context;
    if (e->messages <= 0 || !first_of(y, e) || e->from == e->to) return;
    if (through_log(e) || e->kind == SUP_MOVE_HPPUT) y->out[e->from]++;
    if (e->kind != SUP_MOVE_HPPUT || through_log(e)) y->in[e->to]++;
}

/* What an edge takes at one end. The part that no bytes make is latency. */
static void price_copy(tally *y, int part, const sup_edge *e, double partners, bool first) {
    copier *k = &y->part[part];
    if (k->partners == partners && k->messages == e->messages && k->bytes == e->bytes && k->first == first) return;
    const sup_copies *c = &y->m->copies;
    sup_moved all, none = {0};
    if (partners > 0) {
        all = sup_copies_edge(y->m, part, partners, e->messages, e->bytes);
        if (first) {
            none = sup_copies_edge(y->m, part, partners, 1, 0);
        } else { /* to the same one again, as much as before: what twice as many take more */
            sup_moved both = sup_copies_edge(y->m, part, partners, 2 * e->messages, 2 * e->bytes);
            all = (sup_moved){fmax(0, both.value - all.value), fabs(both.half - all.half)};
        }
    } else if (c->own) { /* to itself */
        double one = sup_curve_at(c->own, e->bytes / e->messages);
        all = (sup_moved){e->messages * one, 0};
        none.value = sup_curve_at(c->own, 0);
    } else {
        all = sup_copies_edge(y->m, part, 1, e->messages, e->bytes);
    }
    *k = (copier){partners, e->messages, e->bytes, first, fmin(none.value, all.value), 0, 0};
    k->moving = all.value - k->fixed;
    k->spread = sup_copies_spread(y->m, fmax(partners, 1), e->messages, e->bytes / e->messages);
}

static void copy_at(tally *y, int part, int64_t p, const sup_edge *e, const sup_class_cost *c, bool first) {
    sup_terms *t = y->t;
    double partners = e->from == e->to ? 0 : part == SUP_COPY_LOG ? y->out[p] : y->in[p];
    price_copy(y, part, e, partners, first);
    const copier *k = &y->part[part];
    double fixed = k->fixed * c->latency_f, moving = k->moving * c->byte_f, known = fixed + moving;
    /* what calibration runs are off by is of the whole superstep, with its barrier */
    if (part == SUP_COPY_DELIVER && first && partners > 0) known += y->m->copies.barrier / partners;
    t->latency[p] += fixed;
    t->bytes[p] += moving;
    t->d_comm[p] += k->spread * known;
}

/* put, send: the sender copies into its log, the receiver out of it. hpput: the sender, into memory that the other one
 * used last, which is what a log is. get, hpget: who asks, out of memory that the other one used last. */
static void copy_edge(tally *y, const sup_edge *e, const sup_class_cost *c, bool first) {
    bool both = through_log(e), called = both || e->kind == SUP_MOVE_HPPUT;
    if (called && !y->recorded) copy_at(y, SUP_COPY_LOG, e->from, e, c, first);
    if (called && !both) return;
    if (e->kind == SUP_MOVE_HPGET && y->recorded) return;
    copy_at(y, SUP_COPY_DELIVER, e->to, e, c, first);
}

/* put, send: the sender copies when it calls, the receiver at the sync. hpput, hpget: who asks does it all, in the
 * call. get: who asks does it all, at the sync. A recorded computation holds the calls already. */
static void flow_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_class_cost room;
    int class;
    if (e->messages <= 0) return;
    const sup_class_cost *c = class_of(y, e->from, e->to, &room, &class);
    /* the first line of what another core wrote comes as slowly as a signal does */
    bool first = first_of(y, e);
    double fetch = first && y->shared && e->from != e->to ? y->m->signals[class].wire : 0;
    if (y->out) {
        copy_edge(y, e, c, first);
        return;
    }
    price(y, c, class, e->bytes / e->messages);
    switch (e->kind) {
    case SUP_MOVE_PUT:
    case SUP_MOVE_SEND:
        if (!y->recorded) busy(y, e->from, e, c, 0.5, 0);
        busy(y, e->to, e, c, 0.5, fetch);
        break;
    case SUP_MOVE_HPPUT:
        if (!y->recorded) busy(y, e->from, e, c, 1, 0);
        break;
    case SUP_MOVE_HPGET:
        if (!y->recorded) busy(y, e->to, e, c, 1, fetch);
        break;
    default: busy(y, e->to, e, c, 1, fetch);
    }
    if (e->from == e->to) return;
    y->reach[e->to] = fmax(y->reach[e->to], c->latency);
    y->d_reach[e->to] = fmax(y->d_reach[e->to], c->d_latency);
}

static void pair_edge(void *context, const sup_edge *e) {
    tally *y = context;
    sup_terms *t = y->t;
    sup_class_cost room;
    int class;
    if (e->messages <= 0) return;
    const sup_class_cost *c = class_of(y, e->from, e->to, &room, &class);
    price(y, c, class, e->bytes / e->messages);
    double fixed = e->messages * (c->overhead + c->latency), moving = e->messages * y->value;
    t->latency[e->from] += fixed;
    t->bytes[e->from] += moving;
    t->comm_over[e->from] += e->overlap * (fixed + moving);
    t->d_comm[e->from] += e->messages * (y->half + c->d_overhead + c->d_latency);
}

static void clear(sup_terms *t) {
    size_t bytes = (size_t)t->processes * sizeof(double);
    memset(t->latency, 0, bytes);
    memset(t->bytes, 0, bytes);
    memset(t->comm_over, 0, bytes);
    memset(t->d_comm, 0, bytes);
    for (int i = 0; i < 3; i++) memset(t->scratch[i], 0, bytes);
}

static void visit_all(const sup_step *step, int64_t round, int64_t processes, sup_edge_visit visit, void *context) {
    for (size_t f = 0; f < step->flow_count; f++)
        for (int64_t p = 0; p < processes; p++) sup_flow_visit(&step->flows[f], processes, p, round, visit, context);
}

static sup_status flow_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)diag;
    clear(t);
    if (!step->flow_count || !m->pairs) return SUP_OK;
    tally y = {.m = m,
               .t = t,
               .reach = t->scratch[0],
               .d_reach = t->scratch[1],
               .last = t->scratch[2],
               .class = -1,
               .active = m->per_host,
               .recorded = step->recorded,
               .shared = shared_memory(m)};
    if (y.shared && m->copies.fan_count) {
        y.out = y.reach; /* latencies are the barrier's here */
        y.in = y.d_reach;
        for (int k = 0; k < SUP_COPY_PARTS; k++) y.part[k].partners = -1;
        visit_all(step, round, m->processes, count_edge, &y);
        memset(y.last, 0, (size_t)m->processes * sizeof *y.last);
    }
    visit_all(step, round, m->processes, flow_edge, &y);
    /* Over shared memory the barrier's signals carry the news; processes copy themselves, so nothing is hidden. */
    for (int64_t p = 0; p < m->processes; p++) {
        if (y.shared)
            t->comm_over[p] = 0;
        else {
            t->latency[p] += y.reach[p];
            t->d_comm[p] += y.d_reach[p];
        }
    }
    return SUP_OK;
}

static sup_status pair_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t, sup_diag *diag) {
    (void)diag;
    clear(t);
    if (!step->flow_count || !m->pairs) return SUP_OK;
    tally y = {.m = m, .t = t, .class = -1};
    visit_all(step, round, m->processes, pair_edge, &y);
    return SUP_OK;
}

static sup_status check_flow(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    return sup_platform_need_pairs(m, "flow", diag);
}

static sup_status check_pair(const sup_platform *m, const sup_step *step, sup_diag *diag) {
    (void)step;
    return sup_platform_need_pairs(m, "pair", diag);
}

const sup_model sup_model_flow = {"flow",
                                  "receivers are busy too, transfers crowd each other, sync as our runtime does it",
                                  check_flow,
                                  sup_comp_terms,
                                  flow_comm,
                                  sup_sync_flow};
const sup_model sup_model_pair = {"pair",     "heterogeneous Hockney: O, L, B with measured curves, senders only",
                                  check_pair, sup_comp_terms,
                                  pair_comm,  sup_sync_flow};
