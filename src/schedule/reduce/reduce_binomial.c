/* Reduce: the ranks from the root on by a binomial tree to the root, those before it by another to rank 0, which sends
 * the root its result: neighbours in the order of ranks, whichever the root is. */
#include "schedule/algorithms.h"

/* The tree of this rank: [first, first + count). */
static void tree_of(const sup_job *job, int64_t rank, int64_t *first, int64_t *count) {
    bool high = rank >= job->root;
    *first = high ? job->root : 0;
    *count = high ? job->processes - job->root : job->root;
}

static int64_t temp(const sup_job *job, int64_t rank) {
    int64_t first, count;
    tree_of(job, rank, &first, &count);
    int64_t below = sup_subtree(rank - first, count);
    if (rank == job->root) return job->processes > 1 ? job->bytes : 0;
    return below < 2 ? 0 : below < 3 ? job->bytes : 2 * job->bytes;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    int64_t first, count, bytes = job->bytes;
    tree_of(job, rank, &first, &count);
    int64_t v = rank - first;
    bool is_root = rank == job->root, mine = is_root; /* mine: own vector and subtrees are in `to` */
    int to = is_root ? SUP_OUT : SUP_TEMP;
    if (is_root) sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, bytes);
    for (int64_t mask = 1; mask < count && v % mask == 0; mask *= 2, w.stage++) {
        if (v & mask) {
            sup_walk_send(&w, first + v - mask, mine ? to : SUP_IN, 0, bytes);
        } else if (v + mask < count && mine) {
            int64_t at = is_root ? 0 : bytes;
            sup_walk_receive(&w, rank + mask, SUP_TEMP, at, bytes);
            sup_walk_fold(&w, SUP_TEMP, at, to, 0, bytes, false);
        } else if (v + mask < count) {
            sup_walk_receive(&w, rank + mask, SUP_TEMP, 0, bytes);
            sup_walk_fold(&w, SUP_IN, 0, SUP_TEMP, 0, bytes, true);
            mine = true;
        }
    }
    int64_t larger = count < job->processes - count ? job->processes - count : count;
    w.stage = sup_doublings(larger);
    if (is_root && rank > 0) {
        sup_walk_receive(&w, 0, SUP_TEMP, 0, bytes);
        sup_walk_fold(&w, SUP_TEMP, 0, SUP_OUT, 0, bytes, true);
    } else if (rank == 0 && !is_root) {
        sup_walk_send(&w, job->root, mine ? SUP_TEMP : SUP_IN, 0, bytes);
    }
    return w.status;
}

const sup_algorithm sup_reduce_binomial = {
    .operation = SUP_REDUCE,
    .name = "binomial",
    .summary = "a binomial tree",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
