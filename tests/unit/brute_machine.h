/* Random machines and supersteps as matrices and lists, and the same as files: for test_model_brute. */
#ifndef SUP_TESTS_BRUTE_MACHINE_H
#define SUP_TESTS_BRUTE_MACHINE_H

#include "../random_real.h"
#include "model/equation/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 9, EDGES = 24, STAGES = 8, TEXT = 1 << 16 };

/* ---- a machine and a superstep ---- */

typedef struct channel {
    double fixed, per_byte; /* o(m) */
    double seconds[3];      /* L(m,1) at 0, 1000 and 100000 bytes */
    double crowd;           /* of L(m,1), that each transfer more takes */
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
    double factor[2][MOST][MOST]; /* of that: of latencies, of times per byte */
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
        m.channels[k].crowd = between(r, 0, 1);
        m.channels[k].seconds[0] = between(r, 1e-7, 1e-6);
        m.channels[k].seconds[1] = m.channels[k].seconds[0] + between(r, 0, 1e-6);
        m.channels[k].seconds[2] = m.channels[k].seconds[1] + between(r, 0, 1e-4);
    }
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) m.factor[0][i][j] = m.factor[1][i][j] = 1;
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
        for (int j = c; j <= d; j++) {
            matrix[i][j] *= factor;
            if (what != 'O') m->factor[what == 'B'][i][j] = factor;
        }
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
    double most = 1 + (MOST - 1) * c->crowd;
    put(t,
        "{\"name\":\"c\",\"number\":%d,\"transport\":\"%s\",\"setup\":\"ring\",\"mechanism\":\"%s\",\"threshold_"
        "bytes\":%d,"
        "\"overhead_s\":{\"segments\":[{\"x_lo\":0,\"x_hi\":1e9,\"intercept\":%.17g,\"slope\":%.17g,\"residual\":0.01,"
        "\"n\":9}]},"
        "\"transfer\":{\"bytes\":[0,1000,100000],\"rows\":[{\"tau\":1,\"seconds\":[%.17g,%.17g,%.17g]},{\"tau\":%d,"
        "\"seconds\":[%.17g,%.17g,%.17g]}]}}",
        number, m->shared ? "shm" : "openmpi", mechanisms[c->mechanism], THRESHOLD, c->fixed, c->per_byte,
        c->seconds[0], c->seconds[1], c->seconds[2], MOST, most * c->seconds[0], most * c->seconds[1],
        most * c->seconds[2]);
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

#endif
