/* Stage run: every worker goes through its chains, phase by phase (CACHE §3.2, and the synchronisation inside
 * iterations that CACHE ch. 6 leaves open).
 *
 * A phase ends when every worker has done all its tasks, however many those are, so the barrier counts workers and not
 * tasks. A schedule is a formula of the worker, so parts stay with the worker that had them in the phase before. */
#include "tile/strategy.h"

#include "base/clock.h"

_Thread_local bool sup_tile_inside;

/* One worker alone, all others waiting. */
static void between_phases(sup_tile_call *call, int phase) {
    const sup_tile_op *op = call->op;
    int rc = op->between && !atomic_load(&call->stop) ? op->between(phase, op->context) : 0;
    call->report.phases = phase + 1;
    if (rc == SUP_TILE_STOP)
        atomic_store(&call->stop, true);
    else if (rc)
        sup_tile_fail(call, rc, -1);
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

/* Did the kernel give this worker's core to somebody else? Where workers wait for each other they may sleep. */
static bool disturbed(const sup_tile_call *call, const sup_usage_mark *mark) {
    sup_usage usage;
    sup_usage_end(mark, &usage);
    return sup_usage_disturbed(&usage, call->op->phases <= 1 && !call->op->between && !call->slot_per_chain);
}

static void work(sup_tile_call *call, int worker) {
    const sup_tile_op *op = call->op;
    sup_tile *tile = call->tile;
    sup_tile_seat s = {.call = call, .task.worker = worker};
    void (*run_phase)(sup_tile_seat *) = sup_tile_method_of(call->report.strategy)->phase;
    sup_tile_inside = true;
    if (op->scratch_bytes) s.task.scratch = (char *)tile->scratch.data + (size_t)worker * tile->scratch_stride;
    if (op->result_bytes) {
        if (!call->slot_per_chain) s.task.result = sup_tile_slot(call, worker);
        for (int64_t slot = worker; slot < call->slots; slot += tile->pool.workers)
            init_result(call, sup_tile_slot(call, slot));
        if (call->slot_per_chain) sup_pool_wait(&tile->pool, &tile->phase, worker);
    }
    int phases = op->phases > 0 ? op->phases : 1;
    for (int phase = 0; phase < phases; phase++) {
        s.task.phase = phase;
        run_phase(&s);
        if (phases == 1 && !op->between) break;
        sup_pool_wait(&tile->pool, &tile->phase, worker);
        if (worker == 0) between_phases(call, phase);
        sup_pool_wait(&tile->pool, &tile->phase, worker);
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
