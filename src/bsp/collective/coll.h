/* Inside the collective operations: a way is a file collective/NAME.c with one object of the type bsp_coll, and a row
 * of the table in coll.c. The phases are made of BSPlib calls alone and go through one registered buffer, the area
 * (collective/area.c); `straight` moves long data from the buffers themselves (collective/straight.c). */
#ifndef SUP_BSP_COLLECTIVE_COLL_H
#define SUP_BSP_COLLECTIVE_COLL_H

#include "coll/fold/fold.h"

#include <superstep/coll.h>

#include <stdbool.h>
#include <stddef.h>

/* A vector operation: the operator and the shape of its operands. */
typedef struct bsp_coll_vector {
    const char *call;
    sup_fold fold;
    size_t count;  /* elements */
    size_t stride; /* bytes between the operands of two processes in the area */
} bsp_coll_vector;

/* What is asked for: of the three kinds, which differ in what pays. */
typedef enum bsp_coll_kind { BSP_COLL_BROADCAST, BSP_COLL_BLOCKS, BSP_COLL_FOLD } bsp_coll_kind;
typedef enum bsp_coll_blocks {
    BSP_COLL_GATHER,
    BSP_COLL_SCATTER,
    BSP_COLL_ALLGATHER,
    BSP_COLL_EXCHANGE
} bsp_coll_blocks;

typedef struct bsp_coll {
    /* Is it the one for so many elements (bytes of a broadcast) of nbytes in all? The first of the table that says so.
     */
    bool (*fits)(bsp_coll_kind kind, size_t nbytes, size_t count);
    void (*broadcast)(int root, void *data, size_t nbytes);
    /* NULL: the next one's. nbytes: of a block. */
    void (*blocks)(bsp_coll_blocks what, int root, const void *send, size_t nbytes, void *recv);
    /* Elements of everybody's vector that one process has in the area, at most. NULL: none. */
    size_t (*share)(size_t count);
    /* Reduction to processes first … last, which are one or all. */
    void (*reduce)(const bsp_coll_vector *vector, const void *send, void *recv, int first, int last);
    void (*scan)(const bsp_coll_vector *vector, const void *send, void *recv);
} bsp_coll;

extern const bsp_coll bsp_coll_straight, bsp_coll_two_phase, bsp_coll_one_phase;

/* a · b bytes; ends the run if that is more than memory can hold. */
size_t bsp_coll_times(const char *call, size_t a, size_t b);
/* Makes room for `need` bytes a half. All processes come here with the same need, so all grow or none does. */
void bsp_coll_reserve(const char *call, size_t need);
void bsp_coll_put(int pid, const void *src, size_t offset, size_t nbytes);
/* Ends the superstep; the half that has just been filled, valid until the next but one. */
unsigned char *bsp_coll_sync(void);
void bsp_coll_copy(void *dst, const void *src, size_t nbytes);

/* First element of block `k` of `count` elements in p blocks that differ by one at most, and how many it has. */
size_t bsp_coll_block_start(size_t count, int k);
size_t bsp_coll_block_count(size_t count, int k);

/* Adds operands of processes first … last, which lie `stride` apart at `operands`, into the one of `first`. */
void bsp_coll_fold(const bsp_coll_vector *vector, unsigned char *operands, int first, int last, size_t count);

#endif
