/* Broadcast: a chain of ranks that pass segments on, each while it receives the next one. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank), segments = sup_job_segments(job);
    for (int64_t k = 0; k <= segments && !w.status; k++) {
        w.stage = (int)(v + k - 1);
        sup_piece next = sup_job_segment(job, k), last = sup_job_segment(job, k - 1);
        if (v > 0 && k < segments) sup_walk_receive(&w, sup_job_rank(job, v - 1), SUP_OUT, next.at, next.bytes);
        if (v + 1 < job->processes && k > 0) sup_walk_send(&w, sup_job_rank(job, v + 1), SUP_OUT, last.at, last.bytes);
    }
    return w.status;
}

const sup_algorithm sup_broadcast_pipeline = {
    .operation = SUP_BROADCAST,
    .name = "pipeline",
    .summary = "from rank to rank in segments",
    .traits = SUP_ALGORITHM_SEGMENTS,
    .walk = walk,
};
