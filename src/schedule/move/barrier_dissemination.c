/* Barrier: dissemination; messages of no bytes over doubling distances. */
#include "schedule/algorithms.h"

static sup_status walk(const sup_job *job, int64_t rank, sup_walker *walker) {
    sup_walk w = sup_walk_of(job, rank, walker);

    for (int64_t away = 1; away < job->processes; away *= 2, w.stage++) {
        sup_walk_signal(&w, sup_turn(rank, away, job->processes), true);
        sup_walk_signal(&w, sup_turn(rank, -away, job->processes), false);
    }
    return w.status;
}

const sup_algorithm sup_barrier_dissemination = {
    .operation = SUP_BARRIER,
    .name = "dissemination",
    .summary = "messages over doubling distances",
    .traits = SUP_ALGORITHM_ALIKE,
    .walk = walk,
};
