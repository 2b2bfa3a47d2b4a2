/* Collective operations in one phase: everything goes straight to whoever needs it (coll.h). */
#include "bsp/coll.h"

#include <bsp.h>

static bool always(size_t nbytes, size_t count) {
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

static size_t all(size_t count) { return count; }

/* To all processes first … last, everything. */
static unsigned char *spread(const bsp_coll_vector *v, const void *send, int first, int last) {
    for (int i = first; i <= last; i++) bsp_coll_put(i, send, (size_t)bsp_pid() * v->stride, v->count * v->element);
    return bsp_coll_sync();
}

static void reduce(const bsp_coll_vector *v, const void *send, void *recv, int first, int last) {
    int s = bsp_pid();
    unsigned char *filled = spread(v, send, first, last);
    if (s < first || s > last) return;
    bsp_coll_fold(v, filled, 0, bsp_nprocs() - 1, v->count);
    bsp_coll_copy(recv, filled, v->count * v->element);
}

static void scan(const bsp_coll_vector *v, const void *send, void *recv) {
    int s = bsp_pid();
    unsigned char *filled = spread(v, send, s, bsp_nprocs() - 1);
    bsp_coll_fold(v, filled, 0, s, v->count);
    bsp_coll_copy(recv, filled, v->count * v->element);
}

const bsp_coll bsp_coll_one_phase = {always, broadcast, all, reduce, scan};
