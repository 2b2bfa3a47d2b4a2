/* All-to-all: in each stage a block to the rank that is so far away, and one from the other side. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes;
    sup_walk_copy(&w, SUP_IN, sup_job_in(job, rank).at, SUP_OUT, sup_job_out(job, rank).at,
                  sup_job_in(job, rank).bytes);
    for (int64_t s = 1; s < count && !w.status; s++, w.stage++) {
        int64_t to = sup_turn(rank, s, count), from = sup_turn(rank, -s, count);
        sup_piece mine = sup_job_in(job, to), theirs = sup_job_out(job, from);
        sup_walk_receive(&w, from, SUP_OUT, theirs.at, theirs.bytes);
        sup_walk_send(&w, to, SUP_IN, mine.at, mine.bytes);
    }
    return w.status;
}

const sup_algorithm sup_alltoall_pairwise = {
    .operation = SUP_ALLTOALL,
    .name = "pairwise",
    .summary = "one partner after the other",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ALIKE,
    .walk = walk,
};
