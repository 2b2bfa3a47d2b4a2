/* Allreduce in a room: Tcomm inside a host. Short vectors: everybody reads everybody's and folds all of them itself.
 * Longer ones in slices (room_fold.c). */
#include "coll/room_work.h"

/* Everybody reads P vectors in the first form and two in the second, which takes a handshake more. */
enum { READ_MOST = 16384 };

sup_status sup_shared_allreduce(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t bytes = (size_t)call->bytes;
    if (!bytes) return SUP_OK;
    if (room->size == 1) {
        if (call->in != call->out) memcpy(call->out, call->in, bytes);
        return SUP_OK;
    }
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    if (bytes > ring->payload || (ring->size != SUP_ROOM_SMALL && bytes * (size_t)room->size > READ_MOST))
        return sup_room_fold_slices(room, call, choice, SUP_ROOM_ALL);
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), call->in, bytes);
    sup_room_post(room, ring, cell);
    st = sup_room_fold_cells(room, ring, cell, call, room->size - 1, call->out);
    sup_room_passed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return st;
}
