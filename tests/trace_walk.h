/* Tests look at the supersteps of a trace one by one, loops unrolled:
 *
 *     trace_walk w = trace_begin(trace);
 *     for (size_t which; trace_next(&w, &which);) … */
#ifndef TEST_TRACE_WALK_H
#define TEST_TRACE_WALK_H

#include "trace/trace.h"

typedef struct trace_walk {
    int depth; /* level in use; -1: at the end */
    struct {
        const sup_trace_run *list;
        size_t count, at, place; /* run, and place in its classes */
        int64_t round;
    } level[SUP_TRACE_DEPTH];
} trace_walk;

static inline trace_walk trace_begin(const sup_trace *trace) {
    trace_walk c = {.depth = trace->sequence_count ? 0 : -1};
    c.level[0].list = trace->sequence;
    c.level[0].count = trace->sequence_count;
    return c;
}

/* A run is at its end: once more, or on to the next. */
static inline void end_round(trace_walk *c) {
    int d = c->depth;
    c->level[d].place = 0;
    if (++c->level[d].round < c->level[d].list[c->level[d].at].repeat) return;
    c->level[d].round = 0;
    if (++c->level[d].at < c->level[d].count) return;
    c->depth--;
    if (c->depth >= 0) end_round(c);
}

static inline bool trace_next(trace_walk *c, size_t *which) {
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

#endif
