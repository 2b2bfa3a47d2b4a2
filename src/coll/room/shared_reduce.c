/* Reduce in a room: Tcomm inside a host. Short vectors: the root reads everybody's and folds them; the others do not
 * wait. Where that is much for one to read, neighbours form groups: one of each folds those of its group, the root what
 * comes of the groups, still in the order of members. Longer ones in slices (room/fold.c), which only the root copies
 * out. */
#include "coll/room/work.h"

enum { GROUP = SUP_SHARED_REDUCE_GROUP };

typedef struct groups {
    sup_room *room;
    sup_room_ring *ring;
    const sup_coll_call *call;
    uint64_t vector, partial; /* cells */
    int count;
} groups;

static int leader_of(const groups *g, int group) {
    return group == g->call->root / GROUP ? g->call->root : group * GROUP;
}

/* to = to ∘ from, or from if it is the first. */
static void fold_next(const groups *g, void *to, const void *from, bool first) {
    const sup_fold *fold = g->call->fold;
    size_t bytes = (size_t)g->call->bytes;
    if (first)
        memcpy(to, from, bytes);
    else
        fold->into(to, from, bytes / fold->element, fold->context);
}

/* The vectors of the own group, into the own cell. */
static sup_status fold_group(const groups *g) {
    sup_room *room = g->room;
    int first = room->self / GROUP * GROUP, end = first + GROUP < room->size ? first + GROUP : room->size;
    sup_status st = sup_room_claim(room, g->ring, g->partial);
    for (int i = first; i < end && !st; i++) {
        if (i + 1 < end) sup_room_expect(g->ring, i + 1, g->vector, 0);
        if (i != room->self) st = sup_room_await(room, g->ring, i, g->vector);
        if (st) break;
        fold_next(g, sup_room_mine(room, g->ring, g->partial),
                  i == room->self ? g->call->in : sup_room_cell(g->ring, i, g->vector), i == first);
    }
    return st;
}

/* What came of the groups, at the root. */
static sup_status fold_groups(const groups *g) {
    sup_status st = SUP_OK;
    for (int i = 0; i < g->count && !st; i++) {
        int leader = leader_of(g, i);
        if (i + 1 < g->count) sup_room_expect(g->ring, leader_of(g, i + 1), g->partial, 0);
        if (leader != g->room->self) st = sup_room_await(g->room, g->ring, leader, g->partial);
        if (!st) fold_next(g, g->call->out, sup_room_cell(g->ring, leader, g->partial), !i);
    }
    return st;
}

static sup_status in_groups(sup_room *room, sup_room_ring *ring, const sup_coll_call *call) {
    uint64_t cell = sup_room_take(ring, 2);
    groups g = {room, ring, call, cell, cell + 1, (room->size + GROUP - 1) / GROUP};
    sup_status st = SUP_OK;
    if (leader_of(&g, room->self / GROUP) != room->self) {
        st = sup_room_claim(room, ring, g.vector);
        if (st) return st;
        memcpy(sup_room_mine(room, ring, g.vector), call->in, (size_t)call->bytes);
        sup_room_post(room, ring, g.vector);
    } else {
        st = fold_group(&g);
        if (!st && room->self != call->root) sup_room_post(room, ring, g.partial);
        if (!st && room->self == call->root) st = fold_groups(&g);
    }
    sup_room_finish(room, ring);
    return st;
}

/* to = mine ∘ theirs, or theirs ∘ mine; to may be mine. */
static void fold_two(const sup_fold *fold, void *to, const void *mine, void *theirs, size_t count, bool mine_first) {
    size_t bytes = count * fold->element;
    if (mine_first) {
        sup_room_fold(fold, to, mine, theirs, count);
    } else if (fold->to) {
        fold->to(to, theirs, mine, count, fold->context);
    } else {
        fold->into(theirs, mine, count, fold->context); /* the other one does not need its cell any more */
        memcpy(to, theirs, bytes);
    }
}

/* Two members: pieces of the other's vector, folded by the root as they come. */
static sup_status pass_on(sup_room *room, sup_room_ring *ring, const sup_coll_call *call, const sup_choice *choice) {
    const sup_fold *fold = call->fold;
    size_t element = fold->element, count = (size_t)call->bytes / element;
    if (element > ring->payload) return SUP_ENOTSUP;
    size_t piece = (size_t)sup_shared_broadcast_piece(call->bytes, choice ? choice->segment_bytes : 0) / element;
    if (!piece) piece = 1;
    uint64_t cell = sup_room_take(ring, (count + piece - 1) / piece);
    for (size_t at = 0; at < count; at += piece, cell++) {
        size_t n = count - at < piece ? count - at : piece;
        const unsigned char *in = (const unsigned char *)call->in + at * element;
        sup_status st = SUP_OK;
        if (room->self != call->root) {
            st = sup_room_claim(room, ring, cell);
            if (st) return st;
            memcpy(sup_room_mine(room, ring, cell), in, n * element);
            sup_room_post(room, ring, cell);
        } else {
            st = sup_room_await(room, ring, !room->self, cell);
            if (st) return st;
            fold_two(fold, (unsigned char *)call->out + at * element, in, sup_room_cell(ring, !room->self, cell), n,
                     room->self == 0);
        }
        sup_room_done(room, ring, cell + 1);
    }
    return SUP_OK;
}

/* Everybody's, by the root. */
static sup_status read_all(sup_room *room, sup_room_ring *ring, const sup_coll_call *call) {
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = sup_room_claim(room, ring, cell);
    if (st) return st;
    memcpy(sup_room_mine(room, ring, cell), call->in, (size_t)call->bytes);
    if (room->self != call->root)
        sup_room_post(room, ring, cell);
    else
        st = sup_room_fold_cells(room, ring, cell, call, room->size - 1, call->out);
    sup_room_finish(room, ring);
    return st;
}

sup_status sup_shared_reduce(sup_room *room, const sup_coll_call *call, const sup_choice *choice) {
    size_t bytes = (size_t)call->bytes;
    if (!bytes) return SUP_OK;
    if (room->size == 1) {
        if (call->in != call->out) memcpy(call->out, call->in, bytes);
        return SUP_OK;
    }
    sup_room_ring *ring = sup_room_ring_for(room, bytes);
    switch (sup_shared_reduce_form(room->size, call->bytes)) {
    case SUP_SHARED_READ: return read_all(room, ring, call);
    case SUP_SHARED_GROUPS: return in_groups(room, ring, call);
    case SUP_SHARED_CHAIN: return pass_on(room, ring, call, choice);
    default: return sup_room_fold_slices(room, call, choice, call->root);
    }
}
