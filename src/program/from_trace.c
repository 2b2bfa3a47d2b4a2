/* Requirements of a recorded run: each class of supersteps of a trace becomes one step (BSP §8.5 wrote such matrices by
 * hand). Communication is what the program asked for, exactly, and has no price here; computation is what each process
 * took between two syncs on the recorded machine, without what it spent inside calls. Of it, what came behind the first
 * unbuffered transfer may overlap with those that were asked for without a buffer: T'comp, T'comm.
 *
 * Files of earlier versions did not tell calls and computation apart. There computation holds the calls (calls_inside),
 * which models then must not price again, and nothing is known to overlap. */
#include "program/program.h"

#include "trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int moves[SUP_TRACE_KINDS] = {
    [SUP_TRACE_PUT] = SUP_MOVE_PUT,     [SUP_TRACE_HPPUT] = SUP_MOVE_HPPUT, [SUP_TRACE_GET] = SUP_MOVE_GET,
    [SUP_TRACE_HPGET] = SUP_MOVE_HPGET, [SUP_TRACE_SEND] = SUP_MOVE_SEND,
};

static bool add_items(sup_flow *flow, int64_t rank, const sup_trace_step *t) {
    for (size_t i = 0; i < t->items_count; i++) {
        const sup_trace_item *m = &t->items[i];
        if (m->messages <= 0) continue;
        sup_edge e = {m->incoming ? m->peer : rank,
                      m->incoming ? rank : m->peer,
                      m->messages,
                      m->bytes,
                      m->overlappable ? 1 : 0,
                      moves[m->kind]};
        if (!sup_flow_add_edge(flow, e)) return false;
    }
    return true;
}

static double median_of(const sup_trace_time *t) { return t ? t->median : 0; }
static double sd_of(const sup_trace_time *t) { return t ? t->sd : 0; }

/* What the superstep took: recording lets everybody wait for the slowest before the sync (wait_s, which a run without
 * recording does not have), so it is the longest computation with its calls and then the longest sync. */
static void measure(const sup_trace *trace, size_t which, sup_step *step) {
    double compute = 0, calls = 0, sync = 0, d_before = 0, d_sync = 0;
    for (size_t p = 0; p < trace->processes_count; p++) {
        const sup_trace_step *t = sup_trace_step_of(trace, which, (int64_t)p);
        if (t->compute_s.median + median_of(t->calls_s) > compute + calls) {
            compute = t->compute_s.median;
            calls = median_of(t->calls_s);
            d_before = hypot(t->compute_s.sd, sd_of(t->calls_s));
        }
        if (t->sync_s.median > sync) {
            sync = t->sync_s.median;
            d_sync = t->sync_s.sd;
        }
        if (!t->calls_s) step->calls_inside = true;
    }
    step->measured_s = compute + calls + sync;
    step->measured_deviation_s = hypot(d_before, d_sync);
    step->measured_compute_s = compute;
    step->measured_calls_s = calls;
    step->measured_sync_s = sync;
}

/* Share of the computation that came behind an unbuffered transfer, on those processes that asked for one. */
static double overlap_of(const sup_trace *trace, size_t which) {
    double behind = 0, all = 0;
    for (size_t p = 0; p < trace->processes_count; p++) {
        const sup_trace_step *t = sup_trace_step_of(trace, which, (int64_t)p);
        bool asks = false;
        for (size_t i = 0; i < t->items_count; i++) asks = asks || t->items[i].overlappable;
        if (!asks || !t->behind_s) continue;
        behind += fmin(t->behind_s->median, t->compute_s.median);
        all += t->compute_s.median;
    }
    return all > 0 ? behind / all : 0;
}

/* ---- what is new ---- */

static double *new_list(size_t n, double (*of)(const sup_trace_step *t), const sup_trace *trace, size_t which,
                        bool *good) {
    double *list = NULL;
    for (size_t p = 0; p < n; p++) {
        double bytes = of(sup_trace_step_of(trace, which, (int64_t)p));
        if (!(bytes > 0)) continue;
        if (!list) list = calloc(n, sizeof *list);
        *good = *good && list;
        if (!list) return NULL;
        list[p] = bytes;
    }
    return list;
}

/* Those of the first superstep do not count where there are others to be usual. */
static bool first_apart(const sup_trace_step *t) { return t->first && t->count > 2; }
static double usual_of(const sup_trace_step *t, int64_t all, int64_t first) {
    return first_apart(t) ? (double)(all - first) / (double)(t->count - 1) : (double)all / (double)t->count;
}
static double usual_calls(const sup_trace_step *t) {
    return usual_of(t, t->calls_new_bytes, t->first ? t->first->calls_new_bytes : 0);
}
static double usual_sync(const sup_trace_step *t) {
    return usual_of(t, t->sync_new_bytes, t->first ? t->first->sync_new_bytes : 0);
}
static double first_calls(const sup_trace_step *t) { return t->first ? (double)t->first->calls_new_bytes : 0; }
static double first_sync(const sup_trace_step *t) { return t->first ? (double)t->first->sync_new_bytes : 0; }

/* A step that came once is its own first superstep; of one that came twice, half of what is usual is the first. */
static bool add_new(const sup_trace *trace, size_t which, sup_step *s) {
    size_t n = trace->processes_count;
    double calls = 0, sync = 0;
    bool good = true, known = true;
    for (size_t p = 0; p < n; p++) {
        const sup_trace_step *t = sup_trace_step_of(trace, which, (int64_t)p);
        s->usual.wait_s = fmax(s->usual.wait_s, t->wait_s.median);
        known = known && t->first;
        s->has_first = s->has_first || first_apart(t);
        if (!t->first) continue;
        s->first.wait_s = fmax(s->first.wait_s, t->first->wait_s);
        calls = fmax(calls, t->first->calls_s);
        sync = fmax(sync, t->first->sync_s);
    }
    s->has_first = s->has_first && known;
    if (known && !s->has_first) s->usual.used = 1 / (double)s->repeat;
    s->usual.calls = new_list(n, usual_calls, trace, which, &good);
    s->usual.sync = new_list(n, usual_sync, trace, which, &good);
    if (!s->has_first) return good;
    s->first.used = 1;
    s->first.calls = new_list(n, first_calls, trace, which, &good);
    s->first.sync = new_list(n, first_sync, trace, which, &good);
    s->measured_more_s = calls + sync - s->measured_calls_s - s->measured_sync_s;
    return good;
}

static bool add_class(sup_program *p, const sup_trace *trace, size_t which) {
    size_t n = trace->processes_count;
    sup_step *s = sup_program_add_step(p);
    if (!s) return false;
    s->repeat = trace->classes[which].count;
    s->recorded = true;
    const sup_trace_step *first = sup_trace_step_of(trace, which, 0);
    if (first->site >= 0 && (size_t)first->site < trace->sites_count) {
        const sup_trace_site *site = &trace->sites[first->site];
        s->name = strdup(site->line ? site->line : site->symbol ? site->symbol : site->place);
        if (!s->name) return false;
    }
    sup_work *w = sup_step_add_work(s);
    sup_flow *f = w ? sup_step_add_flow(s) : NULL;
    if (!f) return false;
    f->kind = SUP_FLOW_EDGES;
    w->units.each = calloc(n ? n : 1, sizeof(double));
    w->units.count = n;
    if (!w->units.each) return false;
    for (size_t r = 0; r < n; r++) {
        const sup_trace_step *t = sup_trace_step_of(trace, which, (int64_t)r);
        w->units.each[r] = t->compute_s.median;
        w->deviation_s = fmax(w->deviation_s, t->compute_s.sd); /* a run is one of many, however long it is */
        if (!add_items(f, (int64_t)r, t)) return false;
    }
    w->overlap = overlap_of(trace, which);
    measure(trace, which, s);
    return add_new(trace, which, s);
}

sup_status sup_program_from_trace(const sup_trace *trace, sup_diag *diag, sup_program **out) {
    if (!trace->processes_count || !trace->classes_count)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the trace has no superstep");
    sup_program *p = sup_program_new();
    bool good = p != NULL;
    if (good) {
        p->recorded = true;
        p->processes = (int64_t)trace->processes_count;
        p->origin = &trace->signature;
        p->name = strdup(trace->program ? trace->program : "trace");
        p->file = strdup("trace");
        p->engine = trace->engine ? strdup(trace->engine) : NULL;
        good = p->name && p->file;
    }
    for (size_t c = 0; good && c < trace->classes_count; c++) good = add_class(p, trace, c);
    if (!good) {
        sup_program_free(p);
        return sup_diag_no_memory(diag);
    }
    *out = p;
    return SUP_OK;
}
