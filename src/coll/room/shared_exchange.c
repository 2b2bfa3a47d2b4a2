/* Blocks to those they are for, from every member (all-to-all) or from one (scatter): Tcomm inside a host.
 *
 * Blocks of one length: all that a member sends in one cell of it, if that is long enough; else rounds of chunks, a
 * cell with a section for everybody. Or everybody reads the memory of the one that has the blocks.
 *
 * Blocks of different lengths, of which nobody knows those between others: a cell begins with a list that says where
 * everybody's block lies, in the cell or in memory. If some did not fit there and memory is not read, rounds follow, as
 * many as the longest one takes. */
#include "coll/room/shared_blocks.h"

static bool writes(const sup_room *room, int writer) { return writer == SUP_ROOM_ALL || writer == room->self; }

/* Where what member i has for this one belongs. A scatter has one block only. */
static sup_block from_member(const sup_room *room, const sup_coll_call *call, int i) {
    return sup_block_out(call, call->operation == SUP_SCATTER ? room->self : i);
}

static void copy_own(const sup_room *room, const sup_coll_call *call) {
    sup_block in = sup_block_in(call, room->self), out = sup_block_out(call, room->self);
    if (in.bytes)
        sup_block_copy((unsigned char *)call->out + out.at, (const unsigned char *)call->in + in.at, in.bytes);
}

/* ---- all in one cell ---- */

static sup_status in_cells(sup_room *room, const sup_coll_call *call, int writer, sup_room_ring *ring) {
    size_t bytes = (size_t)call->bytes;
    uint64_t cell = sup_room_take(ring, 1);
    sup_status st = SUP_OK;
    if (writes(room, writer)) {
        st = sup_room_claim(room, ring, cell);
        if (st) return st;
        memcpy(sup_room_mine(room, ring, cell), call->in, bytes * (size_t)room->size);
        sup_room_post(room, ring, cell);
        copy_own(room, call);
    }
    for (int k = 1; k < room->size; k++) {
        int i = sup_room_after(room, k);
        if (writer != SUP_ROOM_ALL && writer != i) continue;
        st = sup_room_await(room, ring, i, cell);
        if (st) return st;
        const unsigned char *from = (const unsigned char *)sup_room_cell(ring, i, cell) + (size_t)room->self * bytes;
        memcpy((unsigned char *)call->out + from_member(room, call, i).at, from, bytes);
    }
    if (writer == SUP_ROOM_ALL) sup_room_all_consumed(ring, cell); /* all are in this operation */
    sup_room_finish(room, ring);
    return SUP_OK;
}

/* ---- rounds ---- */

typedef struct exchange {
    sup_chunks rounds;
    int writer;
    const bool *skip; /* members whose blocks have come already; NULL: nobody's */
} exchange;

static bool bring(const sup_chunks *x, size_t round, unsigned char *cell) {
    bool any = false;
    for (int k = 1; k < x->room->size; k++) {
        int i = sup_room_after(x->room, k);
        sup_block b = sup_block_in(x->call, i);
        size_t at, bytes = sup_chunks_part(x, round, b.bytes, &at);
        if (bytes) memcpy(cell + (size_t)i * x->section, (const unsigned char *)x->call->in + b.at + at, bytes);
        any |= bytes > 0;
    }
    return any;
}

static sup_status take(const sup_chunks *x, size_t round) {
    const exchange *e = (const exchange *)x;
    for (int k = 1; k < x->room->size; k++) {
        int i = sup_room_after(x->room, k);
        if ((e->writer != SUP_ROOM_ALL && e->writer != i) || (e->skip && e->skip[i])) continue;
        sup_block b = from_member(x->room, x->call, i);
        const unsigned char *cell;
        size_t at, bytes = sup_chunks_part(x, round, b.bytes, &at);
        if (!bytes) continue;
        sup_status st = sup_chunks_await(x, i, round, &cell);
        if (st) return st;
        memcpy((unsigned char *)x->call->out + b.at + at, cell + (size_t)x->room->self * x->section, bytes);
    }
    return SUP_OK;
}

static sup_status in_rounds(sup_room *room, const sup_coll_call *call, const sup_choice *choice, int writer,
                            size_t most, const bool *skip) {
    bool brings = writes(room, writer) && !(skip && skip[room->self]);
    exchange e = {.rounds = {.room = room, .call = call, .bring = brings ? bring : NULL, .take = take},
                  .writer = writer,
                  .skip = skip};
    return sup_chunks_run(&e.rounds, choice, most, 1, room->size);
}

/* ---- from memory to memory ---- */

/* Who has read says so; who was read from waits for it, and meanwhile copies its own block, unless it has (own NULL).
 */
static sup_status part_ways(sup_room *room, bool read, bool was_read, int writer, const sup_coll_call *own) {
    uint64_t cell = sup_room_take(&room->ring[SUP_ROOM_SMALL], 1), nothing;
    sup_status st = read ? sup_room_post_number(room, cell, 0) : SUP_OK;
    if (!st && own) copy_own(room, own);
    for (int k = 1; k < room->size && was_read && !st; k++)
        st = sup_room_await_number(room, sup_room_after(room, k), cell, &nothing);
    if (!st && was_read && writer == SUP_ROOM_ALL) sup_room_all_consumed(&room->ring[SUP_ROOM_SMALL], cell);
    sup_room_finish(room, &room->ring[SUP_ROOM_SMALL]);
    return st;
}

static sup_status from_memory(sup_room *room, const sup_coll_call *call, int writer) {
    uint64_t cell = sup_room_take(&room->ring[SUP_ROOM_SMALL], 1), theirs = 0;
    size_t bytes = (size_t)call->bytes;
    bool was_read = writes(room, writer);
    sup_status st = was_read ? sup_room_post_number(room, cell, (uint64_t)(uintptr_t)call->in) : SUP_OK;
    for (int k = 1; k < room->size && !st; k++) {
        int i = sup_room_after(room, k);
        if (writer != SUP_ROOM_ALL && writer != i) continue;
        st = sup_room_await_number(room, i, cell, &theirs);
        uintptr_t from = (uintptr_t)theirs + (size_t)room->self * bytes;
        void *to = (unsigned char *)call->out + from_member(room, call, i).at;
        if (!st)
            st = sup_room_copied(room, sup_net_copy_from(room->net, room->ranks[i], to, (const void *)from, bytes));
    }
    return st ? st : part_ways(room, writer != room->self, was_read, writer, was_read ? call : NULL);
}

/* ---- blocks of different lengths ---- */

/* Before what a cell has inside. */
typedef struct list {
    uint64_t most;    /* longest block if they are not in the cell; 0: they are */
    uint64_t place[]; /* of each member's: in the payload, or in memory */
} list;

static void write_list(sup_room *room, const sup_coll_call *call, size_t payload, list *l) {
    size_t used = sizeof *l + (size_t)room->size * sizeof *l->place, total = 0;
    l->most = 0;
    for (int i = 0; i < room->size; i++) {
        sup_block b = sup_block_in(call, i);
        l->place[i] = (uint64_t)(uintptr_t)call->in + b.at;
        if (i == room->self) continue;
        total += b.bytes;
        if (b.bytes > l->most) l->most = b.bytes;
    }
    if (total > payload - used) return;
    l->most = 0;
    for (int i = 0; i < room->size; i++) {
        sup_block b = sup_block_in(call, i);
        if (i == room->self || !b.bytes) continue;
        l->place[i] = used;
        memcpy((unsigned char *)l + used, (const unsigned char *)call->in + b.at, b.bytes);
        used += b.bytes;
    }
}

/* What member i has in its cell for this one. */
static void read_list(const sup_room *room, const sup_coll_call *call, int i, const list *l) {
    sup_block b = from_member(room, call, i);
    if (b.bytes) memcpy((unsigned char *)call->out + b.at, (const unsigned char *)l + l->place[room->self], b.bytes);
}

/* All lists are there: what lies in cells comes over. `had`: whose. Says how long the longest block is that does not.
 */
static sup_status read_lists(sup_room *room, const sup_coll_call *call, int writer, const sup_room_ring *ring,
                             uint64_t cell, bool *had, uint64_t *most) {
    for (int k = 1; k < room->size; k++) {
        int i = sup_room_after(room, k);
        if (writer != SUP_ROOM_ALL && writer != i) continue;
        sup_status st = sup_room_await(room, ring, i, cell);
        if (st) return st;
        const list *l = sup_room_cell(ring, i, cell);
        had[i] = !l->most;
        if (had[i]) read_list(room, call, i, l);
        if (l->most > *most) *most = l->most;
    }
    return SUP_OK;
}

/* The rest, from where the lists say that it lies in memory. */
static sup_status read_places(sup_room *room, const sup_coll_call *call, int writer, const sup_room_ring *ring,
                              uint64_t cell, const bool *had) {
    sup_status st = SUP_OK;
    for (int k = 1; k < room->size && !st; k++) {
        int i = sup_room_after(room, k);
        sup_block b = from_member(room, call, i);
        if ((writer != SUP_ROOM_ALL && writer != i) || had[i] || !b.bytes) continue;
        const list *l = sup_room_cell(ring, i, cell);
        st = sup_room_copied(room, sup_net_copy_from(room->net, room->ranks[i], (unsigned char *)call->out + b.at,
                                                     (const void *)(uintptr_t)l->place[room->self], b.bytes));
    }
    bool was_read = writes(room, writer) && !had[room->self];
    return st ? st : part_ways(room, writer != room->self, was_read, writer, NULL);
}

static sup_status by_lists(sup_room *room, const sup_coll_call *call, const sup_choice *choice, int writer, bool *had) {
    size_t least = sizeof(list) + (size_t)room->size * sizeof(uint64_t);
    sup_room_ring *ring =
        &room->ring[2 * least <= room->ring[SUP_ROOM_MEDIUM].payload ? SUP_ROOM_MEDIUM : SUP_ROOM_LARGE];
    if (least > ring->payload) return SUP_ENOTSUP;
    uint64_t cell = sup_room_take(ring, 1), most = 0;
    if (writes(room, writer)) {
        sup_status st = sup_room_claim(room, ring, cell);
        if (st) return st;
        list *own = sup_room_mine(room, ring, cell);
        write_list(room, call, ring->payload, own);
        most = own->most;
        had[room->self] = !most;
        sup_room_post(room, ring, cell);
        copy_own(room, call);
    }
    bool direct = false;
    sup_status st = read_lists(room, call, writer, ring, cell, had, &most);
    bool usual = sup_shared_lists_direct(call->operation, room->size, (int64_t)most);
    if (!st && most) st = sup_room_direct(room, choice, usual, &direct);
    if (!st && direct) st = read_places(room, call, writer, ring, cell, had);
    if (st) return st;
    sup_room_finish(room, ring);
    return most && !direct ? in_rounds(room, call, choice, writer, most, had) : SUP_OK;
}

sup_status sup_shared_exchange(sup_room *room, const sup_coll_call *call, const sup_choice *choice, int writer) {
    size_t bytes = (size_t)call->bytes;
    if (room->size == 1) {
        copy_own(room, call);
        return SUP_OK;
    }
    if (sup_block_differ(call)) {
        bool had[room->size];
        memset(had, 0, sizeof had);
        return by_lists(room, call, choice, writer, had);
    }
    if (!bytes) return SUP_OK;
    if (sup_shared_in_cell(room->size, call->bytes))
        return in_cells(room, call, writer, sup_room_ring_for(room, bytes * (size_t)room->size));
    bool direct, usual = writer != SUP_ROOM_ALL && sup_shared_usually_direct(room->size, call->bytes);
    sup_status st = sup_room_direct(room, choice, usual, &direct);
    if (st) return st;
    if (direct) return from_memory(room, call, writer);
    if (writes(room, writer)) copy_own(room, call);
    return in_rounds(room, call, choice, writer, bytes, NULL);
}
