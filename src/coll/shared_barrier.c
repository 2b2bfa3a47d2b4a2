/* Barrier in a room: Tsync inside a host. Few members look at each other's cells; of many the first one looks at all
 * and then says so. */
#include "coll/room_work.h"

enum { FEW = 4 };

sup_status sup_shared_barrier(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    sup_room_ring *ring = &room->ring[SUP_ROOM_SMALL];
    bool few = room->size <= FEW, first = room->self == 0;
    (void)call;
    (void)choice;
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    if (few || !first) sup_room_post(room, ring, cell);
    int heard = few || first ? room->size : 1;
    for (int i = 0; i < heard && !st; i++)
        if (i != room->self) st = sup_room_await(room, ring, i, cell);
    if (!st && first && !few) sup_room_post(room, ring, cell);
    sup_room_passed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return st;
}
