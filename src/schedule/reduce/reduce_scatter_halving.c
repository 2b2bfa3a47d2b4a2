/* Reduce-scatter: recursive halving; partners exchange and fold the half that the other one's blocks are in. Ranks
 * beyond a power of two hand all blocks to a neighbour and get theirs from it. */
#include "schedule/algorithms.h"

/* Where block i begins if they lie one behind the other. */
static int64_t start_of(const sup_job *job, int64_t i) {
    if (!job->in_bytes) return i * job->bytes;
    int64_t at = 0;
    for (int64_t k = 0; k < i; k++) at += job->in_bytes[k];
    return at;
}

/* The blocks of core members [index, index + count). */
static sup_piece blocks_of(const sup_job *job, const sup_core *core, int64_t index, int64_t count) {
    int64_t end = index + count;
    int64_t at = start_of(job, index < core->extra ? 2 * index : index + core->extra);
    return (sup_piece){.at = at, .bytes = start_of(job, end < core->extra ? 2 * end : end + core->extra) - at};
}

/* All blocks, and as many to receive. */
static int64_t temp(const sup_job *job, int64_t rank) {
    sup_core core = sup_core_of(job->processes, rank, -1);
    if (core.index < 0) return sup_job_uneven(job) ? sup_job_total(job) : 0;
    return job->processes > 1 ? 2 * sup_job_total(job) : 0;
}

/* All blocks one behind the other, if they do not lie so in IN. */
static void pack(sup_walk *w) {
    const sup_job *job = w->job;
    if (!sup_job_uneven(job)) sup_walk_copy(w, SUP_IN, 0, SUP_TEMP, 0, sup_job_total(job));
    for (int64_t i = 0, at = 0; sup_job_uneven(job) && i < job->processes && !w->status; i++) {
        sup_piece block = sup_job_in(job, i);
        sup_walk_copy(w, SUP_IN, block.at, SUP_TEMP, at, block.bytes);
        at += block.bytes;
    }
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_core core = sup_core_of(job->processes, rank, -1);
    int64_t total = sup_job_total(job), own = sup_job_out(job, rank).bytes;
    if (job->processes == 1) {
        sup_walk_copy(&w, SUP_IN, sup_job_in(job, 0).at, SUP_OUT, 0, own);
        return w.status;
    }
    bool inside = core.index >= 0;
    if (inside || sup_job_uneven(job)) pack(&w);
    if (!inside) sup_walk_send(&w, core.other, sup_job_uneven(job) ? SUP_TEMP : SUP_IN, 0, total);
    if (inside && core.other >= 0) {
        sup_walk_receive(&w, core.other, SUP_TEMP, total, total);
        sup_walk_fold(&w, SUP_TEMP, total, SUP_TEMP, 0, total, true);
    }
    w.stage = core.extra > 0;
    for (int64_t mask = core.size / 2; mask > 0; mask /= 2, w.stage++) {
        if (!inside) continue;
        int64_t partner = core.index ^ mask, peer = sup_core_rank(&core, partner);
        sup_piece mine = blocks_of(job, &core, core.index & -mask, mask);
        sup_piece theirs = blocks_of(job, &core, partner & -mask, mask);
        sup_walk_receive(&w, peer, SUP_TEMP, total, mine.bytes);
        sup_walk_send(&w, peer, SUP_TEMP, theirs.at, theirs.bytes);
        sup_walk_fold(&w, SUP_TEMP, total, SUP_TEMP, mine.at, mine.bytes, partner < core.index);
    }
    if (!inside) {
        sup_walk_receive(&w, core.other, SUP_OUT, 0, own);
        return w.status;
    }
    if (core.other >= 0)
        sup_walk_send(&w, core.other, SUP_TEMP, start_of(job, core.other), sup_job_in(job, core.other).bytes);
    sup_walk_copy(&w, SUP_TEMP, start_of(job, rank), SUP_OUT, 0, own);
    return w.status;
}

const sup_algorithm sup_reduce_scatter_halving = {
    .operation = SUP_REDUCE_SCATTER,
    .name = "halving",
    .summary = "recursive halving",
    .traits = SUP_ALGORITHM_BLOCKS,
    .temp = temp,
    .walk = walk,
};
