/* Gather: everyone sends its block to the root. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_piece own = sup_job_in(job, rank);
    if (rank != job->root) {
        sup_walk_send(&w, job->root, SUP_IN, own.at, own.bytes);
        return w.status;
    }
    for (int64_t v = 1; v < job->processes && !w.status; v++) {
        int64_t from = sup_job_rank(job, v);
        sup_piece block = sup_job_out(job, from);
        sup_walk_receive(&w, from, SUP_OUT, block.at, block.bytes);
    }
    sup_walk_copy(&w, SUP_IN, own.at, SUP_OUT, sup_job_out(job, rank).at, own.bytes);
    return w.status;
}

const sup_algorithm sup_gather_linear = {
    .operation = SUP_GATHER,
    .name = "linear",
    .summary = "each sends to the root",
    .traits = SUP_ALGORITHM_BLOCKS,
    .walk = walk,
};
