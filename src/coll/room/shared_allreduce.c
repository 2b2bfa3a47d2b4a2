/* Allreduce in a room: Tcomm inside a host. The shortest vectors are gathered by everybody (room/gather.c), who folds
 * them itself. Of longer ones, up to a page, everybody reads all cells and folds them. Those that are too much to read
 * so often go in slices (room/fold.c). */
#include "coll/room/work.h"

static sup_status gather(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t bytes = (size_t)call->bytes, count = bytes / call->fold->element;
    unsigned char *all = room->scratch;
    sup_status st = sup_room_gather_all(room, call->in, bytes, choice ? choice->radix : 0, all);
    if (st) return st;
    sup_room_fold(call->fold, call->out, all, all + bytes, count);
    for (int i = 2; i < room->size; i++)
        call->fold->into(call->out, all + (size_t)i * bytes, count, call->fold->context);
    return SUP_OK;
}

static sup_status read_all(sup_room *room, sup_room_ring *ring, const sup_coll_call *call) {
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), call->in, (size_t)call->bytes);
    sup_room_post(room, ring, cell);
    st = sup_room_fold_cells(room, ring, cell, call, room->size - 1, call->out);
    if (!st) sup_room_all_consumed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return st;
}

sup_status sup_shared_allreduce(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t bytes = (size_t)call->bytes;
    if (!bytes) return SUP_OK;
    if (room->size == 1) {
        if (call->in != call->out) memcpy(call->out, call->in, bytes);
        return SUP_OK;
    }
    switch (sup_shared_allreduce_form(room->size, call->bytes)) {
    case SUP_SHARED_GATHER: return gather(room, call, choice);
    case SUP_SHARED_READ: return read_all(room, sup_room_ring_for(room, bytes), call);
    default: return sup_room_fold_slices(room, call, choice, SUP_ROOM_ALL);
    }
}
