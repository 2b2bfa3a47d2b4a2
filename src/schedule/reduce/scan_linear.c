/* Scan: from rank to rank, in segments if asked for; each while it receives the next one. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) { return rank > 0 ? sup_job_segment(job, 0).bytes : 0; }

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t segments = sup_job_segments(job);
    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, job->bytes);
    for (int64_t k = 0; k <= segments && !w.status; k++) {
        w.stage = (int)(rank + k - 1);
        sup_piece next = sup_job_segment(job, k), last = sup_job_segment(job, k - 1);
        bool receives = rank > 0 && k < segments;
        if (receives) sup_walk_receive(&w, rank - 1, SUP_TEMP, 0, next.bytes);
        if (rank + 1 < job->processes && k > 0) sup_walk_send(&w, rank + 1, SUP_OUT, last.at, last.bytes);
        if (receives) sup_walk_fold(&w, SUP_TEMP, 0, SUP_OUT, next.at, next.bytes, true);
    }
    return w.status;
}

const sup_algorithm sup_scan_linear = {
    .operation = SUP_SCAN,
    .name = "linear",
    .summary = "from rank to rank, in segments",
    .traits = SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS,
    .temp = temp,
    .walk = walk,
};
