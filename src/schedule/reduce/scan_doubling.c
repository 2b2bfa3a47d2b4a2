/* Scan: recursive doubling; each rank has the fold of so many before it, and then of twice as many. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) { return rank > 0 ? job->bytes : 0; }

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, job->bytes);
    for (int64_t mask = 1; mask < job->processes; mask *= 2, w.stage++) {
        if (rank >= mask) sup_walk_receive(&w, rank - mask, SUP_TEMP, 0, job->bytes);
        if (rank + mask < job->processes) sup_walk_send(&w, rank + mask, SUP_OUT, 0, job->bytes);
        if (rank >= mask) sup_walk_fold(&w, SUP_TEMP, 0, SUP_OUT, 0, job->bytes, true);
    }
    return w.status;
}

const sup_algorithm sup_scan_doubling = {
    .operation = SUP_SCAN,
    .name = "doubling",
    .summary = "recursive doubling",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
