/* Blocks in a room: where they lie, rounds of chunks, whether memory is read directly (shared_blocks.h). */
#include "coll/room/shared_blocks.h"

/* ---- places ---- */

static sup_block block_of(int64_t each, const int64_t *bytes, const int64_t *at, int i) {
    sup_block b = {.at = (size_t)(at ? at[i] : bytes ? 0 : i * each), .bytes = (size_t)(bytes ? bytes[i] : each)};
    for (int k = 0; bytes && !at && k < i; k++) b.at += (size_t)bytes[k];
    return b;
}

sup_block sup_block_in(const sup_coll_call *call, int i) {
    if (call->operation == SUP_GATHER || call->operation == SUP_ALLGATHER) {
        const int64_t *own = call->in_bytes ? call->in_bytes : call->out_bytes ? call->out_bytes + i : &call->bytes;
        return (sup_block){.bytes = (size_t)*own};
    }
    return block_of(call->bytes, call->in_bytes, call->in_at, i);
}

sup_block sup_block_out(const sup_coll_call *call, int i) {
    if (call->operation == SUP_SCATTER || call->operation == SUP_REDUCE_SCATTER) {
        const int64_t *own = call->out_bytes ? call->out_bytes : call->in_bytes ? call->in_bytes + i : &call->bytes;
        return (sup_block){.bytes = (size_t)*own};
    }
    return block_of(call->bytes, call->out_bytes, call->out_at, i);
}

/* ---- rounds ---- */

static sup_status bring(const sup_chunks *x, size_t round) {
    sup_room_ring *ring = &x->room->ring[SUP_ROOM_LARGE];
    sup_status st = sup_room_claim(x->room, ring, x->first + round);
    if (!st && x->bring(x, round, sup_room_mine(x->room, ring, x->first + round)))
        sup_room_post(x->room, ring, x->first + round);
    return st;
}

sup_status sup_chunks_await(const sup_chunks *x, int i, size_t round, const unsigned char **cell) {
    const sup_room_ring *ring = &x->room->ring[SUP_ROOM_LARGE];
    *cell = sup_room_cell(ring, i, x->first + round);
    return sup_room_await(x->room, ring, i, x->first + round);
}

/* A ring of large cells is gone through once before any of them is used again: each of the first calls would wait for
 * new pages, its own and where it reads, longer than for the data. */
static void touch(const sup_chunks *x, sup_room_ring *ring, size_t most, int shares) {
    size_t bytes = most < x->piece ? most : x->piece, *touched = &ring->touched[shares > 1];
    int self = x->room->self, operation = x->call->operation;
    if (bytes <= *touched) return;
    *touched = bytes;
    for (int i = 0; i < shares && x->bring; i++)
        if (shares == 1 || i != self) sup_room_touch_cells(ring, self, (size_t)i * x->section, bytes);
    if (operation != SUP_ALLTOALL && operation != SUP_ALLGATHER) return; /* in which all write, and read all */
    for (int k = 1; k < x->room->size; k++)
        sup_room_touch_cells(ring, sup_room_after(x->room, k), shares == 1 ? 0 : (size_t)self * x->section, bytes);
}

sup_status sup_chunks_run(sup_chunks *x, const sup_choice *choice, size_t most, size_t element, int shares) {
    sup_room_ring *ring = &x->room->ring[SUP_ROOM_LARGE];
    x->section = (size_t)sup_shared_section(shares);
    x->piece = (size_t)sup_shared_chunk(shares, (int64_t)element, choice ? choice->segment_bytes : 0);
    if (!x->piece) return SUP_ENOTSUP;
    x->rounds = (most + x->piece - 1) / x->piece;
    x->first = sup_room_take(ring, x->rounds);
    touch(x, ring, most, shares);
    sup_status st = x->bring && x->rounds ? bring(x, 0) : SUP_OK;
    for (size_t r = 0; r < x->rounds && !st; r++) {
        if (x->bring && r + 1 < x->rounds) st = bring(x, r + 1);
        if (!st && x->take) st = x->take(x, r);
        if (!st) sup_room_done(x->room, ring, x->first + r + 1);
    }
    return st;
}

/* ---- memory of others ---- */

sup_status sup_room_post_number(sup_room *room, uint64_t cell, uint64_t number) {
    sup_room_ring *ring = &room->ring[SUP_ROOM_SMALL];
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), &number, sizeof number);
    sup_room_post(room, ring, cell);
    return SUP_OK;
}

sup_status sup_room_await_number(sup_room *room, int member, uint64_t cell, uint64_t *number) {
    sup_room_ring *ring = &room->ring[SUP_ROOM_SMALL];
    sup_status st = sup_room_await(room, ring, member, cell);
    if (!st) memcpy(number, sup_room_cell(ring, member, cell), sizeof *number);
    return st;
}

sup_status sup_room_copied(sup_room *room, sup_status status) {
    if (!status) return SUP_OK;
    /* these two say that all members found so, before anything was done */
    if (status == SUP_EINVAL || status == SUP_ENOTSUP) status = SUP_EPERM;
    sup_room_break(room, status);
    return status;
}

/* Whether the kernel really does it: it may refuse what the net does not know of. */
static sup_status try_copy(sup_room *room, int i, uint64_t cell, bool *works) {
    uint64_t address = 0, word = 0;
    sup_status st = sup_room_await_number(room, i, cell, &address);
    if (st || !address || !sup_net_copies(room->net, room->ranks[i])) {
        *works = false;
        return st;
    }
    st = sup_net_copy_from(room->net, room->ranks[i], &word, (const void *)(uintptr_t)address, sizeof word);
    *works = !st && word == ~address;
    return st == SUP_EPEER ? st : SUP_OK;
}

static sup_status ask_direct(sup_room *room, uint64_t *all) {
    uint64_t cell = sup_room_take(&room->ring[SUP_ROOM_SMALL], 2), theirs;
    _Alignas(8) uint64_t word = ~(uint64_t)(uintptr_t)&word;
    sup_status st = sup_room_post_number(room, cell, ~word);
    *all = 1;
    for (int k = 1; k < room->size && !st; k++) {
        bool works = false;
        st = try_copy(room, sup_room_after(room, k), cell, &works);
        *all &= works;
    }
    if (!st) st = sup_room_post_number(room, cell + 1, *all);
    for (int k = 1; k < room->size && !st; k++) {
        st = sup_room_await_number(room, sup_room_after(room, k), cell + 1, &theirs);
        if (!st) *all &= theirs;
    }
    sup_room_finish(room, &room->ring[SUP_ROOM_SMALL]);
    return st;
}

sup_status sup_room_direct(sup_room *room, const sup_choice *choice, bool usual, bool *direct) {
    *direct = false;
    if (!sup_shared_wants_direct(choice, usual)) return SUP_OK;
    if (!room->direct) {
        uint64_t all;
        sup_status st = ask_direct(room, &all);
        if (st) return st;
        room->direct = all ? 1 : -1;
    }
    *direct = room->direct > 0;
    return SUP_OK;
}
