/* Reduce-scatter: each rank gets its block from every other in turn, from its left neighbour first. Those of lower and
 * of higher ranks are folded apart and joined at the end: neighbours in the order of ranks. */
#include "schedule/algorithms.h"

/* What is received, and the fold of the higher ranks. */
static int64_t temp(const sup_job *job, int64_t rank) {
    return job->processes > 1 ? 2 * sup_job_out(job, rank).bytes : 0;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, bytes = sup_job_out(job, rank).bytes;
    sup_walk_copy(&w, SUP_IN, sup_job_in(job, rank).at, SUP_OUT, 0, bytes);
    for (int64_t s = 1; s < count && !w.status; s++, w.stage++) {
        int64_t to = sup_turn(rank, s, count), from = sup_turn(rank, -s, count);
        sup_piece theirs = sup_job_in(job, to);
        sup_walk_receive(&w, from, SUP_TEMP, from == count - 1 ? bytes : 0, bytes);
        sup_walk_send(&w, to, SUP_IN, theirs.at, theirs.bytes);
        if (from < rank)
            sup_walk_fold(&w, SUP_TEMP, 0, SUP_OUT, 0, bytes, true);
        else if (from < count - 1)
            sup_walk_fold(&w, SUP_TEMP, 0, SUP_TEMP, bytes, bytes, true);
    }
    if (rank < count - 1) sup_walk_fold(&w, SUP_TEMP, bytes, SUP_OUT, 0, bytes, false);
    return w.status;
}

const sup_algorithm sup_reduce_scatter_pairwise = {
    .operation = SUP_REDUCE_SCATTER,
    .name = "pairwise",
    .summary = "a block from each in turn",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_ALIKE,
    .temp = temp,
    .walk = walk,
};
