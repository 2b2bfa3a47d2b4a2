/* Scatter in a room: Tcomm inside a host (shared_exchange.c). The root waits for nobody until its cells are full,
 * unless the others read its memory: they do so at the same time, and then say so. */
#include "coll/room/shared_blocks.h"

sup_status sup_shared_scatter(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    return sup_shared_exchange(room, call, choice, call->root);
}
