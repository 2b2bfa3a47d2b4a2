/* Allreduce: recursive doubling; partners exchange whole vectors. Ranks beyond a power of two first hand theirs to a
 * neighbour, and get the result from it. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    sup_core core = sup_core_of(job->processes, rank, -1);
    return core.index < 0 || job->processes == 1 ? 0 : job->bytes;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_core core = sup_core_of(job->processes, rank, -1);
    if (core.index >= 0) sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, job->bytes);
    sup_core_fold_in(&w, &core, SUP_OUT, 0);
    for (int64_t mask = 1; mask < core.size; mask *= 2, w.stage++) {
        if (core.index < 0) continue;
        int64_t partner = core.index ^ mask, peer = sup_core_rank(&core, partner);
        sup_walk_receive(&w, peer, SUP_TEMP, 0, job->bytes);
        sup_walk_send(&w, peer, SUP_OUT, 0, job->bytes);
        sup_walk_fold(&w, SUP_TEMP, 0, SUP_OUT, 0, job->bytes, partner < core.index);
    }
    if (core.other >= 0 && core.index >= 0) sup_walk_send(&w, core.other, SUP_OUT, 0, job->bytes);
    if (core.other >= 0 && core.index < 0) sup_walk_receive(&w, core.other, SUP_OUT, 0, job->bytes);
    return w.status;
}

const sup_algorithm sup_allreduce_doubling = {
    .operation = SUP_ALLREDUCE,
    .name = "doubling",
    .summary = "recursive doubling of whole vectors",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
