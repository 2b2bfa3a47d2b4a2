/* Reduce-scatter: each block goes once around a ring to its rank, folded on the way. */
#include "schedule/algorithms.h"

static int64_t longest(const sup_job *job) {
    int64_t most = job->in_bytes ? 0 : job->bytes;
    for (int64_t i = 0; job->in_bytes && i < job->processes; i++)
        if (job->in_bytes[i] > most) most = job->in_bytes[i];
    return most;
}

/* What goes out next, and what comes in. */
static int64_t temp(const sup_job *job, int64_t rank) {
    (void)rank;
    return job->processes > 2 ? 2 * longest(job) : 0;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t count = job->processes, right = sup_turn(rank, 1, count), left = sup_turn(rank, -1, count);
    int64_t half = longest(job);
    sup_piece own = sup_job_in(job, rank);
    if (count == 1) sup_walk_copy(&w, SUP_IN, own.at, SUP_OUT, 0, own.bytes);
    for (int64_t s = 0; s + 1 < count && !w.status; s++, w.stage++) {
        sup_piece mine = sup_job_in(job, sup_turn(rank, -1 - s, count));
        sup_piece theirs = sup_job_in(job, sup_turn(rank, -2 - s, count));
        bool last = s + 2 == count;
        int to = last ? SUP_OUT : SUP_TEMP;
        int64_t at = last ? 0 : s % 2 * half;
        sup_walk_receive(&w, left, to, at, theirs.bytes);
        sup_walk_send(&w, right, s ? SUP_TEMP : SUP_IN, s ? (s - 1) % 2 * half : mine.at, mine.bytes);
        sup_walk_fold(&w, SUP_IN, theirs.at, to, at, theirs.bytes, false);
    }
    return w.status;
}

const sup_algorithm sup_reduce_scatter_ring = {
    .operation = SUP_REDUCE_SCATTER,
    .name = "ring",
    .summary = "around a ring",
    .traits = SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ALIKE,
    .temp = temp,
    .walk = walk,
};
