/* Gets of the engine by messages.
 *
 * Requests travel in the packets. The owner answers the short ones together, a long one is a message of its own. On one
 * host short answers are written straight to where they go, and long ones are fetched by who asked. Nobody writes
 * before all that others wanted of it has left. */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <string.h>

static const char *const call = "bsp_sync";

/* ---- when they are called ---- */

static uint64_t note_late(msg_exchange *x, const bsp_transfer *t) {
    if (x->late_count == x->late_room) {
        size_t room = x->late_room ? 2 * x->late_room : 16;
        x->lates = bsp_grow(x->lates, room * sizeof *x->lates, "bsp_get");
        for (; x->late_room < room; x->late_room++)
            x->lates[x->late_room] = bsp_grow(NULL, sizeof(msg_late), "bsp_get");
    }
    msg_late *l = x->lates[x->late_count];
    *l = (msg_late){.dst = (void *)t->local.at, .len = t->local.len, .remote = t->remote.at, .pid = t->pid};
    return x->late_count++;
}

/* Each request that was appended without a call is one word and is answered by one. */
static void close_asks(msg_exchange *x, int pid) {
    msg_peer *p = &x->peer[pid];
    bsp_log *l = &x->ask_logs[pid];
    if (l->cursor) {
        size_t more = (size_t)(l->cursor - p->asks.at) - p->asks.used;
        p->asks.used += more;
        p->reply_bytes += more;
    }
    l->cursor = l->limit = NULL;
}

void msg_get_note(bsp_runtime *b, const bsp_transfer *t) {
    msg_exchange *x = b->ex;
    int pid = t->pid;
    msg_peer *p = &x->peer[pid];
    size_t len = t->local.len;
    close_asks(x, pid);
    size_t need = bsp_ask_bytes(len);
    bsp_ask_write(msg_room(&p->asks, need, "bsp_get"), t->remote.at, len);
    p->asks.used += need;
    bsp_short_get *g = bsp_get_list_add(b, &x->gets);
    if (len < BSP_LONG_RECORD) {
        p->reply_bytes += bsp_pad8(len);
        *g = (bsp_short_get){(uint64_t)pid, t->local.at | (uint64_t)len << BSP_ADDR_BITS};
    } else {
        p->longs = true;
        *g = (bsp_short_get){note_late(x, t), (uint64_t)BSP_LONG_RECORD << BSP_ADDR_BITS};
    }
    x->ask_logs[pid].cursor = p->asks.at + p->asks.used;
    x->ask_logs[pid].limit = p->asks.at + p->asks.used + ((p->asks.room - p->asks.used) & ~(size_t)7);
    bsp_get_list_open(b, &x->gets);
}

void msg_get_close(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    bsp_get_list_close(b, &x->gets);
    for (int q = 0; q < b->nprocs; q++) close_asks(x, q);
}

/* ---- at the sync ---- */

void msg_get_prepare(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    for (int q = 0; q < b->nprocs; q++) {
        msg_peer *p = &x->peer[q];
        p->reply_at = p->reply.used = 0;
        if (p->reply_bytes) msg_room(&p->reply, p->reply_bytes, call);
    }
}

static bsp_region region_of(const void *lates, uint64_t number) {
    const msg_late *l = ((msg_late *const *)lates)[number];
    return (bsp_region){(uintptr_t)l->dst, l->len};
}

/* Where the bytes of a late one go first: overlapping ones are written in turn, after all have come. */
static void *place_of(bsp_runtime *b, uint64_t number) {
    enum { MANY = 1024 };
    msg_exchange *x = b->ex;
    msg_late *l = x->lates[number];
    bool apart =
        !bsp_reg_covers(b, l->dst, l->len) && !bsp_get_list_overlaps(&x->gets, MANY, x->lates, number, region_of);
    if (apart) return l->dst;
    l->buffer = msg_pool_take(&x->pool, l->len, call);
    return l->buffer.at;
}

static void expect_answers(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    int parity = (int)(b->epoch & 1);
    for (size_t i = 0; i < x->late_count; i++) {
        msg_late *l = x->lates[i];
        if (l->pid == b->pid || x->peer[l->pid].single_copy) continue;
        msg_check(call, sup_net_irecv(b->net, l->pid, MSG_TAG_LONG + parity, place_of(b, i), l->len, &l->req));
        l->moving = true;
    }
    for (int q = 0; q < b->nprocs; q++) {
        msg_peer *p = &x->peer[q];
        if (q == b->pid || !p->reply_bytes) continue;
        size_t room = p->single_copy ? 0 : p->reply_bytes;
        msg_check(call, sup_net_irecv(b->net, q, MSG_TAG_REPLY + parity, p->single_copy ? NULL : p->reply.at, room,
                                      &p->reply_req));
        p->replying = true;
    }
}

/* What the requests [at, end) want of this process, the short ones one behind the other. */
static size_t gather_answers(bsp_runtime *b, int q, const unsigned char *at, const unsigned char *end) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    size_t longs = 0;
    p->answer.used = 0;
    while (at < end) {
        size_t len;
        const void *src = bsp_ask_read(&at, &len);
        if (len < BSP_LONG_RECORD) {
            size_t need = bsp_pad8(len);
            bsp_copy_short(msg_room(&p->answer, need, call), src, len);
            p->answer.used += need;
            continue;
        }
        longs++;
        if (p->single_copy) continue;
        msg_answer *a = calloc(1, sizeof *a);
        if (!a) bsp_fail_status(call, SUP_ENOMEM);
        a->next = x->answers;
        x->answers = a;
        msg_check(call, sup_net_isend(b->net, q, MSG_TAG_LONG + (int)(b->epoch & 1), src, len, &a->req));
    }
    return longs;
}

static void answer(bsp_runtime *b, int q) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    int parity = (int)(b->epoch & 1);
    size_t longs = gather_answers(b, q, p->asks_in, p->asks_in + p->head.asks), len = p->answer.used;
    if (p->single_copy && longs) { /* it says when it has fetched them */
        msg_check(call, sup_net_irecv(b->net, q, MSG_TAG_GOT + parity, NULL, 0, &p->rest_req[p->resting++]));
    }
    if (!len) return;
    if (p->single_copy) {
        msg_check(call, sup_net_copy_to(b->net, q, (void *)(uintptr_t)p->head.reply, p->answer.at, len));
        len = 0;
    }
    msg_check(call, sup_net_isend(b->net, q, MSG_TAG_REPLY + parity, p->answer.at, len, &p->answer_req));
    p->answering = true;
}

static void fetch_longs(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    for (size_t i = 0; i < x->late_count; i++) {
        msg_late *l = x->lates[i];
        if (x->peer[l->pid].single_copy) msg_fetch(b, l->pid, place_of(b, i), l->remote, l->len);
    }
    for (int q = 0; q < b->nprocs; q++) {
        msg_peer *p = &x->peer[q];
        if (!p->longs || !p->single_copy) continue;
        sup_net_req *req = &p->send[p->sending++];
        msg_check(call, sup_net_isend(b->net, q, MSG_TAG_GOT + (int)(b->epoch & 1), NULL, 0, req));
    }
}

/* What we read from ourselves is read now, before anything is written. */
static void read_own(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[b->pid];
    const unsigned char *at = p->asks.at, *end = at + p->asks.used;
    unsigned char *to = p->reply.at;
    while (at < end) {
        size_t len;
        const void *src = bsp_ask_read(&at, &len);
        if (len >= BSP_LONG_RECORD) continue;
        bsp_copy_short(to, src, len);
        to += bsp_pad8(len);
    }
    for (size_t i = 0; i < x->late_count; i++) {
        msg_late *l = x->lates[i];
        if (l->pid != b->pid) continue;
        l->buffer = msg_pool_take(&x->pool, l->len, call);
        memcpy(l->buffer.at, (const void *)l->remote, l->len);
    }
}

static void finish(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    for (int q = 0; q < b->nprocs; q++) {
        msg_peer *p = &x->peer[q];
        if (p->replying) msg_wait(b, &p->reply_req);
        if (p->answering) msg_wait(b, &p->answer_req);
        p->replying = p->answering = false;
        for (int i = 0; i < p->resting; i++) msg_wait(b, &p->rest_req[i]);
        p->resting = 0;
    }
    for (size_t i = 0; i < x->late_count; i++)
        if (x->lates[i]->moving) msg_wait(b, &x->lates[i]->req);
    while (x->answers) {
        msg_answer *a = x->answers;
        x->answers = a->next;
        msg_wait(b, &a->req);
        free(a);
    }
}

static void write_late(msg_exchange *x, msg_late *l) {
    if (l->buffer.at) memcpy(l->dst, l->buffer.at, l->len);
    msg_lock(x);
    msg_pool_give(&x->pool, l->buffer);
    msg_unlock(x);
}

static void write_gets(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    for (size_t i = 0; i < x->gets.count; i++) {
        const bsp_short_get *g = &x->gets.at[i];
        uint64_t len = g->place >> BSP_ADDR_BITS;
        if (len == BSP_LONG_RECORD) {
            write_late(x, x->lates[g->value]);
            continue;
        }
        msg_peer *p = &x->peer[g->value];
        bsp_copy_short((void *)(uintptr_t)(g->place & BSP_ADDR_MASK), p->reply.at + p->reply_at, len);
        p->reply_at += bsp_pad8(len);
    }
    x->gets.count = x->late_count = 0;
    for (int q = 0; q < b->nprocs; q++) {
        x->peer[q].reply_bytes = 0;
        x->peer[q].longs = false;
    }
}

void msg_get_exchange(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    msg_lock(x);
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && x->peer[q].head.epoch == b->epoch && x->peer[q].head.asks) answer(b, q);
    expect_answers(b);
    fetch_longs(b);
    read_own(b);
    msg_unlock(x);
    finish(b);
    write_gets(b);
}
