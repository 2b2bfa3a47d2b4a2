/* Regions over shared memory: they lie in the shared segment, where everybody addresses everybody's part. */
#include "net/shm/net.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- the region area: first fit, decided alike by every process because the calls are collective ----
 *
 * It begins with the arenas, whose files do not suit other regions: those come behind, unless there is no room. */

static size_t behind_arenas(const shm_net *n) { return 2 * (size_t)n->net.size * n->head->arena_span; }

static shm_extent *area_find(const shm_net *n, size_t bytes, size_t from) {
    shm_extent *e = n->extents;
    while (e && (e->used || e->bytes < bytes || e->offset < from)) e = e->next;
    return e;
}

static sup_status area_take(shm_net *n, size_t bytes, size_t from, size_t *offset) {
    shm_extent *e = area_find(n, bytes, from);
    if (!e) e = area_find(n, bytes, 0);
    if (!e) return SUP_ENOMEM;
    if (e->bytes > bytes) {
        shm_extent *rest = malloc(sizeof *rest);
        if (!rest) return SUP_ENOMEM;
        *rest = (shm_extent){e->next, e->offset + bytes, e->bytes - bytes, false};
        e->next = rest;
        e->bytes = bytes;
    }
    e->used = true;
    *offset = e->offset;
    return SUP_OK;
}

sup_status shm_area_open(shm_net *n) {
    size_t bytes[2] = {behind_arenas(n), n->head->region_span - behind_arenas(n)};
    for (int i = 1; i >= 0; i--) {
        if (!bytes[i]) continue;
        shm_extent *e = malloc(sizeof *e);
        if (!e) return SUP_ENOMEM;
        *e = (shm_extent){n->extents, i ? bytes[0] : 0, bytes[i], false};
        n->extents = e;
    }
    return SUP_OK;
}

static void area_give(shm_net *n, size_t offset) {
    for (shm_extent *e = n->extents; e; e = e->next)
        if (e->offset == offset) e->used = false;
    for (shm_extent *e = n->extents; e;) {
        shm_extent *next = e->next;
        if (!e->used && next && !next->used && next->offset != behind_arenas(n)) {
            e->bytes += next->bytes;
            e->next = next->next;
            free(next);
        } else {
            e = next;
        }
    }
}

/* ---- collective naming ----
 *
 * Who has no memory for its books comes to the meeting all the same, and says so by an address that no region has: then
 * nobody gets the region. */

enum { NO_MEMORY = 1 };

static void region_drop(shm_region *r) {
    if (!r) return;
    free(r->bases);
    free(r);
}

/* Everybody's address to everybody; r NULL: there is none here. */
static sup_status exchange(shm_net *n, shm_region *r) {
    int turn = (int)(n->exchanges++ & 1);
    shm_card_of(n->seg, n->net.rank)->region[turn] = r ? (uintptr_t)r->base.base : NO_MEMORY;
    sup_status st = shm_barrier(n);
    if (!st && n->exchanges == 1) st = shm_files_settle(n);
    for (int i = 0; i < n->net.size && !st; i++) {
        uintptr_t there = shm_card_of(n->seg, i)->region[turn];
        if (there == NO_MEMORY) st = SUP_ENOMEM;
        if (r) r->bases[i] = there;
    }
    return st;
}

/* This process's books; NULL: no memory, here or in the area. */
static shm_region *region_new(shm_net *n, size_t len, size_t stride) {
    size_t p = (size_t)n->net.size;
    shm_region *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->bases = calloc(p, sizeof *r->bases);
    size_t from = stride == n->head->arena_span ? 0 : behind_arenas(n);
    if (!r->bases || area_take(n, p * stride, from, &r->offset)) {
        region_drop(r);
        return NULL;
    }
    r->stride = stride;
    r->base.base = shm_direct(&n->net, &r->base, n->net.rank);
    r->base.len = len;
    return r;
}

sup_status shm_region_alloc(sup_net *net, size_t len, sup_net_region **out) {
    shm_net *n = shm_of(net);
    size_t stride = (len + 4095) & ~(size_t)4095, p = (size_t)net->size;
    if (stride < len || (stride && p > n->head->region_span / stride)) return SUP_ENOMEM;
    if (!stride) stride = 4096;
    shm_region *r = region_new(n, len, stride);
    sup_status st = exchange(n, r);
    if (st) {
        if (r) area_give(n, r->offset);
        region_drop(r);
        return st;
    }
    r->next = n->regions;
    n->regions = r;
    *out = &r->base;
    return SUP_OK;
}

void shm_region_free(sup_net *net, sup_net_region *region) {
    shm_net *n = shm_of(net);
    shm_region *r = (shm_region *)region;
    (void)shm_barrier(n);
    /* The next owner of the area finds zeros, and the pages go back to the system now. One process gives back all of
     * them: each call looks at every process's mapping. */
    void *all = shm_direct(net, region, 0);
    size_t bytes = (size_t)net->size * r->stride;
    if (net->rank == 0 && madvise(all, bytes, MADV_REMOVE)) memset(all, 0, bytes);
    area_give(n, r->offset);
    (void)shm_barrier(n);
    for (shm_region **link = &n->regions; *link; link = &(*link)->next)
        if (*link == r) {
            *link = r->next;
            break;
        }
    region_drop(r);
}

void shm_region_release(shm_net *n) {
    while (n->regions) {
        shm_region *r = n->regions;
        n->regions = r->next;
        region_drop(r);
    }
    while (n->extents) {
        shm_extent *e = n->extents;
        n->extents = e->next;
        free(e);
    }
}

uintptr_t shm_there(sup_net *net, const sup_net_region *region, int peer) {
    (void)net;
    return ((const shm_region *)region)->bases[peer];
}

sup_status shm_backing(sup_net *net, const sup_net_region *region, int *fd, size_t *offset) {
    const shm_region *r = (const shm_region *)region;
    shm_net *n = shm_of(net);
    size_t at = r->offset + (size_t)net->rank * r->stride;
    if (shm_files_backing(n, at, fd, offset)) return r->stride == n->head->arena_span ? SUP_OK : SUP_ENOTSUP;
    if (n->fd < 0) return SUP_ENOTSUP;
    *fd = n->fd;
    *offset = n->head->regions + at;
    return SUP_OK;
}
