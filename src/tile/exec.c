/* Stage run: every worker goes through its chains, phase by phase (CACHE §3.2, and the synchronisation inside
 * iterations that CACHE ch. 6 leaves open).
 *
 * A phase ends when every worker has done all its tasks, however many those are, so the barrier counts workers and not
 * tasks. A schedule is a formula of the worker, so parts stay with the worker that had them in the phase before. */
#include "tile/tile.h"

#include "base/clock.h"
#include "base/pace.h"

enum { TASK_NS = 20000 }; /* of a task whose length can be chosen: a hundred times what it costs to start one */

_Thread_local bool sup_tile_inside;

static void fail(sup_tile_call *call, int code, int64_t task) {
    int none = 0;
    if (atomic_compare_exchange_strong(&call->code, &none, code)) atomic_store(&call->failed, task);
    atomic_store(&call->stop, true);
}

typedef struct grid_context {
    const sup_tile_call *call;
    sup_tile_task *task;
    sup_tile_part *part;
    sup_tile_each *each;
    void *context;
} grid_context;

static int visit_step(void *context, const sup_grid_step *step) {
    grid_context *g = context;
    const sup_tile_op *op = g->call->op;
    for (int s = 0; s < op->set_count; s++) sup_grid_part(&op->set[s], step->at, &g->part[s]);
    g->task->index = step->index;
    g->task->first = step->first;
    g->task->last = step->last;
    return g->each(g->context, g->task);
}

int sup_tile_chain(const sup_tile_call *call, int64_t chain, sup_tile_task *task, sup_tile_part *part,
                   sup_tile_each *each, void *context) {
    task->part = part;
    if (!call->listed) {
        grid_context g = {call, task, part, each, context};
        return sup_grid_walk(&call->grid, chain, visit_step, &g);
    }
    const sup_tile_list *list = &call->list;
    int sets = call->op->set_count;
    for (int64_t t = list->first[chain]; t < list->first[chain + 1]; t++) {
        for (int s = 0; s < sets; s++) part[s] = list->part[s * list->n + list->of_task[t * sets + s]];
        task->index = t;
        task->first = t == list->first[chain];
        task->last = t + 1 == list->first[chain + 1];
        int rc = each(context, task);
        if (rc) return rc;
    }
    return 0;
}

static int run_task(void *context, const sup_tile_task *task) {
    sup_tile_call *call = context;
    if (atomic_load_explicit(&call->stop, memory_order_relaxed)) return 1;
    int code = call->op->kernel(task, call->op->context);
    if (code) fail(call, code, task->index);
    return code;
}

/* ---- fetching ahead -----------------------------------------------------------------------------------------------*/

/* A task waits until the parts of the one after it have been asked for: while it runs, they come. This is for kernels
 * that visit their data once and walk down columns, where hardware sees no stream to follow: parts must be small, so
 * that what is asked for at once is no more than a core can have on its way. */
typedef struct ahead {
    sup_tile_call *call;
    bool waiting;
    sup_tile_task task;
    sup_tile_part part[SUP_TILE_SETS];
} ahead;

/* One line after the other: asked for faster, some would be refused, because a core has only so many on their way. */
static void fetch(const sup_tile_set *set, const sup_tile_part *part, size_t line) {
    const char *row = (const char *)part->data - (uintptr_t)part->data % line;
    size_t bytes = part->cols * set->element + (uintptr_t)part->data % line, step = part->pitch * set->element;
    bool write = set->use != SUP_TILE_READ;
    for (size_t r = 0; r < part->rows; r++, row += step)
        for (size_t at = 0; at < bytes; at += line) {
            if (write)
                __builtin_prefetch(row + at, 1, 3);
            else
                __builtin_prefetch(row + at, 0, 3);
            __asm__ volatile("" ::"r"(row)); /* or compilers see a function without effects, and leave it out */
        }
}

static int run_waiting(ahead *a) {
    if (!a->waiting) return 0;
    a->waiting = false;
    return run_task(a->call, &a->task);
}

static int run_ahead(void *context, const sup_tile_task *task) {
    ahead *a = context;
    const sup_tile_op *op = a->call->op;
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        bool new = !a->waiting || a->part[s].data != task->part[s].data;
        if (set->data && new) fetch(set, &task->part[s], a->call->line_bytes);
    }
    int code = run_waiting(a);
    if (code) return code;
    a->task = *task;
    a->task.part = a->part;
    for (int s = 0; s < op->set_count; s++) a->part[s] = task->part[s];
    a->waiting = true;
    return 0;
}

/* ---- phases -------------------------------------------------------------------------------------------------------*/

typedef struct seat {
    sup_tile_call *call;
    sup_tile_task task;
    sup_tile_part part[SUP_TILE_SETS];
    ahead ahead;
} seat;

static void run_chain(seat *s, int64_t chain) {
    sup_tile_call *call = s->call;
    if (call->slot_per_chain) s->task.result = sup_tile_slot(call, chain);
    if (call->report.strategy == SUP_TILE_AHEAD && !call->listed)
        sup_tile_chain(call, chain, &s->task, s->part, run_ahead, &s->ahead);
    else
        sup_tile_chain(call, chain, &s->task, s->part, run_task, call);
}

static void run_span(seat *s, int64_t chain, int64_t count) {
    const sup_tile_op *op = s->call->op;
    sup_grid_step step;
    sup_grid_span(&s->call->grid, chain, count, &step);
    for (int i = 0; i < op->set_count; i++) sup_grid_part(&op->set[i], step.at, &s->part[i]);
    s->task.part = s->part;
    s->task.index = step.index;
    s->task.first = s->task.last = true;
    run_task(s->call, &s->task);
}

/* Bands are small, so that idle workers find something to take over; but a worker does as many of its own at once as
 * make a task that is worth starting. */
static void run_guided(seat *s) {
    sup_tile_call *call = s->call;
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

static void run_phase(seat *s) {
    sup_tile_call *call = s->call;
    int worker = s->task.worker;
    int64_t chain, one = 1;
    if (call->steal && call->report.strategy == SUP_TILE_GUIDED) {
        run_guided(s);
    } else if (!call->steal) {
        int64_t count = sup_schedule_count(&call->schedule, worker);
        for (int64_t i = 0; i < count && !atomic_load_explicit(&call->stop, memory_order_relaxed); i++)
            run_chain(s, sup_schedule_task(&call->schedule, worker, i));
    } else {
        while ((chain = sup_tile_take(call, worker, &one)) >= 0 || (chain = sup_tile_steal(call, worker)) >= 0) {
            if (atomic_load_explicit(&call->stop, memory_order_relaxed)) break;
            run_chain(s, chain);
        }
    }
    run_waiting(&s->ahead);
}

/* One worker alone, all others waiting. */
static void between_phases(sup_tile_call *call, int phase) {
    const sup_tile_op *op = call->op;
    int rc = op->between && !atomic_load(&call->stop) ? op->between(phase, op->context) : 0;
    call->report.phases = phase + 1;
    if (rc == SUP_TILE_STOP)
        atomic_store(&call->stop, true);
    else if (rc)
        fail(call, rc, -1);
    /* One decision for all: a worker that looked at `stop` itself might see what a faster one did in the next phase. */
    call->go_on = !atomic_load(&call->stop);
    if (call->steal) sup_tile_deal(call);
}

static void init_result(const sup_tile_call *call, void *result) {
    const sup_tile_op *op = call->op;
    if (op->init)
        op->init(result, op->context);
    else
        __builtin_memset(result, 0, op->result_bytes);
}

/* Did something else have this worker's core, or a share of it? Where workers wait for each other they may sleep. */
static bool disturbed(const sup_tile_call *call, const sup_usage_mark *mark) {
    sup_usage usage;
    sup_usage_end(mark, &usage);
    return sup_usage_disturbed(&usage, call->op->phases <= 1 && !call->op->between && !call->slot_per_chain) ||
           sup_pace_lost(call->tile->pool.workers);
}

static void work(sup_tile_call *call, int worker) {
    const sup_tile_op *op = call->op;
    sup_tile *tile = call->tile;
    seat s = {.call = call, .task.worker = worker, .ahead.call = call};
    sup_tile_inside = true;
    if (op->scratch_bytes) s.task.scratch = (char *)tile->scratch.data + (size_t)worker * tile->scratch_stride;
    if (op->result_bytes) {
        if (!call->slot_per_chain) s.task.result = sup_tile_slot(call, worker);
        for (int64_t slot = worker; slot < call->slots; slot += tile->pool.workers)
            init_result(call, sup_tile_slot(call, slot));
        if (call->slot_per_chain) sup_pool_wait(&tile->pool, &tile->phase);
    }
    int phases = op->phases > 0 ? op->phases : 1;
    for (int phase = 0; phase < phases; phase++) {
        s.task.phase = phase;
        run_phase(&s);
        if (phases == 1 && !op->between) break;
        sup_pool_wait(&tile->pool, &tile->phase);
        if (worker == 0) between_phases(call, phase);
        sup_pool_wait(&tile->pool, &tile->phase);
        if (!call->go_on) break;
    }
    sup_tile_inside = false;
}

static void job(void *context, int worker) {
    sup_tile_call *call = context;
    sup_usage_mark mark;
    if (call->watched) sup_usage_begin(&mark);
    work(call, worker);
    if (call->watched && disturbed(call, &mark)) atomic_store_explicit(&call->disturbed, true, memory_order_relaxed);
}

void sup_tile_execute(sup_tile_call *call) {
    call->report.phases = 1;
    sup_pool_run(&call->tile->pool, job, call, call->brief);
    call->report.stolen = atomic_load(&call->stolen);
}
