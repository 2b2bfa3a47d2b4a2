/* Tsync: barriers by their longest path (BSP §5.6.5), the dissemination that carries the message map (BSP §6.5,
 * fig. 6.2), and bsp_sync as the exchanges of our runtime do it:
 *
 *     shared memory   one barrier; a second one if anybody reads (bsp/shared.c)
 *     messages        direct: a packet to everyone and from everyone; map, reduce-scatter: log P rounds whose payload
 *                     grows or shrinks (bsp/message_count.c); answers to gets are one more round trip
 *
 * A plan's barrier takes the place of dissemination over shared memory. */
#include "model/model.h"
#include "plan/defaults.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNCALIBRATED 0.25 /* relative deviation assumed where no barrier was measured */

/* ---- which pattern ---- */

sup_status sup_sync_pattern(const sup_platform *m, const char *name, sup_diag *diag, sup_pattern *out) {
    if (!name || !strcmp(name, "bsp") || !strcmp(name, "map")) {
        if (m->barrier && m->barrier->processes != m->processes)
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the barrier is of %" PRId64 " processes, not of %" PRId64,
                                m->barrier->processes, m->processes);
        if (!m->barrier) return sup_plan_find_barrier(NULL, m->processes, out);
        *out = *m->barrier;
        return SUP_OK;
    }
    const sup_generator *generator = sup_generator_find(name);
    if (generator) {
        *out = sup_pattern_make(generator, m->processes);
        return SUP_OK;
    }
    char names[400];
    sup_generator_names(names, sizeof names);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no barrier \"%.40s\": bsp, none, %s, map", name, names);
}

static bool reads(const sup_step *step) {
    for (size_t f = 0; f < step->flow_count; f++) {
        const sup_flow *flow = &step->flows[f];
        if (flow->kind != SUP_FLOW_EDGES && (flow->move == SUP_MOVE_GET)) return true;
        if (flow->kind == SUP_FLOW_EDGES)
            for (size_t e = 0; e < flow->edge_count; e++)
                if (flow->edges[e].kind == SUP_MOVE_GET) return true;
    }
    return false;
}

/* ---- adding up ---- */

/* Runs the path with the values and with values + half widths. times: how often. */
static sup_status add_path(const sup_platform *m, const sup_pattern *p, sup_path *path, sup_path *high, double spread,
                           double times, sup_terms *t, sup_diag *diag) {
    size_t bytes = (size_t)p->processes * sizeof(double);
    memset(t->scratch[0], 0, bytes);
    if (high) memset(t->scratch[1], 0, bytes);
    sup_status st = sup_path_run(m, p, path, t->scratch[0]);
    if (!st && high) st = sup_path_run(m, p, high, t->scratch[1]);
    if (st) return sup_diag_set(diag, st, NULL, 0, "out of memory");
    times *= m->sync_factor;
    for (int64_t i = 0; i < p->processes; i++) {
        double value = t->scratch[0][i], more = high ? t->scratch[1][i] - value : 0;
        t->sync[i] += times * value;
        t->d_sync[i] += times * (more + spread * value);
    }
    return SUP_OK;
}

/* A barrier alone has no other terms; large machines have no time to clear them. */
static void clear(sup_terms *t) {
    memset(t->sync, 0, (size_t)t->processes * sizeof(double));
    memset(t->d_sync, 0, (size_t)t->processes * sizeof(double));
}

/* Tables of signals, one a class, `tables` of them. */
static sup_status open_tables(const sup_platform *m, size_t tables, sup_diag *diag, sup_signal **out) {
    *out = calloc(tables * m->class_count + 1, sizeof **out);
    return *out ? SUP_OK : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
}

/* ---- shared memory: signals ---- */

static const sup_pattern_ratio *ratio_of(const sup_platform *m, const sup_pattern *p) {
    for (size_t i = 0; i < m->ratio_count; i++)
        if (m->ratios[i].generator == p->generator) return &m->ratios[i];
    return NULL;
}

/* Half width of what calibration leaves. An algorithm that was measured itself with so many processes is off by what it
 * was when it was measured again; any other by what fitting signals to all of them leaves. */
static double spread_of(const sup_platform *m, const sup_pattern_ratio *r) {
    double z = 1.96 * m->widen, s = z * (isnan(m->signal_spread) ? UNCALIBRATED : m->signal_spread);
    return r && r->distance == 0 && !isnan(m->again_spread) ? m->again_spread : s;
}

/* Paths scale with their signals, so the greatest relative half width bounds the path's. Small machines get the exact
 * second pass instead, large ones save it. */
enum { EXACT_MAX = 4096 };

static sup_status add_signals(const sup_platform *m, const sup_pattern *p, double times, sup_terms *t, sup_diag *diag) {
    sup_signal *high;
    double most = 0;
    sup_status st = open_tables(m, 1, diag, &high);
    if (st) return st;
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_signal *s = &m->signals[c], *d = &m->d_signals[c];
        high[c] = (sup_signal){s->gap + d->gap, s->wire + d->wire, s->recv + d->recv, 0};
        if (s->gap > 0) most = fmax(most, d->gap / s->gap);
        if (s->wire > 0) most = fmax(most, d->wire / s->wire);
    }
    bool exact = most > 0 && p->processes <= EXACT_MAX;
    sup_path path = {.signals = m->signals}, above = {.signals = high};
    const sup_pattern_ratio *measured = ratio_of(m, p);
    if (measured) times *= measured->ratio;
    st = add_path(m, p, &path, exact ? &above : NULL, spread_of(m, measured) + (exact ? 0 : most), times, t, diag);
    free(high);
    return st;
}

/* ---- messages ---- */

/* Over messages a stage costs O at both ends and t(bytes) in between. */
static sup_signal message_signal(const sup_platform *m, const sup_class_cost *c, double bytes, bool high) {
    sup_prediction p = c->known ? sup_pair_time(m, c, bytes) : (sup_prediction){0};
    double o = c->overhead + (high ? c->d_overhead : 0);
    return (sup_signal){.gap = o, .wire = high ? p.high : p.value, .recv = 0};
}

/* Bytes of a stage, which is one round of bsp/message_count_*.c. */
typedef double stage_bytes(const sup_pattern *p, int stage);

typedef struct payload {
    stage_bytes *bytes;
    bool high;
} payload;

static void prepare(const sup_platform *m, const sup_pattern *p, int stage, void *context, sup_signal *signals) {
    const payload *y = context;
    for (size_t c = 0; c < m->class_count; c++)
        signals[c] = message_signal(m, &m->classes[c], y->bytes(p, stage), y->high);
}

static sup_status add_rounds(const sup_platform *m, const sup_generator *generator, stage_bytes *bytes, sup_terms *t,
                             sup_diag *diag) {
    sup_signal *value;
    sup_status st = open_tables(m, 2, diag, &value);
    if (st) return st;
    payload low = {bytes, false}, up = {bytes, true};
    sup_pattern p = sup_pattern_make(generator, m->processes);
    sup_path path = {.signals = value, .prepare = prepare, .context = &low};
    sup_path above = {.signals = value + m->class_count, .prepare = prepare, .context = &up};
    st = add_path(m, &p, &path, &above, 0.1 * 1.96 * m->widen, 1, t, diag);
    free(value);
    return st;
}

/* A row of bits a process; those of the members that a round is about. */
static double map_bytes(const sup_pattern *p, int stage) {
    double n = (double)p->processes, d = (double)sup_pattern_shift(p, stage);
    return fmin(d, n - d) * ceil(n / 8);
}

static sup_status add_map(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    return add_rounds(m, &sup_generator_dissemination, map_bytes, t, diag);
}

static double sums_bytes(const sup_pattern *p, int stage) {
    double n = (double)p->processes, d = (double)sup_pattern_shift(p, stage);
    return (fmin(2 * d, n) - d) * SUP_WIRE_COUNT;
}

static sup_status add_reduce_scatter(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    return add_rounds(m, &sup_generator_halving, sums_bytes, t, diag);
}

/* Everybody starts P − 1 packets and takes P − 1 in; the farthest decides. */
static sup_status add_direct(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    (void)diag;
    for (int64_t i = 0; i < m->processes; i++) {
        double busy = 0, far = 0, d = 0;
        for (int64_t j = 0; j < m->processes; j++) {
            sup_class_cost c;
            if (j == i) continue;
            sup_platform_pair(m, i, j, &c);
            sup_prediction p = c.known ? sup_pair_time(m, &c, SUP_WIRE_PACKET_HEAD) : (sup_prediction){0};
            busy += c.overhead;
            d += c.d_overhead;
            if (p.value > far) far = p.value;
        }
        t->sync[i] += m->sync_factor * (busy + far);
        t->d_sync[i] += m->sync_factor * (d + 0.1 * 1.96 * m->widen * (busy + far));
    }
    return SUP_OK;
}

/* What the algorithms of counts cost: a row for each of bsp/message_count.c. */
static const struct counts {
    const char *name;
    sup_status (*add)(const sup_platform *m, sup_terms *t, sup_diag *diag);
} counts[] = {{"direct", add_direct}, {"map", add_map}, {"reduce-scatter", add_reduce_scatter}};
enum { COUNTS = sizeof counts / sizeof *counts };

const char *sup_sync_counts_word(size_t index) { return index < COUNTS ? counts[index].name : NULL; }

static sup_status add_counts(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    const char *name = m->counts ? m->counts : sup_plan_find_counts(NULL, m->processes);
    for (size_t i = 0; i < COUNTS; i++)
        if (!strcmp(counts[i].name, name)) return counts[i].add(m, t, diag);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no price for the counts algorithm \"%.40s\"", name);
}

static sup_status add_messages(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    sup_status st = add_counts(m, t, diag);
    if (!st && reads(step)) /* the answer to a get is asked for after the packets are there */
        for (int64_t i = 0; i < m->processes; i++) {
            sup_class_cost c;
            sup_platform_pair(m, i, i ? 0 : m->processes - 1, &c);
            t->sync[i] += m->sync_factor * c.latency;
            t->d_sync[i] += m->sync_factor * c.d_latency;
        }
    return st;
}

/* ---- bsp_sync as ours is ---- */

sup_status sup_sync_flow(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    const char *name = step->sync ? step->sync : "bsp";
    if (m->processes < 2 || !m->pairs || !strcmp(name, "none")) return SUP_OK;
    if (!strcmp(name, "map")) return add_map(m, t, diag);
    if (!strcmp(name, "bsp") && !sup_platform_shared_memory(m)) return add_messages(m, step, t, diag);
    sup_pattern p;
    sup_status st = sup_sync_pattern(m, name, diag, &p);
    if (!st) st = add_signals(m, &p, !strcmp(name, "bsp") && reads(step) ? 2 : 1, t, diag);
    return st;
}

/* ---- the document's ---- */

/* Eq. 5.4; rule 2: a receiver that waits costs its own O_jj. */
static sup_status add_eq54(const sup_platform *m, const sup_pattern *p, sup_terms *t, sup_diag *diag) {
    sup_signal *value;
    sup_status st = open_tables(m, 4, diag, &value);
    if (st) return st;
    size_t n = m->class_count;
    sup_signal *high = value + n, *waiting = high + n, *waiting_high = waiting + n;
    double self = sup_platform_self(m, 0);
    for (size_t c = 0; c < n; c++) {
        const sup_class_cost *k = &m->classes[c];
        value[c] = (sup_signal){.gap = 2 * k->latency, .over = k->overhead};
        high[c] = (sup_signal){.gap = 2 * (k->latency + k->d_latency), .over = k->overhead + k->d_overhead};
        waiting[c] = (sup_signal){.gap = value[c].gap, .over = self};
        waiting_high[c] = (sup_signal){.gap = high[c].gap, .over = self};
    }
    sup_path path = {.signals = value, .waiting = waiting, .vector = true};
    sup_path above = {.signals = high, .waiting = waiting_high, .vector = true};
    st = add_path(m, p, &path, &above, 0, 1, t, diag);
    free(value);
    return st;
}

/* Fig. 6.2: two messages (head and data) each way; a map of integers that doubles. f: cost of one process's stage. */
static double map_cost(const sup_platform *m, int64_t r, int64_t d, double ints, bool high) {
    int64_t n = m->processes, to = (r + d) % n, from = (r - d + n) % n;
    sup_class_cost out, in, back;
    sup_platform_pair(m, r, to, &out);
    sup_platform_pair(m, from, r, &in);
    sup_platform_pair(m, to, r, &back);
    double up = high ? 1 : 0;
    double b_out = out.per_byte + up * out.d_per_byte, b_in = in.per_byte + up * in.d_per_byte;
    double overhead = fmax(sup_platform_self(m, r), back.overhead + up * back.d_overhead);
    double latency = 2 * (out.latency + up * out.d_latency) + 2 * (in.latency + up * in.d_latency);
    return overhead + latency + 16 * (b_out + b_in) + 4 * ints * 4 * b_out + 2 * ints * 4 * b_in;
}

static void map_pass(const sup_platform *m, bool high, double *t, double *f) {
    sup_pattern p = sup_pattern_make(&sup_generator_dissemination, m->processes);
    int64_t n = m->processes;
    for (int s = 0; s < p.stages; s++) {
        int64_t d = (int64_t)1 << s;
        double ints = (s < p.stages - 1 ? (double)d : (double)(n - d)) * (double)n;
        for (int64_t i = 0; i < n; i++) f[i] = t[i] + map_cost(m, i, d, ints, high);
        for (int64_t j = 0; j < n; j++) t[j] = fmax(f[j], f[(j - d + n) % n]);
    }
}

sup_status sup_sync_meyer(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    const char *name = step->sync ? step->sync : "bsp";
    sup_pattern p;
    if (m->processes < 2 || !m->pairs || !strcmp(name, "none")) return SUP_OK;
    bool plain = strcmp(name, "bsp") != 0 && strcmp(name, "map") != 0;
    if (plain || m->barrier) {
        sup_status st = sup_sync_pattern(m, name, diag, &p);
        return st ? st : add_eq54(m, &p, t, diag);
    }
    size_t bytes = (size_t)m->processes * sizeof(double);
    for (int high = 0; high < 2; high++) {
        memset(t->scratch[high], 0, bytes);
        map_pass(m, high, t->scratch[high], t->scratch[2]);
    }
    for (int64_t i = 0; i < m->processes; i++) {
        t->sync[i] += m->sync_factor * t->scratch[0][i];
        t->d_sync[i] += m->sync_factor * (t->scratch[1][i] - t->scratch[0][i]);
    }
    p = sup_pattern_make(&sup_generator_tree, m->processes); /* the second, internal barrier */
    return add_eq54(m, &p, t, diag);
}

/* ---- by themselves ---- */

static sup_prediction longest(const sup_terms *t) {
    sup_prediction r = {0};
    for (int64_t i = 0; i < t->processes; i++) {
        double v = t->sync[i], d = t->d_sync[i];
        if (v > r.value) r.value = v;
        if (v - d > r.low) r.low = v - d;
        if (v + d > r.high) r.high = v + d;
    }
    return r;
}

sup_status sup_barrier_cost(const sup_platform *m, const sup_pattern *p, bool meyer, sup_diag *diag,
                            sup_prediction *out) {
    sup_terms t;
    sup_status st = sup_terms_open(p->processes, diag, &t);
    if (st) return st;
    clear(&t);
    if (p->processes > 1 && m->pairs) st = meyer ? add_eq54(m, p, &t, diag) : add_signals(m, p, 1, &t, diag);
    if (!st) *out = longest(&t);
    sup_terms_close(&t);
    return st;
}

typedef struct fixed {
    double bytes;
    bool high;
} fixed;

static void prepare_fixed(const sup_platform *m, const sup_pattern *p, int stage, void *context, sup_signal *signals) {
    const fixed *y = context;
    (void)p;
    for (size_t c = 0; c < m->class_count && stage == 0; c++)
        signals[c] = message_signal(m, &m->classes[c], y->bytes, y->high);
}

sup_status sup_schedule_cost(const sup_platform *m, const sup_pattern *p, double bytes, sup_diag *diag,
                             sup_prediction *out) {
    sup_terms t;
    sup_signal *value = NULL;
    sup_status st = sup_terms_open(p->processes, diag, &t);
    if (st) return st;
    clear(&t);
    st = open_tables(m, 2, diag, &value);
    if (!st && p->processes > 1 && m->pairs) {
        fixed low = {bytes, false}, up = {bytes, true};
        sup_path path = {.signals = value, .prepare = prepare_fixed, .context = &low};
        sup_path above = {.signals = value + m->class_count, .prepare = prepare_fixed, .context = &up};
        st = add_path(m, p, &path, &above, 0, 1, &t, diag);
    }
    if (!st) *out = longest(&t);
    free(value);
    sup_terms_close(&t);
    return st;
}

/* One cost for all pairs: every class gets the same. */
sup_status sup_sync_scalar(const sup_platform *m, const sup_step *step, sup_signal signal, double spread, sup_terms *t,
                           sup_diag *diag) {
    const char *name = step->sync ? step->sync : "bsp";
    sup_pattern p;
    sup_signal *value;
    if (m->processes < 2 || !m->pairs || !strcmp(name, "none")) return SUP_OK;
    sup_status st = sup_sync_pattern(m, name, diag, &p);
    if (!st) st = open_tables(m, 1, diag, &value);
    if (st) return st;
    for (size_t c = 0; c < m->class_count; c++) value[c] = signal;
    sup_path path = {.signals = value};
    st = add_path(m, &p, &path, NULL, spread, !strcmp(name, "bsp") && reads(step) ? 2 : 1, t, diag);
    free(value);
    return st;
}
