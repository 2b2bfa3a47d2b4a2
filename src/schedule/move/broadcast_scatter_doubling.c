/* Broadcast: parts of the vector down a binomial tree, then an allgather of them by recursive doubling. Where the ranks
 * are no power of two, those beyond it get the vector at the end. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank), size = sup_power_below(job->processes);
    if (v < size) sup_walk_scatter_parts(&w, size);
    w.stage = sup_doublings(size);
    for (int64_t mask = 1; v < size && mask < size; mask *= 2, w.stage++) {
        int64_t first = v & -mask, partner = v ^ mask, peer = sup_job_rank(job, partner);
        sup_piece mine = sup_job_parts(job, size, first, mask);
        sup_piece theirs = sup_job_parts(job, size, first ^ mask, mask);
        /* Who handed these parts out has them. */
        if (v % (2 * mask)) sup_walk_receive(&w, peer, SUP_OUT, theirs.at, theirs.bytes);
        if (partner % (2 * mask)) sup_walk_send(&w, peer, SUP_OUT, mine.at, mine.bytes);
    }
    w.stage = 2 * sup_doublings(size);
    if (v >= size) sup_walk_receive(&w, sup_job_rank(job, v - size), SUP_OUT, 0, job->bytes);
    if (v + size < job->processes) sup_walk_send(&w, sup_job_rank(job, v + size), SUP_OUT, 0, job->bytes);
    return w.status;
}

const sup_algorithm sup_broadcast_scatter_doubling = {
    .operation = SUP_BROADCAST,
    .name = "scatter-doubling",
    .summary = "binomial scatter, then recursive doubling",
    .walk = walk,
};
