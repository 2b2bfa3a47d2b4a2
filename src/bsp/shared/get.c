/* Gets over shared memory: noted when called, read between the two barriers of a sync, written behind the second.
 *
 * Nearly all gets of programs with many are short, from memory that can be addressed: such a get is two words
 * (shared.h), and bsp_get appends it without a call while there is room in the list. Longer ones, and those that their
 * owner has to answer, have a note besides. The list keeps program order, which decides where gets overlap. */
#include "bsp/shared/shared.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ONE_COPY = 16 * 1024, /* from here on a copy saved is worth looking whether it may be saved … */
    MANY = 256            /* … among so many gets */
};

static void ask(bsp_runtime *b, bsp_shared *x, int pid, uintptr_t remote, size_t len) {
    size_t need = bsp_ask_bytes(len);
    unsigned char *p = bsp_room(b, x, BSP_LOG_ASK, pid, need);
    bsp_ask_write(p, remote, len);
    bsp_advance(b, x, BSP_LOG_ASK, pid, p + need);
}

static uint64_t note(bsp_shared *x, bsp_get_note g) {
    BSP_ROOM_FOR_ONE(x->gets, x->get_count, x->get_room, 64, "bsp_get");
    x->gets[x->get_count] = g;
    if (g.mapped || g.foreign) x->buffer_need += bsp_pad8(g.len);
    return x->get_count++;
}

void bsp_shared_get(bsp_runtime *b, const bsp_transfer *t) {
    bsp_shared *x = b->ex;
    int pid = t->pid;
    uintptr_t remote = t->remote.at, dst = t->local.at;
    size_t len = t->local.len;
    void *mapped = bsp_mapped(b, pid, remote, len);
    bsp_short_get *s = bsp_get_list_add(b, &x->list);
    if (mapped && len <= 8) {
        *s = (bsp_short_get){(uintptr_t)mapped, dst | (uint64_t)len << BSP_ADDR_BITS};
    } else {
        uintptr_t foreign = !mapped && bsp_shared_by_kernel(b, x, len) ? remote : 0;
        s->value = note(x, (bsp_get_note){mapped, foreign, (void *)dst, len, pid});
        s->place = (uint64_t)BSP_LONG_RECORD << BSP_ADDR_BITS;
        if (!mapped && !foreign) ask(b, x, pid, remote, len);
    }
    x->did |= BSP_DID_GET;
    bsp_get_list_open(b, &x->list);
}

/* A note that went to its place already overlaps nothing. */
static bsp_region place_of(const void *notes, uint64_t number) {
    const bsp_get_note *g = &((const bsp_get_note *)notes)[number];
    return (bsp_region){(uintptr_t)g->dst, g->dst ? g->len : 0};
}

/* Long ones go to their place at once if nobody can be reading that place and no other get writes there; else their
 * turn comes after the barrier. */
static void fetch(bsp_runtime *b, const bsp_get_note *g, void *to) {
    if (g->mapped) {
        memcpy(to, g->mapped, g->len);
        return;
    }
    sup_status st = sup_net_copy_from(b->net, g->pid, to, (const void *)g->foreign, g->len);
    if (st) bsp_fail_status("bsp_get", st);
}

static void read_note(bsp_runtime *b, bsp_shared *x, uint64_t number, unsigned char **to) {
    bsp_get_note *g = &x->gets[number];
    if (!g->mapped && !g->foreign) return;
    if (g->len >= ONE_COPY && !bsp_reg_covers(b, g->dst, g->len) &&
        !bsp_get_list_overlaps(&x->list, MANY, x->gets, number, place_of)) {
        fetch(b, g, g->dst);
        g->dst = NULL;
        return;
    }
    fetch(b, g, *to);
    *to += bsp_pad8(g->len);
}

void bsp_shared_read_gets(bsp_runtime *b, bsp_shared *x) {
    bsp_get_list_close(b, &x->list);
    if (x->buffer_need > x->buffer_room) {
        x->buffer_room = x->buffer_need + x->buffer_need / 2;
        x->buffer = bsp_grow(x->buffer, x->buffer_room, "bsp_get");
    }
    x->buffer_need = 0;
    unsigned char *to = x->buffer;
    for (size_t i = 0; i < x->list.count; i++) {
        bsp_short_get *s = &x->list.at[i];
        uint64_t len = s->place >> BSP_ADDR_BITS;
        const void *from = (const void *)(uintptr_t)s->value;
        if (len == 8)
            memcpy(&s->value, from, 8);
        else if (len == BSP_LONG_RECORD)
            read_note(b, x, s->value, &to);
        else
            memcpy(&s->value, from, len);
    }
}

/* The next answer of `owner`, len bytes long. */
static const unsigned char *next_reply(bsp_runtime *b, bsp_shared *x, int owner, size_t len) {
    bsp_cursor *r = &x->reply[owner];
    if (!r->chunk) *r = (bsp_cursor){bsp_shared_arrived(b, x, BSP_LOG_REPLY, owner), 0};
    assert(r->chunk); /* every get has its answer */
    while (r->at >= r->chunk->used) {
        *r = (bsp_cursor){bsp_log_next(x->base[owner], r->chunk), 0};
        assert(r->chunk);
    }
    const unsigned char *p = bsp_chunk_data(r->chunk) + r->at;
    r->at += bsp_pad8(len);
    return p;
}

static void write_note(bsp_runtime *b, bsp_shared *x, const bsp_get_note *g, const unsigned char **from) {
    if (!g->mapped && !g->foreign) {
        memcpy(g->dst, next_reply(b, x, g->pid, g->len), g->len);
    } else if (g->dst) {
        memcpy(g->dst, *from, g->len);
        *from += bsp_pad8(g->len);
    }
}

void bsp_shared_write_gets(bsp_runtime *b, bsp_shared *x, bool asked) {
    const unsigned char *from = x->buffer;
    for (size_t i = 0; i < x->list.count; i++) {
        const bsp_short_get *s = &x->list.at[i];
        uint64_t len = s->place >> BSP_ADDR_BITS;
        void *to = (void *)(uintptr_t)(s->place & BSP_ADDR_MASK);
        if (len == 8)
            memcpy(to, &s->value, 8);
        else if (len == BSP_LONG_RECORD)
            write_note(b, x, &x->gets[s->value], &from);
        else
            memcpy(to, &s->value, len);
    }
    for (int q = 0; asked && q < b->nprocs; q++) x->reply[q].chunk = NULL;
    x->list.count = x->get_count = 0;
}
