/* Broadcast: parts of the vector down a binomial tree, then around a ring, past those who have them. */
#include "schedule/algorithms.h"

/* Did v get this part when they were handed out? */
static bool has(const sup_job *job, int64_t v, int64_t part) {
    return part >= v && part < v + sup_subtree(v, job->processes);
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank), count = job->processes;
    sup_walk_scatter_parts(&w, count);
    w.stage = sup_doublings(count);
    int64_t right = sup_turn(v, 1, count), left = sup_turn(v, -1, count);
    for (int64_t s = 0; s + 1 < count && !w.status; s++, w.stage++) {
        int64_t out = sup_turn(v, -s, count), in = sup_turn(v, -s - 1, count);
        sup_piece mine = sup_job_parts(job, count, out, 1), theirs = sup_job_parts(job, count, in, 1);
        if (!has(job, v, in)) sup_walk_receive(&w, sup_job_rank(job, left), SUP_OUT, theirs.at, theirs.bytes);
        if (!has(job, right, out)) sup_walk_send(&w, sup_job_rank(job, right), SUP_OUT, mine.at, mine.bytes);
    }
    return w.status;
}

const sup_algorithm sup_broadcast_scatter_ring = {
    .operation = SUP_BROADCAST,
    .name = "scatter-ring",
    .summary = "binomial scatter, then a ring",
    .walk = walk,
};
