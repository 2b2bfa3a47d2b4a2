/* Exchanges of a profile, made ready: which curves count for a platform, and between which classes of pairs they were
 * measured. Tcomm, profile in, no cost yet. */
#include "model/equation/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EACH_DOUBLING 0.2 /* of the number of processes: so much less is known of a time */

static bool usable(const sup_platform *m, const sup_exchange_time *x) {
    return x->transport && !strcmp(x->transport, m->transport) && x->processes > 1 && x->calls_s && x->sync_s &&
           x->calls_s->curve && x->sync_s->curve && x->shape >= 0 && x->shape < SUP_EXCHANGE_SHAPES && x->move >= 0 &&
           x->move < SUP_MOVES;
}

static double distance(int64_t a, int64_t b) { return fabs(log2((double)a / (double)b)); }

/* A machine of parts has the exchanges of one of its nodes. */
static int64_t target(const sup_platform *m) { return m->profile->composed ? m->per_host : m->processes; }

/* Of two that are equally near the one of more processes: what all of them do is in it. */
static int64_t nearest(const sup_platform *m) {
    int64_t best = 0;
    for (size_t i = 0; i < m->profile->exchanges_count; i++) {
        const sup_exchange_time *x = &m->profile->exchanges[i];
        if (!usable(m, x) || x->move != SUP_MOVE_PUT || x->records != 1) continue;
        if (x->shape != SUP_EXCHANGE_SHIFT && x->shape != SUP_EXCHANGE_ONE) continue;
        double d = distance(x->processes, target(m)), least = best ? distance(best, target(m)) : INFINITY;
        if (d < least || (d == least && x->processes > best)) best = x->processes;
    }
    return best;
}

static sup_exchange_curves curves_of(const sup_exchange_time *x) {
    sup_exchange_curves c = {.part = {x->calls_s, x->sync_s}};
    for (int p = 0; p < SUP_PARTS; p++) {
        const sup_curve *k = c.part[p]->curve;
        c.top[p] = k->segments[k->count - 1].x_hi;
    }
    return c;
}

static void take_curves(const sup_platform *m, sup_exchanges *k) {
    for (size_t i = 0; i < m->profile->exchanges_count; i++) {
        const sup_exchange_time *x = &m->profile->exchanges[i];
        if (!usable(m, x) || x->processes != k->processes) continue;
        sup_exchange_curves c = curves_of(x);
        if (x->records == 1) {
            k->one[x->move][x->shape] = c;
        } else if (x->records > 1 && x->shape == SUP_EXCHANGE_SHIFT) {
            k->many[x->move] = c;
            k->records[x->move] = (double)x->records;
        }
    }
    /* with so few processes they are the same */
    for (int v = 0; v < SUP_MOVES; v++) {
        sup_exchange_curves *c = k->one[v];
        if (!c[SUP_EXCHANGE_ONE].part[0] && v == SUP_MOVE_PUT) c[SUP_EXCHANGE_ONE] = c[SUP_EXCHANGE_SHIFT];
        if (!c[SUP_EXCHANGE_SHIFT].part[0] && v == SUP_MOVE_PUT) c[SUP_EXCHANGE_SHIFT] = c[SUP_EXCHANGE_ONE];
    }
}

/* The sync of a superstep that asks for nothing; where it was not measured, one that hardly moves anything. */
static void take_empty(const sup_platform *m, sup_exchanges *k) {
    const sup_number *n = NULL;
    for (size_t i = 0; i < m->profile->sync_count && !n; i++) {
        const sup_sync_time *s = &m->profile->sync[i];
        if (!s->transport || !s->algorithm || strcmp(s->transport, m->transport) != 0) continue;
        if (strcmp(s->algorithm, SUP_SYNC_EMPTY) != 0 || s->processes != k->processes || s->payload_bytes > 0) continue;
        n = s->time_s;
    }
    sup_prediction p = n ? sup_platform_number(m, n)
                         : sup_platform_curve(m, k->one[SUP_MOVE_PUT][SUP_EXCHANGE_ONE].part[SUP_PART_SYNC], 0);
    k->empty = p.value;
    k->d_empty = n ? p.high - p.value : 0;
    /* of points only their interval is kept, which is that of two estimates of all launches each */
    double launches = n && n->launches > 1 && m->typical ? (double)n->launches : 1;
    k->scatter = launches > 1 ? sqrt(launches / 2) * sqrt(1 + 1 / launches) : 1;
}

/* ---- classes of pairs ---- */

/* Measured ranks may be more than the platform's. They were all of one node where machines are put together. */
static int class_of(const sup_platform *m, int64_t i, int64_t j) {
    const sup_composed *nodes = sup_platform_nodes(m);
    int64_t most = i > j ? i : j;
    if (nodes && i / nodes->node_processes != j / nodes->node_processes)
        return sup_pairs_class(m->pairs, 0, nodes->node_processes - 1);
    if (most < m->processes || most >= m->pairs->processes) return sup_platform_class(m, i, j);
    return sup_pairs_class(m->pairs, i, j);
}

/* As it was measured, without what-ifs. */
static double start_of(const sup_class_cost *c) { return c->latency / c->latency_f + c->overhead / c->overhead_f; }

sup_times sup_exchange_times(const sup_platform *m, const sup_class_cost *c, double bytes) {
    const sup_class_cost *base = &m->classes[m->exchanges.base];
    double start = start_of(base), moving = bytes > 0 ? sup_pair_moving(m, base, bytes).value / base->byte_f : 0;
    sup_times t = {1, c->byte_f};
    if (start > 0) t.latency = (c->latency + c->overhead) / start;
    if (moving > 0)
        t.bytes = sup_pair_moving(m, c, bytes).value / moving;
    else if (base->per_byte > 0)
        t.bytes = c->per_byte / (base->per_byte / base->byte_f);
    return t;
}

/* How slow the pairs of a process are in an exchange, on average. */
static double slowness(const sup_platform *m, const sup_exchange *x, int64_t processes, int64_t rank) {
    int64_t n = x->partners(processes, rank);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += start_of(&m->classes[class_of(m, rank, x->partner(processes, rank, i))]);
    return n ? sum / (double)n : -1;
}

enum { SAMPLED = 64 };

/* Classes of the partners of the slowest process. Who is sent to by everybody has the pairs of who sends to all. */
static void take_shares(const sup_platform *m, const sup_exchanges *k, int shape, double *share) {
    const sup_exchange *x = sup_exchange_at(shape == SUP_EXCHANGE_IN ? SUP_EXCHANGE_OUT : shape);
    int64_t p = k->processes, slowest = 0, step = p > SAMPLED ? p / SAMPLED : 1;
    double most = -1;
    if (shape != SUP_EXCHANGE_ALL && shape != SUP_EXCHANGE_IN && shape != SUP_EXCHANGE_OUT) step = 1;
    for (int64_t i = 0; i < p; i += step) {
        double s = slowness(m, x, p, i);
        if (!(s > most)) continue;
        most = s;
        slowest = i;
    }
    int64_t n = x->partners(p, slowest);
    for (int64_t i = 0; i < n; i++) share[class_of(m, slowest, x->partner(p, slowest, i))] += 1 / (double)n;
}

/* Far pairs by their own exchanges, if those are of another class; pairs on different hosts by pair prices, if no
 * exchange went between hosts. */
static void take_classes(const sup_platform *m, sup_exchanges *k) {
    const sup_exchange_curves *c = k->one[SUP_MOVE_PUT];
    int64_t p = k->processes;
    int far = p > 3 ? class_of(m, 0, p / 2) : k->base;
    if (far != k->base && c[SUP_EXCHANGE_ONE_FAR].part[0] && c[SUP_EXCHANGE_SHIFT_FAR].part[0]) k->far = far;
    if (m->processes > m->per_host && m->per_host > 0) {
        int between = sup_platform_class(m, 0, m->per_host);
        bool met = (double)p > k->per_host && !m->profile->composed;
        if ((between != k->base || sup_platform_nodes(m)) && !met) k->link = between;
    }
}

static bool crosses(const sup_platform *m, const sup_exchanges *k, const sup_exchange *x, int64_t rank) {
    int64_t n = x->partners(k->processes, rank);
    for (int64_t i = 0; i < n; i++)
        if (class_of(m, rank, x->partner(k->processes, rank, i)) == k->far) return true;
    return false;
}

/* Of the host where they are most. */
static double count_crossing(const sup_platform *m, const sup_exchanges *k, int shape) {
    int64_t host = (int64_t)k->per_host, now = 0, most = 0;
    for (int64_t i = 0; i < k->processes && k->far >= 0; i++) {
        if (i % host == 0) now = 0;
        now += crosses(m, k, sup_exchange_at(shape), i);
        if (now > most) most = now;
    }
    return (double)most;
}

sup_status sup_platform_exchanges(sup_platform *m, sup_diag *diag) {
    sup_exchanges *k = &m->exchanges;
    *k = (sup_exchanges){.far = -1, .link = -1};
    const sup_composed *nodes = sup_platform_nodes(m);
    if (!m->pairs || m->processes < 2 || (nodes && nodes->node_processes < 2)) return SUP_OK;
    k->processes = nearest(m);
    if (!k->processes) return SUP_OK;
    int64_t hosts = m->profile->signature.hosts > 1 && !m->profile->composed ? m->profile->signature.hosts : 1;
    k->per_host = ceil((double)k->processes / (double)hosts);
    k->base = class_of(m, 0, 1);
    k->spread = EACH_DOUBLING * distance(k->processes, target(m));
    take_curves(m, k);
    take_empty(m, k);
    take_classes(m, k);
    k->share = calloc((SUP_EXCHANGE_SHAPES + 1) * (m->class_count + 1), sizeof *k->share);
    if (!k->share) return sup_diag_no_memory(diag);
    for (int s = 0; s < SUP_EXCHANGE_SHAPES; s++) {
        if (!k->one[SUP_MOVE_PUT][s].part[0]) continue;
        take_shares(m, k, s, &k->share[(size_t)s * m->class_count]);
        k->crossing[s] = count_crossing(m, k, s);
    }
    int slowest = k->base;
    for (int64_t j = 1; j < k->processes; j++) {
        int c = class_of(m, 0, j);
        if (start_of(&m->classes[c]) > start_of(&m->classes[slowest])) slowest = c;
    }
    k->share[SUP_EXCHANGE_SHAPES * m->class_count + (size_t)slowest] = 1;
    if (k->spread > 0)
        sup_platform_note(m, "exchanges of %" PRId64 " processes stand for those of %" PRId64 ": intervals are wider",
                          k->processes, target(m));
    return SUP_OK;
}
