/* Pieces (message.h): what is long, or has grown long, and travels on its own. */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <string.h>

/* ---- out ---- */

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

void msg_add_piece(bsp_runtime *b, int pid, int kind, uintptr_t addr, const void *src, msg_buffer owned, size_t len) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[pid];
    msg_out *o = calloc(1, sizeof *o);
    if (!o) bsp_fail_status("bsp_put", SUP_ENOMEM);
    o->notice = (msg_notice){b->epoch, addr, len, (uint32_t)kind, 0, p->single_copy ? (uintptr_t)src : 0};
    o->owned = owned;
    o->src = src;
    *p->out_tail = o;
    p->out_tail = &o->next;
    if (b->eager && x->threaded && pid != b->pid && p->pieces == 0 && !p->single_copy) {
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

/* ---- logs of small puts and messages, which become pieces when they have grown long ---- */

/* Does a log that has grown long go on its way at once? */
static bool is_cut(const bsp_runtime *b, const msg_peer *p) { return b->eager && !p->single_copy; }

/* The view ends where the log would be cut. */
static void open_puts(bsp_runtime *b, int pid) {
    msg_exchange *x = b->ex;
    msg_buffer *m = &x->peer[pid].puts;
    size_t end = is_cut(b, &x->peer[pid]) && m->room > MSG_PIECE_MIN ? MSG_PIECE_MIN : m->room;
    x->logs[pid].cursor = m->at + m->used;
    x->logs[pid].limit = m->at + (end > m->used ? end : m->used);
}

void msg_cut_log(bsp_runtime *b, int pid) {
    msg_exchange *x = b->ex;
    msg_buffer *m = &x->peer[pid].puts;
    msg_close_puts(x, pid);
    if (!m->used) return;
    msg_add_piece(b, pid, MSG_LOG, 0, m->at, *m, m->used);
    *m = (msg_buffer){0};
}

void msg_puts_grown(bsp_runtime *b, int pid) {
    const msg_peer *p = &((msg_exchange *)b->ex)->peer[pid];
    if (is_cut(b, p) && p->puts.used >= MSG_PIECE_MIN)
        msg_cut_log(b, pid);
    else
        open_puts(b, pid);
}

/* ---- in ---- */

static const char *const call = "bsp_sync";

static void post_piece(bsp_runtime *b, int q, int parity, msg_in *i) {
    void *to = (void *)(uintptr_t)i->notice.addr;
    if (i->notice.kind != MSG_HP) {
        i->owned = msg_pool_take(&((msg_exchange *)b->ex)->pool, i->notice.len, call);
        to = i->owned.at;
    }
    int tag = (i->notice.waits ? MSG_TAG_GONE : MSG_TAG_PIECE) + parity;
    msg_check(call, sup_net_irecv(b->net, q, tag, to, i->notice.len, &i->req));
    i->posted = true;
    if (!i->notice.waits) return;
    static const msg_notice go = {.kind = MSG_GO};
    msg_check(call, sup_net_isend(b->net, q, MSG_TAG_NOTICE, &go, sizeof go, &i->go_req));
}

void msg_post_pieces(bsp_runtime *b, int q, int parity) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    for (msg_in *i = p->in[parity]; i; i = i->next)
        if (!i->posted && !i->notice.from) post_piece(b, q, parity, i);
}

void msg_note_piece(bsp_runtime *b, int q, const msg_notice *notice) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    int parity = (int)(notice->epoch & 1);
    msg_in *i = calloc(1, sizeof *i);
    if (!i) bsp_fail_status(call, SUP_ENOMEM);
    i->notice = *notice;
    *p->in_tail[parity] = i;
    p->in_tail[parity] = &i->next;
    p->in_count[parity]++;
    if (!notice->from && notice->epoch <= atomic_load(&x->open_epoch)) post_piece(b, q, parity, i);
}

void msg_note_pieces(bsp_runtime *b, int q, const unsigned char *at, uint32_t count) {
    msg_lock(b->ex);
    for (uint32_t i = 0; i < count; i++) {
        msg_notice n;
        memcpy(&n, at + i * sizeof n, sizeof n);
        msg_note_piece(b, q, &n);
    }
    msg_unlock(b->ex);
}
