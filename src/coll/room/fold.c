/* Folds in a room (room/work.h), in the order of members: ((x0 ∘ x1) ∘ x2) …, whatever the form, so that the result
 * does not depend on it.
 *
 * Slices. In a round a piece of everybody's vector is in the cells; member i folds the i-th slice of it out of all
 * cells and its own vector into a second cell of its own, from where it is copied out. A member writes the next piece
 * before it waits for the others, so that there is always something to do. Its own slice it need not copy in. */
#include "coll/room/work.h"

sup_status sup_room_fold_cells(sup_room *room, const sup_room_ring *ring, uint64_t cell, const sup_coll_call *call,
                               int last, void *to) {
    enum { AHEAD = 4 }; /* members whose cells are on their way while one is folded */
    const sup_fold *fold = call->fold;
    size_t count = (size_t)call->bytes / fold->element;
    for (int i = 1; i < AHEAD && i <= last; i++) sup_room_expect(ring, i, cell, 0);
    for (int i = 0; i <= last; i++) {
        if (i + AHEAD <= last) sup_room_expect(ring, i + AHEAD, cell, 0);
        sup_status st = i == room->self ? SUP_OK : sup_room_await(room, ring, i, cell);
        if (st) return st;
        const void *x = sup_room_cell(ring, i, cell);
        if (i == 1)
            sup_room_fold(fold, to, sup_room_cell(ring, 0, cell), x, count);
        else if (i)
            fold->into(to, x, count, fold->context);
    }
    if (!last) memcpy(to, sup_room_cell(ring, 0, cell), (size_t)call->bytes);
    return SUP_OK;
}

/* ---- slices ---- */

typedef struct work {
    sup_room *room;
    sup_room_ring *ring;
    const sup_fold *fold;
    const unsigned char *in;
    unsigned char *out;
    size_t count, round; /* elements: of the vector, of a round */
    uint64_t first;      /* cell */
    int root;
} work;

typedef struct range {
    size_t at, count;
} range;

static size_t of_round(const work *w, size_t r) {
    size_t left = w->count - r * w->round;
    return left < w->round ? left : w->round;
}

/* Elements of member i in a piece of so many, from the piece's beginning. */
static range slice_of(const work *w, size_t count, int i) {
    size_t p = (size_t)w->room->size, at = count * (size_t)i / p;
    return (range){at, count * ((size_t)i + 1) / p - at};
}

static uint64_t piece_cell(const work *w, size_t r) { return w->first + 2 * r; }
static uint64_t result_cell(const work *w, size_t r) { return w->first + 2 * r + 1; }
static bool wants(const work *w) { return w->root == SUP_ROOM_ALL || w->root == w->room->self; }

/* Copies a round's piece in, all but the own slice. */
static sup_status bring(const work *w, size_t r) {
    size_t element = w->fold->element, count = of_round(w, r);
    range own = slice_of(w, count, w->room->self);
    sup_status st = sup_room_claim(w->room, w->ring, piece_cell(w, r));
    if (st) return st;
    unsigned char *to = sup_room_mine(w->room, w->ring, piece_cell(w, r));
    const unsigned char *from = w->in + r * w->round * element;
    size_t behind = own.at + own.count;
    memcpy(to, from, own.at * element);
    memcpy(to + behind * element, from + behind * element, (count - behind) * element);
    sup_room_post(w->room, w->ring, piece_cell(w, r));
    return SUP_OK;
}

/* Member i's vector in the own slice of a round. */
static const unsigned char *operand(const work *w, size_t r, range own, int i) {
    if (i == w->room->self) return w->in + (r * w->round + own.at) * w->fold->element;
    return (const unsigned char *)sup_room_cell(w->ring, i, piece_cell(w, r)) + own.at * w->fold->element;
}

static sup_status fold_own(const work *w, size_t r) {
    sup_room *room = w->room;
    range own = slice_of(w, of_round(w, r), room->self);
    if (!own.count) return SUP_OK;
    unsigned char *to = sup_room_mine(room, w->ring, result_cell(w, r));
    sup_status st = sup_room_claim(room, w->ring, result_cell(w, r));
    for (int i = 0; i < room->size && !st; i++) {
        if (i + 1 < room->size) sup_room_expect(w->ring, i + 1, piece_cell(w, r), own.at * w->fold->element);
        if (i != room->self) st = sup_room_await(room, w->ring, i, piece_cell(w, r));
        if (st) break;
        if (i == 1)
            sup_room_fold(w->fold, to, operand(w, r, own, 0), operand(w, r, own, 1), own.count);
        else if (i)
            w->fold->into(to, operand(w, r, own, i), own.count, w->fold->context);
    }
    if (st) return st;
    sup_room_post(room, w->ring, result_cell(w, r));
    if (wants(w)) memcpy(w->out + (r * w->round + own.at) * w->fold->element, to, own.count * w->fold->element);
    return SUP_OK;
}

/* The k-th member behind this one, of 1 … P. */
static int after(const sup_room *room, int k) {
    return room->self + k < room->size ? room->self + k : room->self + k - room->size;
}

/* Copies the others' slices out, beginning behind the own one so that not all read the same cell. */
static sup_status collect(const work *w, size_t r) {
    sup_room *room = w->room;
    size_t count = of_round(w, r), element = w->fold->element;
    for (int k = 1; k < room->size; k++) {
        int i = after(room, k);
        range slice = slice_of(w, count, i);
        if (!slice.count) continue;
        sup_room_expect(w->ring, after(room, k + 1), result_cell(w, r), 0);
        sup_status st = sup_room_await(room, w->ring, i, result_cell(w, r));
        if (st) return st;
        memcpy(w->out + (r * w->round + slice.at) * element, sup_room_cell(w->ring, i, result_cell(w, r)),
               slice.count * element);
    }
    /* all have folded this round, and so read its piece and collected the round before it */
    if (count >= (size_t)room->size) sup_room_all_consumed(w->ring, piece_cell(w, r) + 1);
    return SUP_OK;
}

sup_status sup_room_fold_slices(sup_room *room, const sup_coll_call *call, const sup_choice *choice, int root) {
    size_t bytes = (size_t)call->bytes, element = call->fold->element;
    int64_t segment = choice ? choice->segment_bytes : 0;
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    work w = {.room = room,
              .ring = ring,
              .fold = call->fold,
              .in = call->in,
              .out = call->out,
              .count = bytes / element,
              .round = (size_t)sup_shared_slices_round(room->size, call->bytes, (int64_t)element, segment),
              .root = root};
    if (element > ring->payload) return SUP_ENOTSUP;
    size_t rounds = (w.count + w.round - 1) / w.round;
    w.first = sup_room_take(ring, 2 * rounds);
    sup_status st = bring(&w, 0);
    for (size_t r = 0; r < rounds && !st; r++) {
        if (r + 1 < rounds) st = bring(&w, r + 1);
        if (!st) st = fold_own(&w, r);
        if (!st && wants(&w)) st = collect(&w, r);
        if (!st) sup_room_done(room, ring, result_cell(&w, r) + 1);
    }
    return st;
}
