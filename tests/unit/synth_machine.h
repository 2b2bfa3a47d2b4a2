/* Machines made by hand, and what must hold of every list of barriers, for tests of synthesis. */
#ifndef SUP_TESTS_SYNTH_MACHINE_H
#define SUP_TESTS_SYNTH_MACHINE_H

#include "choose/barrier/barrier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct cost {
    double o, l; /* seconds */
} cost;

/* Hosts of these sizes; O and L inside and between them. spread: relative, of every number. */
typedef struct machine {
    const char *transport;
    int hosts, size[8];
    cost near, far;
    bool cyclic;
    const char *sync;    /* rows, NULL */
    const char *signals; /* rows, NULL: signals are like messages */
} machine;

typedef struct text {
    char at[1 << 16];
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    assert_true(t->used < sizeof t->at);
}

static void add_class(text *t, const char *name, cost c) {
    add(t,
        ",{\"name\":\"%s\",\"measured\":2,\"overhead_s\":{\"value\":%.17g,\"ci\":0,\"n\":9},\"latency_s\":{\"value\":"
        "%.17g,\"ci\":0,\"n\":9},\"per_byte_s\":{\"value\":1e-9,\"ci\":0,\"n\":9}}",
        name, c.o, c.l);
}

/* Ranks of equal hosts are levels; otherwise a matrix. */
static void add_pairs(text *t, const machine *w, int processes) {
    bool equal = true;
    for (int h = 1; h < w->hosts; h++) equal &= w->size[h] == w->size[0];
    add(t, "\"pairs\":[{\"transport\":\"%s\",\"processes\":%d,", w->transport, processes);
    if (w->hosts == 1)
        add(t, "\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]},{\"name\":\"all\",\"size\":0,\"classes\":[1]"
               "}]");
    else if (equal)
        add(t,
            "\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]},{\"name\":\"host\",\"size\":%d,\"stride\":%d,"
            "\"classes\":[1]},{\"name\":\"all\",\"size\":0,\"classes\":[2]}]",
            w->size[0], w->cyclic ? w->hosts : 1);
    else {
        int host[64], n = 0;
        for (int h = 0; h < w->hosts; h++)
            for (int k = 0; k < w->size[h]; k++) host[n++] = h;
        add(t, "\"matrix\":[");
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) add(t, "%s1,%d", i || j ? "," : "", i == j ? 0 : host[i] == host[j] ? 1 : 2);
        add(t, "]");
    }
    add(t, ",\"classes\":[{\"name\":\"self\",\"measured\":2,\"overhead_s\":{\"value\":1e-9,\"ci\":0,\"n\":9}}");
    add_class(t, "host", w->near);
    if (w->hosts > 1) add_class(t, "all", w->far);
    add(t, "]}]");
}

static sup_profile *profile_of(const machine *w) {
    static text t;
    t.used = 0;
    int processes = 0;
    for (int h = 0; h < w->hosts; h++) processes += w->size[h];
    add(&t,
        "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"superstep "
        "0.1.0\","
        "\"signature\":{\"topology\":\"hand\",\"cpu\":\"hand\",\"cores\":64,\"hosts\":%d,\"processes\":%d,"
        "\"transport\":\"%s\",\"placement\":[",
        w->hosts, processes, w->transport);
    for (int h = 0; h < (w->cyclic ? 1 : w->hosts); h++) {
        add(&t, "%s{\"host\":%d,%s\"cores\":[0", h ? "," : "", h, "");
        for (int k = 1; k < w->size[h]; k++) add(&t, ",%d", k);
        add(&t, "]");
        if (w->cyclic) add(&t, ",\"hosts\":%d,\"order\":\"cyclic\"", w->hosts);
        add(&t, "}");
    }
    add(&t, "]},");
    add_pairs(&t, w, processes);
    if (w->sync) add(&t, ",\"sync\":[%s]", w->sync);
    if (w->signals) add(&t, ",\"signals\":[%s]", w->signals);
    add(&t, "}");
    sup_json *doc = NULL;
    sup_diag diag = {0};
    sup_profile *p = NULL;
    if (sup_json_parse("profile", t.at, t.used, &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, true, &diag, &p)) fail_msg("%d: %s", diag.line, diag.text);
    sup_json_free(doc);
    return p;
}

static sup_platform *platform_of(const sup_profile *p, int64_t processes) {
    sup_diag diag = {0};
    sup_platform *m = NULL;
    if (sup_platform_open(p, &(sup_platform_options){.processes = processes}, &diag, &m)) fail_msg("%s", diag.text);
    return m;
}

static sup_candidates candidates_of(const sup_platform *m) {
    sup_diag diag = {0};
    sup_candidates list;
    if (sup_candidates_find(m, &diag, &list)) fail_msg("%s", diag.text);
    return list;
}

static size_t choice_of(const sup_candidates *list) {
    size_t k;
    sup_candidates_choice(list, &k);
    return k;
}

/* Every candidate is a barrier that a plan takes, costs what the record's pattern costs, and none is dearer than the
 * first. */
static void check_all(const sup_platform *m, const sup_candidates *list) {
    assert_true(list->count > 0 && list->usual < list->count && list->greedy < list->count);
    for (size_t k = 0; k < list->count; k++) {
        const sup_candidate *c = &list->at[k];
        sup_diag diag = {0};
        sup_pattern p;
        bool covers = false;
        int64_t deaf, unheard;
        assert_non_null(c->record);
        if (sup_record_check(&sup_plan_barrier_record, c->record, &diag)) fail_msg("%s: %s", c->name, diag.text);
        assert_int_equal(sup_plan_barrier_pattern(c->record, &p), SUP_OK);
        assert_int_equal(p.processes, c->record->processes);
        assert_int_equal(sup_pattern_covers(&p, &covers, &deaf, &unheard), SUP_OK);
        if (!covers) fail_msg("%s: %d has not heard of %d", c->name, (int)deaf, (int)unheard);
        if (p.processes == m->processes) {
            sup_prediction r;
            assert_int_equal(sup_barrier_cost(m, &p, false, NULL, &r), SUP_OK);
            assert_true(fabs(r.value - c->cost.value) <= 1e-9 * c->cost.value);
            assert_true(fabs(c->record->predicted_s - c->cost.value) <= 1e-12 * c->cost.value);
        }
        sup_pattern_free(&p);
        if (k) assert_true(list->at[k - 1].cost.value <= (1 + 1e-6) * c->cost.value);
    }
    assert_true(list->at[0].cost.value <= (1 + 1e-6) * list->at[list->usual].cost.value);
    assert_true(list->at[0].cost.value <= (1 + 1e-6) * list->at[list->greedy].cost.value);
    size_t taken = choice_of(list);
    assert_true(sup_candidate_seconds(&list->at[taken]) <= sup_candidate_seconds(&list->at[list->usual]));
}

static void close_all(sup_candidates *list, sup_platform *m, sup_profile *p) {
    sup_candidates_free(list);
    sup_platform_free(m);
    sup_profile_free(p);
}

#endif
