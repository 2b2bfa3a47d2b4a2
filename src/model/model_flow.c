/* The model `flow`, the default: a superstep as our runtime carries it out.
 *
 * A message keeps its sender and its receiver busy, and all transfers of a host at once slow each other down (L(m,τ) of
 * the profile); latency counts once, because messages of a superstep overlap. Over shared memory the copies of our
 * runtime count as they were measured with everybody copying (copies.c). */
#include "model/model.h"
#include "plan/defaults.h"

#include <math.h>
#include <string.h>

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
    bool recorded, shared;
    sup_priced priced;
    /* over shared memory, if copies were measured; out, in: partners that a process writes to, and reads from */
    copier part[SUP_COPY_PARTS];
    double *out, *in;
} tally;

/* What pairs do not say about whole exchanges, as a relative half width that is assumed: over messages nothing of a
 * profile tells it. */
#define FORM 0.12

/* at_least: seconds that the moving takes however short it is. */
static void busy(tally *y, int64_t p, const sup_edge *e, const sup_class_cost *c, double share, double at_least) {
    sup_terms *t = y->t;
    double times = share * e->messages * y->priced.crowd, moving = times * y->priced.value;
    double start = share * e->messages * c->overhead;
    if (moving < at_least) start += at_least - moving;
    t->latency[p] += start;
    t->bytes[p] += moving;
    t->d_comm[p] += times * y->priced.half + share * e->messages * c->d_overhead + FORM * (start + moving);
    t->comm_over[p] += e->overlap * (moving + start);
}

/* ---- copies of our runtime over shared memory ---- */

static bool through_log(const sup_edge *e) {
    bool short_one = e->bytes < SUP_DEFAULT_STRAIGHT_MIN * e->messages;
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
    const sup_class_cost *c = sup_pair_costs(y->m, e->from, e->to, &room, &class);
    /* the first line of what another core wrote comes as slowly as a signal does */
    bool first = first_of(y, e);
    double fetch = first && y->shared && e->from != e->to ? y->m->signals[class].wire : 0;
    if (y->out) {
        copy_edge(y, e, c, first);
        return;
    }
    sup_pair_price(y->m, c, class, e->bytes / e->messages, &y->priced);
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

static void flow_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    if (!step->flow_count || !m->pairs) return;
    tally y = {.m = m,
               .t = t,
               .reach = t->scratch[0],
               .d_reach = t->scratch[1],
               .last = t->scratch[2],
               .priced = {.class = -1, .active = m->per_host},
               .recorded = step->calls_inside,
               .shared = sup_platform_shared_memory(m)};
    if (y.shared && m->copies.fan_count) {
        y.out = y.reach; /* latencies are the barrier's here */
        y.in = y.d_reach;
        for (int k = 0; k < SUP_COPY_PARTS; k++) y.part[k].partners = -1;
        sup_comm_visit(m, step, round, count_edge, &y);
        memset(y.last, 0, (size_t)m->processes * sizeof *y.last);
    }
    sup_comm_visit(m, step, round, flow_edge, &y);
    /* Over shared memory the barrier's signals carry the news; processes copy themselves, so nothing is hidden. */
    for (int64_t p = 0; p < m->processes; p++) {
        if (y.shared)
            t->comm_over[p] = 0;
        else {
            t->latency[p] += y.reach[p];
            t->d_comm[p] += y.d_reach[p];
        }
    }
}

const sup_model sup_model_flow = {
    .name = "flow",
    .summary = "receivers are busy too, transfers crowd each other, sync as our runtime does it",
    .comp = sup_comp_terms,
    .comm = flow_comm,
    .sync = sup_sync_flow,
};
