/* bench/bsp: what its workers can be ordered to do. Everything goes from each process to the one after it, `count`
 * times `size` bytes in a superstep, so that in a group of two both directions are in use. */
#ifndef SUP_BENCH_BSP_KINDS_H
#define SUP_BENCH_BSP_KINDS_H

#include <stddef.h>

enum bsp_kind {
    /* bsp_worker.c: libbsp */
    BSP_SYNC,
    BSP_PUT,
    BSP_HPPUT,
    BSP_GET,
    BSP_SEND,     /* and the arrived messages are moved out of the queue */
    BSP_PUT_USED, /* each process writes what it puts, and reads what arrived */
    /* bsp_raw.c: MPI's own calls */
    RAW_BARRIER,
    RAW_PUT,       /* MPI_Put and MPI_Win_fence into memory of the program (MPI_Win_create) */
    RAW_PUT_ALLOC, /* the same into memory of MPI (MPI_Win_allocate) */
    RAW_PUT_USED,  /* RAW_PUT of such data: a second fence keeps the next puts from what is still read */
    RAW_GET,
    RAW_MESSAGE, /* MPI_Irecv, MPI_Isend, MPI_Waitall */
    /* bsp_bare.c: the least it can take */
    BARE_BARRIER, /* flags in shared memory, nothing else */
    BARE_STAGED,  /* into shared memory; barrier; out of it */
    BARE_COPY,    /* memcpy into the other's memory; barrier */
    BARE_LOG      /* `count` records {address, value} appended to a shared log; barrier; the other carries them out */
};

enum { BSP_COUNT_MAX = 10000, BSP_BYTES_MAX = 1 << 20 };

/* A process uses its data: a byte of every cache line. What is sent last says whose it is, and stays. */
static inline void bsp_use_source(unsigned char *src, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) src[i]++;
}
static inline unsigned bsp_use_arrived(const unsigned char *dst, size_t bytes) {
    unsigned sum = 0;
    for (size_t i = 0; i < bytes; i += 64) sum += dst[i];
    return sum;
}

#endif
