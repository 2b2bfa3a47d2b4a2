/* Gather in a room: Tcomm inside a host. Up to a page: a cell each, which the root reads; the others do not wait.
 * Longer blocks: where the kernel copies, all write into the root's memory at the same time; else rounds of chunks.
 *
 * Where blocks differ only the root knows all: it says how long the longest is and where each belongs. */
#include "coll/room/shared_blocks.h"

static void *place(const sup_coll_call *call, int i) { return (unsigned char *)call->out + sup_block_out(call, i).at; }

static size_t own_bytes(const sup_room *room, const sup_coll_call *call) {
    return sup_block_in(call, room->self).bytes;
}

static void copy_own(const sup_room *room, const sup_coll_call *call) {
    size_t bytes = own_bytes(room, call);
    if (bytes) sup_block_copy(place(call, room->self), call->in, bytes);
}

/* ---- a cell each ---- */

static sup_status in_cells(sup_room *room, const sup_coll_call *call, sup_room_ring *ring) {
    uint64_t cell = sup_room_take(ring, 1);
    size_t own = own_bytes(room, call);
    sup_status st = SUP_OK;
    if (room->self != call->root && own) {
        st = sup_room_claim(room, ring, cell);
        if (st) return st;
        memcpy(sup_room_mine(room, ring, cell), call->in, own);
        sup_room_post(room, ring, cell);
    }
    if (room->self == call->root) copy_own(room, call);
    for (int k = 1; k < room->size && room->self == call->root; k++) {
        int i = sup_room_after(room, k);
        size_t bytes = sup_block_out(call, i).bytes;
        if (!bytes) continue;
        st = sup_room_await(room, ring, i, cell);
        if (st) return st;
        memcpy(place(call, i), sup_room_cell(ring, i, cell), bytes);
    }
    sup_room_finish(room, ring);
    return SUP_OK;
}

/* ---- rounds ---- */

static bool bring(const sup_chunks *x, size_t round, unsigned char *cell) {
    size_t at, bytes = sup_chunks_part(x, round, own_bytes(x->room, x->call), &at);
    if (bytes) memcpy(cell, (const unsigned char *)x->call->in + at, bytes);
    return bytes;
}

static sup_status take(const sup_chunks *x, size_t round) {
    for (int k = 1; k < x->room->size; k++) {
        int i = sup_room_after(x->room, k);
        const unsigned char *cell;
        size_t at, bytes = sup_chunks_part(x, round, sup_block_out(x->call, i).bytes, &at);
        if (!bytes) continue;
        sup_status st = sup_chunks_await(x, i, round, &cell);
        if (st) return st;
        memcpy((unsigned char *)place(x->call, i) + at, cell, bytes);
    }
    return SUP_OK;
}

static sup_status in_rounds(sup_room *room, const sup_coll_call *call, const sup_choice *choice, size_t most) {
    bool root = room->self == call->root;
    sup_chunks x = {.room = room, .call = call, .bring = root ? NULL : bring, .take = root ? take : NULL};
    if (root) copy_own(room, call);
    return sup_chunks_run(&x, choice, most, 1, 1);
}

/* ---- from memory to memory ---- */

/* `to`: where this member's block belongs in the root's memory. */
static sup_status to_memory(sup_room *room, const sup_coll_call *call, uint64_t to) {
    sup_room_ring *ring = &room->ring[SUP_ROOM_SMALL];
    uint64_t cell = sup_room_take(ring, 1), nothing;
    size_t own = own_bytes(room, call);
    sup_status st = SUP_OK;
    if (room->self == call->root) {
        copy_own(room, call);
        for (int k = 1; k < room->size && !st; k++)
            st = sup_room_await_number(room, sup_room_after(room, k), cell, &nothing);
    } else {
        if (own)
            st = sup_room_copied(room, sup_net_copy_to(room->net, room->ranks[call->root], (void *)(uintptr_t)to,
                                                       call->in, own));
        if (!st) st = sup_room_post_number(room, cell, 0);
    }
    sup_room_finish(room, ring);
    return st;
}

/* ---- blocks of different lengths ---- */

typedef struct list {
    uint64_t most;
    uint64_t place[]; /* in the root's memory */
} list;

static sup_status tell(sup_room *room, const sup_coll_call *call, uint64_t *most, uint64_t *to) {
    size_t least = sizeof(list) + (size_t)room->size * sizeof(uint64_t);
    sup_room_ring *ring = sup_room_ring_for(room, least);
    if (least > ring->payload) return SUP_ENOTSUP;
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st =
        room->self == call->root ? sup_room_claim(room, ring, cell) : sup_room_await(room, ring, call->root, cell);
    if (st) return st;
    list *l = sup_room_cell(ring, call->root, cell);
    if (room->self == call->root) {
        l->most = 0;
        for (int i = 0; i < room->size; i++) {
            size_t bytes = sup_block_out(call, i).bytes;
            l->place[i] = (uint64_t)(uintptr_t)place(call, i);
            if (i != room->self && bytes > l->most) l->most = bytes;
        }
        sup_room_post(room, ring, cell);
    }
    *most = l->most;
    *to = l->place[room->self];
    sup_room_finish(room, ring);
    return SUP_OK;
}

sup_status sup_shared_gather(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    uint64_t most = (uint64_t)call->bytes, to = 0;
    if (room->size == 1) {
        copy_own(room, call);
        return SUP_OK;
    }
    sup_status st = SUP_OK;
    if (sup_block_differ(call)) st = tell(room, call, &most, &to);
    if (st || !most) {
        if (!st && room->self == call->root) copy_own(room, call);
        return st;
    }
    if (sup_shared_in_cell(1, (int64_t)most)) return in_cells(room, call, sup_room_ring_for(room, most));
    bool direct, usual = sup_block_differ(call) ? sup_shared_lists_direct(SUP_GATHER, room->size, (int64_t)most)
                                                : sup_shared_usually_direct(room->size, (int64_t)most);
    st = sup_room_direct(room, choice, usual, &direct);
    if (st || !direct) return st ? st : in_rounds(room, call, choice, most);
    if (!to) {
        uint64_t cell = sup_room_take(&room->ring[SUP_ROOM_SMALL], 1);
        if (room->self == call->root)
            st = sup_room_post_number(room, cell, (uint64_t)(uintptr_t)call->out);
        else
            st = sup_room_await_number(room, call->root, cell, &to);
        to += (uint64_t)room->self * most;
    }
    return st ? st : to_memory(room, call, to);
}
