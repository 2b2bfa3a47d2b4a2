/* Algorithms in memory that all members of one host share (coll/shared_OPERATION.c): rows for plans and models, no
 * actions. */
#include "schedule/algorithms.h"

#define SHARED(name_, operation_, traits_, ...)                                             \
    const sup_algorithm sup_##name_##_shared = {.operation = (operation_),                  \
                                                .name = "shared",                           \
                                                .summary = "in the memory of one host",     \
                                                .traits = SUP_ALGORITHM_SHARED | (traits_), \
                                                __VA_ARGS__}

SHARED(broadcast, SUP_BROADCAST, SUP_ALGORITHM_SEGMENTS, .radix = 8, .radix_most = 64);
SHARED(scatter, SUP_SCATTER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(gather, SUP_GATHER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(allgather, SUP_ALLGATHER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(reduce, SUP_REDUCE, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(allreduce, SUP_ALLREDUCE, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(reduce_scatter, SUP_REDUCE_SCATTER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS,
       .radix = 0);
SHARED(alltoall, SUP_ALLTOALL, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(scan, SUP_SCAN, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(exscan, SUP_EXSCAN, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS, .radix = 0);
SHARED(barrier, SUP_BARRIER, 0, .radix = 0);
