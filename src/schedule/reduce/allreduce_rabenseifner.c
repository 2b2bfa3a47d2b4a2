/* Allreduce: Rabenseifner's; a reduce-scatter by recursive halving, then an allgather by recursive doubling. Ranks
 * beyond a power of two first hand their vector to a neighbour, and get the result from it. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    sup_core core = sup_core_of(job->processes, rank, -1);
    if (core.index < 0 || job->processes == 1) return 0;
    return core.other >= 0 ? job->bytes : sup_core_part(job, &core, 0, 2).bytes;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_core core = sup_core_of(job->processes, rank, -1);
    if (core.index >= 0) sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, job->bytes);
    sup_core_fold_in(&w, &core, SUP_OUT, 0);
    if (core.index >= 0) sup_core_halve(&w, &core, SUP_OUT, 0);
    w.stage = (core.extra > 0) + sup_doublings(core.size);
    for (int64_t mask = core.size / 2; mask > 0; mask /= 2, w.stage++) {
        if (core.index < 0) continue;
        int64_t partner = core.index ^ mask, peer = sup_core_rank(&core, partner);
        sup_piece mine = sup_core_part(job, &core, core.index, 2 * mask);
        sup_piece theirs = sup_core_part(job, &core, partner, 2 * mask);
        sup_walk_receive(&w, peer, SUP_OUT, theirs.at, theirs.bytes);
        sup_walk_send(&w, peer, SUP_OUT, mine.at, mine.bytes);
    }
    if (core.other >= 0 && core.index >= 0) sup_walk_send(&w, core.other, SUP_OUT, 0, job->bytes);
    if (core.other >= 0 && core.index < 0) sup_walk_receive(&w, core.other, SUP_OUT, 0, job->bytes);
    return w.status;
}

const sup_algorithm sup_allreduce_rabenseifner = {
    .operation = SUP_ALLREDUCE,
    .name = "rabenseifner",
    .summary = "recursive halving, then doubling",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
