/* A machine of round numbers with measured exchanges, for tests of the model `flow`: text of a profile.
 *
 * Every message costs FIXED and PER_BYTE seconds; half of that in the call, half at the sync. More partners cost as
 * many times as much, both ways 1.5 times, others that are busy at the same time 5 % each; gets have no bytes in their
 * calls. Far pairs (of different groups) are `far` times as slow. */
#ifndef SUP_TESTS_FLOW_PROFILE_H
#define SUP_TESTS_FLOW_PROFILE_H

#include "base/file/json.h"
#include "model/equation/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOW_FIXED 1e-6
#define FLOW_PER_BYTE 1e-9
#define FLOW_EMPTY 2e-6
#define FLOW_RECORD 0.2e-6 /* one message more to a partner */

typedef struct flow_machine {
    const char *transport;
    int64_t processes, hosts;
    int64_t measured;    /* processes of exchanges; 0 none */
    int64_t group;       /* processes of a group; 0: all are near */
    double far;          /* times */
    double typical;      /* times calm; 0: not said */
    double crowd;        /* each process more, 0: 5 % */
    const char *overlap; /* its section, NULL */
    const char *matrix;  /* in place of levels */
} flow_machine;

typedef struct flow_text {
    char *text;
    size_t used, room;
} flow_text;

__attribute__((format(printf, 2, 3))) static void flow_add(flow_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->text + t->used, t->room - t->used, format, args);
    va_end(args);
    if (t->used >= t->room) abort();
}

/* Processes that send or receive. */
static int64_t active_of(int shape, int64_t processes) {
    if (processes < 2) return 0;
    if (shape == SUP_EXCHANGE_ONE || shape == SUP_EXCHANGE_SWAP || shape == SUP_EXCHANGE_ONE_FAR) return 2;
    return shape == SUP_EXCHANGE_COUPLES ? processes - processes % 2 : processes;
}

/* What an exchange takes in one part, as a line. */
static void flow_line(const flow_machine *w, int shape, int move, int64_t records, int part, double *fixed,
                      double *slope) {
    int64_t out = sup_exchange_most_out(shape, w->measured), in = sup_exchange_most_in(shape, w->measured);
    int64_t active = active_of(shape, w->measured);
    bool both = shape != SUP_EXCHANGE_ONE && shape != SUP_EXCHANGE_COUPLES && shape != SUP_EXCHANGE_OUT &&
                shape != SUP_EXCHANGE_IN && shape != SUP_EXCHANGE_ONE_FAR;
    bool far = sup_exchange_at(shape)->far && w->group > 0;
    double partners = (double)(out > in ? out : in), many = (double)records;
    if (part == SUP_PART_CALLS) partners = (double)out;
    if (part == SUP_PART_SYNC && !strcmp(w->transport, "shm")) /* one of the two ends does it */
        partners = (double)(sup_move_reads(move) ? out : in);
    double times = partners * (both ? 1.5 : 1) * (1 + (w->crowd > 0 ? w->crowd : 0.05) * (double)(active - 2));
    times *= far ? w->far : 1;
    times *= 1 + 0.1 * move;
    *fixed = 0.5 * times * (FLOW_FIXED + (many - 1) * FLOW_RECORD);
    *slope = sup_move_reads(move) && part == SUP_PART_CALLS ? 0 : 0.5 * times * many * FLOW_PER_BYTE;
    if (part == SUP_PART_SYNC) *fixed += FLOW_EMPTY;
}

static void flow_add_curve(flow_text *t, const flow_machine *w, const char *key, double fixed, double slope) {
    flow_add(
        t,
        ",\"%s\":{\"segments\":[{\"x_lo\":8,\"x_hi\":1048576,\"intercept\":%.12g,\"slope\":%.12g,\"residual\":0.02,"
        "\"n\":10}]",
        key, fixed, slope);
    if (w->typical > 0) {
        double a = fixed + 8 * slope, b = fixed + 1048576 * slope;
        flow_add(t,
                 ",\"points\":{\"x\":[8,1048576],\"y\":[%.12g,%.12g],\"typical\":[%.12g,%.12g],\"ci\":[%.12g,%.12g]}",
                 a, b, w->typical * a, w->typical * b, 0.1 * a, 0.1 * b);
    }
    flow_add(t, "}");
}

static void flow_add_exchange(flow_text *t, const flow_machine *w, int shape, int move, int64_t records) {
    double fixed, slope;
    flow_add(t, "%s{\"transport\":\"%s\",\"processes\":%d,\"shape\":\"%s\",\"move\":\"%s\",\"records\":%d",
             t->text[t->used - 1] == '[' ? "" : ",", w->transport, (int)w->measured, sup_exchange_names[shape],
             sup_move_names[move], (int)records);
    flow_line(w, shape, move, records, SUP_PART_CALLS, &fixed, &slope);
    flow_add_curve(t, w, "calls_s", fixed, slope);
    flow_line(w, shape, move, records, SUP_PART_SYNC, &fixed, &slope);
    flow_add_curve(t, w, "sync_s", fixed, slope);
    flow_add(t, "}");
}

static void flow_add_class(flow_text *t, const char *name, double times) {
    flow_add(
        t,
        ",{\"name\":\"%s\",\"measured\":2,\"overhead_s\":{\"value\":%g,\"ci\":0,\"n\":9},\"latency_s\":{\"value\":%g,"
        "\"ci\":0,\"n\":9},\"per_byte_s\":{\"value\":%g,\"ci\":0,\"n\":9}}",
        name, 0.2e-6 * times, 0.8e-6 * times, FLOW_PER_BYTE * times);
}

/* Class 1 is near, class 2 far, class 3 was not measured. */
static void flow_add_pairs(flow_text *t, const flow_machine *w) {
    flow_add(t, "\"pairs\":[{\"transport\":\"%s\",\"processes\":%d,", w->transport, w->matrix ? 2 : (int)w->processes);
    if (w->matrix)
        flow_add(t, "\"matrix\":%s", w->matrix);
    else if (w->group)
        flow_add(t,
                 "\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]},{\"name\":\"group\",\"size\":%d,"
                 "\"classes\":[1]},"
                 "{\"name\":\"all\",\"size\":0,\"classes\":[2]}]",
                 (int)w->group);
    else
        flow_add(t, "\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]},{\"name\":\"all\",\"size\":0,"
                    "\"classes\":[1]}]");
    flow_add(t, ",\"classes\":[{\"name\":\"self\",\"measured\":2,\"overhead_s\":{\"value\":1e-7,\"ci\":0,\"n\":9}}");
    flow_add_class(t, "near", 1);
    flow_add_class(t, "far", w->far > 0 ? w->far : 1);
    flow_add(t, ",{\"name\":\"unmeasured\",\"measured\":0}]}]");
}

/* The profile; with all shapes and moves, or those of puts alone. */
static sup_profile *flow_profile(const flow_machine *w, bool all_moves) {
    flow_text t = {.text = malloc(1 << 20), .room = 1 << 20};
    sup_json *doc = NULL;
    sup_profile *p = NULL;
    sup_diag diag = {0};
    int hosts = w->hosts > 0 ? (int)w->hosts : 1;
    if (!t.text) abort();
    flow_add(
        &t,
        "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"superstep "
        "0.1.0\","
        "\"signature\":{\"machine\":\"made by hand\",\"topology\":\"hand\",\"cpu\":\"hand\",\"cores\":%d,\"hosts\":%d,"
        "\"processes\":%d,\"transport\":\"%s\","
        "\"placement\":[{\"host\":0,\"hosts\":%d,\"cores\":[0",
        (int)w->processes, hosts, (int)w->processes, w->transport, hosts);
    for (int i = 1; i < (int)w->processes / hosts; i++) flow_add(&t, ",%d", i);
    flow_add(&t, "],\"order\":\"block\"}]},");
    flow_add_pairs(&t, w);
    if (w->overlap) flow_add(&t, ",\"overlap\":%s", w->overlap);
    if (w->measured) {
        flow_add(&t,
                 ",\"sync\":[{\"transport\":\"%s\",\"algorithm\":\"superstep\",\"processes\":%d,\"payload_bytes\":0,"
                 "\"time_s\":{\"value\":%g,\"ci\":%g,\"typical\":%g,\"bad\":%g,\"n\":9,\"launches\":5}}]",
                 w->transport, (int)w->measured, FLOW_EMPTY, 0.05 * FLOW_EMPTY,
                 FLOW_EMPTY * (w->typical > 0 ? w->typical : 1), FLOW_EMPTY * 3);
        flow_add(&t, ",\"exchanges\":[");
        for (int s = 0; s < SUP_EXCHANGE_SHAPES; s++)
            for (int v = 0; v < SUP_MOVES; v++)
                if (w->measured >= sup_exchange_at(s)->least && (all_moves || v == SUP_MOVE_PUT))
                    flow_add_exchange(&t, w, s, v, 1);
        flow_add_exchange(&t, w, SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, 16);
        flow_add(&t, "]");
    }
    flow_add(&t, "}");
    if (sup_json_parse("profile", t.text, t.used, &diag, &doc) || sup_profile_parse(doc, true, &diag, &p)) {
        fprintf(stderr, "%s: %d: %s\n", diag.file, diag.line, diag.text);
        abort();
    }
    sup_json_free(doc);
    free(t.text);
    return p;
}

#endif
