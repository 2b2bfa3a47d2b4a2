/* Pages of a room's cells (work.h): touched in one go, before they are used. Tcomm, what happens for the first time. */
#include "coll/room/work.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { TOUCH_MOST = 4 << 20 }; /* bytes of a ring; of more processes only what is used is touched */

static void touch(uintptr_t from, uintptr_t to) {
    from &= ~(uintptr_t)4095;
    if (to > from) (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

/* Each call uses the next cell of a ring, so the first dozens of short calls would each wait for pages, all members for
 * those of one file. In one go they cost little, and only who uses the ring pays for it: a new page takes 2 to 3 µs, a
 * ring of medium cells has 66 and more. Members mostly come here together, so each makes a share of them first; a
 * kernel that cannot do it leaves things as they are. */
void sup_room_touch(const sup_room *room, const sup_room_ring *ring) {
    uintptr_t from = (uintptr_t)ring->at, bytes = ring->count * ring->step, p = (uintptr_t)room->size;
    uintptr_t share = (bytes + p - 1) / p, own = (uintptr_t)room->self * share;
    if (bytes > TOUCH_MOST) return;
    touch(from + own, from + (own + share < bytes ? own + share : bytes));
    touch(from, from + bytes);
}

void sup_room_touch_cells(const sup_room_ring *ring, int member, size_t at, size_t bytes) {
    for (uint64_t cell = 0; cell < ring->count; cell++) {
        uintptr_t from = (uintptr_t)sup_room_cell(ring, member, cell) + at;
        touch(from, from + bytes);
    }
}
