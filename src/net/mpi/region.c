/* One-sided transfers over MPI windows: one window per region, in one passive epoch (lock_all) from birth to death, so
 * that put and get cost no synchronisation and flush completes them. Memory of peers is never directly addressable
 * here: where processes share a machine the shm transport is the better choice. */
#include "net/mpi/transport.h"

#include <stdlib.h>
#include <string.h>

#define WIN_CHUNK ((size_t)1 << 30)

typedef struct window {
    sup_net_region region;
    MPI_Win win;       /* MPI_WIN_NULL in a run of one process: Open MPI 4.1 makes no window for one */
    void *owned;       /* the memory of an allocated region in such a run */
    uint64_t *lengths; /* of every process's part */
} window;

/* Every process learns how long each part is, so that a bad offset is refused here and not in MPI. */
static sup_status window_new(sup_mpi *t, size_t len, window **out) {
    uint64_t mine = len;
    window *w = calloc(1, sizeof *w);
    if (w) w->lengths = calloc((size_t)t->net.size, sizeof *w->lengths);
    if (!w || !w->lengths) mine = UINT64_MAX; /* said to all, or the others would wait for ever */
    uint64_t *all = mine == UINT64_MAX ? NULL : w->lengths, worst = 0;
    sup_status st = sup_mpi_gather_all(t);
    if (!st) st = sup_mpi_status(t, MPI_Allreduce(&mine, &worst, 1, MPI_UINT64_T, MPI_MAX, t->user), SUP_NET_ANY);
    if (!st && worst == UINT64_MAX) st = SUP_ENOMEM;
    if (!st) st = sup_mpi_status(t, MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, t->user), SUP_NET_ANY);
    if (st) {
        if (w) free(w->lengths);
        free(w);
        return st;
    }
    w->region.len = len;
    w->win = MPI_WIN_NULL;
    *out = w;
    return SUP_OK;
}

static sup_status window_open(sup_mpi *t, window *w, int code, sup_net_region **out) {
    if (code == MPI_SUCCESS && w->win != MPI_WIN_NULL) {
        MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
        code = MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
    }
    sup_status st = sup_mpi_status(t, code, SUP_NET_ANY);
    /* nobody may put before everybody's part is ready */
    if (!st) st = sup_mpi_status(t, MPI_Barrier(t->user), SUP_NET_ANY);
    if (st) {
        free(w->owned);
        free(w->lengths);
        free(w);
        return st;
    }
    *out = &w->region;
    return SUP_OK;
}

sup_status sup_mpi_region_alloc(sup_net *net, size_t len, sup_net_region **out) {
    sup_mpi *t = sup_mpi_of(net);
    if (len > PTRDIFF_MAX - 64) return SUP_EINVAL;
    window *w;
    sup_status st = window_new(t, len, &w);
    if (st) return st;
    /* Whole cache lines: MPICH 4.0 puts to the wrong address behind a part of odd length. */
    size_t bytes = (len + 63) / 64 * 64;
    int code = MPI_SUCCESS;
    if (net->size == 1)
        code = (w->owned = w->region.base = calloc(bytes ? bytes : 1, 1)) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    else
        code = MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, t->user, &w->region.base, &w->win);
    if (code == MPI_SUCCESS && len) memset(w->region.base, 0, len);
    return window_open(t, w, code, out);
}

sup_status sup_mpi_region_register(sup_net *net, void *base, size_t len, sup_net_region **out) {
    sup_mpi *t = sup_mpi_of(net);
    if (len > PTRDIFF_MAX || (len && !base)) return SUP_EINVAL;
    window *w;
    sup_status st = window_new(t, len, &w);
    if (st) return st;
    w->region.base = base;
    int code = MPI_SUCCESS;
    if (net->size > 1) code = MPI_Win_create(base, (MPI_Aint)len, 1, MPI_INFO_NULL, t->user, &w->win);
    return window_open(t, w, code, out);
}

void sup_mpi_region_free(sup_net *net, sup_net_region *region) {
    window *w = (window *)region;
    sup_mpi_gather_all(sup_mpi_of(net));
    if (w->win != MPI_WIN_NULL) {
        MPI_Win_unlock_all(w->win);
        MPI_Win_free(&w->win);
    }
    free(w->owned);
    free(w->lengths);
    free(w);
}

void *sup_mpi_direct(sup_net *net, const sup_net_region *region, int peer) {
    return peer == net->rank ? region->base : NULL;
}

void *sup_mpi_reach(sup_net *net, int peer, const void *remote, size_t len) {
    (void)len;
    return peer == net->rank ? (void *)(uintptr_t)remote : NULL;
}

static bool outside(const sup_net *net, const window *w, int peer, size_t off, size_t len) {
    return peer < 0 || peer >= net->size || off > w->lengths[peer] || len > w->lengths[peer] - off;
}

sup_status sup_mpi_put(sup_net *net, sup_net_region *r, int peer, size_t off, const void *src, size_t len) {
    window *w = (window *)r;
    if (outside(net, w, peer, off, len) || (len && !src)) return SUP_EINVAL;
    if (peer == net->rank) {
        if (len) memmove((unsigned char *)w->region.base + off, src, len);
        return SUP_OK;
    }
    const unsigned char *from = src;
    int code = MPI_SUCCESS;
    for (size_t n; len && code == MPI_SUCCESS; len -= n, off += n, from += n) {
        n = len < WIN_CHUNK ? len : WIN_CHUNK;
        code = MPI_Put(from, (int)n, MPI_BYTE, peer, (MPI_Aint)off, (int)n, MPI_BYTE, w->win);
    }
    return sup_mpi_status(sup_mpi_of(net), code, peer);
}

sup_status sup_mpi_get(sup_net *net, sup_net_region *r, int peer, size_t off, void *dst, size_t len) {
    window *w = (window *)r;
    if (outside(net, w, peer, off, len) || (len && !dst)) return SUP_EINVAL;
    if (peer == net->rank) {
        if (len) memmove(dst, (unsigned char *)w->region.base + off, len);
        return SUP_OK;
    }
    unsigned char *to = dst;
    int code = MPI_SUCCESS;
    for (size_t n; len && code == MPI_SUCCESS; len -= n, off += n, to += n) {
        n = len < WIN_CHUNK ? len : WIN_CHUNK;
        code = MPI_Get(to, (int)n, MPI_BYTE, peer, (MPI_Aint)off, (int)n, MPI_BYTE, w->win);
    }
    return sup_mpi_status(sup_mpi_of(net), code, peer);
}

sup_status sup_mpi_flush(sup_net *net, sup_net_region *region, int peer) {
    window *w = (window *)region;
    if (peer < SUP_NET_ANY || peer >= net->size) return SUP_EINVAL;
    if (w->win == MPI_WIN_NULL) return SUP_OK;
    int code = peer == SUP_NET_ANY ? MPI_Win_flush_all(w->win) : MPI_Win_flush(peer, w->win);
    return sup_mpi_status(sup_mpi_of(net), code, peer);
}
