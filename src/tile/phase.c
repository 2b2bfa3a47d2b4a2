/* What phases of all strategies are made of: tasks of a chain one after the other, and the chains of a worker, by the
 * formula of the schedule or by taking and stealing (CACHE §3.2). */
#include "tile/tile.h"

void sup_tile_fail(sup_tile_call *call, int code, int64_t task) {
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

int sup_tile_run_task(void *context, const sup_tile_task *task) {
    sup_tile_call *call = context;
    if (atomic_load_explicit(&call->stop, memory_order_relaxed)) return 1;
    int code = call->op->kernel(task, call->op->context);
    if (code) sup_tile_fail(call, code, task->index);
    return code;
}

static void run_chain(sup_tile_seat *s, int64_t chain, sup_tile_each *each, void *context) {
    if (s->call->slot_per_chain) s->task.result = sup_tile_slot(s->call, chain);
    sup_tile_chain(s->call, chain, &s->task, s->part, each, context);
}

void sup_tile_phase(sup_tile_seat *s, sup_tile_each *each, void *context) {
    sup_tile_call *call = s->call;
    int worker = s->task.worker;
    int64_t chain, one = 1;
    if (!call->steal) {
        int64_t count = sup_schedule_count(&call->schedule, worker);
        for (int64_t i = 0; i < count && !atomic_load_explicit(&call->stop, memory_order_relaxed); i++)
            run_chain(s, sup_schedule_task(&call->schedule, worker, i), each, context);
        return;
    }
    while ((chain = sup_tile_take(call, worker, &one)) >= 0 || (chain = sup_tile_steal(call, worker)) >= 0) {
        if (atomic_load_explicit(&call->stop, memory_order_relaxed)) break;
        run_chain(s, chain, each, context);
    }
}

void sup_tile_plain_phase(sup_tile_seat *s) { sup_tile_phase(s, sup_tile_run_task, s->call); }
