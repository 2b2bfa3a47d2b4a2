/* Reduce: a reduce-scatter by recursive halving, then the parts by a binomial tree to the root. Ranks beyond a power of
 * two first hand their vector to a neighbour. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    sup_core core = sup_core_of(job->processes, rank, job->root);
    if (core.index < 0 || job->processes == 1) return 0;
    int64_t received = core.other >= 0 ? job->bytes : sup_core_part(job, &core, 0, 2).bytes;
    return received + (rank == job->root ? 0 : job->bytes);
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_core core = sup_core_of(job->processes, rank, job->root),
             of_root = sup_core_of(job->processes, job->root, job->root);
    int to = rank == job->root ? SUP_OUT : SUP_TEMP;
    int64_t at = rank == job->root ? 0 : job->bytes;
    if (core.index >= 0) sup_walk_copy(&w, SUP_IN, 0, to, 0, job->bytes);
    sup_core_fold_in(&w, &core, to, at);
    if (core.index < 0) return w.status;
    sup_core_halve(&w, &core, to, at);
    int64_t away = core.index ^ of_root.index;
    for (int64_t mask = core.size / 2; mask > 0; mask /= 2, w.stage++) {
        if (away >= 2 * mask) break;
        int64_t partner = core.index ^ mask, peer = sup_core_rank(&core, partner);
        sup_piece mine = sup_core_part(job, &core, core.index, 2 * mask);
        sup_piece theirs = sup_core_part(job, &core, partner, 2 * mask);
        if (away & mask)
            sup_walk_send(&w, peer, to, mine.at, mine.bytes);
        else
            sup_walk_receive(&w, peer, to, theirs.at, theirs.bytes);
    }
    return w.status;
}

const sup_algorithm sup_reduce_scatter_gather = {
    .operation = SUP_REDUCE,
    .name = "scatter-gather",
    .summary = "reduce-scatter, then gather",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
