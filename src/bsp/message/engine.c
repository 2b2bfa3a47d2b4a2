/* The engine by messages, for transports that cannot address another process's memory: what happens when a call is
 * made. The sync is in message/sync.c. Small puts, gets and sends are collected per process; long ones become pieces
 * (message.h). */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <string.h>

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
    bsp_barrier_close(b, x->barrier);
    for (int q = 0; x->peer && q < b->procs; q++) {
        msg_peer *p = &x->peer[q];
        for (int i = 0; i < 2; i++) {
            if (p->packet_posted[i]) (void)sup_net_cancel(b->net, &p->packet_req[i]);
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
    free(x->gets.at);
    for (size_t i = 0; i < x->late_room; i++) free(x->lates[i]);
    free(x->lates);
    msg_pool_free(&x->pool);
    free(x->count_out);
    free(x->count_in);
    free(x->map);
    free(x->logs);
    b->get_cursor = b->get_limit = NULL;
    b->ask_log = NULL;
    bsp_lanes_open(b, NULL, NULL, 0);
    free(x->peer);
    free(x);
    b->ex = NULL;
}

static sup_status message_open(bsp_runtime *b, sup_diag *diag) {
    msg_exchange *x = calloc(1, sizeof *x);
    if (!x) return SUP_ENOMEM;
    b->ex = x;
    sup_status st = SUP_ENOMEM;
    size_t n = (size_t)b->nprocs;
    x->peer = calloc(n, sizeof *x->peer);
    x->count_out = calloc(n, sizeof *x->count_out);
    x->count_in = calloc(n, sizeof *x->count_in);
    x->logs = bsp_logs_new(3 * b->nprocs);
    if (!x->peer || !x->count_out || !x->count_in || !x->logs) goto close;
    x->send_logs = x->logs + n;
    b->ask_log = x->ask_logs = x->send_logs + n;
    for (int q = 0; q < b->nprocs; q++) {
        msg_peer *p = &x->peer[q];
        p->out_tail = &p->out;
        p->single_copy = sup_net_copies(b->net, q);
        p->packet = malloc(3 * MSG_PACKET_MAX);
        if (!p->packet) goto close;
        for (int i = 0; i < 2; i++) {
            p->in_tail[i] = &p->in[i];
            p->packet_in[i] = p->packet + (i + 1) * MSG_PACKET_MAX;
        }
    }
    x->counts = msg_counts_choose(b);
    atomic_store(&x->open_epoch, 1);
    if (b->pid >= b->nprocs || b->nprocs == 1) return SUP_OK;
    st = bsp_barrier_open(b, &x->barrier, diag);
    if (st) goto close;
    return b->eager ? msg_progress_start(b) : SUP_OK;
close:
    message_close(b);
    return st;
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
        msg_add_piece(b, pid, MSG_PUT, t->remote.at, copy.at, copy, len);
        return;
    }
    size_t need = bsp_record_bytes(len);
    msg_close_puts(x, pid);
    bsp_record_write(msg_room(m, need, "bsp_put"), t->remote.at, src, len);
    m->used += need;
    msg_puts_grown(b, pid);
}

static void message_hpput(bsp_runtime *b, const bsp_transfer *t) {
    if (t->local.len < MSG_HP_MIN)
        message_put(b, t);
    else
        msg_add_piece(b, t->pid, MSG_HP, t->remote.at, (const void *)t->local.at, (msg_buffer){0}, t->local.len);
}

static void message_send(bsp_runtime *b, const bsp_transfer *t) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[t->pid];
    size_t len = t->local.len, need = bsp_message_bytes(b->tag_size, len);
    msg_close_sends(x, t->pid);
    bsp_message_write(msg_room(&p->sends, need, "bsp_send"), t->tag, b->tag_size, (const void *)t->local.at, len);
    p->sends.used += need;
    p->packets++;
    p->payload += len;
    x->send_logs[t->pid].cursor = p->sends.at + p->sends.used;
    x->send_logs[t->pid].limit = p->sends.at + p->sends.room;
}

static bool wanted(const bsp_runtime *b) { return !sup_net_one_memory(b->net); }

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
