/* Collective operations in one phase: everything goes straight to whoever needs it (coll.h). */
#include "bsp/collective/coll.h"

#include <bsp.h>

static bool always(bsp_coll_kind kind, size_t nbytes, size_t count) {
    (void)kind;
    (void)nbytes;
    (void)count;
    return true;
}

static void broadcast(int root, void *data, size_t nbytes) {
    if (bsp_pid() == root)
        for (int i = 0; i < bsp_nprocs(); i++)
            if (i != root) bsp_coll_put(i, data, 0, nbytes);
    const unsigned char *filled = bsp_coll_sync();
    if (bsp_pid() != root) bsp_coll_copy(data, filled, nbytes);
}

static void blocks(bsp_coll_blocks what, int root, const void *send, size_t nbytes, void *recv) {
    int p = bsp_nprocs(), s = bsp_pid();
    const unsigned char *from = send;
    for (int i = 0; i < p; i++) {
        if (what == BSP_COLL_SCATTER && s == root) bsp_coll_put(i, from + (size_t)i * nbytes, 0, nbytes);
        if (what == BSP_COLL_ALLGATHER || (what == BSP_COLL_GATHER && i == root))
            bsp_coll_put(i, from, (size_t)s * nbytes, nbytes);
        if (what == BSP_COLL_EXCHANGE) bsp_coll_put(i, from + (size_t)i * nbytes, (size_t)s * nbytes, nbytes);
    }
    const unsigned char *filled = bsp_coll_sync();
    if (what == BSP_COLL_GATHER && s != root) return;
    bsp_coll_copy(recv, filled, what == BSP_COLL_SCATTER ? nbytes : nbytes * (size_t)p);
}

static size_t all(size_t count) { return count; }

/* To all processes first … last, everything. */
static unsigned char *spread(const bsp_coll_vector *v, const void *send, int first, int last) {
    for (int i = first; i <= last; i++)
        bsp_coll_put(i, send, (size_t)bsp_pid() * v->stride, v->count * v->fold.element);
    return bsp_coll_sync();
}

static void reduce(const bsp_coll_vector *v, const void *send, void *recv, int first, int last) {
    int s = bsp_pid();
    unsigned char *filled = spread(v, send, first, last);
    if (s < first || s > last) return;
    bsp_coll_fold(v, filled, 0, bsp_nprocs() - 1, v->count);
    bsp_coll_copy(recv, filled, v->count * v->fold.element);
}

static void scan(const bsp_coll_vector *v, const void *send, void *recv) {
    int s = bsp_pid();
    unsigned char *filled = spread(v, send, s, bsp_nprocs() - 1);
    bsp_coll_fold(v, filled, 0, s, v->count);
    bsp_coll_copy(recv, filled, v->count * v->fold.element);
}

const bsp_coll bsp_coll_one_phase = {always, broadcast, blocks, all, reduce, scan};
