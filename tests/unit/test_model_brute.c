/* The models hockney, pair, loggp, lognp, bsp and meyer computed a second time, by the shortest code that the formulas
 * of superstep-predict(1) and of the source documents allow: matrices instead of classes, lists of stages instead of
 * generators, the document's recursion instead of a forward pass. Some hundred random machines and supersteps. */
#include "../random_real.h"
#include "model/equation/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 9, EDGES = 24, STAGES = 8, MACHINES = 400, TEXT = 1 << 16 };

/* ---- a machine and a superstep ---- */

typedef struct channel {
    double fixed, per_byte; /* o(m) */
    double seconds[3];      /* L(m,1) at 0, 1000 and 100000 bytes */
    int mechanism;
} channel;
static const double channel_bytes[3] = {0, 1000, 100000};
static const char *const mechanisms[] = {"buffered", "rdma", "single-copy", "tcp"};
enum { THRESHOLD = 5000 };

typedef struct machine {
    int p, hosts, each;
    bool shared, cyclic, levels, turned; /* turned: the network channel comes first in the file */
    double o[MOST][MOST], l[MOST][MOST], b[MOST][MOST];
    double r, g, sync;
    channel channels[2];
    char what_if[200];
} machine;

typedef struct stage {
    int count, from[MOST * MOST], to[MOST * MOST];
} stage;

typedef struct barrier {
    int stages;
    stage stage[STAGES];
} barrier;

typedef struct superstep {
    int edges, from[EDGES], to[EDGES];
    double messages[EDGES], bytes[EDGES];
    double overlap, seconds[MOST], share; /* of communication; computation and its share */
    bool get;
    const char *sync;
} superstep;

static int host_of(const machine *m, int rank) { return m->cyclic ? rank % m->hosts : rank / m->each; }

static double between(sup_random *r, double low, double high) { return low + (high - low) * sup_random_uniform(r); }
static int choose(sup_random *r, int n) { return (int)(sup_random_uniform(r) * n); }

static void random_pairs(sup_random *r, machine *m) {
    double o[3], l[3], b[3];
    for (int k = 0; k < 3; k++) {
        o[k] = between(r, 1e-7, 3e-6);
        l[k] = between(r, 1e-6, 3e-5);
        b[k] = between(r, 1e-10, 1e-8);
    }
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++) {
            int k = i == j ? 0 : host_of(m, i) == host_of(m, j) ? 1 : 2;
            bool own = !m->levels;
            m->o[i][j] = own ? between(r, 1e-7, 3e-6) : o[k];
            m->l[i][j] = i == j ? 0 : own ? between(r, 1e-6, 3e-5) : l[k];
            m->b[i][j] = i == j ? 0 : own ? between(r, 1e-10, 1e-8) : b[k];
        }
}

static machine random_machine(sup_random *r) {
    machine m = {.hosts = 1 + choose(r, 3)};
    do m.each = 1 + choose(r, 9);
    while (m.hosts * m.each > MOST || m.hosts * m.each < 2);
    m.p = m.hosts * m.each;
    m.shared = choose(r, 2);
    m.levels = choose(r, 2);
    m.cyclic = !m.levels && choose(r, 2);
    m.turned = choose(r, 2);
    m.r = between(r, 1e8, 1e10);
    m.g = between(r, 1e-9, 1e-7);
    m.sync = between(r, 1e-6, 1e-4);
    random_pairs(r, &m);
    for (int k = 0; k < 2; k++) {
        m.channels[k] = (channel){.fixed = between(r, 1e-7, 1e-5), .per_byte = between(r, 0, 1e-9)};
        m.channels[k].mechanism = choose(r, 4);
        m.channels[k].seconds[0] = between(r, 1e-7, 1e-6);
        m.channels[k].seconds[1] = m.channels[k].seconds[0] + between(r, 0, 1e-6);
        m.channels[k].seconds[2] = m.channels[k].seconds[1] + between(r, 0, 1e-4);
    }
    return m;
}

static superstep random_superstep(sup_random *r, const machine *m) {
    static const char *const syncs[] = {"bsp", "bsp", "none", "linear", "tree", "dissemination"};
    superstep s = {.overlap = choose(r, 3) / 2.0, .share = choose(r, 3) / 2.0, .get = choose(r, 4) == 0};
    s.sync = syncs[choose(r, 6)];
    for (int i = 0; i < m->p; i++) s.seconds[i] = between(r, 0, 1e-4);
    int wanted = choose(r, EDGES);
    for (int i = 0; i < m->p && s.edges < wanted; i++)
        for (int j = 0; j < m->p && s.edges < wanted; j++) {
            if (i == j || choose(r, 3)) continue;
            s.from[s.edges] = i;
            s.to[s.edges] = j;
            s.messages[s.edges] = 1 + choose(r, 4);
            s.bytes[s.edges++] = 8 + choose(r, 20) * choose(r, 20) * choose(r, 400);
        }
    return s;
}

/* A what-if of some pairs, in words and in the matrices. */
static void random_what_if(sup_random *r, machine *m) {
    int a = choose(r, m->p), b = a + choose(r, m->p - a), c = choose(r, m->p), d = c + choose(r, m->p - c);
    char what = "OLB"[choose(r, 3)];
    double factor = 0.25 * (1 + choose(r, 12));
    double(*matrix)[MOST] = what == 'O' ? m->o : what == 'L' ? m->l : m->b;
    snprintf(m->what_if, sizeof m->what_if, "%c[%d:%d,%d:%d]*%g", what, a, b, c, d, factor);
    for (int i = a; i <= b; i++)
        for (int j = c; j <= d; j++) matrix[i][j] *= factor;
}

/* ---- the same as files ---- */

typedef struct text {
    char *at;
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->used, TEXT - t->used, format, args);
    va_end(args);
    assert_true(n >= 0 && t->used + (size_t)n < TEXT);
    t->used += (size_t)n;
}

static void put_class(text *t, const machine *m, int i, int j) {
    put(t, "{\"name\":\"%d-%d\",\"overhead_s\":{\"value\":%.17g,\"n\":9}", i, j, m->o[i][j]);
    if (i != j)
        put(t, ",\"latency_s\":{\"value\":%.17g,\"n\":9},\"per_byte_s\":{\"value\":%.17g,\"n\":9}", m->l[i][j],
            m->b[i][j]);
    put(t, "}");
}

static void put_pairs(text *t, const machine *m) {
    int p = m->p, classes = 1;
    put(t, "\"pairs\":[{\"transport\":\"%s\",\"processes\":%d,", m->shared ? "shm" : "openmpi", p);
    if (m->levels) {
        put(t, "\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]}");
        if (m->each > 1)
            put(t, ",{\"name\":\"host\",\"size\":%d,\"classes\":[%d]}", m->hosts > 1 ? m->each : 0, classes++);
        if (m->hosts > 1) put(t, ",{\"name\":\"network\",\"size\":0,\"classes\":[%d]}", classes);
        put(t, "],\"classes\":[");
        put_class(t, m, 0, 0);
        if (m->each > 1) put(t, ","), put_class(t, m, 0, 1);
        if (m->hosts > 1) put(t, ","), put_class(t, m, 0, p - 1);
    } else {
        put(t, "\"matrix\":[");
        for (int k = 0; k < p * p; k++) put(t, "%s1,%d", k ? "," : "", k);
        put(t, "],\"classes\":[");
        for (int k = 0; k < p * p; k++) put(t, "%s", k ? "," : ""), put_class(t, m, k / p, k % p);
    }
    put(t, "]}]");
}

static void put_channel(text *t, const machine *m, int number) {
    const channel *c = &m->channels[number];
    put(t,
        "{\"name\":\"c\",\"number\":%d,\"transport\":\"%s\",\"setup\":\"ring\",\"mechanism\":\"%s\",\"threshold_"
        "bytes\":%d,"
        "\"overhead_s\":{\"segments\":[{\"x_lo\":0,\"x_hi\":1e9,\"intercept\":%.17g,\"slope\":%.17g,\"residual\":0.01,"
        "\"n\":9}]},"
        "\"transfer\":{\"bytes\":[0,1000,100000],\"rows\":[{\"tau\":1,\"seconds\":[%.17g,%.17g,%.17g]}]}}",
        number, m->shared ? "shm" : "openmpi", mechanisms[c->mechanism], THRESHOLD, c->fixed, c->per_byte,
        c->seconds[0], c->seconds[1], c->seconds[2]);
}

/* l of bspbench calibrates barriers, so it is in the file only where it is asked for. */
static void put_machine(text *t, const machine *m, bool classic) {
    const char *net = m->shared ? "shm" : "openmpi";
    put(t,
        "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"test\","
        "\"signature\":{"
        "\"machine\":\"random\",\"topology\":\"x\",\"cpu\":\"x\",\"cores\":%d,\"hosts\":%d,\"processes\":%d,"
        "\"transport\":"
        "\"%s\",\"placement\":[{\"host\":0,\"hosts\":%d,\"order\":\"%s\",\"cores\":[",
        m->each, m->hosts, m->p, net, m->hosts, m->cyclic ? "cyclic" : "block");
    for (int i = 0; i < m->each; i++) put(t, "%s%d", i ? "," : "", i);
    put(t, "]}]},");
    put_pairs(t, m);
    if (classic)
        put(t,
            ",\"classic\":[{\"transport\":\"%s\",\"processes\":%d,\"flops_per_s\":{\"value\":%.17g,\"n\":9},\"word_s\":"
            "{"
            "\"value\":%.17g,\"n\":9},\"sync_s\":{\"value\":%.17g,\"n\":9}}]",
            net, m->p, m->r, m->g, m->sync);
    put(t, ",\"channels\":[");
    put_channel(t, m, m->turned);
    put(t, ",");
    put_channel(t, m, !m->turned);
    put(t, "]}");
}

static void put_superstep(text *t, const superstep *s, int p) {
    put(t,
        "{\"kind\":\"superstep-program\",\"schema\":1,\"supersteps\":[{\"sync\":\"%s\",\"compute\":[{\"overlap\":%g,"
        "\"seconds\":[",
        s->sync, s->share);
    for (int i = 0; i < p; i++) put(t, "%s%.17g", i ? "," : "", s->seconds[i]);
    put(t, "]}],\"communicate\":[{\"pattern\":\"sparse\",\"kind\":\"%s\",\"overlap\":%g,\"edges\":[",
        s->get ? "get" : "put", s->overlap);
    for (int e = 0; e < s->edges; e++)
        put(t, "%s[%d,%d,%g,%.17g]", e ? "," : "", s->from[e], s->to[e], s->messages[e], s->bytes[e]);
    put(t, "]}]}]}");
}

/* ---- barriers ---- */

static void add(stage *s, int from, int to) {
    s->from[s->count] = from;
    s->to[s->count++] = to;
}

static barrier barrier_of(const char *name, int p) {
    barrier b = {0};
    if (!strcmp(name, "linear")) {
        b.stages = 2;
        for (int i = 1; i < p; i++) add(&b.stage[0], i, 0), add(&b.stage[1], 0, i);
    } else if (!strcmp(name, "tree")) {
        int up = 0;
        for (int step = 1; step < p; step *= 2, up++)
            for (int i = step; i < p; i += 2 * step) add(&b.stage[up], i, i - step);
        b.stages = 2 * up;
        for (int s = 0; s < up; s++)
            for (int k = 0; k < b.stage[s].count; k++)
                add(&b.stage[2 * up - 1 - s], b.stage[s].to[k], b.stage[s].from[k]);
    } else {
        for (int step = 1; step < p; step *= 2, b.stages++)
            for (int i = 0; i < p; i++) add(&b.stage[b.stages], i, (i + step) % p);
    }
    return b;
}

/* Rule 2: was the last that j did to signal i, with a stage or more between? */
static bool waits(const barrier *b, int at, int i, int j) {
    for (int s = at - 1; s >= 0; s--) {
        bool acted = false, signalled = false;
        for (int k = 0; k < b->stage[s].count; k++) {
            acted |= b->stage[s].from[k] == j || b->stage[s].to[k] == j;
            signalled |= b->stage[s].from[k] == j && b->stage[s].to[k] == i;
        }
        if (acted) return signalled && at - s > 1;
    }
    return false;
}

/* Eq. 5.4 and the recursion of §5.6.5: process i from this stage to the end. */
static double eq54(const machine *m, const barrier *b, int at, int i) {
    if (at == b->stages) return 0;
    const stage *s = &b->stage[at];
    double latency = 0, over = m->o[i][i], rest = eq54(m, b, at + 1, i);
    for (int k = 0; k < s->count; k++) {
        int j = s->to[k];
        if (s->from[k] != i) continue;
        latency += 2 * m->l[i][j];
        over = fmax(over, waits(b, at, i, j) ? m->o[j][j] : m->o[i][j]);
        rest = fmax(rest, eq54(m, b, at + 1, j));
    }
    return latency + over + rest;
}

static double longest_eq54(const machine *m, const char *name) {
    barrier b = barrier_of(name, m->p);
    double longest = 0;
    for (int i = 0; i < m->p; i++) longest = fmax(longest, eq54(m, &b, 0, i));
    return longest;
}

/* Fig. 6.2. */
static double map(const machine *m, int r, int at) {
    int p = m->p, stages = (int)ceil(log2(p) - 1e-9), shift = 1 << at;
    if (at == stages) return m->o[r][r];
    int to = (r + shift) % p, from = (r - shift + p) % p;
    double ints = at < stages - 1 ? shift * p : (p - (1 << (stages - 1))) * p;
    double overhead = fmax(m->o[r][r], m->o[to][r]), latency = 2 * m->l[r][to] + 2 * m->l[from][r];
    double head = 16 * m->b[r][to] + 16 * m->b[from][r];
    double data = 4 * ints * 4 * m->b[r][to] + 2 * ints * 4 * m->b[from][r];
    return overhead + latency + head + data + fmax(map(m, r, at + 1), map(m, to, at + 1));
}

/* Signals one after the other: the first of a sender takes `first`, the next `next` each. */
typedef struct signals {
    double first[MOST][MOST], next[MOST][MOST], wire[MOST][MOST], recv[MOST][MOST];
} signals;

static double in_turn(const signals *c, const char *name, int p) {
    barrier b = barrier_of(name, p);
    double t[MOST] = {0}, longest = 0;
    for (int s = 0; s < b.stages; s++) {
        double arrives[MOST][MOST];
        for (int i = 0; i < p; i++) {
            int sent = 0;
            for (int k = 0; k < b.stage[s].count; k++) {
                int j = b.stage[s].to[k];
                if (b.stage[s].from[k] != i) continue;
                t[i] += sent++ ? c->next[i][j] : c->first[i][j];
                arrives[i][j] = t[i] + c->wire[i][j];
            }
        }
        for (int i = 0; i < p; i++) /* who receives from several takes them by rank */
            for (int k = 0; k < b.stage[s].count; k++) {
                int j = b.stage[s].to[k];
                if (b.stage[s].from[k] == i) t[j] = fmax(t[j], arrives[i][j]) + c->recv[i][j];
            }
    }
    for (int i = 0; i < p; i++) longest = fmax(longest, t[i]);
    return longest;
}

static const char *barrier_name(const superstep *s) { return !strcmp(s->sync, "bsp") ? "dissemination" : s->sync; }

/* bsp_sync with gets has two. */
static double times(const superstep *s) { return !strcmp(s->sync, "bsp") && s->get && s->edges ? 2 : 1; }

/* ---- the models ---- */

typedef struct averages {
    double o, l, b, self;
} averages;

static averages averages_of(const machine *m) {
    averages a = {0};
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++)
            if (i == j)
                a.self += m->o[i][i] / m->p;
            else
                a.o += m->o[i][j], a.l += m->l[i][j], a.b += m->b[i][j];
    double n = m->p * (m->p - 1.0);
    return (averages){a.o / n, a.l / n, a.b / n, a.self};
}

/* One time for every signal. */
static signals equal_signals(double first, double next, double wire, double recv) {
    signals c;
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) {
            c.first[i][j] = first;
            c.next[i][j] = next;
            c.wire[i][j] = wire;
            c.recv[i][j] = recv;
        }
    return c;
}

/* (comp − comp') + (comm − comm') + max(comp', comm'), the greatest of all processes; share: of comm that overlaps. */
static double before(const machine *m, const superstep *s, const double *comm) {
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        double comp_over = s->share * s->seconds[i], comm_over = s->overlap * comm[i];
        most = fmax(most, s->seconds[i] - comp_over + comm[i] - comm_over + fmax(comp_over, comm_over));
    }
    return most;
}

static double hockney(const machine *m, const superstep *s) {
    averages a = averages_of(m);
    double comm[MOST] = {0};
    for (int e = 0; e < s->edges; e++) comm[s->from[e]] += s->messages[e] * a.l + s->bytes[e] * a.b;
    signals c = equal_signals(a.l, a.l, 0, 0);
    return before(m, s, comm) + (strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0);
}

static double loggp(const machine *m, const superstep *s) {
    averages a = averages_of(m);
    double o = a.self, g = fmax(a.o, o), l = fmax(0, a.l - 2 * o), comm[MOST];
    for (int i = 0; i < m->p; i++) {
        double k[2] = {0}, moving[2] = {0}; /* sends, receives */
        for (int e = 0; e < s->edges; e++)
            for (int in = 0; in < 2; in++) {
                if ((in ? s->to[e] : s->from[e]) != i) continue;
                k[in] += s->messages[e];
                moving[in] += (s->bytes[e] - s->messages[e]) * a.b;
            }
        comm[i] = 0;
        for (int in = 0; in < 2; in++)
            if (k[in] > 0) comm[i] = fmax(comm[i], o + (k[in] - 1) * g + moving[in] + l + o);
    }
    signals c = equal_signals(o, g, l, o);
    /* a process that only receives has nothing that it could send while it computes */
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        bool sends = false;
        for (int e = 0; e < s->edges; e++) sends |= s->from[e] == i;
        double comp_over = s->share * s->seconds[i], comm_over = sends ? s->overlap * comm[i] : 0;
        most = fmax(most, s->seconds[i] - comp_over + comm[i] - comm_over + fmax(comp_over, comm_over));
    }
    return most + (strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0);
}

static double message(const channel *c, bool network, double bytes) {
    int k = bytes > channel_bytes[1];
    double slope = (c->seconds[k + 1] - c->seconds[k]) / (channel_bytes[k + 1] - channel_bytes[k]);
    double transfer = c->seconds[k] + slope * (bytes - channel_bytes[k]);
    bool once = network || c->mechanism == 1 || (c->mechanism == 2 && bytes >= THRESHOLD);
    return c->fixed + c->per_byte * bytes + (once ? 1 : 2) * transfer;
}

static double lognp(const machine *m, const superstep *s) {
    double comm[MOST] = {0};
    signals c = equal_signals(0, 0, 0, 0);
    for (int e = 0; e < s->edges; e++) {
        bool far = host_of(m, s->from[e]) != host_of(m, s->to[e]);
        comm[s->from[e]] += s->messages[e] * message(&m->channels[far], far, s->bytes[e] / s->messages[e]);
    }
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++)
            c.first[i][j] = c.next[i][j] =
                message(&m->channels[host_of(m, i) != host_of(m, j)], host_of(m, i) != host_of(m, j), 0);
    return before(m, s, comm) + (strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0);
}

/* max w + h·g + l, h in words of 8 bytes. */
static double bsp(const machine *m, const superstep *s) {
    double w = 0, h = 0;
    for (int i = 0; i < m->p; i++) {
        double out = 0, in = 0;
        w = fmax(w, s->seconds[i]);
        for (int e = 0; e < s->edges; e++) {
            if (s->from[e] == i) out += s->bytes[e];
            if (s->to[e] == i) in += s->bytes[e];
        }
        h = fmax(h, fmax(in, out) / 8);
    }
    return w + h * m->g + (strcmp(s->sync, "none") ? m->sync : 0);
}

static double meyer(const machine *m, const superstep *s) {
    double comm[MOST] = {0}, sync = 0;
    for (int i = 0; i < m->p; i++) {
        double most = 0, over = 0;
        for (int e = 0; e < s->edges; e++) {
            int j = s->to[e];
            if (s->from[e] != i) continue;
            most = fmax(most, 2 * m->l[i][j] + 16 * m->b[i][j] / 2 + s->bytes[e] * m->b[i][j] / 2);
            over = fmax(over, s->messages[e] * m->o[i][j]);
        }
        comm[i] = most + over;
    }
    if (!strcmp(s->sync, "bsp")) {
        for (int i = 0; i < m->p; i++) sync = fmax(sync, map(m, i, 0));
        sync += longest_eq54(m, "tree");
    } else if (strcmp(s->sync, "none") != 0) {
        sync = longest_eq54(m, s->sync);
    }
    return before(m, s, comm) + sync;
}

/* A packet of 72 bytes to everybody; who gets waits for one latency more. */
static double direct(const machine *m, bool get) {
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        double busy = 0, far = 0;
        for (int j = 0; j < m->p; j++) {
            if (j == i) continue;
            busy += m->o[i][j];
            far = fmax(far, m->l[i][j] + 72 * m->b[i][j]);
        }
        most = fmax(most, busy + far + (get ? m->l[i][i ? 0 : m->p - 1] : 0));
    }
    return most;
}

static double pair(const machine *m, const superstep *s) {
    double comm[MOST] = {0}, sync = 0;
    signals c;
    for (int e = 0; e < s->edges; e++) {
        int i = s->from[e], j = s->to[e];
        comm[i] += s->messages[e] * (m->o[i][j] + m->l[i][j]) + s->bytes[e] * m->b[i][j];
    }
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++) {
            c.first[i][j] = c.next[i][j] = c.recv[i][j] = m->o[i][j] / 2;
            c.wire[i][j] = m->l[i][j];
        }
    if (!m->shared && !strcmp(s->sync, "bsp"))
        sync = direct(m, s->get && s->edges);
    else if (strcmp(s->sync, "none") != 0)
        sync = times(s) * in_turn(&c, barrier_name(s), m->p);
    return before(m, s, comm) + sync;
}

/* ---- both ---- */

static const struct {
    const char *name;
    double (*time)(const machine *m, const superstep *s);
} models[] = {{"hockney", hockney}, {"pair", pair}, {"loggp", loggp}, {"lognp", lognp}, {"bsp", bsp}, {"meyer", meyer}};
enum { MODELS = sizeof models / sizeof *models };

static double predicted(const char *model, const machine *m, const char *profile_text, const char *program_text) {
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_profile *profile = NULL;
    sup_platform *platform = NULL;
    sup_program *program = NULL;
    sup_program_cost cost;
    sup_platform_options o = {.what_if = m->what_if[0] ? m->what_if : NULL};
    if (sup_json_parse("machine", profile_text, strlen(profile_text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, true, &diag, &profile)) fail_msg("%s\n%s", diag.text, profile_text);
    sup_json_free(doc);
    if (sup_platform_open(profile, &o, &diag, &platform)) fail_msg("%s", diag.text);
    if (sup_json_parse("program", program_text, strlen(program_text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_program_parse(doc, "program", &diag, &program)) fail_msg("%s\n%s", diag.text, program_text);
    sup_json_free(doc);
    if (sup_program_fit(program, m->p, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find(model), platform, program, &diag, &cost)) fail_msg("%s: %s", model, diag.text);
    double total = cost.total.value;
    sup_program_cost_free(&cost);
    sup_program_free(program);
    sup_platform_free(platform);
    sup_profile_free(profile);
    return total;
}

static void second_computation(void **state) {
    (void)state;
    static char with[TEXT], without[TEXT], program[TEXT];
    sup_random r = {20261118};
    for (int n = 0; n < MACHINES; n++) {
        machine m = random_machine(&r);
        text classic = {with, 0}, plain = {without, 0}, step = {program, 0};
        put_machine(&classic, &m, true);
        put_machine(&plain, &m, false);
        if (n % 3 == 0) random_what_if(&r, &m);
        superstep s = random_superstep(&r, &m);
        put_superstep(&step, &s, m.p);
        for (int k = 0; k < MODELS; k++) {
            bool pairs = !strcmp(models[k].name, "pair");
            if (pairs && !m.shared && m.p > 6 && !strcmp(s.sync, "bsp")) continue; /* not by direct counts */
            double mine = models[k].time(&m, &s);
            double theirs = predicted(models[k].name, &m, strcmp(models[k].name, "bsp") ? without : with, program);
            if (!(fabs(mine - theirs) <= 1e-9 * mine))
                fail_msg("machine %d, %s: %.12g here, %.12g there\n%s\n%s\n%s", n, models[k].name, mine, theirs,
                         m.what_if, without, program);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_computation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
