/* Broadcast: a binomial tree; who has the vector sends it half of the remaining distance away. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank);
    for (int64_t mask = sup_power_above(job->processes) / 2; mask > 0; mask /= 2, w.stage++) {
        if (v % (2 * mask) == mask) sup_walk_receive(&w, sup_job_rank(job, v - mask), SUP_OUT, 0, job->bytes);
        if (v % (2 * mask) == 0 && v + mask < job->processes)
            sup_walk_send(&w, sup_job_rank(job, v + mask), SUP_OUT, 0, job->bytes);
    }
    return w.status;
}

const sup_algorithm sup_broadcast_binomial = {
    .operation = SUP_BROADCAST,
    .name = "binomial",
    .summary = "a binomial tree",
    .walk = walk,
};
