/* The algorithms of this folder, a const object a file; the table is in algorithms.c. */
#ifndef SUP_SCHEDULE_ALGORITHMS_H
#define SUP_SCHEDULE_ALGORITHMS_H

#include "schedule/walk.h"

extern const sup_algorithm sup_broadcast_linear, sup_broadcast_chain, sup_broadcast_pipeline, sup_broadcast_binary,
    sup_broadcast_binomial, sup_broadcast_scatter_doubling, sup_broadcast_scatter_ring, sup_broadcast_shared;
extern const sup_algorithm sup_scatter_linear, sup_scatter_binomial, sup_scatter_shared, sup_scatter_direct;
extern const sup_algorithm sup_gather_linear, sup_gather_binomial, sup_gather_shared, sup_gather_direct;
extern const sup_algorithm sup_allgather_ring, sup_allgather_doubling, sup_allgather_neighbour, sup_allgather_bruck,
    sup_allgather_shared, sup_allgather_direct;
extern const sup_algorithm sup_reduce_linear, sup_reduce_binomial, sup_reduce_scatter_gather, sup_reduce_shared;
extern const sup_algorithm sup_allreduce_doubling, sup_allreduce_ring, sup_allreduce_rabenseifner, sup_allreduce_shared;
extern const sup_algorithm sup_reduce_scatter_ring, sup_reduce_scatter_pairwise, sup_reduce_scatter_halving,
    sup_reduce_scatter_shared;
extern const sup_algorithm sup_alltoall_linear, sup_alltoall_pairwise, sup_alltoall_bruck, sup_alltoall_shared,
    sup_alltoall_direct;
extern const sup_algorithm sup_scan_linear, sup_scan_doubling, sup_scan_shared;
extern const sup_algorithm sup_exscan_linear, sup_exscan_doubling, sup_exscan_shared;
extern const sup_algorithm sup_barrier_dissemination, sup_barrier_shared;

#endif
