/* One-sided transfers. A region is an MPI window where MPI can make one, in one passive epoch (lock_all) from birth to
 * death, so that put and get cost no synchronisation and flush completes them. Where MPI cannot (Open MPI as Debian
 * configures it has none for the caller's memory over TCP, and none at all for a single process) the transfers are
 * messages that the peer serves whenever it makes progress (remote.c).
 * Memory of peers is never directly addressable here: where processes share a machine, shm is the better choice. */
#include "net/mpi/transport.h"

#include <stdlib.h>
#include <string.h>

#define WIN_CHUNK ((size_t)1 << 30)

typedef sup_mpi_region window;

/* Every process learns how long each part is, so that a bad offset is refused here and not in MPI; and whether anybody
 * has to give up, or the others would wait for it for ever. */
static sup_status window_new(sup_mpi *t, size_t len, bool valid, window **out) {
    uint64_t mine = len, worst = 0;
    sup_status st = SUP_OK;
    window *w = calloc(1, sizeof *w);
    if (w) w->lengths = calloc((size_t)t->net.size, sizeof *w->lengths);
    if (!valid || !w || !w->lengths) {
        mine = UINT64_MAX;
        st = valid ? SUP_ENOMEM : SUP_EINVAL;
    }
    sup_status others = sup_mpi_gather_all(t);
    if (!others)
        others = sup_mpi_status(t, MPI_Allreduce(&mine, &worst, 1, MPI_UINT64_T, MPI_MAX, t->user), SUP_NET_ANY);
    if (!others && worst == UINT64_MAX) others = SUP_ENOMEM;
    if (!st) st = others;
    if (!st) {
        int code = MPI_Allgather(&mine, 1, MPI_UINT64_T, w->lengths, 1, MPI_UINT64_T, t->user);
        st = sup_mpi_status(t, code, SUP_NET_ANY);
    }
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

static void window_free(window *w) {
    free(w->owned);
    free(w->lengths);
    free(w);
}

/* All or none: one process without a window makes all do without. */
static int agree(sup_mpi *t, int code, bool *everybody) {
    int mine = code == MPI_SUCCESS, all = 0;
    int result = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, t->user);
    *everybody = all;
    return result;
}

/* The window if there is one, else by messages; nobody may put before everybody's part is ready. */
static sup_status window_open(sup_mpi *t, window *w, int made, size_t owned, sup_net_region **out) {
    bool windows = false;
    sup_status st = sup_mpi_status(t, agree(t, made, &windows), SUP_NET_ANY);
    if (!st && windows) {
        MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
        if (owned && w->region.base) memset(w->region.base, 0, w->region.len);
        st = sup_mpi_status(t, MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win), SUP_NET_ANY);
    } else if (!st) {
        w->win = MPI_WIN_NULL;
        if (owned) w->region.base = w->owned = calloc(owned, 1);
        made = owned && !w->owned ? MPI_ERR_NO_MEM : MPI_SUCCESS;
        st = sup_mpi_status(t, agree(t, made, &windows), SUP_NET_ANY);
        if (!st && !windows) st = SUP_ENOMEM;
        if (!st) st = sup_mpi_remote_add(t, w);
    }
    if (!st) st = sup_mpi_status(t, MPI_Barrier(t->user), SUP_NET_ANY);
    if (st) {
        window_free(w);
        return st;
    }
    *out = &w->region;
    return SUP_OK;
}

sup_status sup_mpi_region_alloc(sup_net *net, size_t len, sup_net_region **out) {
    sup_mpi *t = sup_mpi_of(net);
    window *w;
    sup_status st = window_new(t, len, len <= PTRDIFF_MAX - 64, &w);
    if (st) return st;
    /* Whole cache lines: MPICH 4.0 puts to the wrong address behind a part of odd length. */
    size_t bytes = (len / 64 + 1) * 64;
    int code = MPI_ERR_WIN;
    if (net->size > 1) code = MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, t->user, &w->region.base, &w->win);
    return window_open(t, w, code, bytes, out);
}

sup_status sup_mpi_region_register(sup_net *net, void *base, size_t len, sup_net_region **out) {
    sup_mpi *t = sup_mpi_of(net);
    window *w;
    sup_status st = window_new(t, len, len <= PTRDIFF_MAX && (base || !len), &w);
    if (st) return st;
    w->region.base = base;
    int code = MPI_ERR_WIN;
    if (net->size > 1) code = MPI_Win_create(base, (MPI_Aint)len, 1, MPI_INFO_NULL, t->user, &w->win);
    return window_open(t, w, code, 0, out);
}

void sup_mpi_region_free(sup_net *net, sup_net_region *region) {
    sup_mpi *t = sup_mpi_of(net);
    window *w = (window *)region;
    sup_mpi_flush(net, region, SUP_NET_ANY);
    sup_mpi_gather_all(t);
    if (w->win != MPI_WIN_NULL) {
        MPI_Win_unlock_all(w->win);
        MPI_Win_free(&w->win);
    } else {
        sup_mpi_remote_remove(t, w);
    }
    window_free(w);
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
    if (w->win == MPI_WIN_NULL) return len ? sup_mpi_remote_put(sup_mpi_of(net), w, peer, off, src, len) : SUP_OK;
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
    if (w->win == MPI_WIN_NULL) return len ? sup_mpi_remote_get(sup_mpi_of(net), w, peer, off, dst, len) : SUP_OK;
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
    if (w->win == MPI_WIN_NULL) return sup_mpi_remote_flush(sup_mpi_of(net), peer);
    /* one by one: MPI_Win_flush_all of MPICH 4.0 comes back before long puts to a process that is slow to look are
     * complete */
    int first = peer == SUP_NET_ANY ? 0 : peer, last = peer == SUP_NET_ANY ? net->size - 1 : peer, code = MPI_SUCCESS;
    for (int p = first; p <= last && code == MPI_SUCCESS; p++) code = MPI_Win_flush(p, w->win);
    return sup_mpi_status(sup_mpi_of(net), code, peer);
}
