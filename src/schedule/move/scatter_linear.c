/* Scatter: the root sends everyone its block. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_piece own = sup_job_out(job, rank);
    if (rank != job->root) {
        sup_walk_receive(&w, job->root, SUP_OUT, own.at, own.bytes);
        return w.status;
    }
    for (int64_t v = 1; v < job->processes && !w.status; v++) {
        int64_t to = sup_job_rank(job, v);
        sup_piece block = sup_job_in(job, to);
        sup_walk_send(&w, to, SUP_IN, block.at, block.bytes);
    }
    sup_walk_copy(&w, SUP_IN, sup_job_in(job, rank).at, SUP_OUT, own.at, own.bytes);
    return w.status;
}

const sup_algorithm sup_scatter_linear = {
    .operation = SUP_SCATTER,
    .name = "linear",
    .summary = "the root sends to each",
    .traits = SUP_ALGORITHM_BLOCKS,
    .walk = walk,
};
