/* Reduce-scatter in a room: Tcomm inside a host. Everybody has all its blocks in its cell, or in rounds a chunk of
 * each; each member folds its own block out of all cells, in the order of members: ((x0 ∘ x1) ∘ x2) …, whatever the
 * form. */
#include "coll/room/shared_blocks.h"

/* out = member 0's ∘ member 1's ∘ …: called for one after the other. */
static void fold_next(const sup_coll_call *call, int i, const void **first, const void *x, void *out, size_t bytes) {
    const sup_fold *fold = call->fold;
    size_t count = bytes / fold->element;
    if (i == 0)
        *first = x;
    else if (i == 1)
        sup_room_fold(fold, out, *first, x, count);
    else
        fold->into(out, x, count, fold->context);
}

/* ---- all in one cell ---- */

static sup_status in_cells(sup_room *room, const sup_coll_call *call, sup_room_ring *ring) {
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    unsigned char *mine = sup_room_mine(room, ring, cell);
    size_t used = 0, own_at = 0, own = sup_block_in(call, room->self).bytes;
    for (int i = 0; i < room->size; i++) {
        sup_block b = sup_block_in(call, i);
        if (i == room->self) own_at = used;
        sup_block_copy(mine + used, (const unsigned char *)call->in + b.at, b.bytes);
        used += b.bytes;
    }
    sup_room_post(room, ring, cell);
    const void *first = NULL;
    for (int i = 0; i < room->size; i++) {
        if (i != room->self) st = sup_room_await(room, ring, i, cell);
        if (st) return st;
        const unsigned char *x = (const unsigned char *)sup_room_cell(ring, i, cell) + own_at;
        if (own) fold_next(call, i, &first, x, call->out, own);
    }
    sup_room_all_consumed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return SUP_OK;
}

/* ---- rounds ---- */

static bool bring(const sup_chunks *x, size_t round, unsigned char *cell) {
    bool any = false;
    for (int k = 1; k < x->room->size; k++) {
        int i = sup_room_after(x->room, k);
        sup_block b = sup_block_in(x->call, i);
        size_t at, bytes = sup_chunks_part(x, round, b.bytes, &at);
        if (bytes) memcpy(cell + (size_t)i * x->section, (const unsigned char *)x->call->in + b.at + at, bytes);
        any |= bytes > 0;
    }
    return any;
}

static sup_status take(const sup_chunks *x, size_t round) {
    int self = x->room->self;
    sup_block own = sup_block_in(x->call, self);
    size_t at, bytes = sup_chunks_part(x, round, own.bytes, &at);
    const void *first = NULL;
    for (int i = 0; i < x->room->size && bytes; i++) {
        const unsigned char *cell, *from = (const unsigned char *)x->call->in + own.at + at;
        if (i != self) {
            sup_status st = sup_chunks_await(x, i, round, &cell);
            if (st) return st;
            from = cell + (size_t)self * x->section;
        }
        fold_next(x->call, i, &first, from, (unsigned char *)x->call->out + at, bytes);
    }
    return SUP_OK;
}

sup_status sup_shared_reduce_scatter(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t most = 0, all = 0;
    for (int i = 0; i < room->size; i++) {
        size_t bytes = sup_block_in(call, i).bytes;
        all += bytes;
        if (bytes > most) most = bytes;
    }
    if (!all) return SUP_OK;
    if (room->size == 1) {
        sup_block_copy(call->out, (const unsigned char *)call->in + sup_block_in(call, 0).at, all);
        return SUP_OK;
    }
    if (sup_shared_in_cell(1, (int64_t)all)) return in_cells(room, call, sup_room_ring_for(room, all));
    sup_chunks x = {.room = room, .call = call, .bring = bring, .take = take};
    return sup_chunks_run(&x, choice, most, call->fold->element, room->size);
}
