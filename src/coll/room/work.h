/* What the operations in a room (shared_OPERATION.c) are made of: rings of cells, waits, and how far everybody is.
 *
 * Cells. A room has three rings (small, medium and large cells); in each ring every member has a cell for every number
 * 0, 1, 2, …, which only it writes and all may read. Cell c of a member and its cell c + count are the same memory. All
 * members carry out the same operations in the same order and take the same numbers for them, so that nothing has to be
 * agreed upon:
 *
 *     uint64_t c = sup_room_take(ring, 1);                       everybody: the numbers of this operation
 *     sup_room_claim(room, ring, c);                             writer: waits until its cell is free
 *     memcpy(sup_room_mine(room, ring, c), data, n);             … at most ring->payload bytes
 *     sup_room_post(room, ring, c);                              … it can be read
 *     sup_room_await(room, ring, writer, c);                     reader: waits for it
 *     memcpy(data, sup_room_cell(ring, writer, c), n);
 *     sup_room_finish(room, ring);                               everybody: done with all cells it has taken
 *
 * How long cells and pieces are, and which form an operation has for which sizes, is in schedule/shared.h, where its
 * model finds it, too.
 *
 * A member need not write a cell that nobody is going to read.
 *
 * Free cells. Each member says how far it is: it reads no cell of anybody below that number any more. Small cells are
 * many, and it says so only now and then; the writer looks only when the ring is full. So the root of a broadcast runs
 * ahead by a ring. An operation in which everybody hears of everybody learns it for nothing: sup_room_all_consumed.
 *
 * Waits look at the word first, then let the net make progress, then sleep. A writer that finds nobody asleep pays one
 * load: the fence that this takes is the sleeper's (membarrier), where the kernel has it. */
#ifndef SUP_COLL_ROOM_WORK_H
#define SUP_COLL_ROOM_WORK_H

#include "coll/room/room.h"
#include "schedule/shared.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

/* Their payloads are SUP_SHARED_SMALL, …_MEDIUM, …_LARGE (schedule/shared.h). */
enum sup_room_size {
    SUP_ROOM_SMALL,  /* the payload lies in the line that carries the number */
    SUP_ROOM_MEDIUM, /* a page: one step of vectors that are not worth being cut */
    SUP_ROOM_LARGE,  /* chunks of long vectors: few enough to stay in a core's cache */
    SUP_ROOM_SIZES
};

typedef struct sup_room_ring {
    unsigned char *at; /* cell 0 of member 0 */
    size_t step;       /* bytes from a cell to the next one of its member … */
    size_t across;     /* … and to the same one of the next member */
    size_t payload_at, payload;
    uint64_t count;    /* cells of a member; a power of two */
    uint64_t every;    /* says how far it is after so many; a power of two */
    uint64_t next;     /* number of the first cell that has not been taken */
    uint64_t safe;     /* everybody is done with the cells below it; see sup_room_untouched */
    uint64_t told;     /* what this member has last said */
    int size;          /* sup_room_size */
    size_t touched[2]; /* large cells: how much of them has been, with one share each, with one for every member */
} sup_room_ring;

/* How far a member is, and whether it is there at all. */
typedef struct sup_room_card {
    _Alignas(SUP_SHARED_LINE) _Atomic uint64_t done[SUP_ROOM_SIZES];
    _Atomic pid_t pid;
    _Atomic int left;   /* it has closed the room */
    _Atomic int cpu;    /* where it last waited for more than a moment, plus 1; 0: nowhere yet */
    _Atomic int awaits; /* while it sleeps: the member whose word it waits for */
} sup_room_card;

typedef struct sup_room_head {
    _Alignas(SUP_SHARED_LINE) _Atomic uint32_t broken; /* the operation is over for all: a status less its sign */
    _Atomic int fenced;        /* the kernel has no fence for others: writers fence themselves */
    _Atomic int users;         /* mappings that are this process's, see room.c */
    _Atomic uintptr_t address; /* … where the first member has it */
} sup_room_head;

struct sup_room {
    sup_room_ring ring[SUP_ROOM_SIZES]; /* first: what every operation touches */
    sup_net *net;
    int size, self;
    int slot;
    bool fenced;
    bool impatient; /* processes exceed cores */
    bool together;  /* the one last waited for was on the same core */
    int direct;     /* 1: all members may copy from and to each other's memory; -1: not; 0: nobody has asked */
    sup_patience patience;
    uint32_t waits;
    int words;                  /* of `sleepers` */
    _Atomic uint64_t *sleepers; /* a bit a member: it sleeps, or is about to */
    sup_room_card *card;        /* of member 0 */
    sup_room_head *head;
    int *ranks;             /* of the members */
    unsigned char *scratch; /* a small payload of each member */
    unsigned char *map;
    size_t bytes;
};

typedef sup_status sup_room_operation(sup_room *room, const sup_coll_call *call, const sup_choice *choice);
/* The rows of room.c. */
sup_room_operation sup_shared_broadcast, sup_shared_scatter, sup_shared_gather, sup_shared_allgather, sup_shared_reduce,
    sup_shared_allreduce, sup_shared_reduce_scatter, sup_shared_alltoall, sup_shared_scan, sup_shared_exscan,
    sup_shared_barrier;

/* ---- slow halves (room/wait.c) ---- */

/* Until *word, which this member writes, is at_least. SUP_EPEER: it will not be. */
sup_status sup_room_wait(sup_room *room, int member, const _Atomic uint64_t *word, uint64_t at_least);
/* Wakes those who sleep for a word of that member. SUP_ROOM_ALL: all who sleep. */
#define SUP_ROOM_ALL (-1)
void sup_room_wake(sup_room *room, int member);
/* What `safe` is before this member claims its first cell of a ring whose pages are touched then, all in one go. No
 * cell is free by it, so that the claim comes to sup_room_wait_free. */
static inline uint64_t sup_room_untouched(const sup_room_ring *ring) { return 0 - ring->count; }
/* … by this (touch.c). */
void sup_room_touch(const sup_room *room, const sup_room_ring *ring);
/* … so many bytes from `at` on in all cells of a member. */
void sup_room_touch_cells(const sup_room_ring *ring, int member, size_t at, size_t bytes);
/* Until all members are done with what was in the cell. */
sup_status sup_room_wait_free(sup_room *room, sup_room_ring *ring, uint64_t cell);

/* ---- cells ---- */

static inline unsigned char *sup_room_head_of(const sup_room_ring *ring, int member, uint64_t cell) {
    return ring->at + (cell & (ring->count - 1)) * ring->step + (size_t)member * ring->across;
}
static inline _Atomic uint64_t *sup_room_number(const sup_room_ring *ring, int member, uint64_t cell) {
    return (_Atomic uint64_t *)(void *)sup_room_head_of(ring, member, cell);
}
/* The payload, aligned for every type. */
static inline void *sup_room_cell(const sup_room_ring *ring, int member, uint64_t cell) {
    return sup_room_head_of(ring, member, cell) + ring->payload_at;
}
static inline void *sup_room_mine(const sup_room *room, const sup_room_ring *ring, uint64_t cell) {
    return sup_room_cell(ring, room->self, cell);
}

/* The smallest ring whose cells hold so many bytes; those of more than a large cell are cut. */
static inline sup_room_ring *sup_room_ring_for(sup_room *room, size_t bytes) {
    return &room->ring[bytes <= room->ring[SUP_ROOM_SMALL].payload    ? SUP_ROOM_SMALL
                       : bytes <= room->ring[SUP_ROOM_MEDIUM].payload ? SUP_ROOM_MEDIUM
                                                                      : SUP_ROOM_LARGE];
}

/* The next `count` numbers; the first is given. The operation may write at most ring->count numbers ahead of the
 * slowest reader, whatever count is. */
static inline uint64_t sup_room_take(sup_room_ring *ring, uint64_t count) {
    uint64_t first = ring->next;
    ring->next = first + count;
    return first;
}

static inline sup_status sup_room_claim(sup_room *room, sup_room_ring *ring, uint64_t cell) {
    return cell < ring->safe + ring->count ? SUP_OK : sup_room_wait_free(room, ring, cell);
}

/* After a store that somebody may sleep for. */
static inline void sup_room_ring_bells(sup_room *room) {
    if (room->fenced)
        atomic_thread_fence(memory_order_seq_cst);
    else
        atomic_signal_fence(memory_order_seq_cst);
    uint64_t asleep = 0;
    for (int i = 0; i < room->words; i++) asleep |= atomic_load_explicit(&room->sleepers[i], memory_order_relaxed);
    if (__builtin_expect(asleep != 0, 0)) sup_room_wake(room, room->self);
}

static inline void sup_room_post(sup_room *room, const sup_room_ring *ring, uint64_t cell) {
    atomic_store_explicit(sup_room_number(ring, room->self, cell), cell + 1, memory_order_release);
    sup_room_ring_bells(room);
}

/* Has it been posted? */
static inline bool sup_room_there(const sup_room_ring *ring, int member, uint64_t cell) {
    return atomic_load_explicit(sup_room_number(ring, member, cell), memory_order_acquire) > cell;
}

static inline sup_status sup_room_await(sup_room *room, const sup_room_ring *ring, int member, uint64_t cell) {
    if (sup_room_there(ring, member, cell)) return SUP_OK;
    return sup_room_wait(room, member, sup_room_number(ring, member, cell), cell + 1);
}

/* What is going to be read after the cell at hand, so that its way from another core is over by then: the number of the
 * cell and the first lines of what is at `at` in it. */
static inline void sup_room_expect(const sup_room_ring *ring, int member, uint64_t cell, size_t at) {
    enum { LINES = 4, BYTES = 64 };
    const unsigned char *payload = (const unsigned char *)sup_room_cell(ring, member, cell) + at;
    __builtin_prefetch(sup_room_head_of(ring, member, cell));
    for (int i = 0; i < LINES; i++) __builtin_prefetch(payload + i * BYTES);
}

/* This member reads no cell below `cell` any more: said at once. */
static inline void sup_room_publish_consumed(sup_room *room, sup_room_ring *ring, uint64_t cell) {
    ring->told = cell;
    atomic_store_explicit(&room->card[room->self].done[ring->size], cell, memory_order_release);
    sup_room_ring_bells(room);
}

/* … when it is time to say so again. Called for every cell number in turn, or for the last of several. */
static inline void sup_room_done(sup_room *room, sup_room_ring *ring, uint64_t cell) {
    if (cell - ring->told >= ring->every) sup_room_publish_consumed(room, ring, cell);
}

/* At the end of an operation: done with all that it took. */
static inline void sup_room_finish(sup_room *room, sup_room_ring *ring) { sup_room_done(room, ring, ring->next); }

/* Everybody is known to be done with all cells below this one: for instance, because everybody has posted a cell which
 * it posts after that. */
static inline void sup_room_all_consumed(sup_room_ring *ring, uint64_t cell) {
    if (cell > ring->safe) ring->safe = cell;
}

/* Everybody's block of so many bytes (at most a medium cell's) to all[], in the order of members; the own one may lie
 * there already. radix: groups of so many; below 2: the usual. Everybody is in the operation when it returns. */
sup_status sup_room_gather_all(sup_room *room, const void *block, size_t bytes, int radix, void *all);

/* ---- folds (room/fold.c) ---- */

/* to = first ∘ second, count elements. to may be first, not second. */
static inline void sup_room_fold(const sup_fold *fold, void *to, const void *first, const void *second, size_t count) {
    if (fold->to) {
        fold->to(to, first, second, count, fold->context);
        return;
    }
    if (to != first) memcpy(to, first, count * fold->element);
    fold->into(to, second, count, fold->context);
}

/* Everybody has a vector in its cell, of at most a medium cell: to = those of members 0 … last, from the left. Waits
 * for them. */
sup_status sup_room_fold_cells(sup_room *room, const sup_room_ring *ring, uint64_t cell, const sup_coll_call *call,
                               int last, void *to);

/* In rounds of a piece each: every member folds a slice of it, root (SUP_ROOM_ALL: everybody) has the result. */
sup_status sup_room_fold_slices(sup_room *room, const sup_coll_call *call, const sup_choice *choice, int root);

#endif
