/* Memory inside hosts for a transport without (inside.h).
 *
 * The lowest rank of a host makes a segment as the launcher of the shm transport does, tells the others of the host
 * which descriptor it is, and all of them open it as ranks of their own, in the order of their ranks:
 *
 *     leader                  each other member
 *     makes the segment  ──▶  opens and maps it      1 + (process << 32 | descriptor + 1); 1: there is none
 *                        ◀──  could it?              COULD, COULD_NOT
 *     could all?         ──▶                         ALL: they enter; NOBODY
 *
 * The words are signals, which the members share. Who waits inside the segment goes on serving the transport. */
#include "net/inside.h"

#include "net/host_memory.h"
#include "net/numbers.h"
#include "net/shm/layout.h"

#include <stdlib.h>
#include <unistd.h>

/* Values of the signals: of the members, and the leader's second, which is above all of its first. */
enum { COULD = 1, COULD_NOT = 2 };
#define NOBODY ((uint64_t)1 << 62)
#define ALL (NOBODY + 1)

typedef struct inside {
    sup_net_ops ops;          /* the net's, but for what is below */
    const sup_net_ops *below; /* the transport's own */
    sup_net *memory;
    int *place; /* of each rank: its rank in `memory`, -1 none */
} inside;

static inside *inside_of(const sup_net *net) { return (inside *)(uintptr_t)net->ops; }

static int place_of(const sup_net *net, int peer) {
    return (unsigned)peer < (unsigned)net->size ? inside_of(net)->place[peer] : -1;
}

/* ---- the calls ---- */

static sup_status region_alloc(sup_net *net, size_t len, sup_net_region **out) {
    return sup_net_region_alloc(inside_of(net)->memory, len, out);
}

static void region_free(sup_net *net, sup_net_region *region) { sup_net_region_free(inside_of(net)->memory, region); }

static void *direct(sup_net *net, const sup_net_region *region, int peer) {
    int place = place_of(net, peer);
    return place < 0 ? NULL : sup_net_direct(inside_of(net)->memory, region, place);
}

static uintptr_t region_there(sup_net *net, const sup_net_region *region, int peer) {
    int place = place_of(net, peer);
    return place < 0 ? 0 : sup_net_region_there(inside_of(net)->memory, region, place);
}

static sup_status backing(sup_net *net, const sup_net_region *region, int *fd, size_t *offset) {
    return sup_net_region_backing(inside_of(net)->memory, region, fd, offset);
}

static sup_status copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len) {
    int place = place_of(net, peer);
    return place < 0 ? inside_of(net)->below->copy_to(net, peer, remote, src, len)
                     : sup_net_copy_to(inside_of(net)->memory, place, remote, src, len);
}

static sup_status copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len) {
    int place = place_of(net, peer);
    return place < 0 ? inside_of(net)->below->copy_from(net, peer, dst, remote, len)
                     : sup_net_copy_from(inside_of(net)->memory, place, dst, remote, len);
}

static void inside_free(inside *x) {
    if (x) free(x->place);
    free(x);
}

static void inside_close(sup_net *net) {
    inside *x = inside_of(net);
    x->memory->keep_memory = net->keep_memory;
    x->memory->ops->close(x->memory);
    net->ops = x->below;
    inside_free(x);
    net->ops->close(net);
}

/* ---- opening ---- */

/* What lies in no region must be in reach as well, or there are calls that the transport alone can carry out. */
static bool reaches_all(sup_net *net) {
    bool all = true;
    for (int p = 0; p < net->size; p++)
        if (p != net->rank && sup_net_shares(net, p)) all = all && sup_net_copies(net, p);
    return all;
}

/* The members of this process's host, how many there are, and the first. */
static int members(sup_net *net, int *place, int *leader) {
    int count = 0;
    *leader = net->rank;
    for (int p = 0; p < net->size; p++) {
        bool member = p == net->rank || sup_net_shares(net, p);
        if (member && p < *leader) *leader = p;
        if (place) place[p] = member ? count : -1;
        count += member;
    }
    return count;
}

/* What the leader says of its segment. */
static uint64_t offer(int fd) { return fd < 0 ? 0 : (uint64_t)getpid() << 32 | (uint64_t)(fd + 1); }

static int take(uint64_t offered) {
    return offered ? sup_host_memory_open((pid_t)(offered >> 32), (int)(uint32_t)offered - 1) : -1;
}

static sup_status tell_all(sup_net *net, uint64_t value) {
    sup_status st = SUP_OK;
    for (int p = net->rank + 1; p < net->size && !st; p++)
        if (sup_net_shares(net, p)) st = sup_net_signal(net, p, SUP_SLOT_INSIDE, value);
    return st;
}

static void *mapped(int fd) {
    sup_diag diag;
    void *base;
    return fd < 0 || sup_shm_segment_map(fd, &diag, &base) ? NULL : base;
}

/* The leader's part; NULL: one of the members has not mapped it. */
static void *lead(sup_net *net, int count, bool able, int *fd) {
    sup_diag diag;
    if (!able || sup_shm_segment_create(count, &diag, fd)) *fd = -1;
    void *base = mapped(*fd);
    uint64_t all = base ? ALL : NOBODY;
    sup_status st = tell_all(net, 1 + offer(base ? *fd : -1));
    for (int p = net->rank + 1; p < net->size && !st; p++) {
        uint64_t could = COULD;
        if (sup_net_shares(net, p)) st = sup_net_await(net, p, SUP_SLOT_INSIDE, COULD, &could);
        if (could != COULD) all = NOBODY;
    }
    if (!st) st = tell_all(net, all);
    if (!st && all == ALL) return base;
    sup_shm_segment_unmap(base);
    return NULL;
}

/* Every other member's. */
static void *follow(sup_net *net, int leader, bool able, int *fd) {
    uint64_t said = 1, all = NOBODY;
    sup_status st = sup_net_await(net, leader, SUP_SLOT_INSIDE, 1, &said);
    *fd = able && !st ? take(said - 1) : -1;
    void *base = mapped(*fd);
    if (!st) st = sup_net_signal(net, leader, SUP_SLOT_INSIDE, base ? COULD : COULD_NOT);
    if (!st) st = sup_net_await(net, leader, SUP_SLOT_INSIDE, NOBODY, &all);
    if (!st && all == ALL) return base;
    sup_shm_segment_unmap(base);
    return NULL;
}

/* How to wait for the others inside the segment: the transport moves on only while it is called. */
static const sup_patience serving = {.nap_ns = 50000, .nap_max_ns = 1000000};

static sup_status enter(sup_net *net, const sup_launch *launch, void *base, int fd, const inside *x, sup_net **memory) {
    sup_diag diag;
    sup_launch mine = *launch;
    mine.rank = x->place[net->rank];
    mine.segment_fd = fd;
    mine.oversubscribed = net->oversubscribed;
    return sup_shm_enter(base, &mine, net, &serving, &diag, memory);
}

/* A limit on address space is left to the transport and to the program: an MPI may try for ever to get more. */
static bool wanted(const sup_launch *launch) { return !launch->no_kernel_copy && sup_shm_address_room() == SIZE_MAX; }

void sup_net_inside_open(sup_net *net, const sup_launch *launch) {
    int leader, fd = -1;
    inside *x = calloc(1, sizeof *x);
    if (x) x->place = calloc((size_t)net->size, sizeof *x->place);
    bool able = x && x->place && wanted(launch) && reaches_all(net);
    int count = members(net, x ? x->place : NULL, &leader);
    if (count > SUP_SHM_MAX_PROCS || (count == 1 && net->size > 1)) able = false;
    void *base = leader == net->rank ? lead(net, count, able, &fd) : follow(net, leader, able, &fd);
    if (x && base && !enter(net, launch, base, fd, x, &x->memory)) {
        x->below = net->ops;
        x->ops = *net->ops;
        x->ops.close = inside_close;
        x->ops.region_alloc = region_alloc;
        x->ops.region_free = region_free;
        x->ops.direct = direct;
        x->ops.region_there = region_there;
        x->ops.backing = backing;
        x->ops.copy_to = copy_to;
        x->ops.copy_from = copy_from;
        net->ops = &x->ops;
        net->arena_bytes = x->memory->arena_bytes;
        net->memory_beside = true;
    } else {
        inside_free(x);
    }
    if (fd >= 0) close(fd);
}
