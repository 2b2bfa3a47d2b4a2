/* Broadcast: the root sends the vector to one after the other. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    if (rank != job->root) {
        sup_walk_receive(&w, job->root, SUP_OUT, 0, job->bytes);
        return w.status;
    }
    for (int64_t v = 1; v < job->processes && !w.status; v++)
        sup_walk_send(&w, sup_job_rank(job, v), SUP_OUT, 0, job->bytes);
    return w.status;
}

const sup_algorithm sup_broadcast_linear = {
    .operation = SUP_BROADCAST,
    .name = "linear",
    .summary = "the root sends to each",
    .walk = walk,
};
