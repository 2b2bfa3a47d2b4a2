/* Strategy "guided": many bands a worker, of which it does as many at once as take some microseconds; idle workers take
 * over bands of others. Horizontal where that is not possible. */
#include "tile/strategy.h"

#include "base/clock.h"

enum {
    PIECES = 64,    /* of a worker's band, to be done several at a time: what is late is late by 1/64 at most */
    TASK_NS = 20000 /* of a task whose length can be chosen: a hundred times what it costs to start one */
};

/* A worker's band in pieces of whole cache lines. */
static void cut(sup_tile_call *call, const size_t *unused, const size_t *unused_too) {
    (void)unused, (void)unused_too;
    size_t shape[SUP_TILE_AXES] = {0}, line = call->line_bytes;
    int64_t workers = call->tile->pool.workers;
    int axis = sup_tile_cut_axis(call, workers);
    if (axis >= 0) {
        int64_t extent = call->grid.axis[axis].extent, least = sup_grid_line(call->op, axis, line);
        int64_t size = extent / (workers * PIECES);
        shape[axis] = (size_t)(size > least ? size : least);
    }
    sup_grid_shape(call->op, line, shape, NULL, &call->grid);
}

static void run_span(sup_tile_seat *s, int64_t chain, int64_t count) {
    const sup_tile_op *op = s->call->op;
    sup_grid_step step;
    sup_grid_span(&s->call->grid, chain, count, &step);
    for (int i = 0; i < op->set_count; i++) sup_grid_part(&op->set[i], step.at, &s->part[i]);
    s->task.part = s->part;
    s->task.index = step.index;
    s->task.first = s->task.last = true;
    sup_tile_run_task(s->call, &s->task);
}

/* Bands are small, so that idle workers find something to take over; but a worker does as many of its own at once as
 * make a task that is worth starting. */
static void phase(sup_tile_seat *s) {
    sup_tile_call *call = s->call;
    if (!call->steal) {
        sup_tile_plain_phase(s);
        return;
    }
    int worker = s->task.worker;
    for (int64_t many = 1; !atomic_load_explicit(&call->stop, memory_order_relaxed);) {
        int64_t count = many, chain = sup_tile_take(call, worker, &count);
        if (chain < 0) chain = sup_tile_steal(call, worker), count = 1;
        if (chain < 0) break;
        int64_t from = sup_clock_ns();
        run_span(s, chain, count);
        int64_t took = sup_clock_ns() - from;
        many = took > 0 ? count * TASK_NS / took : count * 2;
        if (many < 1) many = 1;
    }
}

const sup_tile_method sup_tile_method_guided = {
    .possible = sup_tile_may_share,
    .instead = SUP_TILE_HORIZONTAL,
    .own_cut_only = true,
    .cut = cut,
    .stealing = SUP_STEAL_ALWAYS,
    .phase = phase,
};
