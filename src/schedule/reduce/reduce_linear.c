/* Reduce: the root folds everyone's vector into its own, first those of lower ranks, the nearest first, then those of
 * higher ones: neighbours in the order of ranks. */
#include "schedule/algorithms.h"

static int64_t temp(const sup_job *job, int64_t rank) {
    return rank == job->root && job->processes > 1 ? job->bytes : 0;
}

static void take(sup_walk *w, int64_t from) {
    sup_walk_receive(w, from, SUP_TEMP, 0, w->job->bytes);
    sup_walk_fold(w, SUP_TEMP, 0, SUP_OUT, 0, w->job->bytes, from < w->rank);
    w->stage++;
}

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    if (rank != job->root) {
        w.stage = (int)(rank < job->root ? job->root - 1 - rank : rank - 1);
        sup_walk_send(&w, job->root, SUP_IN, 0, job->bytes);
        return w.status;
    }
    sup_walk_copy(&w, SUP_IN, 0, SUP_OUT, 0, job->bytes);
    for (int64_t from = rank - 1; from >= 0 && !w.status; from--) take(&w, from);
    for (int64_t from = rank + 1; from < job->processes && !w.status; from++) take(&w, from);
    return w.status;
}

const sup_algorithm sup_reduce_linear = {
    .operation = SUP_REDUCE,
    .name = "linear",
    .summary = "each sends to the root",
    .traits = SUP_ALGORITHM_ORDERED,
    .temp = temp,
    .walk = walk,
};
