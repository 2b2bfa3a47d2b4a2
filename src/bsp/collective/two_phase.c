/* Collective operations in two phases (coll.h): element blocks 0 … p-1 of a vector belong to processes 0 … p-1; "deal"
 * brings block k of everybody to process k, which then gives what it made of it to whoever needs it. Pays for long
 * ones. */
#include "bsp/collective/coll.h"

#include <bsp.h>
#include <stdlib.h>

static bool long_enough(bsp_coll_kind kind, size_t nbytes, size_t count) {
    (void)kind;
    return nbytes >= SUP_BSP_TWO_PHASE_BYTES && bsp_nprocs() > 2 && count > 1;
}

static void broadcast(int root, void *data, size_t nbytes) {
    int p = bsp_nprocs(), s = bsp_pid();
    size_t mine = bsp_coll_block_start(nbytes, s), n = bsp_coll_block_count(nbytes, s);
    if (s == root)
        for (int i = 0; i < p; i++)
            bsp_coll_put(i, (unsigned char *)data + bsp_coll_block_start(nbytes, i), 0,
                         bsp_coll_block_count(nbytes, i));
    const unsigned char *block = bsp_coll_sync();
    for (int i = 0; i < p; i++) bsp_coll_put(i, block, mine, n);
    const unsigned char *filled = bsp_coll_sync();
    if (s != root) bsp_coll_copy(data, filled, nbytes);
}

static size_t one_block(size_t count) { return count / (size_t)bsp_nprocs() + 1; }

/* Block k of everybody's vector to process k; the blocks of all processes, `stride` apart in order of rank. */
static unsigned char *deal(const bsp_coll_vector *v, const unsigned char *send) {
    for (int k = 0; k < bsp_nprocs(); k++)
        bsp_coll_put(k, send + bsp_coll_block_start(v->count, k) * v->fold.element, (size_t)bsp_pid() * v->stride,
                     bsp_coll_block_count(v->count, k) * v->fold.element);
    return bsp_coll_sync();
}

static void reduce(const bsp_coll_vector *v, const void *send, void *recv, int first, int last) {
    int s = bsp_pid();
    unsigned char *blocks = deal(v, send);
    size_t n = bsp_coll_block_count(v->count, s);
    bsp_coll_fold(v, blocks, 0, bsp_nprocs() - 1, n);
    for (int i = first; i <= last; i++)
        bsp_coll_put(i, blocks, bsp_coll_block_start(v->count, s) * v->fold.element, n * v->fold.element);
    const unsigned char *filled = bsp_coll_sync();
    if (s >= first && s <= last) bsp_coll_copy(recv, filled, v->count * v->fold.element);
}

static void scan(const bsp_coll_vector *v, const void *send, void *recv) {
    int p = bsp_nprocs(), s = bsp_pid();
    unsigned char *blocks = deal(v, send);
    size_t n = bsp_coll_block_count(v->count, s), nbytes = n * v->fold.element;
    unsigned char *prefix = malloc(bsp_coll_times(v->call, v->stride, (size_t)p));
    if (!prefix) bsp_abort("%s: no memory (rank %d)", v->call, s);
    for (int i = 0; i < p; i++) {
        /* The sum so far is block 0, which is folded into in place; a copy of it goes to process i. */
        if (i > 0 && n > 0) v->fold.into(blocks, blocks + (size_t)i * v->stride, n, v->fold.context);
        bsp_coll_copy(prefix + (size_t)i * v->stride, blocks, nbytes);
        bsp_coll_put(i, prefix + (size_t)i * v->stride, bsp_coll_block_start(v->count, s) * v->fold.element, nbytes);
    }
    bsp_coll_copy(recv, bsp_coll_sync(), v->count * v->fold.element);
    free(prefix);
}

const bsp_coll bsp_coll_two_phase = {long_enough, broadcast, NULL, one_block, reduce, scan};
