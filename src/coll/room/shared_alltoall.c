/* All-to-all in a room: Tcomm inside a host (shared_exchange.c). */
#include "coll/room/shared_blocks.h"

sup_status sup_shared_alltoall(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    return sup_shared_exchange(room, call, choice, SUP_ROOM_ALL);
}
