/* Rooms: opening, closing and the table of operations (see room.h; how it works is in room/work.h).
 *
 * The first member makes the memory and offers it to each other one by signals, words of a turn and data. After k rooms
 * of the same two processes:
 *
 *     turn      first                     other
 *     4k + 1    OFFERED, its process      has heard
 *     4k + 2    OFFERED, descriptor       FINE: it has opened it; or NO_MEMORY, or neither
 *     4k + 4    the same of all           has heard; until then nothing else is offered to it
 *
 * Both read k off the last word that they have got from each other, so that rooms of different members may follow each
 * other on one net. A turn has 40 bits: 2^38 rooms of the same two are more than anybody opens. */
#include "coll/room/work.h"
#include "net/host_memory.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- operations ---- */

static sup_room_operation *const operations[SUP_OPERATIONS] = {
    [SUP_BROADCAST] = sup_shared_broadcast,
    [SUP_SCATTER] = sup_shared_scatter,
    [SUP_GATHER] = sup_shared_gather,
    [SUP_ALLGATHER] = sup_shared_allgather,
    [SUP_REDUCE] = sup_shared_reduce,
    [SUP_ALLREDUCE] = sup_shared_allreduce,
    [SUP_REDUCE_SCATTER] = sup_shared_reduce_scatter,
    [SUP_ALLTOALL] = sup_shared_alltoall,
    [SUP_SCAN] = sup_shared_scan,
    [SUP_EXSCAN] = sup_shared_exscan,
    [SUP_BARRIER] = sup_shared_barrier,
};

bool sup_room_has(int operation) { return (unsigned)operation < SUP_OPERATIONS && operations[operation]; }

sup_status sup_room_run(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    if (!sup_room_has(call->operation)) return SUP_ENOTSUP;
    return operations[call->operation](room, call, choice);
}

/* ---- where everything is ---- */

/* Small and medium cells lie side by side for one number, because whoever reads one of them usually reads all; they are
 * a line longer than a page, so that they are not in the same sets of a cache. Large ones lie with their member. */
enum {
    SMALL_CELLS = 64,
    MEDIUM_CELLS = 32,
    LARGE_CELLS = 8,
    BLOCK_AT = 64 /* where the payload of the longer ones begins */
};

/* The same on all members. With map NULL only finds out how long it is. */
static size_t lay_out(sup_room *room, unsigned char *map) {
    size_t p = (size_t)room->size, medium = SUP_SHARED_MEDIUM + SUP_SHARED_LINE,
           large = SUP_SHARED_LARGE + SUP_SHARED_LINE;
    size_t sleepers_at = sizeof(sup_room_head), cards_at = sleepers_at + 2 * SUP_SHARED_LINE * ((p + 1023) / 1024);
    size_t at = cards_at + p * sizeof(sup_room_card), of_member = (LARGE_CELLS * large + 4095) & ~(size_t)4095;
    size_t small_at = sup_host_memory_place(&at, SMALL_CELLS * p * SUP_SHARED_LINE);
    size_t medium_at = sup_host_memory_place(&at, MEDIUM_CELLS * p * medium);
    size_t large_at = sup_host_memory_place(&at, p * of_member);
    room->bytes = at;
    if (!map) return room->bytes;
    room->map = map;
    room->head = (sup_room_head *)(void *)map;
    room->sleepers = (_Atomic uint64_t *)(void *)(map + sleepers_at);
    room->card = (sup_room_card *)(void *)(map + cards_at);
    room->words = (room->size + 63) / 64;
    room->ring[SUP_ROOM_SMALL] = (sup_room_ring){.at = map + small_at,
                                                 .step = p * SUP_SHARED_LINE,
                                                 .across = SUP_SHARED_LINE,
                                                 .payload_at = SUP_SHARED_NUMBER,
                                                 .payload = SUP_SHARED_SMALL,
                                                 .count = SMALL_CELLS,
                                                 .every = SMALL_CELLS / 4,
                                                 .safe = (uint64_t)0 - SMALL_CELLS,
                                                 .size = SUP_ROOM_SMALL};
    room->ring[SUP_ROOM_MEDIUM] = (sup_room_ring){.at = map + medium_at,
                                                  .step = p * medium,
                                                  .across = medium,
                                                  .payload_at = BLOCK_AT,
                                                  .payload = SUP_SHARED_MEDIUM,
                                                  .count = MEDIUM_CELLS,
                                                  .every = MEDIUM_CELLS / 4,
                                                  .safe = (uint64_t)0 - MEDIUM_CELLS,
                                                  .size = SUP_ROOM_MEDIUM};
    room->ring[SUP_ROOM_LARGE] = (sup_room_ring){.at = map + large_at,
                                                 .step = large,
                                                 .across = of_member,
                                                 .payload_at = BLOCK_AT,
                                                 .payload = SUP_SHARED_LARGE,
                                                 .count = LARGE_CELLS,
                                                 .every = 1,
                                                 .size = SUP_ROOM_LARGE};
    return room->bytes;
}

/* ---- memory ---- */

/* Members that are threads of the first one's process use its mapping: one memory, one address. */
static unsigned char *use_first(unsigned char *map, size_t bytes) {
    sup_room_head *head = (sup_room_head *)(void *)map;
    unsigned char *first = (unsigned char *)atomic_load(&head->address);
    atomic_fetch_add(&head->users, 1);
    munmap(map, bytes);
    return first;
}

static void unmap(sup_room *room) {
    if (!room->map) return;
    bool of_first = atomic_load(&room->card[0].pid) == getpid();
    if (!of_first || atomic_fetch_sub(&room->head->users, 1) == 1) munmap(room->map, room->bytes);
    room->map = NULL;
}

/* The fence that sleepers make for others (room/work.h) has to be asked for by each process. */
bool sup_room_fences(void) {
    long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return known > 0 && (known & MEMBARRIER_CMD_GLOBAL_EXPEDITED) &&
           !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

/* This member's entry, before anybody looks for it. */
static void enter(sup_room *room) {
    atomic_store(&room->card[room->self].pid, getpid());
    if (room->fenced) atomic_store(&room->head->fenced, 1);
}

/* ---- opening ---- */

enum { TURN_BIT = 24, DATA_MAX = (1 << 22) - 1, TURNS = 4 /* of a room */ };
#define OFFERED ((uint64_t)1 << 23)
enum { FINE = 1, NO_MEMORY = 2 };

static uint64_t word_of(uint64_t turn, uint64_t data) { return turn << TURN_BIT | data; }
static uint64_t data_of(uint64_t word) { return word & DATA_MAX; }

/* Turns of a conversation that is over, though its last word may be on its way; or the word is the offer that begins
 * the next one. */
static uint64_t turns_before(const sup_net_group *group, int slot, int member) {
    uint64_t word = sup_net_peek(group->net, sup_net_group_rank(group, member), slot);
    return ((word >> TURN_BIT) + (word & OFFERED ? 0 : TURNS - 1)) & ~(uint64_t)(TURNS - 1);
}

/* The first member's memory; false: it has none that could be offered. */
static bool make_offer(sup_room *room, int *fd) {
    if (!room || getpid() > DATA_MAX) return false;
    size_t bytes = lay_out(room, NULL);
    (void)sup_host_memory_make("superstep-room", bytes, fd);
    unsigned char *map = sup_host_memory_map(*fd <= DATA_MAX ? *fd : -1, bytes);
    if (!map) return false;
    lay_out(room, map);
    atomic_store(&room->head->address, (uintptr_t)map);
    atomic_store(&room->head->users, 1);
    enter(room);
    return true;
}

/* To one other member: process 0 says that there is nothing. *answer: whether it has opened it. */
static sup_status offer_to(const sup_net_group *group, int slot, int rank, uint64_t turn, uint64_t process, uint64_t fd,
                           uint64_t *answer) {
    sup_status st = sup_net_await(group->net, rank, slot, word_of(turn, 0), NULL);
    if (!st) st = sup_net_signal(group->net, rank, slot, word_of(turn + 1, OFFERED | process));
    if (!st) st = sup_net_await(group->net, rank, slot, word_of(turn + 1, 0), NULL);
    if (!st) st = sup_net_signal(group->net, rank, slot, word_of(turn + 2, OFFERED | fd));
    if (!st) st = sup_net_await(group->net, rank, slot, word_of(turn + 2, 0), answer);
    return st;
}

/* The first member's side. One after the other: that takes some 20 µs each. */
static sup_status offer_to_all(const sup_net_group *group, int slot, sup_room *room, uint64_t *all) {
    int fd = -1;
    sup_status st = SUP_OK;
    bool made = make_offer(room, &fd);
    uint64_t process = made ? (uint64_t)getpid() : 0, file = made ? (uint64_t)fd : 0;
    *all = !room ? NO_MEMORY : made ? FINE : 0;
    for (int i = 1; i < group->size && !st; i++) {
        uint64_t answer = 0;
        st = offer_to(group, slot, sup_net_group_rank(group, i), turns_before(group, slot, i), process, file, &answer);
        *all = (*all & answer & FINE) | ((*all | answer) & NO_MEMORY);
    }
    for (int i = 1; i < group->size && !st; i++)
        st =
            sup_net_signal(group->net, sup_net_group_rank(group, i), slot, word_of(turns_before(group, slot, i), *all));
    if (fd >= 0) close(fd); /* all have opened it */
    return st;
}

static bool take_offer(sup_room *room, pid_t process, int descriptor) {
    if (!room || !process) return false;
    size_t bytes = lay_out(room, NULL);
    int fd = sup_host_memory_open(process, descriptor);
    unsigned char *map = sup_host_memory_map(fd, bytes);
    if (fd >= 0) close(fd);
    if (!map) return false;
    if (process == getpid()) map = use_first(map, bytes);
    lay_out(room, map);
    enter(room);
    return true;
}

/* The others' side. */
static sup_status hear_first(const sup_net_group *group, int slot, sup_room *room, uint64_t *all) {
    int first = sup_net_group_rank(group, 0);
    uint64_t turn = turns_before(group, slot, 0), process = 0, file = 0;
    sup_status st = sup_net_await(group->net, first, slot, word_of(turn + 1, 0), &process);
    if (!st) st = sup_net_signal(group->net, first, slot, word_of(turn + 1, 0));
    if (!st) st = sup_net_await(group->net, first, slot, word_of(turn + 2, 0), &file);
    if (st) return st;
    uint64_t mine = !room ? NO_MEMORY : take_offer(room, (pid_t)data_of(process), (int)data_of(file)) ? FINE : 0;
    st = sup_net_signal(group->net, first, slot, word_of(turn + 2, mine));
    if (!st) st = sup_net_await(group->net, first, slot, word_of(turn + TURNS, 0), all);
    return st ? st : sup_net_signal(group->net, first, slot, word_of(turn + TURNS, 0));
}

/* The net's naps: under MPI others may need its turns. */
static sup_patience patience_in(sup_net *net) {
    sup_patience patience = SUP_PATIENCE_ROOM, usual = *sup_net_rung(net);
    if (net->oversubscribed || usual.fixed) return usual;
    patience.nap_ns = usual.nap_ns;
    patience.nap_max_ns = usual.nap_max_ns;
    return patience;
}

static sup_room *new_room(const sup_net_group *group, int slot) {
    sup_room *room =
        aligned_alloc(SUP_SHARED_LINE, (sizeof *room + SUP_SHARED_LINE - 1) & ~(size_t)(SUP_SHARED_LINE - 1));
    int *ranks = calloc((size_t)group->size, sizeof *ranks);
    unsigned char *scratch = aligned_alloc(SUP_SHARED_LINE, (size_t)group->size * SUP_SHARED_LINE);
    if (!room || !ranks || !scratch) {
        free(room);
        free(ranks);
        free(scratch);
        return NULL;
    }
    *room = (sup_room){.net = group->net,
                       .size = group->size,
                       .self = group->self,
                       .slot = slot,
                       .ranks = ranks,
                       .scratch = scratch,
                       .impatient = group->net->oversubscribed,
                       .patience = patience_in(group->net),
                       .fenced = !sup_room_fences()};
    for (int i = 0; i < group->size; i++) ranks[i] = sup_net_group_rank(group, i);
    return room;
}

sup_status sup_room_open(const sup_net_group *group, int slot, sup_room **out) {
    if (group->self < 0 || slot < 0 || slot >= SUP_NET_SLOTS) return SUP_EINVAL;
    for (int i = 0; i < group->size; i++)
        if (!sup_net_shares(group->net, sup_net_group_rank(group, i))) return SUP_ENOTSUP;
    sup_room *room = new_room(group, slot);
    uint64_t all = 0;
    sup_status st = group->self ? hear_first(group, slot, room, &all) : offer_to_all(group, slot, room, &all);
    if (st || !(all & FINE) || !room) {
        sup_room_close(room);
        return st ? st : all & NO_MEMORY ? SUP_ENOMEM : SUP_ENOTSUP;
    }
    room->fenced = atomic_load(&room->head->fenced);
    *out = room;
    return SUP_OK;
}

void sup_room_close(sup_room *room) {
    if (!room) return;
    if (room->map) {
        atomic_store(&room->card[room->self].left, 1);
        unmap(room);
    }
    free(room->ranks);
    free(room->scratch);
    free(room);
}
