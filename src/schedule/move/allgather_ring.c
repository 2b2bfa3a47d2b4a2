/* Allgather: around a ring, a block a stage. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, right = sup_turn(rank, 1, count), left = sup_turn(rank, -1, count);
    sup_piece own = sup_job_out(job, rank);
    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, own.at, own.bytes);
    for (int64_t s = 0; s + 1 < count && !w.status; s++, w.stage++) {
        sup_piece mine = sup_job_out(job, sup_turn(rank, -s, count));
        sup_piece theirs = sup_job_out(job, sup_turn(left, -s, count));
        sup_walk_receive(&w, left, SUP_OUT, theirs.at, theirs.bytes);
        sup_walk_send(&w, right, SUP_OUT, mine.at, mine.bytes);
    }
    return w.status;
}

const sup_algorithm sup_allgather_ring = {
    .operation = SUP_ALLGATHER,
    .name = "ring",
    .summary = "around a ring",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ALIKE,
    .walk = walk,
};
