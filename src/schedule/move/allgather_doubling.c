/* Allgather: recursive doubling; partners exchange all they have. For powers of two. */
#include "schedule/algorithms.h"

static bool fits(const sup_job *job) { return sup_power_below(job->processes) == job->processes; }

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, rank * job->bytes, job->bytes);
    for (int64_t mask = 1; mask < job->processes; mask *= 2, w.stage++) {
        int64_t first = rank & -mask;
        sup_walk_receive(&w, rank ^ mask, SUP_OUT, (first ^ mask) * job->bytes, mask * job->bytes);
        sup_walk_send(&w, rank ^ mask, SUP_OUT, first * job->bytes, mask * job->bytes);
    }
    return w.status;
}

const sup_algorithm sup_allgather_doubling = {
    .operation = SUP_ALLGATHER,
    .name = "doubling",
    .summary = "recursive doubling; powers of two",
    .traits = SUP_ALGORITHM_ALIKE,
    .fits = fits,
    .walk = walk,
};
