/* The table of collective algorithms, by operation. */
#include "schedule/algorithms.h"

#include <string.h>

const sup_algorithm *const sup_algorithms[] = {
    &sup_broadcast_linear,       &sup_broadcast_chain,
    &sup_broadcast_pipeline,     &sup_broadcast_binary,
    &sup_broadcast_binomial,     &sup_broadcast_scatter_doubling,
    &sup_broadcast_scatter_ring, &sup_broadcast_shared,
    &sup_scatter_linear,         &sup_scatter_binomial,
    &sup_scatter_shared,         &sup_scatter_direct,
    &sup_gather_linear,          &sup_gather_binomial,
    &sup_gather_shared,          &sup_gather_direct,
    &sup_allgather_ring,         &sup_allgather_doubling,
    &sup_allgather_neighbour,    &sup_allgather_bruck,
    &sup_allgather_shared,       &sup_allgather_direct,
    &sup_reduce_linear,          &sup_reduce_binomial,
    &sup_reduce_scatter_gather,  &sup_reduce_shared,
    &sup_allreduce_doubling,     &sup_allreduce_ring,
    &sup_allreduce_rabenseifner, &sup_allreduce_shared,
    &sup_reduce_scatter_ring,    &sup_reduce_scatter_pairwise,
    &sup_reduce_scatter_halving, &sup_reduce_scatter_shared,
    &sup_alltoall_linear,        &sup_alltoall_pairwise,
    &sup_alltoall_bruck,         &sup_alltoall_shared,
    &sup_alltoall_direct,        &sup_scan_linear,
    &sup_scan_doubling,          &sup_scan_shared,
    &sup_exscan_linear,          &sup_exscan_doubling,
    &sup_exscan_shared,          &sup_barrier_dissemination,
    &sup_barrier_shared,         NULL,
};

const sup_algorithm *sup_algorithm_find(int operation, const char *name) {
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++)
        if ((*a)->operation == operation && !strcmp((*a)->name, name)) return *a;
    return NULL;
}

bool sup_algorithm_fits(const sup_algorithm *algorithm, const sup_job *job) {
    if (algorithm->operation != job->operation) return false;
    if (sup_job_uneven(job) && !(algorithm->traits & SUP_ALGORITHM_BLOCKS)) return false;
    return !algorithm->fits || algorithm->fits(job);
}
