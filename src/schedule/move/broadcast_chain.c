/* Broadcast: each rank passes the whole vector on to the next. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank);
    if (v > 0) {
        w.stage = (int)v - 1;
        sup_walk_receive(&w, sup_job_rank(job, v - 1), SUP_OUT, 0, job->bytes);
    }
    if (v + 1 < job->processes) {
        w.stage = (int)v;
        sup_walk_send(&w, sup_job_rank(job, v + 1), SUP_OUT, 0, job->bytes);
    }
    return w.status;
}

const sup_algorithm sup_broadcast_chain = {
    .operation = SUP_BROADCAST,
    .name = "chain",
    .summary = "from rank to rank",
    .walk = walk,
};
