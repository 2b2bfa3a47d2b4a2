/* Reduce in a room: Tcomm inside a host. Short vectors: the root reads everybody's and folds them; the others do not
 * wait. Longer ones in slices (room_fold.c), which only the root copies out. */
#include "coll/room_work.h"

/* The root reads P vectors in the first form, one in the second. */
enum { READ_MOST = 16384 };

sup_status sup_shared_reduce(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t bytes = (size_t)call->bytes;
    bool root = room->self == call->root;
    if (!bytes) return SUP_OK;
    if (room->size == 1) {
        if (call->in != call->out) memcpy(call->out, call->in, bytes);
        return SUP_OK;
    }
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    if (bytes > ring->payload || (ring->size != SUP_ROOM_SMALL && bytes * (size_t)room->size > READ_MOST))
        return sup_room_fold_slices(room, call, choice, call->root);
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), call->in, bytes);
    if (!root)
        sup_room_post(room, ring, cell);
    else
        st = sup_room_fold_cells(room, ring, cell, call, room->size - 1, call->out);
    sup_room_finish(room, ring);
    return st;
}
