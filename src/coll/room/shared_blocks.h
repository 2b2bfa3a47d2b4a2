/* What operations with blocks have in common in a room (room/work.h): where blocks lie, rounds of chunks, and whether
 * members may read each other's memory. */
#ifndef SUP_COLL_ROOM_SHARED_BLOCKS_H
#define SUP_COLL_ROOM_SHARED_BLOCKS_H

#include "coll/room/work.h"

typedef struct sup_block {
    size_t at, bytes;
} sup_block;

/* Block i of P in IN, in OUT; a buffer that has only the own one (schedule.h): that one. */
sup_block sup_block_in(const sup_coll_call *call, int i);
sup_block sup_block_out(const sup_coll_call *call, int i);
/* Do blocks differ? */
static inline bool sup_block_differ(const sup_coll_call *call) { return call->in_bytes || call->out_bytes; }

static inline void sup_block_copy(void *to, const void *from, size_t bytes) {
    if (bytes && to != from) memcpy(to, from, bytes);
}

/* The k-th member after this one, around the end: whoever reads all begins behind itself, so that not all read the same
 * one. */
static inline int sup_room_after(const sup_room *room, int k) {
    int i = room->self + k;
    return i < room->size ? i : i - room->size;
}

/* Chunks of blocks in rounds, a cell of a member each. A member writes the next round's cell before it reads this
 * one's, so that there is always something to do. */
typedef struct sup_chunks sup_chunks;
struct sup_chunks {
    sup_room *room;
    const sup_coll_call *call;
    size_t piece;   /* bytes of a block in a round, */
    size_t section; /* … in a cell with something for everybody: section i for member i */
    size_t rounds;
    uint64_t first; /* cell */
    /* Fills the cell; false: there is nothing for this round, nobody is going to read it. NULL: not a writer. */
    bool (*bring)(const sup_chunks *x, size_t round, unsigned char *cell);
    /* Reads the others' cells, waiting for them. NULL: not a reader. */
    sup_status (*take)(const sup_chunks *x, size_t round);
};
/* most: bytes of the longest block; element: chunks end between elements; shares: sections of a cell. SUP_ENOTSUP: not
 * even one element fits. */
sup_status sup_chunks_run(sup_chunks *x, const sup_choice *choice, size_t most, size_t element, int shares);
/* Member i's cell of a round, when it is there. */
sup_status sup_chunks_await(const sup_chunks *x, int i, size_t round, const unsigned char **cell);
/* The bytes of a block in this round, from where on; 0: none. */
static inline size_t sup_chunks_part(const sup_chunks *x, size_t round, size_t bytes, size_t *at) {
    *at = round * x->piece;
    return *at >= bytes ? 0 : bytes - *at < x->piece ? bytes - *at : x->piece;
}

/* Shall members copy from and to each other's memory? If that is wanted (sup_shared_wants_direct), and if all of them
 * can. The answer is the same on all; the first time that it matters
 * they try. */
sup_status sup_room_direct(sup_room *room, const sup_choice *choice, bool usual, bool *direct);
/* The status of a copy from or to another member's memory. If it failed, nobody needs to wait any more, and this one
 * learns SUP_EPERM or worse: nothing that a caller would take for a decision of all. */
sup_status sup_room_copied(sup_room *room, sup_status status);
/* One number to whoever waits for it, in a small cell that all have taken. */
sup_status sup_room_post_number(sup_room *room, uint64_t cell, uint64_t number);
sup_status sup_room_await_number(sup_room *room, int member, uint64_t cell, uint64_t *number);

/* Blocks of IN to those they are for: from everybody, writer SUP_ROOM_ALL, or from one member. */
sup_status sup_shared_exchange(sup_room *room, const sup_coll_call *call, const sup_choice *choice, int writer);

#endif
