/* Asks a trace what tests want to know: the sums of a class, and the supersteps one by one. */
#ifndef TESTS_TRACE_WALK_H
#define TESTS_TRACE_WALK_H

#include "trace/trace.h"

/* A class as a whole, per superstep. */
typedef struct walk_total {
    double messages, bytes;              /* of all processes, to themselves included */
    double overlappable_bytes;           /* of these */
    double h_bytes;                      /* most that one process sends or receives, not to itself */
    double compute_s, compute_average_s; /* means: of the slowest process, over all */
    double wait_s, sync_s;               /* means: shortest wait (the slowest hardly waits), longest sync */
} walk_total;

/* Linear in the items of the class. SUP_EINVAL: no such class; SUP_ENOMEM. */
sup_status walk_class_total(const sup_trace *trace, size_t which, walk_total *out);

/* The supersteps one by one, loops unrolled:
 *
 *     walk_cursor c = walk_start(trace);
 *     for (size_t which; walk_next(&c, &which);) … */
typedef struct walk_cursor {
    int depth; /* level in use; -1: at the end */
    struct {
        const sup_trace_run *list;
        size_t count, at, place; /* run, and place in its classes */
        int64_t round;
    } level[SUP_TRACE_DEPTH];
} walk_cursor;

walk_cursor walk_start(const sup_trace *trace);
bool walk_next(walk_cursor *cursor, size_t *which);

#endif
