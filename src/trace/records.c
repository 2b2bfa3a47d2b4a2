/* The parts of a trace as tables (trace.h has the structs, superstep-trace(5) the meaning). What concerns several of
 * them at once is checked in trace.c. */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_S 1e12

static const sup_field site_fields[] = {
    SUP_F_STRING(sup_trace_site, place, "place"),
    SUP_F_STRING_MAYBE(sup_trace_site, line, "line"),
    SUP_F_STRING_MAYBE(sup_trace_site, symbol, "symbol"),
    SUP_F_END,
};
SUP_RECORD(sup_trace_site_record, "call site", sup_trace_site, site_fields, NULL);

/* ---- times ---- */

static const sup_field time_fields[] = {
    SUP_F_REAL(sup_trace_time, mean, "mean", 0, MOST_S),     SUP_F_REAL(sup_trace_time, sd, "sd", 0, MOST_S),
    SUP_F_REAL(sup_trace_time, min, "min", 0, MOST_S),       SUP_F_REAL(sup_trace_time, max, "max", 0, MOST_S),
    SUP_F_REAL(sup_trace_time, median, "median", 0, MOST_S), SUP_F_END,
};

static sup_status check_time(const sup_where *w, const void *object) {
    const sup_trace_time *t = object;
    if (t->min > t->max) return sup_where_fail(w, "min", -1, "\"min\" is above \"max\"");
    if (t->mean < t->min || t->mean > t->max)
        return sup_where_fail(w, "mean", -1, "\"mean\" is not between \"min\" and \"max\"");
    if (t->median < t->min || t->median > t->max)
        return sup_where_fail(w, "median", -1, "\"median\" is not between \"min\" and \"max\"");
    return SUP_OK;
}

static SUP_RECORD(time_record, "times", sup_trace_time, time_fields, check_time);

/* ---- steps ---- */

static const sup_field first_fields[] = {
    SUP_F_INT(sup_trace_first, superstep, "superstep", 0, SUP_INT_MAX),
    SUP_F_REAL(sup_trace_first, compute_s, "compute_s", 0, MOST_S),
    SUP_F_REAL(sup_trace_first, calls_s, "calls_s", 0, MOST_S),
    SUP_F_REAL(sup_trace_first, wait_s, "wait_s", 0, MOST_S),
    SUP_F_REAL(sup_trace_first, sync_s, "sync_s", 0, MOST_S),
    SUP_F_INT_OR(sup_trace_first, calls_new_bytes, "calls_new_bytes", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_trace_first, sync_new_bytes, "sync_new_bytes", 0, SUP_INT_MAX, 0),
    SUP_F_END,
};
SUP_RECORD(sup_trace_first_record, "first superstep", sup_trace_first, first_fields, NULL);

#define TRAFFIC(m) SUP_F_INTS(sup_trace_step, m, #m, false, 0, SUP_INT_MAX)

static const sup_field step_fields[] = {
    SUP_F_INT(sup_trace_step, site, "site", 0, SUP_PROCESSES_MAX),
    SUP_F_INT(sup_trace_step, count, "count", 1, SUP_INT_MAX),
    SUP_F_BOOL_OR(sup_trace_step, merged, "merged", false),
    TRAFFIC(puts),
    TRAFFIC(hpputs),
    TRAFFIC(gets),
    TRAFFIC(hpgets),
    TRAFFIC(sends),
    SUP_F_INT_OR(sup_trace_step, early_bytes, "early_bytes", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_trace_step, calls_new_bytes, "calls_new_bytes", 0, SUP_INT_MAX, 0),
    SUP_F_INT_OR(sup_trace_step, sync_new_bytes, "sync_new_bytes", 0, SUP_INT_MAX, 0),
    SUP_F_MAYBE(sup_trace_step, first, "first", &sup_trace_first_record),
    SUP_F_RECORD(sup_trace_step, compute_s, "compute_s", &time_record),
    SUP_F_RECORD(sup_trace_step, wait_s, "wait_s", &time_record),
    SUP_F_RECORD(sup_trace_step, sync_s, "sync_s", &time_record),
    SUP_F_MAYBE(sup_trace_step, calls_s, "calls_s", &time_record),
    SUP_F_MAYBE(sup_trace_step, behind_s, "behind_s", &time_record),
    SUP_F_END,
};

typedef struct traffic {
    const char *key;
    const int64_t *list;
    size_t count;
} traffic;

static traffic traffic_of(const sup_trace_step *s, int kind) {
    switch (kind) {
    case SUP_TRACE_PUT: return (traffic){"puts", s->puts, s->puts_count};
    case SUP_TRACE_HPPUT: return (traffic){"hpputs", s->hpputs, s->hpputs_count};
    case SUP_TRACE_GET: return (traffic){"gets", s->gets, s->gets_count};
    case SUP_TRACE_HPGET: return (traffic){"hpgets", s->hpgets, s->hpgets_count};
    default: return (traffic){"sends", s->sends, s->sends_count};
    }
}

/* Equal supersteps have equal shares: what does not divide was written by somebody's hand. */
static sup_status check_traffic(const sup_where *w, const sup_trace_step *s, const traffic *t) {
    if (t->count % 3) return sup_where_fail(w, t->key, -1, "\"%s\" must be groups of peer, messages, bytes", t->key);
    for (size_t i = 0; i < t->count; i += 3) {
        if (i && t->list[i] <= t->list[i - 3])
            return sup_where_fail(w, t->key, (int)i, "the peers of \"%s\" must ascend", t->key);
        if (t->list[i + 1] < 1)
            return sup_where_fail(w, t->key, (int)i + 1, "a peer of \"%s\" without messages", t->key);
        for (size_t k = 1; k < 3 && !s->merged; k++)
            if (t->list[i + k] % s->count)
                return sup_where_fail(w, t->key, (int)(i + k),
                                      "%" PRId64 " is no multiple of \"count\", and the step is not \"merged\"",
                                      t->list[i + k]);
    }
    return SUP_OK;
}

/* A part is not more than the whole. */
static sup_status check_first(const sup_where *w, const sup_trace_step *s) {
    if (!s->first) return SUP_OK;
    if (s->first->calls_new_bytes > s->calls_new_bytes || s->first->sync_new_bytes > s->sync_new_bytes)
        return sup_where_fail(w, "first", -1, "the first superstep touched more new memory than all of them");
    return SUP_OK;
}

static sup_status check_step(const sup_where *w, const void *object) {
    const sup_trace_step *s = object;
    sup_status status = SUP_OK;
    for (int kind = 0; kind < SUP_TRACE_KINDS && !status; kind++) {
        traffic t = traffic_of(s, kind);
        status = check_traffic(w, s, &t);
    }
    return status ? status : check_first(w, s);
}

static int by_peer(const void *x, const void *y) {
    const sup_trace_item *a = x, *b = y;
    if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
    return a->kind - b->kind;
}

static sup_status derive_step(const sup_where *w, void *object) {
    sup_trace_step *s = object;
    size_t total = 0, n = 0;
    for (int kind = 0; kind < SUP_TRACE_KINDS; kind++) total += traffic_of(s, kind).count / 3;
    free(s->items);
    s->items = NULL;
    s->items_count = 0;
    if (!total) return SUP_OK;
    s->items = calloc(total, sizeof *s->items);
    if (!s->items) return sup_diag_no_memory(w->diag);
    double share = (double)s->count;
    for (int kind = 0; kind < SUP_TRACE_KINDS; kind++) {
        traffic t = traffic_of(s, kind);
        for (size_t i = 0; i + 2 < t.count; i += 3)
            s->items[n++] = (sup_trace_item){.peer = t.list[i],
                                             .kind = kind,
                                             .overlappable = kind == SUP_TRACE_HPPUT || kind == SUP_TRACE_HPGET,
                                             .incoming = kind == SUP_TRACE_GET || kind == SUP_TRACE_HPGET,
                                             .messages = (double)t.list[i + 1] / share,
                                             .bytes = (double)t.list[i + 2] / share};
    }
    qsort(s->items, n, sizeof *s->items, by_peer);
    s->items_count = n;
    return SUP_OK;
}

static void release_step(void *object) {
    sup_trace_step *s = object;
    free(s->items);
}

SUP_RECORD_DERIVED(sup_trace_step_record, "step", sup_trace_step, step_fields, check_step, derive_step, release_step);

/* ---- processes, classes, runs ---- */

static const sup_field process_fields[] = {
    SUP_F_REAL(sup_trace_process, wall_s, "wall_s", 0, MOST_S),
    SUP_F_RECORDS(sup_trace_process, steps, "steps", true, &sup_trace_step_record),
    SUP_F_END,
};
SUP_RECORD(sup_trace_process_record, "process", sup_trace_process, process_fields, NULL);

static const sup_field class_fields[] = {
    SUP_F_INT(sup_trace_class, count, "count", 1, SUP_INT_MAX),
    SUP_F_BOOL_OR(sup_trace_class, merged, "merged", false),
    SUP_F_INTS(sup_trace_class, steps, "steps", true, 0, SUP_PROCESSES_MAX),
    SUP_F_END,
};
SUP_RECORD(sup_trace_class_record, "class", sup_trace_class, class_fields, NULL);

static const sup_field run_fields[] = {
    SUP_F_INT_OR(sup_trace_run, repeat, "repeat", 1, SUP_INT_MAX, 1),
    SUP_F_INTS(sup_trace_run, classes, "classes", false, 0, SUP_PROCESSES_MAX),
    SUP_F_RECORDS(sup_trace_run, body, "body", false, &sup_trace_run_record),
    SUP_F_END,
};

static sup_status check_run(const sup_where *w, const void *object) {
    const sup_trace_run *r = object;
    if (!r->classes_count && !r->body_count) return sup_where_fail(w, NULL, -1, "neither \"classes\" nor \"body\"");
    if (r->classes_count && r->body_count)
        return sup_where_fail(w, "body", -1, "\"classes\" and \"body\" exclude each other");
    return SUP_OK;
}

SUP_RECORD(sup_trace_run_record, "run", sup_trace_run, run_fields, check_run);
