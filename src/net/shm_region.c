/* One-sided transfers over shared memory.
 *
 * An allocated region lies in the shared segment, so that put and get are copies. Registered memory is reached directly
 * where the transport can (threads, shared heaps), else by process_vm_writev/readv, which copy once without the
 * target's help. Where the kernel forbids that, the transfer travels as a message that the target carries out when it
 * makes progress, and flush waits for the confirmation. */
#include "net/shm_net.h"
#include "net/wait.h"

#include <stdlib.h>
#include <sys/mman.h>

/* What precedes the bytes of a transfer by message. */
typedef struct transfer {
    uint64_t region, offset, length;
    uint64_t target; /* get: where the asker wants it */
} transfer;

/* ---- the region area: first fit, decided alike by every process because the calls are collective ---- */

static sup_status area_take(shm_net *n, size_t bytes, size_t *offset) {
    for (shm_extent *e = n->extents; e; e = e->next) {
        if (e->used || e->bytes < bytes) continue;
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
    return SUP_ENOMEM;
}

static void area_give(shm_net *n, size_t offset) {
    for (shm_extent *e = n->extents; e; e = e->next)
        if (e->offset == offset) e->used = false;
    for (shm_extent *e = n->extents; e;) {
        shm_extent *next = e->next;
        if (!e->used && next && !next->used) {
            e->bytes += next->bytes;
            e->next = next->next;
            free(next);
        } else {
            e = next;
        }
    }
}

/* ---- collective naming ---- */

static shm_region *region_new(shm_net *n) {
    shm_region *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->bases = calloc((size_t)n->net.size, sizeof *r->bases);
    r->lens = calloc((size_t)n->net.size, sizeof *r->lens);
    if (!r->bases || !r->lens) {
        free(r->bases);
        free(r->lens);
        free(r);
        return NULL;
    }
    return r;
}

static void region_drop(shm_region *r) {
    free(r->bases);
    free(r->lens);
    free(r);
}

static void region_link(shm_net *n, shm_region *r) {
    r->id = ++n->next_region;
    r->next = n->regions;
    n->regions = r;
}

/* Everybody's two words to everybody. */
static sup_status exchange(shm_net *n, uintptr_t a, uintptr_t b, shm_region *r) {
    int turn = (int)(n->exchanges++ & 1);
    shm_card *mine = shm_card_of(n->seg, n->net.rank);
    mine->word[turn][0] = a;
    mine->word[turn][1] = b;
    sup_status st = shm_barrier(n);
    if (st) return st;
    for (int i = 0; i < n->net.size; i++) {
        shm_card *card = shm_card_of(n->seg, i);
        r->bases[i] = card->word[turn][0];
        r->lens[i] = card->word[turn][1];
    }
    return SUP_OK;
}

sup_status shm_region_alloc(sup_net *net, size_t len, sup_net_region **out) {
    shm_net *n = shm_of(net);
    size_t stride = (len + 4095) & ~(size_t)4095, p = (size_t)net->size;
    if (stride < len || (stride && p > n->head->region_span / stride)) return SUP_ENOMEM;
    if (!stride) stride = 4096;
    shm_region *r = region_new(n);
    if (!r) return SUP_ENOMEM;
    sup_status st = area_take(n, p * stride, &r->offset);
    if (st) goto drop_region;
    r->allocated = true;
    r->stride = stride;
    r->base.base = shm_direct(net, &r->base, net->rank);
    r->base.len = len;
    st = exchange(n, (uintptr_t)r->base.base, len, r);
    if (st) goto give_area;
    region_link(n, r);
    *out = &r->base;
    return SUP_OK;
give_area:
    area_give(n, r->offset);
drop_region:
    region_drop(r);
    return st;
}

sup_status shm_region_register(sup_net *net, void *base, size_t len, sup_net_region **out) {
    shm_net *n = shm_of(net);
    shm_region *r = region_new(n);
    if (!r) return SUP_ENOMEM;
    r->base.base = base;
    r->base.len = len;
    sup_status st = exchange(n, (uintptr_t)base, len, r);
    if (st) {
        region_drop(r);
        return st;
    }
    region_link(n, r);
    *out = &r->base;
    return SUP_OK;
}

void shm_region_free(sup_net *net, sup_net_region *region) {
    shm_net *n = shm_of(net);
    shm_region *r = (shm_region *)region;
    (void)shm_flush(net, region, SUP_NET_ANY);
    (void)shm_barrier(n);
    if (r->allocated) {
        /* The next owner of the area finds zeros, and the pages go back to the system now. One process gives back all
         * of them: each call looks at every process's mapping. */
        void *all = shm_direct(net, region, 0);
        size_t bytes = (size_t)net->size * r->stride;
        if (net->rank == 0 && madvise(all, bytes, MADV_REMOVE)) memset(all, 0, bytes);
        area_give(n, r->offset);
        (void)shm_barrier(n);
    }
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

void *shm_direct(sup_net *net, const sup_net_region *region, int peer) {
    const shm_region *r = (const shm_region *)region;
    shm_net *n = shm_of(net);
    if (!r->allocated) return peer == net->rank ? r->base.base : NULL;
    return shm_at(n->seg, n->head->regions + r->offset + (size_t)peer * r->stride);
}

uintptr_t shm_there(sup_net *net, const sup_net_region *region, int peer) {
    (void)net;
    return ((const shm_region *)region)->bases[peer];
}

sup_status shm_backing(sup_net *net, const sup_net_region *region, int *fd, size_t *offset) {
    const shm_region *r = (const shm_region *)region;
    shm_net *n = shm_of(net);
    if (!r->allocated || n->fd < 0) return SUP_ENOTSUP;
    *fd = n->fd;
    *offset = n->head->regions + r->offset + (size_t)net->rank * r->stride;
    return SUP_OK;
}

/* ---- transfers ---- */

static sup_status inside(sup_net *net, const shm_region *r, int peer, size_t off, size_t len) {
    if ((unsigned)peer >= (unsigned)net->size || off > r->lens[peer] || len > r->lens[peer] - off) return SUP_EINVAL;
    return SUP_OK;
}

static sup_status send_transfer(shm_net *n, int peer, int tag, transfer t, const void *bytes) {
    size_t body = bytes ? t.length : 0;
    unsigned char *buf = malloc(sizeof t + body);
    if (!buf) return SUP_ENOMEM;
    memcpy(buf, &t, sizeof t);
    if (body) memcpy(buf + sizeof t, bytes, body);
    return shm_send_own(n, peer, tag, buf, sizeof t + body);
}

sup_status shm_put(sup_net *net, sup_net_region *region, int peer, size_t off, const void *src, size_t len) {
    shm_net *n = shm_of(net);
    shm_region *r = (shm_region *)region;
    sup_status st = inside(net, r, peer, off, len);
    if (st || !len) return st;
    void *near = shm_direct(net, region, peer);
    if (near) {
        memcpy((char *)near + off, src, len);
        return SUP_OK;
    }
    st = shm_copy_to(n, peer, r->bases[peer] + off, src, len);
    if (st != SUP_EPERM) return st;
    n->own_pending++;
    st = send_transfer(n, peer, SHM_TAG_PUT, (transfer){r->id, off, len, 0}, src);
    if (st) n->own_pending--;
    return st;
}

sup_status shm_get(sup_net *net, sup_net_region *region, int peer, size_t off, void *dst, size_t len) {
    shm_net *n = shm_of(net);
    shm_region *r = (shm_region *)region;
    sup_status st = inside(net, r, peer, off, len);
    if (st || !len) return st;
    void *near = shm_direct(net, region, peer);
    if (near) {
        memcpy(dst, (char *)near + off, len);
        return SUP_OK;
    }
    st = shm_copy_from(n, peer, dst, r->bases[peer] + off, len);
    if (st != SUP_EPERM) return st;
    n->own_pending++;
    st = send_transfer(n, peer, SHM_TAG_GET, (transfer){r->id, off, len, (uintptr_t)dst}, NULL);
    if (st) n->own_pending--;
    return st;
}

sup_status shm_flush(sup_net *net, sup_net_region *region, int peer) {
    shm_net *n = shm_of(net);
    (void)region;
    (void)peer; /* confirmations are counted together: waiting for all is waiting for each */
    sup_wait w = SUP_WAIT_INIT;
    sup_status st = SUP_OK;
    while (n->own_pending && !st) {
        st = shm_progress(net);
        if (!st) st = shm_check_failure(n);
        if (!st && n->own_pending) sup_net_pause(net, &w);
    }
    sup_net_waited(net, &w);
    atomic_thread_fence(memory_order_release);
    return st;
}

/* The region a transfer names. The asker's view of our part was checked there; check ours again, memory is at stake. */
static shm_region *region_of(shm_net *n, const transfer *t) {
    for (shm_region *r = n->regions; r; r = r->next)
        if (r->id == t->region) return t->offset <= r->base.len && t->length <= r->base.len - t->offset ? r : NULL;
    return NULL;
}

sup_status shm_region_message(shm_net *n, int peer, int tag, unsigned char *data, size_t len) {
    transfer t;
    sup_status st = SUP_EMISMATCH;
    if (len < sizeof t) goto free_data;
    memcpy(&t, data, sizeof t);
    shm_region *r = tag == SHM_TAG_PUT || tag == SHM_TAG_GET ? region_of(n, &t) : NULL;
    switch (tag) {
    case SHM_TAG_PUT:
        if (!r || len - sizeof t != t.length) break;
        memcpy((char *)r->base.base + t.offset, data + sizeof t, t.length);
        st = send_transfer(n, peer, SHM_TAG_PUT_DONE, t, NULL);
        break;
    case SHM_TAG_GET:
        if (r) st = send_transfer(n, peer, SHM_TAG_GET_DONE, t, (char *)r->base.base + t.offset);
        break;
    case SHM_TAG_GET_DONE:
        if (len - sizeof t != t.length) break;
        memcpy((void *)(uintptr_t)t.target, data + sizeof t, t.length); /* fall through */
    case SHM_TAG_PUT_DONE:
        n->own_pending--;
        st = SUP_OK;
        break;
    default: break;
    }
free_data:
    free(data);
    return st;
}
