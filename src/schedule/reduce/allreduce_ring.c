/* Allreduce: each part of the vector is folded once around a ring, then passed around it. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    (void)rank;
    return job->processes > 1 ? sup_job_parts(job, job->processes, 0, 1).bytes : 0;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, right = sup_turn(rank, 1, count), left = sup_turn(rank, -1, count);
    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, job->bytes);
    for (int64_t s = 0; s + 1 < count && !w.status; s++, w.stage++) {
        sup_piece mine = sup_job_parts(job, count, sup_turn(rank, -1 - s, count), 1);
        sup_piece theirs = sup_job_parts(job, count, sup_turn(rank, -2 - s, count), 1);
        sup_walk_receive(&w, left, SUP_TEMP, 0, theirs.bytes);
        sup_walk_send(&w, right, SUP_OUT, mine.at, mine.bytes);
        sup_walk_fold(&w, SUP_TEMP, 0, SUP_OUT, theirs.at, theirs.bytes, true);
    }
    for (int64_t s = 0; s + 1 < count && !w.status; s++, w.stage++) {
        sup_piece mine = sup_job_parts(job, count, sup_turn(rank, -s, count), 1);
        sup_piece theirs = sup_job_parts(job, count, sup_turn(rank, -1 - s, count), 1);
        sup_walk_receive(&w, left, SUP_OUT, theirs.at, theirs.bytes);
        sup_walk_send(&w, right, SUP_OUT, mine.at, mine.bytes);
    }
    return w.status;
}

const sup_algorithm sup_allreduce_ring = {
    .operation = SUP_ALLREDUCE,
    .name = "ring",
    .summary = "reduce-scatter and allgather around a ring",
    .traits = SUP_ALGORITHM_ALIKE,
    .temp = temp,
    .walk = walk,
};
