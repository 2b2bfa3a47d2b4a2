/* Broadcast: a binary tree; each rank passes a segment on to both children while it receives the next one. */
#include "schedule/algorithms.h"

static int depth_of(int64_t v) {
    int depth = 0;
    for (; v > 0; v = (v - 1) / 2) depth++;
    return depth;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank), segments = sup_job_segments(job);
    int depth = depth_of(v);
    for (int64_t k = 0; k <= segments && !w.status; k++) {
        w.stage = depth + (int)k - 1;
        sup_piece next = sup_job_segment(job, k), last = sup_job_segment(job, k - 1);
        if (v > 0 && k < segments) sup_walk_receive(&w, sup_job_rank(job, (v - 1) / 2), SUP_OUT, next.at, next.bytes);
        for (int64_t child = 2 * v + 1; k > 0 && child <= 2 * v + 2 && child < job->processes; child++)
            sup_walk_send(&w, sup_job_rank(job, child), SUP_OUT, last.at, last.bytes);
    }
    return w.status;
}

const sup_algorithm sup_broadcast_binary = {
    .operation = SUP_BROADCAST,
    .name = "binary",
    .summary = "a binary tree, in segments",
    .traits = SUP_ALGORITHM_SEGMENTS,
    .walk = walk,
};
