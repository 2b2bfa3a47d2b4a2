/* bench/bsp: what its workers can be ordered to do. Everything goes from each process to the one after it, `count`
 * times `size` bytes in a superstep, so that in a group of two both directions are in use. */
#ifndef SUP_BENCH_BSP_KINDS_H
#define SUP_BENCH_BSP_KINDS_H

enum bsp_kind {
    /* bsp_worker.c: libbsp */
    BSP_SYNC,
    BSP_PUT,
    BSP_HPPUT,
    BSP_GET,
    BSP_SEND, /* and the arrived messages are moved out of the queue */
    /* bsp_raw.c: MPI's own calls */
    RAW_BARRIER,
    RAW_PUT,       /* MPI_Put and MPI_Win_fence into memory of the program (MPI_Win_create) */
    RAW_PUT_ALLOC, /* the same into memory of MPI (MPI_Win_allocate) */
    RAW_GET,
    RAW_MESSAGE, /* MPI_Irecv, MPI_Isend, MPI_Waitall */
    /* bsp_bare.c: the least it can take */
    BARE_BARRIER, /* flags in shared memory, nothing else */
    BARE_STAGED,  /* into shared memory; barrier; out of it */
    BARE_COPY,    /* memcpy into the other's memory; barrier */
    BARE_LOG      /* `count` records {address, value} appended to a shared log; barrier; the other carries them out */
};

enum { BSP_COUNT_MAX = 10000, BSP_BYTES_MAX = 1 << 20 };

#endif
