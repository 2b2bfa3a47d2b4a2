/* Everybody gets everybody's short block: the meeting that allreduce, barrier and allgather of short vectors are.
 *
 * Few members read each other's cells. Of many, groups of radix neighbours do so first; then each member reads what the
 * groups have gathered, of one member a group: 3 + 3 cells instead of 15 for 16 members in groups of four. */
#include "coll/room/work.h"

static int least(int a, int b) { return a < b ? a : b; }

static sup_status post_block(sup_room *room, sup_room_ring *ring, uint64_t cell, const void *block, size_t bytes) {
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), block, bytes);
    sup_room_post(room, ring, cell);
    return SUP_OK;
}

/* The blocks of members first … first + count - 1, each from its own cell. */
static sup_status read_blocks(sup_room *room, const sup_room_ring *ring, uint64_t cell, int first, int count,
                              size_t bytes, unsigned char *all) {
    for (int i = first; i < first + count; i++) {
        sup_status st = i == room->self ? SUP_OK : sup_room_await(room, ring, i, cell);
        if (st) return st;
        if (i != room->self) memcpy(all + (size_t)i * bytes, sup_room_cell(ring, i, cell), bytes);
    }
    return SUP_OK;
}

/* What the other groups have gathered. */
static sup_status read_groups(sup_room *room, const sup_room_ring *ring, uint64_t cell, int radix, size_t bytes,
                              unsigned char *all) {
    int own = room->self / radix, place = room->self % radix, groups = (room->size + radix - 1) / radix;
    for (int k = 1; k < groups; k++) {
        int first = (own + k) % groups * radix, count = least(radix, room->size - first);
        int from = first + least(place, count - 1);
        sup_status st = sup_room_await(room, ring, from, cell);
        if (st) return st;
        memcpy(all + (size_t)first * bytes, sup_room_cell(ring, from, cell), (size_t)count * bytes);
    }
    return SUP_OK;
}

sup_status sup_room_gather_all(sup_room *room, const void *block, size_t bytes, int radix, void *all) {
    unsigned char *to = all;
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    radix = (int)sup_shared_gather_group(room->size, (int64_t)bytes, radix);
    sup_room_ring *second = sup_room_ring_for(room, bytes * (size_t)radix);
    int first = room->self / radix * radix, count = least(radix, room->size - first);
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = post_block(room, ring, cell, block, bytes);
    if (bytes && block != to + (size_t)room->self * bytes) memcpy(to + (size_t)room->self * bytes, block, bytes);
    if (!st) st = read_blocks(room, ring, cell, first, count, bytes, to);
    if (!st && radix < room->size) {
        uint64_t next = sup_room_take(second, 1);
        st = post_block(room, second, next, to + (size_t)first * bytes, (size_t)count * bytes);
        if (!st) st = read_groups(room, second, next, radix, bytes, to);
        if (!st && second != ring) sup_room_all_consumed(second, next);
        sup_room_finish(room, second);
    }
    if (!st) sup_room_all_consumed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return st;
}
