/* Sums of classes and the unrolled sequence of a trace (trace_walk.h). */
#include "trace_walk.h"

#include <stdlib.h>

static double larger(double a, double b) { return a > b ? a : b; }

/* in, out: bytes of each process, not to itself. */
static void add_items(const sup_trace_step *s, size_t rank, walk_total *total, double *in, double *out) {
    for (size_t i = 0; i < s->items_count; i++) {
        const sup_trace_item *item = &s->items[i];
        total->messages += item->messages;
        total->bytes += item->bytes;
        if (item->overlappable) total->overlappable_bytes += item->bytes;
        if (item->peer == (int64_t)rank) continue;
        in[item->incoming ? rank : (size_t)item->peer] += item->bytes;
        out[item->incoming ? (size_t)item->peer : rank] += item->bytes;
    }
}

sup_status walk_class_total(const sup_trace *trace, size_t which, walk_total *out) {
    if (which >= trace->classes_count) return SUP_EINVAL;
    size_t n = trace->processes_count;
    double *moved = calloc(2 * n + 1, sizeof *moved);
    if (!moved) return SUP_ENOMEM;
    walk_total t = {0};
    for (size_t r = 0; r < n; r++) {
        const sup_trace_step *s = sup_trace_step_of(trace, which, (int64_t)r);
        add_items(s, r, &t, moved, moved + n);
        t.compute_s = larger(t.compute_s, s->compute_s.mean);
        t.compute_average_s += s->compute_s.mean / (double)n;
        t.sync_s = larger(t.sync_s, s->sync_s.mean);
        if (r == 0 || s->wait_s.mean < t.wait_s) t.wait_s = s->wait_s.mean;
    }
    for (size_t i = 0; i < 2 * n; i++) t.h_bytes = larger(t.h_bytes, moved[i]);
    free(moved);
    *out = t;
    return SUP_OK;
}

/* ---- one by one ---- */

walk_cursor walk_start(const sup_trace *trace) {
    walk_cursor c = {.depth = trace->sequence_count ? 0 : -1};
    c.level[0].list = trace->sequence;
    c.level[0].count = trace->sequence_count;
    return c;
}

/* A run is at its end: once more, or on to the next. */
static void end_round(walk_cursor *c) {
    int d = c->depth;
    c->level[d].place = 0;
    if (++c->level[d].round < c->level[d].list[c->level[d].at].repeat) return;
    c->level[d].round = 0;
    if (++c->level[d].at < c->level[d].count) return;
    c->depth--;
    if (c->depth >= 0) end_round(c);
}

bool walk_next(walk_cursor *c, size_t *which) {
    if (c->depth < 0) return false;
    const sup_trace_run *run = &c->level[c->depth].list[c->level[c->depth].at];
    while (run->body_count) {
        c->depth++;
        c->level[c->depth].list = run->body;
        c->level[c->depth].count = run->body_count;
        c->level[c->depth].at = c->level[c->depth].place = 0;
        c->level[c->depth].round = 0;
        run = run->body;
    }
    *which = (size_t)run->classes[c->level[c->depth].place];
    if (++c->level[c->depth].place == run->classes_count) end_round(c);
    return true;
}
