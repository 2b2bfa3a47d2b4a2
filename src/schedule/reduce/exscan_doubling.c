/* Exscan: recursive doubling; beside the fold of so many before it each rank has the same with its own vector, for the
 * ranks after it. */
#include "schedule/algorithms.h"

/* With the own vector; received; and a second time, because a fold may spoil what it reads. */
static int64_t temp(const sup_job *job, int64_t rank) {
    (void)rank;
    return job->processes > 1 ? 3 * job->bytes : 0;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, bytes = job->bytes;
    if (rank + 1 < count) sup_walk_copy(&w, SUP_IN, 0, SUP_TEMP, 0, bytes);
    for (int64_t mask = 1; mask < count; mask *= 2, w.stage++) {
        if (rank >= mask) sup_walk_receive(&w, rank - mask, SUP_TEMP, bytes, bytes);
        if (rank + mask < count) sup_walk_send(&w, rank + mask, SUP_TEMP, 0, bytes);
        if (rank < mask) continue;
        bool again = rank + 2 * mask < count;
        if (mask == 1) {
            sup_walk_copy(&w, SUP_TEMP, bytes, SUP_OUT, 0, bytes);
        } else if (again) {
            sup_walk_copy(&w, SUP_TEMP, bytes, SUP_TEMP, 2 * bytes, bytes);
            sup_walk_fold(&w, SUP_TEMP, 2 * bytes, SUP_OUT, 0, bytes, true);
        } else {
            sup_walk_fold(&w, SUP_TEMP, bytes, SUP_OUT, 0, bytes, true);
        }
        if (again) sup_walk_fold(&w, SUP_TEMP, bytes, SUP_TEMP, 0, bytes, true);
    }
    return w.status;
}

const sup_algorithm sup_exscan_doubling = {
    .operation = SUP_EXSCAN,
    .name = "doubling",
    .summary = "recursive doubling",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
