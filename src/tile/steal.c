/* Irregular work: every worker begins with its contiguous share, takes chains from its front, and when it has none left
 * takes half of what another has from the back, of workers that share a cache with it first. One atomic word a worker
 * holds both ends, so that nobody locks anything. */
#include "tile/tile.h"

#include <stdlib.h>

static uint64_t pack(uint64_t first, uint64_t end) { return first << 32 | end; }

/* Rank of the innermost cache two workers share; smaller is closer. */
static int distance(const sup_tile *tile, int a, int b) {
    const int *core = tile->pool.core;
    if (core[a] == core[b]) return 0;
    const sup_level *common = sup_topology_common_level(tile->machine, core[a], core[b]);
    if (common) return common->depth;
    return tile->machine->cores[core[a]].numa == tile->machine->cores[core[b]].numa ? SUP_CACHE_DEPTH_MAX + 1
                                                                                    : SUP_CACHE_DEPTH_MAX + 2;
}

sup_status sup_tile_victims(sup_tile *tile) {
    int workers = tile->pool.workers, others = workers - 1;
    if (tile->victims || !others) return SUP_OK;
    int *list = calloc((size_t)workers * (size_t)others, sizeof *list);
    if (!list) return SUP_ENOMEM;
    for (int w = 0; w < workers; w++) {
        int *own = list + (size_t)w * (size_t)others, count = 0;
        for (int rank = 0; rank <= SUP_CACHE_DEPTH_MAX + 2; rank++)
            for (int k = 1; k < workers; k++) /* from the next worker on, so that thieves spread */
                if (distance(tile, w, (w + k) % workers) == rank) own[count++] = (w + k) % workers;
    }
    tile->range = aligned_alloc(64, (size_t)workers * sizeof *tile->range);
    if (!tile->range) {
        free(list);
        return SUP_ENOMEM;
    }
    for (int w = 0; w < workers; w++) atomic_init(&tile->range[w].word, 0);
    tile->victims = list;
    return SUP_OK;
}

void sup_tile_deal(sup_tile_call *call) {
    int workers = call->tile->pool.workers;
    for (int w = 0; w < workers; w++) {
        sup_span span = sup_cluster_contiguous(call->chains, workers, w);
        atomic_store_explicit(&call->range[w].word, pack((uint64_t)span.first, (uint64_t)(span.first + span.count)),
                              memory_order_relaxed);
    }
}

int64_t sup_tile_take(sup_tile_call *call, int worker, int64_t *count) {
    _Atomic uint64_t *word = &call->range[worker].word;
    uint64_t old = atomic_load(word);
    for (;;) {
        uint64_t first = old >> 32, end = old & UINT32_MAX;
        if (first >= end) return -1;
        uint64_t taken = (uint64_t)*count < end - first ? (uint64_t)*count : end - first;
        if (!atomic_compare_exchange_weak(word, &old, pack(first + taken, end))) continue;
        *count = (int64_t)taken;
        return (int64_t)first;
    }
}

/* Half of what the victim has left, rounded up; the thief runs the first of it and owns the rest. */
static int64_t rob(sup_tile_call *call, int worker, int victim) {
    _Atomic uint64_t *word = &call->range[victim].word;
    uint64_t old = atomic_load(word);
    for (;;) {
        uint64_t first = old >> 32, end = old & UINT32_MAX;
        if (first >= end) return -1;
        uint64_t loot = (end - first + 1) / 2;
        if (!atomic_compare_exchange_weak(word, &old, pack(first, end - loot))) continue;
        atomic_store(&call->range[worker].word, pack(end - loot + 1, end));
        atomic_fetch_add_explicit(&call->stolen, (int64_t)loot, memory_order_relaxed);
        return (int64_t)(end - loot);
    }
}

int64_t sup_tile_steal(sup_tile_call *call, int worker) {
    int others = call->tile->pool.workers - 1;
    for (int i = 0; i < others; i++) {
        int64_t chain = rob(call, worker, call->tile->victims[(size_t)worker * (size_t)others + (size_t)i]);
        if (chain >= 0) return chain;
    }
    return -1;
}
