/* The model `flow`, the default: a superstep as our runtime carries it out, by the exchanges of the profile.
 *
 * Two passes for each way of moving bytes: over the edges, to add up what every process has to do with others; over the
 * processes, to price that (exchanges_price.c; flow_pairs.c where no exchange says it). Calls come before the barrier,
 * whatever a sync takes beyond an empty one after it. */
#include "model/equation/model.h"

#include <math.h>
#include <string.h>

enum { OUT, IN };

/* The last edge's times: neighbours of a regular pattern ask the same again and again. */
typedef struct rated {
    int class;
    double bytes;
    sup_times times;
} rated;

typedef struct counter {
    const sup_platform *m;
    sup_terms *t;
    sup_tally *tally;
    int move;
    bool by_pairs; /* no exchanges */
    rated rated;
    sup_priced priced;
    double pair_messages, pair_bytes;
    /* to itself */
    const sup_file_curve *own;
    double own_bytes, own_s;
} counter;

/* ---- edges ---- */

/* A process's own memory is copied twice: into the log and out of it. */
static void to_itself(counter *y, const sup_edge *e) {
    double bytes = e->bytes / e->messages;
    if (bytes != y->own_bytes) {
        const sup_class_cost *near = &y->m->classes[sup_platform_class(y->m, 0, y->m->processes > 1)];
        y->own_s = y->own ? sup_platform_curve(y->m, y->own, bytes).value : near->per_byte * bytes / 2;
        y->own_bytes = bytes;
    }
    double s = e->messages * y->own_s;
    y->t->bytes[e->from] += s;
    y->t->late_bytes[e->from] += s;
    y->t->d_comm[e->from] += 0.1 * s;
    y->t->d_late[e->from] += 0.1 * s;
}

static void add_side(sup_tally *t, int side, const sup_edge *e, bool first) {
    t->partners[side] += first;
    t->messages[side] += (float)e->messages;
    t->bytes[side] += e->bytes;
    if (e->bytes > (double)t->largest[side]) t->largest[side] = (float)e->bytes;
}

static void add_pair(counter *y, sup_tally *const ends[2], const sup_edge *e, const sup_class_cost *c, int class) {
    sup_pair_price(y->m, c, class, e->bytes / e->messages, &y->priced);
    double times = *y->m->alike ? (double)sup_regular_times(*y->m->alike, e->from) : 1;
    y->pair_messages += times * e->messages;
    y->pair_bytes += times * e->bytes;
    for (int side = 0; side < 2; side++) {
        ends[side]->far_latency[side] += (float)(e->messages * c->overhead);
        ends[side]->far_bytes[side] += (float)(e->messages * y->priced.value);
        ends[side]->reach = fmaxf(ends[side]->reach, (float)c->latency);
    }
}

static void add_exchange(counter *y, sup_tally *const ends[2], const sup_edge *e, const sup_class_cost *c, int class,
                         bool first) {
    rated *r = &y->rated;
    bool far = class == y->m->exchanges.far;
    double bytes = e->bytes / e->messages;
    if (class != r->class || bytes != r->bytes) {
        r->times = far ? (sup_times){c->latency_f, c->byte_f} : sup_exchange_times(y->m, c, bytes);
        r->bytes = bytes;
        r->class = y->m->ranged ? -1 : class;
    }
    for (int side = 0; side < 2; side++) {
        sup_tally *t = ends[side];
        float *latency = far ? t->far_latency : t->near_latency, *moving = far ? t->far_bytes : t->near_bytes;
        latency[side] += first ? (float)r->times.latency : 0;
        moving[side] += (float)(e->bytes * r->times.bytes);
    }
}

static void count_edge(void *context, const sup_edge *e) {
    counter *y = context;
    sup_class_cost room;
    int class;
    if (e->messages <= 0 || e->kind != y->move) return;
    if (e->from == e->to) {
        to_itself(y, e);
        return;
    }
    const sup_class_cost *c = sup_pair_costs(y->m, e->from, e->to, &room, &class);
    bool reads = sup_move_reads(e->kind);
    sup_tally *from = &y->tally[e->from], *to = &y->tally[e->to];
    sup_tally *const ends[2] = {reads ? to : from, reads ? from : to};
    bool first = to->last != (float)(e->from + 1); /* edges come by sender */
    to->last = (float)(e->from + 1);
    for (int side = 0; side < 2; side++)
        if (e->overlap > 0) ends[side]->overlap += (float)(e->overlap * (e->bytes + e->messages));
    bool pair = y->by_pairs || class == y->m->exchanges.link;
    if (pair) add_pair(y, ends, e, c, class);
    if (pair && !y->by_pairs) return;
    for (int side = 0; side < 2; side++) add_side(ends[side], side, e, first);
    if (!pair) add_exchange(y, ends, e, c, class, first);
}

/* ---- how many at once ---- */

typedef struct crowd {
    int64_t askers, asked, crossing;
} crowd;

static bool goes_far(const sup_tally *t, int side) { return t->far_latency[side] > 0 || t->far_bytes[side] > 0; }
static bool busy(const sup_tally *t, int side) { return t->partners[side] > 0 || goes_far(t, side); }

/* Of the host where they are most. */
static crowd count_crowd(const sup_platform *m, const sup_tally *t) {
    crowd most = {0}, now = {0};
    int64_t left = m->per_host;
    for (int64_t p = 0; p < m->processes; p++) {
        const sup_tally *x = &t[*m->alike ? sup_regular_of(*m->alike, p) : p];
        now.askers += busy(x, OUT);
        now.asked += busy(x, IN);
        now.crossing += goes_far(x, OUT);
        if (--left && p + 1 < m->processes) continue;
        if (now.askers > most.askers) most.askers = now.askers;
        if (now.asked > most.asked) most.asked = now.asked;
        if (now.crossing > most.crossing) most.crossing = now.crossing;
        now = (crowd){0};
        left = m->per_host;
    }
    return most;
}

/* ---- processes ---- */

static sup_side side_of(const sup_tally *t, int side) {
    return (sup_side){t->partners[side],     t->messages[side],   t->bytes[side],       t->largest[side],
                      t->near_latency[side], t->near_bytes[side], t->far_latency[side], t->far_bytes[side]};
}

/* Processes that were priced: those of regular patterns are of a few kinds. */
enum { KINDS = 512 };
typedef struct priced {
    sup_tally tally;
    sup_amount part[SUP_PARTS];
    double share; /* of it that is overlapped */
} priced;

static bool alike(const sup_tally *a, const sup_tally *b) {
    for (int s = 0; s < 2; s++)
        if (a->bytes[s] != b->bytes[s] || a->partners[s] != b->partners[s] || a->messages[s] != b->messages[s] ||
            a->largest[s] != b->largest[s] || a->near_latency[s] != b->near_latency[s] ||
            a->near_bytes[s] != b->near_bytes[s] || a->far_latency[s] != b->far_latency[s] ||
            a->far_bytes[s] != b->far_bytes[s])
            return false;
    return a->reach == b->reach && a->overlap == b->overlap;
}

static unsigned kind_of(const sup_tally *t) {
    double x = t->bytes[OUT] + 3 * t->bytes[IN] + 1e3 * ((double)t->partners[OUT] + 5 * (double)t->partners[IN]) +
               17 * ((double)t->near_latency[OUT] + 7 * (double)t->near_latency[IN]) +
               1e9 * ((double)t->far_latency[OUT] + 3 * (double)t->far_latency[IN]);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 55); /* of KINDS */
}

static void price_anew(const counter *y, sup_asked *x, const sup_tally *t, priced *out) {
    const sup_exchanges *k = &y->m->exchanges;
    out->tally = *t;
    x->out = side_of(t, OUT);
    x->in = side_of(t, IN);
    out->part[SUP_PART_CALLS] = out->part[SUP_PART_SYNC] = (sup_amount){0};
    bool pairs = y->by_pairs || k->link >= 0;
    if (pairs) { /* what lies in far_ are pairs that are priced one by one */
        x->out.far_latency = x->out.far_bytes = x->in.far_latency = x->in.far_bytes = 0;
        int class = k->link >= 0 ? k->link : sup_platform_class(y->m, 0, 1);
        sup_flow_pairs(y->m, x, t, class, out->part);
    }
    if (!y->by_pairs) {
        sup_amount more[SUP_PARTS];
        sup_exchange_price(y->m, x, more);
        for (int p = 0; p < SUP_PARTS; p++) {
            out->part[p].fixed += more[p].fixed;
            out->part[p].moving += more[p].moving;
            out->part[p].half += more[p].half;
        }
    }
    double bytes = t->bytes[OUT] + t->bytes[IN], messages = (double)t->messages[OUT] + (double)t->messages[IN];
    double all = bytes + messages;
    out->share = 0;
    if (t->overlap > 0 && all > 0)
        out->share = fmin(1, (double)t->overlap / all) * sup_overlap_share(y->m, bytes / fmax(1, messages));
}

static void price_all(const counter *y) {
    const sup_platform *m = y->m;
    sup_terms *t = y->t;
    crowd at_once = count_crowd(m, y->tally);
    sup_asked x = {.askers = (double)at_once.askers,
                   .asked = (double)at_once.asked,
                   .crossing = (double)at_once.crossing,
                   .pair_bytes = y->pair_messages > 0 ? y->pair_bytes / y->pair_messages : 0,
                   .shared = sup_platform_shared_memory(m),
                   .move = y->move};
    priced kinds[KINDS];
    for (int i = 0; i < KINDS; i++) kinds[i].tally = (sup_tally){.reach = -1};
    for (int64_t p = 0; p < m->processes; p++) {
        const sup_tally *now = &y->tally[p];
        if ((!busy(now, OUT) && !busy(now, IN)) || (*m->alike && !sup_regular_times(*m->alike, p))) continue;
        priced *last = &kinds[kind_of(now)];
        if (!alike(now, &last->tally)) price_anew(y, &x, now, last);
        const sup_amount *calls = &last->part[SUP_PART_CALLS], *late = &last->part[SUP_PART_SYNC];
        t->latency[p] += calls->fixed;
        t->bytes[p] += calls->moving;
        t->d_comm[p] += calls->half;
        t->late_latency[p] += late->fixed;
        t->late_bytes[p] += late->moving;
        t->d_late[p] += late->half;
        t->comm_over[p] += last->share * (calls->fixed + calls->moving + late->fixed + late->moving);
    }
}

/* Several ways of moving bytes in one superstep were never measured together. */
#define MIXED 0.25

static void add_doubt(sup_terms *t) {
    for (int64_t p = 0; p < t->processes; p++) {
        t->d_comm[p] = fmax(t->d_comm[p], MIXED * (t->latency[p] + t->bytes[p]));
        t->d_late[p] = fmax(t->d_late[p], MIXED * (t->late_latency[p] + t->late_bytes[p]));
    }
}

/* ---- a superstep ---- */

static unsigned moves_of(const sup_step *step) {
    unsigned moves = 0;
    for (size_t f = 0; f < step->flow_count; f++) {
        const sup_flow *flow = &step->flows[f];
        if (flow->kind != SUP_FLOW_EDGES) moves |= 1u << flow->move;
        for (size_t e = 0; flow->kind == SUP_FLOW_EDGES && e < flow->edge_count; e++)
            moves |= 1u << flow->edges[e].kind;
    }
    return moves;
}

static const sup_file_curve *own_copies(const sup_platform *m) {
    for (size_t i = 0; i < m->profile->copies_count; i++) {
        const sup_copy_time *c = &m->profile->copies[i];
        if (c->method && !strcmp(c->method, "memcpy") && c->time_s && c->time_s->curve) return c->time_s;
    }
    return NULL;
}

static void flow_comm(const sup_platform *m, const sup_step *step, int64_t round, sup_terms *t) {
    if (!step->flow_count || !m->pairs) return;
    unsigned moves = moves_of(step);
    for (int move = 0; move < SUP_MOVES; move++) {
        if (!(moves & 1u << move)) continue;
        counter y = {.m = m,
                     .t = t,
                     .tally = t->tally,
                     .move = move,
                     .by_pairs = !m->exchanges.processes,
                     .rated = {.class = -1},
                     .priced = {.class = -1},
                     .own = own_copies(m),
                     .own_bytes = -1};
        memset(t->tally, 0, (size_t)m->processes * sizeof *t->tally);
        for (size_t f = 0; f < step->flow_count; f++) {
            const sup_flow *flow = &step->flows[f];
            if (flow->kind != SUP_FLOW_EDGES && flow->move != move) continue;
            if (*m->alike) sup_regular_visit(*m->alike, flow, round, count_edge, &y);
            for (int64_t p = 0; p < m->processes && !*m->alike; p++)
                sup_flow_visit(flow, m->processes, p, round, count_edge, &y);
        }
        price_all(&y);
        if (moves & (moves - 1)) add_doubt(t);
    }
    if (!step->calls_inside) return; /* the recorded computation has them already */
    memset(t->latency, 0, (size_t)m->processes * sizeof *t->latency);
    memset(t->bytes, 0, (size_t)m->processes * sizeof *t->bytes);
    memset(t->d_comm, 0, (size_t)m->processes * sizeof *t->d_comm);
}

const sup_model sup_model_flow = {
    .name = "flow",
    .summary = "supersteps by measured exchanges: calls, then everybody is there, then deliveries",
    .phased = true,
    .comp = sup_comp_terms,
    .comm = flow_comm,
    .sync = sup_sync_flow,
    .first = sup_first_add,
};
