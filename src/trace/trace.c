/* The trace of a run: the file as a whole, and what its tables must have in common. */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

static const sup_field fields[] = {
    SUP_F_STRING(sup_trace, kind, "kind"),
    SUP_F_INT(sup_trace, schema, "schema", 1, SUP_TRACE_SCHEMA),
    SUP_F_STRING(sup_trace, created, "created"),
    SUP_F_STRING(sup_trace, tool, "tool"),
    SUP_F_RECORD(sup_trace, signature, "signature", &sup_origin_record),
    SUP_F_STRING(sup_trace, program, "program"),
    SUP_F_STRINGS(sup_trace, arguments, "arguments", false),
    SUP_F_STRING(sup_trace, engine, "engine"),
    SUP_F_INT(sup_trace, supersteps, "supersteps", 0, SUP_INT_MAX),
    SUP_F_INT_OR(sup_trace, left_out, "left_out", 0, SUP_INT_MAX, 0),
    SUP_F_RECORDS(sup_trace, sites, "sites", true, &sup_trace_site_record),
    SUP_F_RECORDS(sup_trace, processes, "processes", true, &sup_trace_process_record),
    SUP_F_RECORDS(sup_trace, classes, "classes", true, &sup_trace_class_record),
    SUP_F_RECORDS(sup_trace, sequence, "sequence", true, &sup_trace_run_record),
    SUP_F_END,
};

/* ---- processes and their steps ---- */

static sup_status check_peers(const sup_where *w, const sup_trace *t, const char *key, const int64_t *list,
                              size_t count) {
    for (size_t i = 0; i < count; i += 3)
        if (list[i] >= (int64_t)t->processes_count)
            return sup_where_fail(w, key, (int)i, "process %" PRId64 ", but there are %zu", list[i],
                                  t->processes_count);
    return SUP_OK;
}

static sup_status check_step(const sup_where *w, const sup_trace *t, const sup_trace_step *s) {
    if (s->site >= (int64_t)t->sites_count)
        return sup_where_fail(w, "site", -1, "site %" PRId64 ", but there are %zu \"sites\"", s->site, t->sites_count);
    sup_status status = check_peers(w, t, "puts", s->puts, s->puts_count);
    if (!status) status = check_peers(w, t, "hpputs", s->hpputs, s->hpputs_count);
    if (!status) status = check_peers(w, t, "gets", s->gets, s->gets_count);
    if (!status) status = check_peers(w, t, "hpgets", s->hpgets, s->hpgets_count);
    if (!status) status = check_peers(w, t, "sends", s->sends, s->sends_count);
    return status;
}

static sup_status check_process(const sup_where *w, const sup_trace *t, size_t rank) {
    const sup_trace_process *p = &t->processes[rank];
    sup_where at = sup_where_below(w, "processes", (int)rank, &sup_trace_process_record);
    int64_t total = 0;
    for (size_t i = 0; i < p->steps_count; i++) {
        sup_where step = sup_where_below(&at, "steps", (int)i, &sup_trace_step_record);
        sup_status status = check_step(&step, t, &p->steps[i]);
        if (status) return status;
        if (p->steps[i].count > t->supersteps - total)
            return sup_where_fail(&step, "count", -1, "the steps have more than the %" PRId64 " \"supersteps\"",
                                  t->supersteps);
        if (p->steps[i].first && p->steps[i].first->superstep >= t->supersteps)
            return sup_where_fail(&step, "first", -1, "superstep %" PRId64 " of %" PRId64, p->steps[i].first->superstep,
                                  t->supersteps);
        total += p->steps[i].count;
    }
    if (total != t->supersteps)
        return sup_where_fail(&at, "steps", -1, "the steps have %" PRId64 " of the %" PRId64 " \"supersteps\"", total,
                              t->supersteps);
    return SUP_OK;
}

/* ---- classes ---- */

static sup_status check_class(const sup_where *w, const sup_trace *t, size_t which, int64_t *total) {
    const sup_trace_class *c = &t->classes[which];
    sup_where at = sup_where_below(w, "classes", (int)which, &sup_trace_class_record);
    if (c->steps_count != t->processes_count)
        return sup_where_fail(&at, "steps", -1, "\"steps\" has %zu values for %zu processes", c->steps_count,
                              t->processes_count);
    for (size_t r = 0; r < c->steps_count; r++)
        if (c->steps[r] >= (int64_t)t->processes[r].steps_count)
            return sup_where_fail(&at, "steps", (int)r, "step %" PRId64 ", but process %zu has %zu", c->steps[r], r,
                                  t->processes[r].steps_count);
    if (c->count > t->supersteps - *total)
        return sup_where_fail(&at, "count", -1, "the classes have more than the %" PRId64 " \"supersteps\"",
                              t->supersteps);
    *total += c->count;
    return SUP_OK;
}

/* ---- the sequence ---- */

/* times · count, or INT64_MAX: both are at least 0. */
static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t plus(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/* Adds up how often each class occurs. Runs inside runs, `depth` levels down, `factor` times over. */
static sup_status count_runs(const sup_where *w, const char *key, const sup_trace *t, const sup_trace_run *runs,
                             size_t count, int depth, int64_t factor, int64_t *seen) {
    if (count && depth > SUP_TRACE_DEPTH)
        return sup_where_fail(w, key, -1, "nested deeper than %d levels", SUP_TRACE_DEPTH);
    for (size_t i = 0; i < count; i++) {
        const sup_trace_run *run = &runs[i];
        sup_where at = sup_where_below(w, key, (int)i, &sup_trace_run_record);
        int64_t repeated = times(factor, run->repeat);
        for (size_t k = 0; k < run->classes_count; k++) {
            int64_t c = run->classes[k];
            if (c >= (int64_t)t->classes_count)
                return sup_where_fail(&at, "classes", (int)k, "class %" PRId64 ", but there are %zu", c,
                                      t->classes_count);
            seen[c] = plus(seen[c], repeated);
            if (seen[c] > t->classes[c].count)
                return sup_where_fail(&at, "classes", (int)k, "class %" PRId64 " comes more often than its %" PRId64, c,
                                      t->classes[c].count);
        }
        sup_status status = count_runs(&at, "body", t, run->body, run->body_count, depth + 1, repeated, seen);
        if (status) return status;
    }
    return SUP_OK;
}

static sup_status check_sequence(const sup_where *w, const sup_trace *t) {
    int64_t *seen = calloc(t->classes_count + 1, sizeof *seen);
    if (!seen) return sup_diag_no_memory(w->diag);
    sup_status status = count_runs(w, "sequence", t, t->sequence, t->sequence_count, 1, 1, seen);
    free(seen);
    return status;
}

/* ---- the whole ---- */

static sup_status check_trace(const sup_where *w, const void *object) {
    const sup_trace *t = object;
    sup_status status = sup_record_file_check(w, &sup_trace_file, t->kind, t->created);
    if (status) return status;
    if (t->signature.processes != (int64_t)t->processes_count)
        return sup_where_fail(w, "processes", -1, "%zu \"processes\" in a trace of %" PRId64, t->processes_count,
                              t->signature.processes);
    for (size_t r = 0; r < t->processes_count && !status; r++) status = check_process(w, t, r);
    int64_t total = 0;
    for (size_t c = 0; c < t->classes_count && !status; c++) status = check_class(w, t, c, &total);
    return status ? status : check_sequence(w, t);
}

/* The sequence is right, so its length is at most the number of supersteps. */
static int64_t length_of(const sup_trace_run *runs, size_t count) {
    int64_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += runs[i].repeat * ((int64_t)runs[i].classes_count + length_of(runs[i].body, runs[i].body_count));
    return length;
}

static sup_status derive_trace(const sup_where *w, void *object) {
    (void)w;
    sup_trace *t = object;
    t->sequence_length = length_of(t->sequence, t->sequence_count);
    return SUP_OK;
}

static SUP_RECORD_DERIVED(trace_record, "trace", sup_trace, fields, check_trace, derive_trace, NULL);
const sup_record_file sup_trace_file = {SUP_TRACE_KIND, SUP_TRACE_SCHEMA, &trace_record};

const sup_trace_step *sup_trace_step_of(const sup_trace *trace, size_t which, int64_t rank) {
    if (which >= trace->classes_count || rank < 0 || rank >= (int64_t)trace->processes_count) return NULL;
    return &trace->processes[rank].steps[trace->classes[which].steps[rank]];
}
