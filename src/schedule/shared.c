/* Algorithms in memory that all members of one host share (coll/shared_OPERATION.c): rows for plans and models, no
 * actions. "direct" is the same operation with long blocks copied by the kernel from memory to memory. */
#include "schedule/algorithms.h"

#define ROW(object, operation_, name_, summary_, ...)        \
    const sup_algorithm object = {.operation = (operation_), \
                                  .name = (name_),           \
                                  .summary = (summary_),     \
                                  .traits = SUP_ALGORITHM_SHARED | __VA_ARGS__}
#define SHARED(object, operation, ...) ROW(object, operation, "shared", "in the memory of one host", __VA_ARGS__)
#define DIRECT(object, operation) \
    ROW(object, operation, "direct", "from memory to memory in one host, one copy", SUP_ALGORITHM_BLOCKS)

SHARED(sup_broadcast_shared, SUP_BROADCAST, SUP_ALGORITHM_SEGMENTS, .radix = 64, .radix_most = 64);
SHARED(sup_scatter_shared, SUP_SCATTER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_gather_shared, SUP_GATHER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_allgather_shared, SUP_ALLGATHER, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_reduce_shared, SUP_REDUCE, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_allreduce_shared, SUP_ALLREDUCE, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_reduce_scatter_shared, SUP_REDUCE_SCATTER,
       SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_alltoall_shared, SUP_ALLTOALL, SUP_ALGORITHM_BLOCKS | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_scan_shared, SUP_SCAN, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_exscan_shared, SUP_EXSCAN, SUP_ALGORITHM_ORDERED | SUP_ALGORITHM_SEGMENTS);
SHARED(sup_barrier_shared, SUP_BARRIER, 0);
DIRECT(sup_scatter_direct, SUP_SCATTER);
DIRECT(sup_gather_direct, SUP_GATHER);
DIRECT(sup_allgather_direct, SUP_ALLGATHER);
DIRECT(sup_alltoall_direct, SUP_ALLTOALL);
