/* All-to-all: every message at once. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes;
    for (int64_t s = 1; s < count && !w.status; s++) {
        int64_t from = sup_turn(rank, -s, count);
        sup_piece block = sup_job_out(job, from);
        sup_walk_receive(&w, from, SUP_OUT, block.at, block.bytes);
    }
    for (int64_t s = 1; s < count && !w.status; s++) {
        int64_t to = sup_turn(rank, s, count);
        sup_piece block = sup_job_in(job, to);
        sup_walk_send(&w, to, SUP_IN, block.at, block.bytes);
    }
    sup_walk_copy(&w, SUP_IN, sup_job_in(job, rank).at, SUP_OUT, sup_job_out(job, rank).at,
                  sup_job_in(job, rank).bytes);
    return w.status;
}

const sup_algorithm sup_alltoall_linear = {
    .operation = SUP_ALLTOALL,
    .name = "linear",
    .summary = "all messages at once",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ALIKE,
    .walk = walk,
};
