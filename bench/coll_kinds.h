/* What bench_coll and its worker agree on: the operations. */
#ifndef SUP_BENCH_COLL_KINDS_H
#define SUP_BENCH_COLL_KINDS_H

#include <stdbool.h>

enum {
    COLL_BARRIER,
    COLL_BCAST,
    COLL_ALLREDUCE,
    COLL_ALLGATHER,
    COLL_REDUCE,
    COLL_ALLTOALL,
    COLL_REDUCE_SCATTER,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_SCAN,
    COLL_ALLGATHERV,
    COLL_ALLTOALLV,
    COLL_KINDS
};

/* Is the size that of a block, of which there is one for each process? */
static inline bool coll_has_blocks(int kind) {
    return kind != COLL_BARRIER && kind != COLL_BCAST && kind != COLL_ALLREDUCE && kind != COLL_REDUCE &&
           kind != COLL_SCAN;
}

/* Has a process a block for each one before, after it? */
static inline bool coll_sends_all(int kind) {
    return kind == COLL_ALLTOALL || kind == COLL_ALLTOALLV || kind == COLL_SCATTER || kind == COLL_REDUCE_SCATTER;
}
static inline bool coll_gets_all(int kind) {
    return kind == COLL_ALLTOALL || kind == COLL_ALLTOALLV || kind == COLL_ALLGATHER || kind == COLL_ALLGATHERV ||
           kind == COLL_GATHER;
}

#endif
