/* Stage reduce: scratch and result memory of the workers, taken before the run and kept, and the tree that folds the
 * results (CACHE §4.1.1.1, §4.2.3).
 *
 *     slots   0   1   2   3   4        Normally a slot a worker. On request a slot a chain of tasks, cut in a way that
 *             +---+   +---+   |        does not depend on the machine: then the same operations are done in the same
 *             +-------+       |        order, whoever does them and whenever.
 *             +---------------+                                                                                   */
#include "tile/tile.h"

#include <string.h>

enum { APART = 128, PARALLEL_BYTES = 1 << 15 }; /* prefetchers fetch lines in pairs; from here on folding is shared */

static sup_status grow(sup_memory *memory, size_t stride, size_t count, sup_diag *diag) {
    size_t bytes;
    if (__builtin_mul_overflow(stride, count, &bytes))
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "scratch or results of the workers do not fit into memory");
    if (bytes <= memory->size) return SUP_OK;
    sup_memory fresh;
    sup_status status = sup_memory_alloc(bytes, 4096, 0, diag, &fresh); /* pages come with the first touch */
    if (status) return status;
    sup_memory_free(memory);
    *memory = fresh;
    return SUP_OK;
}

sup_status sup_tile_room(sup_tile_call *call, sup_diag *diag) {
    const sup_tile_op *op = call->op;
    sup_tile *tile = call->tile;
    size_t workers = (size_t)tile->pool.workers;
    if (op->scratch_bytes > SIZE_MAX / 4 || op->result_bytes > SIZE_MAX / 4)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "scratch or results of the workers do not fit into memory");
    tile->scratch_stride = (op->scratch_bytes + APART - 1) / APART * APART;
    tile->result_stride = (op->result_bytes + APART - 1) / APART * APART;
    call->slots = !op->result_bytes ? 0 : call->slot_per_chain ? call->chains : tile->pool.workers;
    if (op->result_bytes && call->slots < 1) call->slots = 1;
    sup_status status = grow(&tile->scratch, tile->scratch_stride, workers, diag);
    if (!status) status = grow(&tile->results, tile->result_stride, (size_t)call->slots, diag);
    return status;
}

void *sup_tile_slot(const sup_tile_call *call, int64_t slot) {
    return (char *)call->tile->results.data + (size_t)slot * call->tile->result_stride;
}

static void fold(sup_tile_call *call, int worker, int workers, bool wait) {
    for (int64_t step = 1; step < call->slots; step *= 2) {
        for (int64_t s = 2 * step * worker; s + step < call->slots; s += 2 * step * workers)
            call->op->reduce(sup_tile_slot(call, s), sup_tile_slot(call, s + step), call->op->context);
        if (wait) sup_pool_wait(&call->tile->pool, &call->tile->phase, worker);
    }
}

static void fold_shared(void *context, int worker) {
    sup_tile_call *call = context;
    fold(call, worker, call->tile->pool.workers, true);
}

void sup_tile_reduce(sup_tile_call *call) {
    const sup_tile_op *op = call->op;
    if (!op->result_bytes) return;
    if (call->chains == 0) { /* no tasks ran: the result of nothing is what init says */
        void *slot = sup_tile_slot(call, 0);
        memset(slot, 0, op->result_bytes);
        if (op->init) op->init(slot, op->context);
    } else if (op->result_bytes >= PARALLEL_BYTES && call->slots > 2) {
        sup_pool_run(&call->tile->pool, fold_shared, call, true);
    } else {
        fold(call, 0, 1, false);
    }
    memcpy(op->result, sup_tile_slot(call, 0), op->result_bytes);
}
