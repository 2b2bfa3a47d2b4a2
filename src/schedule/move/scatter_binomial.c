/* Scatter: a binomial tree; each rank gets the blocks of its subtree and sends halves of them on. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    int64_t v = sup_job_from_root(job, rank), blocks = v ? sup_subtree(v, job->processes) : 0;
    return blocks > 1 ? blocks * job->bytes : 0;
}

/* Blocks [v, v + count), counted from the root on: two pieces in the root's buffer where they go around its end, so
 * both sides cut them there. A rank inside the tree keeps them one behind the other, its own first. */
static void pass(sup_walk *w, int64_t v, int64_t peer, bool receive) {
    const sup_job *job = w->job;
    int64_t own = sup_job_from_root(job, w->rank), count = sup_subtree(v, job->processes);
    int64_t first = sup_job_rank(job, v), whole = job->processes - first;
    bool from_root = receive ? peer == job->root : own == 0;
    for (int64_t done = 0, some = from_root && whole < count ? whole : count; done < count; done = some, some = count) {
        int64_t bytes = (some - done) * job->bytes;
        if (receive)
            sup_walk_receive(w, peer, count > 1 ? SUP_TEMP : SUP_OUT, done * job->bytes, bytes);
        else if (own == 0)
            sup_walk_send(w, peer, SUP_IN, (done ? 0 : first) * job->bytes, bytes);
        else
            sup_walk_send(w, peer, SUP_TEMP, (v - own + done) * job->bytes, bytes);
    }
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t v = sup_job_from_root(job, rank);
    for (int64_t mask = sup_power_above(job->processes) / 2; mask > 0; mask /= 2, w.stage++) {
        if (v % (2 * mask) == mask) pass(&w, v, sup_job_rank(job, v - mask), true);
        if (v % (2 * mask) == 0 && v + mask < job->processes) pass(&w, v + mask, sup_job_rank(job, v + mask), false);
    }
    if (v == 0)
        sup_walk_copy(&w, SUP_IN, rank * job->bytes, SUP_OUT, 0, job->bytes);
    else if (sup_subtree(v, job->processes) > 1)
        sup_walk_copy(&w, SUP_TEMP, 0, SUP_OUT, 0, job->bytes);
    return w.status;
}

const sup_algorithm sup_scatter_binomial = {
    .operation = SUP_SCATTER,
    .name = "binomial",
    .summary = "a binomial tree",
    .temp = temp,
    .walk = walk,
};
