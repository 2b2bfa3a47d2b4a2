/* Allgather in a room, blocks of one length or of different ones: Tcomm inside a host. Up to a page everybody reads
 * everybody's cell. Longer blocks go in rounds of chunks; or, if that was chosen, each reads the others' memory. */
#include "coll/room/shared_blocks.h"

static void *place(const sup_coll_call *call, int i) { return (unsigned char *)call->out + sup_block_out(call, i).at; }

/* ---- a cell each ---- */

static sup_status in_cells(sup_room *room, const sup_coll_call *call, sup_room_ring *ring) {
    uint64_t cell = sup_room_take(ring, 1);
    size_t own = sup_block_in(call, room->self).bytes;
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    sup_block_copy(sup_room_mine(room, ring, cell), call->in, own);
    sup_room_post(room, ring, cell);
    sup_block_copy(place(call, room->self), call->in, own);
    for (int k = 1; k < room->size; k++) {
        int i = sup_room_after(room, k);
        st = sup_room_await(room, ring, i, cell);
        if (st) return st;
        sup_block_copy(place(call, i), sup_room_cell(ring, i, cell), sup_block_out(call, i).bytes);
    }
    sup_room_all_consumed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return SUP_OK;
}

/* ---- rounds ---- */

static bool bring(const sup_chunks *x, size_t round, unsigned char *cell) {
    size_t at, bytes = sup_chunks_part(x, round, sup_block_in(x->call, x->room->self).bytes, &at);
    const unsigned char *from = (const unsigned char *)x->call->in + at;
    sup_block_copy(cell, from, bytes);
    return bytes;
}

static sup_status take(const sup_chunks *x, size_t round) {
    size_t at, bytes = sup_chunks_part(x, round, sup_block_in(x->call, x->room->self).bytes, &at);
    if (bytes) {
        unsigned char *to = (unsigned char *)place(x->call, x->room->self) + at;
        sup_block_copy(to, (const unsigned char *)x->call->in + at, bytes);
    }
    for (int k = 1; k < x->room->size; k++) {
        int i = sup_room_after(x->room, k);
        const unsigned char *cell;
        bytes = sup_chunks_part(x, round, sup_block_out(x->call, i).bytes, &at);
        if (!bytes) continue;
        sup_status st = sup_chunks_await(x, i, round, &cell);
        if (st) return st;
        memcpy((unsigned char *)place(x->call, i) + at, cell, bytes);
    }
    return SUP_OK;
}

/* ---- from memory to memory ---- */

static sup_status from_memory(sup_room *room, const sup_coll_call *call) {
    sup_room_ring *ring = &room->ring[SUP_ROOM_SMALL];
    uint64_t cell = sup_room_take(ring, 2), theirs = 0;
    sup_status st = sup_room_post_number(room, cell, (uint64_t)(uintptr_t)call->in);
    for (int k = 1; k < room->size && !st; k++) {
        int i = sup_room_after(room, k);
        st = sup_room_await_number(room, i, cell, &theirs);
        size_t bytes = sup_block_out(call, i).bytes;
        if (!st && bytes)
            st = sup_room_copied(room, sup_net_copy_from(room->net, room->ranks[i], place(call, i),
                                                         (const void *)(uintptr_t)theirs, bytes));
    }
    if (!st) st = sup_room_post_number(room, cell + 1, 0);
    if (!st) sup_block_copy(place(call, room->self), call->in, sup_block_in(call, room->self).bytes);
    for (int k = 1; k < room->size && !st; k++)
        st = sup_room_await_number(room, sup_room_after(room, k), cell + 1, &theirs);
    if (st) return st;
    sup_room_all_consumed(ring, cell + 1);
    sup_room_finish(room, ring);
    return SUP_OK;
}

sup_status sup_shared_allgather(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t most = 0;
    for (int i = 0; i < room->size; i++) {
        size_t bytes = sup_block_out(call, i).bytes;
        if (bytes > most) most = bytes;
        if (!call->out_bytes) break;
    }
    if (!most) return SUP_OK;
    if (room->size == 1) {
        sup_block_copy(place(call, 0), call->in, most);
        return SUP_OK;
    }
    if (most <= SUP_SHARED_SMALL && !sup_block_differ(call))
        return sup_room_gather_all(room, call->in, most, choice ? choice->radix : 0, call->out);
    if (sup_shared_in_cell(1, (int64_t)most)) return in_cells(room, call, sup_room_ring_for(room, most));
    bool direct;
    sup_status st = sup_room_direct(room, choice, false, &direct);
    if (st) return st;
    if (direct) return from_memory(room, call);
    return sup_chunks_run(&(sup_chunks){.room = room, .call = call, .bring = bring, .take = take}, choice, most, 1, 1);
}
