/* Both scans in a room: Tcomm inside a host. Two or three members, unless a cell is too short: everybody reads the
 * vectors of the members before it. More of them, or longer ones: from member to member, in chunks, so that all work at
 * the same time after the first few, and where scans follow each other from the start. */
#include "coll/room/work.h"

/* ---- short ---- */

/* `own`: the member's own vector counts. */
static sup_status read_all(sup_room *room, sup_room_ring *ring, const sup_coll_call *call, bool own) {
    uint64_t cell = sup_room_take(ring, 1);
    int last = own ? room->self : room->self - 1;
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), call->in, (size_t)call->bytes);
    if (room->self < room->size - 1) sup_room_post(room, ring, cell);
    if (last >= 0) st = sup_room_fold_cells(room, ring, cell, call, last, call->out);
    sup_room_finish(room, ring);
    return st;
}

/* ---- long ---- */

typedef struct part {
    const unsigned char *in;
    unsigned char *out;
    size_t count;
} part;

/* From the member before to the one behind, folded with the own part. */
static sup_status pass_on(sup_room *room, sup_room_ring *ring, uint64_t cell, const sup_fold *fold, bool own, part x) {
    size_t bytes = x.count * fold->element;
    bool last = room->self == room->size - 1;
    const unsigned char *before = room->self ? sup_room_cell(ring, room->self - 1, cell) : NULL;
    sup_status st = sup_room_claim(room, ring, cell);
    if (!st && before) st = sup_room_await(room, ring, room->self - 1, cell);
    if (st) return st;
    unsigned char *mine = sup_room_mine(room, ring, cell);
    if (last && own && fold->to) {
        fold->to(x.out, before, x.in, x.count, fold->context);
        return SUP_OK;
    }
    if (!before)
        memcpy(mine, x.in, bytes);
    else if (!last || own)
        sup_room_fold(fold, mine, before, x.in, x.count);
    if (!last) sup_room_post(room, ring, cell);
    if (own && (before || x.out != x.in)) memcpy(x.out, mine, bytes);
    if (!own && x.out && before) memcpy(x.out, before, bytes);
    return SUP_OK;
}

static sup_status chain(sup_room *room, const sup_coll_call *call, const sup_choice *choice, bool own) {
    size_t bytes = (size_t)call->bytes, element = call->fold->element, count = bytes / element;
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    if (element > ring->payload) return SUP_ENOTSUP;
    int64_t segment = choice ? choice->segment_bytes : 0;
    size_t piece = (size_t)sup_shared_scan_piece(room->size, call->bytes, (int64_t)element, segment);
    uint64_t cell = sup_room_take(ring, (count + piece - 1) / piece);
    bool gets = own || room->self;
    for (size_t at = 0; at < count; at += piece, cell++) {
        part x = {.in = (const unsigned char *)call->in + at * element,
                  .out = gets ? (unsigned char *)call->out + at * element : NULL,
                  .count = count - at < piece ? count - at : piece};
        sup_status st = pass_on(room, ring, cell, call->fold, own, x);
        if (st) return st;
        sup_room_done(room, ring, cell + 1);
    }
    return SUP_OK;
}

/* ---- both ---- */

static sup_status scan(sup_room *room, const sup_coll_call *call, const sup_choice *choice, bool own) {
    size_t bytes = (size_t)call->bytes;
    if (!bytes) return SUP_OK;
    if (room->size == 1) {
        if (own && call->in != call->out) memcpy(call->out, call->in, bytes);
        return SUP_OK;
    }
    if (sup_shared_scan_form(room->size, call->bytes) == SUP_SHARED_READ)
        return read_all(room, sup_room_ring_for(room, bytes), call, own);
    return chain(room, call, choice, own);
}

sup_status sup_shared_scan(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    return scan(room, call, choice, true);
}

sup_status sup_shared_exscan(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    return scan(room, call, choice, false);
}
