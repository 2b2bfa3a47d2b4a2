/* Regions over shared memory: they lie in the shared segment, where everybody addresses everybody's part.
 *
 * The kernel lets page faults in one file wait for each other. So over the parts of a large region lie files of their
 * own, each made by the process whose part it is; with more than FILES_MOST processes by the first of some neighbours:
 *
 *     segment   … | part 0 | part 1 | part 2 | part 3 | …
 *     files       | file of 0       | file of 2       |         all processes have them at the same place
 *
 * Where one process cannot open or map a file, all leave the region in the segment. */
#include "net/host_memory.h"
#include "net/shm_net.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FILES_MOST = 64,     /* so many processes fault at once at most; each process opens all of them */
    FILES_FROM = 4 << 20 /* bytes of a part: what is smaller is soon touched */
};

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

/* ---- collective naming ----
 *
 * Who has no memory for its books comes to the meeting all the same, and says so by an address that no region has: then
 * nobody gets the region. */

enum { NO_MEMORY = 1, MAPPED, NOT_MAPPED /* for addresses, at the meeting about files */ };

static void region_drop(shm_region *r) {
    if (!r) return;
    if (r->fd >= 0) close(r->fd);
    free(r->bases);
    free(r);
}

/* Everybody's word and descriptor to everybody; *turn says which of the cards hold them until the next but one. */
static sup_status exchange(shm_net *n, uintptr_t word, int fd, int *turn) {
    int now = *turn = (int)(n->exchanges++ & 1);
    shm_card *card = shm_card_of(n->seg, n->net.rank);
    card->region[now] = word;
    card->file[now] = fd;
    sup_status st = shm_barrier(n);
    for (int i = 0; i < n->net.size && !st; i++)
        if (shm_card_of(n->seg, i)->region[now] == NO_MEMORY) st = SUP_ENOMEM;
    return st;
}

/* ---- files of their own ---- */

static bool has_files(const shm_net *n, size_t stride) {
    return n->owned_map && n->net.size > 1 && stride >= FILES_FROM;
}

static int sharers(const shm_net *n) { return (n->net.size + FILES_MOST - 1) / FILES_MOST; }

static size_t file_bytes(const shm_net *n, const shm_region *r, int first) {
    int rest = n->net.size - first, share = sharers(n);
    return (size_t)(rest < share ? rest : share) * r->stride;
}

static int file_make(const shm_net *n, const shm_region *r) {
    int fd = -1, rank = n->net.rank;
    if (r && rank % sharers(n) == 0) (void)sup_host_memory_make("superstep-part", file_bytes(n, r, rank), &fd);
    return fd;
}

/* Maps all files somewhere; this process keeps a descriptor of its own part's. False: some could not be mapped. */
static bool files_map(shm_net *n, shm_region *r, int turn, void *at[FILES_MOST]) {
    int share = sharers(n), mine = n->net.rank / share * share;
    bool fine = true;
    for (int first = 0, i = 0; first < n->net.size && fine; first += share, i++) {
        const shm_card *maker = shm_card_of(n->seg, first);
        int fd = first == n->net.rank ? r->fd : sup_host_memory_open(atomic_load(&maker->pid), maker->file[turn]);
        at[i] = sup_host_memory_map(fd, file_bytes(n, r, first));
        fine = at[i] != NULL;
        if (first == mine)
            r->fd = fd;
        else if (fd >= 0)
            close(fd);
    }
    return fine;
}

/* To where the parts are in the segment, or away. */
static sup_status files_place(shm_net *n, const shm_region *r, bool use, void *at[FILES_MOST]) {
    int share = sharers(n);
    sup_status st = SUP_OK;
    for (int first = 0, i = 0; first < n->net.size; first += share, i++) {
        size_t bytes = file_bytes(n, r, first);
        void *to = shm_direct(&n->net, &r->base, first);
        if (at[i] && use && mremap(at[i], bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) st = SUP_EIO;
        if (at[i] && (!use || st)) munmap(at[i], bytes);
    }
    return st;
}

/* All processes use the files that all have just been told about, or none does. */
static sup_status files_use(shm_net *n, shm_region *r, int turn) {
    void *at[FILES_MOST] = {0};
    bool all = true;
    sup_status st = exchange(n, files_map(n, r, turn, at) ? MAPPED : NOT_MAPPED, -1, &turn);
    for (int i = 0; i < n->net.size && !st; i++) all = all && shm_card_of(n->seg, i)->region[turn] == MAPPED;
    sup_status placed = files_place(n, r, all && !st, at);
    if (placed) { /* the others go on with memory that this one does not see */
        sup_shm_segment_set_failure(n->seg, n->net.rank, 1000 + EXIT_FAILURE);
        st = SUP_EPEER;
    }
    if (!all && r->fd >= 0) {
        close(r->fd);
        r->fd = -1;
    }
    return st;
}

/* ---- making and dropping ---- */

/* This process's books; NULL: no memory, here or in the area. */
static shm_region *region_new(shm_net *n, size_t len, size_t stride) {
    size_t p = (size_t)n->net.size;
    shm_region *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->fd = -1;
    r->bases = calloc(p, sizeof *r->bases);
    if (!r->bases || area_take(n, p * stride, &r->offset)) {
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
    if (r && has_files(n, stride)) r->fd = file_make(n, r);
    int turn;
    sup_status st = exchange(n, r ? (uintptr_t)r->base.base : NO_MEMORY, r ? r->fd : -1, &turn);
    for (size_t i = 0; i < p && !st; i++) r->bases[i] = shm_card_of(n->seg, (int)i)->region[turn];
    if (!st && has_files(n, stride)) st = files_use(n, r, turn);
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
    /* The next owner of the area finds zeros, in the segment or the files, and the pages go back to the system now. One
     * process gives back all of them: each call looks at every process's mapping. */
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
    if (r->fd < 0 && n->fd < 0) return SUP_ENOTSUP;
    *fd = r->fd >= 0 ? r->fd : n->fd;
    *offset = r->fd >= 0 ? (size_t)(net->rank % sharers(n)) * r->stride
                         : n->head->regions + r->offset + (size_t)net->rank * r->stride;
    return SUP_OK;
}
