/* Broadcast in a room: Tcomm inside a host.
 *
 * A tree over the members, the root first: with the usual radix, which is P - 1, all read the root's cells; with less,
 * inner members pass on what they read, chunk by chunk. Up to a page goes in one cell. Longer vectors are cut, so that
 * the root fills a chunk while the others copy the one before it. The root waits for nobody until its cells are full.
 */
#include "coll/room/work.h"

typedef struct place {
    int parent;    /* member; -1: the root */
    bool children; /* somebody reads this member's cells */
} place;

static place place_of(const sup_room *room, int root, int radix) {
    int at = room->self - root;
    if (at < 0) at += room->size;
    radix = (int)sup_shared_children(room->size, radix);
    if (radix == room->size - 1) return (place){at ? root : -1, !at};
    int parent = at ? (at - 1) / radix + root : -1;
    return (place){parent < room->size ? parent : parent - room->size, (int64_t)at * radix + 1 < room->size};
}

static sup_status move(sup_room *room, sup_room_ring *ring, place p, uint64_t cell, unsigned char *data, size_t n) {
    sup_status st = SUP_OK;
    const void *from = data;
    if (p.parent >= 0) {
        st = sup_room_await(room, ring, p.parent, cell);
        from = sup_room_cell(ring, p.parent, cell);
    }
    if (!st && p.children) st = sup_room_claim(room, ring, cell);
    if (st) return st;
    if (p.children) {
        memcpy(sup_room_mine(room, ring, cell), from, n);
        sup_room_post(room, ring, cell);
    }
    if (p.parent >= 0) memcpy(data, from, n);
    return SUP_OK;
}

sup_status sup_shared_broadcast(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t bytes = (size_t)call->bytes;
    if (room->size == 1 || !bytes) return SUP_OK;
    place p = place_of(room, call->root, choice ? choice->radix : 0);
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    if (sup_shared_in_cell(1, call->bytes)) {
        sup_status st = move(room, ring, p, sup_room_take(ring, 1), call->out, bytes);
        sup_room_finish(room, ring);
        return st;
    }
    size_t piece = (size_t)sup_shared_broadcast_piece(call->bytes, choice ? choice->segment_bytes : 0);
    uint64_t cell = sup_room_take(ring, (bytes + piece - 1) / piece);
    unsigned char *data = call->out;
    for (size_t at = 0; at < bytes; at += piece, cell++) {
        sup_status st = move(room, ring, p, cell, data + at, bytes - at < piece ? bytes - at : piece);
        if (st) return st;
        sup_room_done(room, ring, cell + 1);
    }
    return SUP_OK;
}
