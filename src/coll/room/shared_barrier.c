/* Barrier in a room: Tsync inside a host. A gathering of nothing (room/gather.c). */
#include "coll/room/work.h"

sup_status sup_shared_barrier(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    (void)call;
    return sup_room_gather_all(room, room->scratch, 0, choice ? choice->radix : 0, room->scratch);
}
