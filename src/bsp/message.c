/* The engine by messages, for transports that cannot address another process's memory: what happens when a call is
 * made. The sync is in message_sync.c. Small puts, gets and sends are collected per process; long ones become pieces
 * (message.h). */
#include "bsp/message.h"

#include <stdlib.h>
#include <string.h>

void msg_check(const char *call, sup_status st) {
    if (st) bsp_fail_status(call, st);
}

unsigned char *msg_room(msg_buffer *m, size_t need, const char *call) {
    if (need > m->room - m->used) {
        size_t room = m->room + m->room / 2 + need + 256;
        m->at = bsp_grow(m->at, room, call);
        m->room = room;
    }
    return m->at + m->used;
}

/* ---- opening ---- */

static void free_outs(msg_peer *p) {
    while (p->out) {
        msg_out *o = p->out;
        p->out = o->next;
        free(o->owned.at);
        free(o);
    }
    p->out_tail = &p->out;
}

static void message_close(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    if (!x) return;
    msg_progress_stop(b);
    for (int q = 0; x->peer && q < b->procs; q++) {
        msg_peer *p = &x->peer[q];
        for (int i = 0; i < 2; i++) {
            if (p->packet_posted[i]) (void)sup_net_cancel(b->net, &p->packet_req[i]);
            free(p->packet_in[i]);
            free(p->kept[i].at);
        }
        free_outs(p);
        free(p->packet);
        free(p->asks.at);
        free(p->puts.at);
        free(p->sends.at);
        free(p->list.at);
        free(p->rest.at);
        free(p->reply.at);
        free(p->answer.at);
    }
    free(x->gets);
    for (size_t i = 0; i < x->late_room; i++) free(x->lates[i]);
    free(x->lates);
    msg_pool_free(&x->pool);
    free(x->count_out);
    free(x->count_in);
    free(x->map);
    free(x->logs);
    free(x->send_logs);
    free(x->ask_logs);
    b->get_cursor = b->get_limit = NULL;
    b->ask_log = NULL;
    bsp_lanes_open(b, NULL, NULL, 0);
    free(x->peer);
    free(x);
    b->ex = NULL;
}

static sup_status message_open(bsp_runtime *b, sup_diag *diag) {
    (void)diag;
    msg_exchange *x = calloc(1, sizeof *x);
    if (!x) return SUP_ENOMEM;
    b->ex = x;
    size_t n = (size_t)b->nprocs;
    x->peer = calloc(n, sizeof *x->peer);
    x->count_out = calloc(n, sizeof *x->count_out);
    x->count_in = calloc(n, sizeof *x->count_in);
    x->logs = bsp_logs_new(b->nprocs);
    x->send_logs = bsp_logs_new(b->nprocs);
    b->ask_log = x->ask_logs = bsp_logs_new(b->nprocs);
    if (!x->peer || !x->count_out || !x->count_in || !x->logs || !x->send_logs || !x->ask_logs) goto close;
    for (int q = 0; q < b->nprocs; q++) {
        msg_peer *p = &x->peer[q];
        p->out_tail = &p->out;
        p->near = sup_net_copies(b->net, q);
        for (int i = 0; i < 2; i++) {
            p->in_tail[i] = &p->in[i];
            p->packet_in[i] = malloc(MSG_PACKET_MAX);
            if (!p->packet_in[i]) goto close;
        }
        p->packet = malloc(MSG_PACKET_MAX);
        if (!p->packet) goto close;
    }
    x->counts = sup_plan_find_counts(b->plan, b->nprocs);
    atomic_store(&x->open_epoch, 1);
    if (b->pid < b->nprocs && b->eager && b->nprocs > 1) return msg_progress_start(b);
    return SUP_OK;
close:
    message_close(b);
    return SUP_ENOMEM;
}

/* ---- pieces ---- */

void msg_start_piece(bsp_runtime *b, int pid, msg_out *o) {
    int tag = MSG_TAG_PIECE + (int)(b->epoch & 1);
    o->started = true;
    msg_check("bsp_put", sup_net_isend(b->net, pid, MSG_TAG_NOTICE, &o->notice, sizeof o->notice, &o->notice_req));
    if (!o->waits) msg_check("bsp_put", sup_net_isend(b->net, pid, tag, o->src, o->notice.len, &o->req));
}

void msg_go_on(bsp_runtime *b, int pid) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[pid];
    int tag = MSG_TAG_GONE + (int)(b->epoch & 1);
    for (msg_out *o = p->out; o && p->goes; o = o->next) {
        if (!o->waits) continue;
        o->waits = false;
        p->goes--;
        x->outstanding--;
        msg_check("bsp_put", sup_net_isend(b->net, pid, tag, o->src, o->notice.len, &o->req));
    }
}

static void add_piece(bsp_runtime *b, int pid, int kind, uintptr_t addr, const void *src, msg_buffer owned,
                      size_t len) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[pid];
    msg_out *o = calloc(1, sizeof *o);
    if (!o) bsp_fail_status("bsp_put", SUP_ENOMEM);
    o->notice = (msg_notice){b->epoch, addr, len, (uint32_t)kind, 0, p->near ? (uintptr_t)src : 0};
    o->owned = owned;
    o->src = src;
    *p->out_tail = o;
    p->out_tail = &o->next;
    if (b->eager && x->threaded && pid != b->pid && p->pieces == 0 && !p->near) {
        msg_lock(x);
        o->waits = len >= MSG_GO_MIN;
        o->notice.waits = o->waits;
        x->outstanding += o->waits;
        msg_start_piece(b, pid, o);
        msg_unlock(x);
        p->notices++;
        b->early_bytes += len;
    } else {
        p->pieces++; /* listed in the packet */
    }
}

static void close_puts(msg_exchange *x, int pid) {
    bsp_log *l = &x->logs[pid];
    if (l->cursor) x->peer[pid].puts.used = (size_t)(l->cursor - x->peer[pid].puts.at);
    l->cursor = l->limit = NULL;
}

static void close_sends(msg_exchange *x, int pid) {
    bsp_log *l = &x->send_logs[pid];
    msg_peer *p = &x->peer[pid];
    if (l->cursor) p->sends.used = (size_t)(l->cursor - p->sends.at);
    p->packets += l->packets;
    p->payload += l->bytes;
    *l = (bsp_log){0};
}

void msg_close_log(msg_exchange *x, int pid) {
    close_puts(x, pid);
    close_sends(x, pid);
}

/* Does a log that has grown long go on its way at once? */
static bool cuts(const bsp_runtime *b, const msg_peer *p) { return b->eager && !p->near; }

/* The view ends where the log would be cut. */
static void open_puts(bsp_runtime *b, msg_exchange *x, int pid) {
    msg_buffer *m = &x->peer[pid].puts;
    size_t end = cuts(b, &x->peer[pid]) && m->room > MSG_PIECE_MIN ? MSG_PIECE_MIN : m->room;
    x->logs[pid].cursor = m->at + m->used;
    x->logs[pid].limit = m->at + (end > m->used ? end : m->used);
}

void msg_cut_log(bsp_runtime *b, int pid) {
    msg_exchange *x = b->ex;
    msg_buffer *m = &x->peer[pid].puts;
    close_puts(x, pid);
    if (!m->used) return;
    add_piece(b, pid, MSG_LOG, 0, m->at, *m, m->used);
    *m = (msg_buffer){0};
}

/* ---- calls ---- */

static void message_put(bsp_runtime *b, const bsp_transfer *t) {
    msg_exchange *x = b->ex;
    int pid = t->pid;
    size_t len = t->local.len;
    const void *src = (const void *)t->local.at;
    msg_buffer *m = &x->peer[pid].puts;
    if (len >= MSG_PIECE_MIN) {
        msg_lock(x);
        msg_buffer copy = msg_pool_take(&x->pool, len, "bsp_put");
        msg_unlock(x);
        memcpy(copy.at, src, len);
        msg_cut_log(b, pid); /* what came before it stays before it */
        add_piece(b, pid, MSG_PUT, t->remote.at, copy.at, copy, len);
        return;
    }
    size_t need = bsp_record_bytes(len);
    close_puts(x, pid);
    bsp_record_write(msg_room(m, need, "bsp_put"), t->remote.at, src, len);
    m->used += need;
    if (cuts(b, &x->peer[pid]) && m->used >= MSG_PIECE_MIN)
        msg_cut_log(b, pid);
    else
        open_puts(b, x, pid);
}

static void message_hpput(bsp_runtime *b, const bsp_transfer *t) {
    if (t->local.len < MSG_HP_MIN)
        message_put(b, t);
    else
        add_piece(b, t->pid, MSG_HP, t->remote.at, (const void *)t->local.at, (msg_buffer){0}, t->local.len);
}

static void message_send(bsp_runtime *b, const bsp_transfer *t) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[t->pid];
    size_t len = t->local.len, need = bsp_message_bytes(b->tag_size, len);
    close_sends(x, t->pid);
    bsp_message_write(msg_room(&p->sends, need, "bsp_send"), t->tag, b->tag_size, (const void *)t->local.at, len);
    p->sends.used += need;
    p->packets++;
    p->payload += len;
    x->send_logs[t->pid].cursor = p->sends.at + p->sends.used;
    x->send_logs[t->pid].limit = p->sends.at + p->sends.room;
}

static bool wanted(const bsp_runtime *b) { return !b->net->arena_bytes; }

const bsp_layer bsp_layer_message = {.wanted = wanted,
                                     .open = message_open,
                                     .close = message_close,
                                     .transfer = {[BSP_PUT] = message_put,
                                                  [BSP_HPPUT] = message_hpput,
                                                  [BSP_GET] = msg_get_note,
                                                  [BSP_HPGET] = msg_get_note,
                                                  [BSP_SEND] = message_send,
                                                  [BSP_DIRECT_GET] = msg_direct_get},
                                     .sync = msg_sync,
                                     .wait = msg_wait};
