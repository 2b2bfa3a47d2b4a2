/* The sync of the engine by messages.
 *
 *     send packets and pieces │ receive everyone's │ answer gets │ receive answers │ write gets, puts by source rank
 *
 * and before all that, perhaps, the question whether there is anything to send at all (message/empty.c).
 *
 * Only the owner writes its memory, so no second barrier is needed: once our answers have left and the answers to us
 * are here, we may write. A process's dealings with itself take the same steps without the net. */
#include "bsp/message/message.h"

#include <stdlib.h>
#include <string.h>

static const char *const call = "bsp_sync";

/* ---- out ---- */

static bool has_packet(const msg_exchange *x, int q) {
    const msg_peer *p = &x->peer[q];
    return p->asks.used || p->puts.used || p->sends.used || p->notices || p->pieces;
}

/* Until no piece for q waits for its go any more. */
static void await_goes(bsp_runtime *b, int q) {
    msg_exchange *x = b->ex;
    sup_wait w = SUP_WAIT_INIT;
    for (const msg_out *o = x->peer[q].out; o; o = o->next)
        while (o->waits) {
            msg_lock(x);
            msg_take_notices(b);
            msg_unlock(x);
            if (o->waits) sup_net_pause(b->net, &w);
        }
    sup_net_waited(b->net, &w);
}

/* Everything sent has left; buffers are free again. */
static void finish_sending(bsp_runtime *b, int q) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    for (int i = 0; i < p->sending; i++) msg_wait(b, &p->send[i]);
    if (p->lending || p->fetched) msg_await_acknowledged(b, q);
    if (p->out) await_goes(b, q);
    while (p->out) {
        msg_out *o = p->out;
        p->out = o->next;
        if (q != b->pid && !p->single_copy) msg_wait(b, &o->req);
        if (q != b->pid && o->started) msg_wait(b, &o->notice_req);
        msg_lock(x);
        msg_pool_give(&x->pool, o->owned);
        msg_unlock(x);
        free(o);
    }
    p->out_tail = &p->out;
    p->sending = p->notices = p->pieces = 0;
    p->asks.used = p->puts.used = p->sends.used = 0;
    p->packets = p->payload = 0;
}

/* ---- in ---- */

static void receive_rest(bsp_runtime *b, int q) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    int parity = (int)(b->epoch & 1);
    for (int i = 0; i < p->resting; i++) msg_wait(b, &p->rest_req[i]);
    p->resting = 0;
    sup_wait w = SUP_WAIT_INIT;
    for (int coming = (int)(p->head.notices + p->head.pieces), here = 0; here < coming;) {
        msg_lock(x);
        if (p->in_count[parity] < coming) msg_take_notices(b);
        here = p->in_count[parity];
        msg_unlock(x);
        if (here < coming) sup_net_pause(b->net, &w);
    }
    sup_net_waited(b->net, &w);
    for (msg_in *i = p->in[parity]; i; i = i->next) {
        if (!i->notice.from) msg_wait(b, &i->req);
        if (i->notice.waits) msg_wait(b, &i->go_req);
    }
}

/* ---- puts and messages ---- */

/* A piece that is not sent is fetched in its turn: to its place, or a log to where it can be read. */
static void fetch_piece(bsp_runtime *b, int q, msg_in *i) {
    msg_exchange *x = b->ex;
    void *to = (void *)(uintptr_t)i->notice.addr;
    if (i->notice.kind == MSG_LOG) {
        msg_lock(x);
        i->owned = msg_pool_take(&x->pool, i->notice.len, call);
        msg_unlock(x);
        to = i->owned.at;
    }
    msg_fetch(b, q, to, i->notice.from, i->notice.len);
    x->peer[q].fetched = true;
}

static void apply_from(bsp_runtime *b, int q) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    int parity = (int)(b->epoch & 1);
    while (p->in[parity]) {
        msg_in *i = p->in[parity];
        p->in[parity] = i->next;
        if (i->notice.from)
            fetch_piece(b, q, i);
        else if (i->notice.kind == MSG_PUT)
            memcpy((void *)(uintptr_t)i->notice.addr, i->owned.at, i->notice.len);
        if (i->notice.kind == MSG_LOG) bsp_log_apply(i->owned.at, i->owned.at + i->notice.len);
        msg_lock(x);
        msg_pool_give(&x->pool, i->owned);
        msg_unlock(x);
        free(i);
    }
    if (p->fetched) msg_acknowledge(b, q);
    p->in_tail[parity] = &p->in[parity];
    p->in_count[parity] = 0;
    if (p->head.epoch != b->epoch) return;
    bsp_log_apply(p->puts_in, p->puts_in + p->head.puts);
    bsp_queue_count(&b->queue, p->head.packets, p->head.payload);
    bsp_queue_add(b, p->sends_in, p->sends_in + p->head.sends);
}

/* The same for what a process has for itself; its messages are moved to where they stay until the next sync. */
static void apply_own(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[b->pid];
    for (msg_out *o = p->out; o; o = o->next) {
        void *to = (void *)(uintptr_t)o->notice.addr;
        if (o->notice.kind == MSG_LOG)
            bsp_log_apply(o->src, (const unsigned char *)o->src + o->notice.len);
        else
            memmove(to, o->src, o->notice.len);
    }
    if (p->puts.used) bsp_log_apply(p->puts.at, p->puts.at + p->puts.used);
    msg_buffer *keep = &p->kept[b->epoch & 1], sent = p->sends;
    size_t used = sent.used;
    p->sends = *keep; /* the two take turns: no copy */
    *keep = sent;
    p->sends.used = 0;
    bsp_queue_count(&b->queue, p->packets, p->payload);
    if (used) bsp_queue_add(b, keep->at, keep->at + used);
}

static const bsp_area *areas_of(bsp_runtime *b, int q) {
    msg_exchange *x = b->ex;
    return q == b->pid ? b->reg.fresh : (const bsp_area *)x->peer[q].areas_in;
}

static void check_packet(bsp_runtime *b, int q, bool ending) {
    const msg_head *h = &((msg_exchange *)b->ex)->peer[q].head;
    if (((h->flags & MSG_ENDING) != 0) != ending)
        bsp_fail(ending ? "bsp_end" : "bsp_sync", "rank %d has called %s", q, ending ? "bsp_sync" : "bsp_end");
}

/* What q shows. Who changes something sends to everybody, so silence means that nothing changes. */
static bsp_accord accord_of(const bsp_runtime *b, int q) {
    const msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    if (q == b->pid && b->accord.digest) return b->accord;
    bool shown = q != b->pid && p->head.epoch == b->epoch && p->head.flags & MSG_CHANGE;
    return shown ? p->accord : (bsp_accord){.tag_size = b->tag_size};
}

/* ---- the whole ---- */

/* Packets out and in. Registrations and the end concern everybody, so then everybody sends to everybody. */
static void exchange_packets(bsp_runtime *b, bool ending) {
    msg_exchange *x = b->ex;
    uint32_t everyone = x->counts->everyone || b->accord.digest || ending;
    for (int q = 0; q < b->nprocs; q++) x->count_out[q] = q != b->pid && (everyone || has_packet(x, q));
    if (x->counts->post && x->posted_epoch != b->epoch) { /* the first superstep */
        msg_lock(x);
        x->counts->post(b, (int)(b->epoch & 1));
        msg_unlock(x);
    }
    for (int k = 1; k < b->nprocs; k++) {
        int q = (b->pid + k) % b->nprocs;
        if (x->count_out[q]) msg_send_packet(b, q, ending);
    }
    x->counts->receive(b);
    uint32_t flags = b->accord.digest ? MSG_CHANGE : 0;
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && x->peer[q].head.epoch == b->epoch) {
            check_packet(b, q, ending);
            flags |= x->peer[q].head.flags;
        }
    if (flags & MSG_CHANGE) bsp_accord_compare(b, accord_of);
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && x->peer[q].head.epoch == b->epoch) receive_rest(b, q);
}

static bool anyone_asks(const bsp_runtime *b) {
    const msg_exchange *x = b->ex;
    if (x->gets.count) return true;
    for (int q = 0; q < b->nprocs; q++)
        if (x->peer[q].head.epoch == b->epoch && x->peer[q].head.asks) return true;
    return false;
}

/* From here on pieces of the next superstep may go to their place. */
static void open_next(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    int parity = (int)((b->epoch + 1) & 1);
    msg_lock(x);
    atomic_store(&x->open_epoch, b->epoch + 1);
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && x->peer[q].in[parity]) msg_post_pieces(b, q, parity);
    if (x->counts->post) x->counts->post(b, parity);
    x->posted_epoch = b->epoch + 1;
    if (x->directs) msg_direct_answer(b);
    msg_unlock(x);
}

/* Has this process anything that concerns another, or itself? */
static bool has_nothing(const bsp_runtime *b, bool ending) {
    const msg_exchange *x = b->ex;
    if (ending || b->accord.digest || x->gets.count) return false;
    for (int q = 0; q < b->nprocs; q++)
        if (has_packet(x, q)) return false;
    return true;
}

/* What is left of a sync where nobody has anything. */
static void finish_empty(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    bsp_queue_clear(&b->queue);
    open_next(b);
    atomic_store_explicit(&x->waiting, false, memory_order_relaxed);
    bsp_lanes_open(b, x->logs, x->send_logs, b->nprocs);
}

void msg_sync(bsp_runtime *b, bool ending) {
    msg_exchange *x = b->ex;
    atomic_store_explicit(&x->waiting, true, memory_order_relaxed);
    bsp_accord_take(b);
    for (int q = 0; q < b->nprocs; q++) {
        msg_close_puts(x, q);
        msg_close_sends(x, q);
    }
    if (b->get_cursor) msg_get_close(b);
    if (msg_is_empty(b, has_nothing(b, ending))) {
        finish_empty(b);
        return;
    }
    if (x->gets.count) msg_get_prepare(b);
    exchange_packets(b, ending);
    bsp_queue_clear(&b->queue);
    if (anyone_asks(b)) msg_get_exchange(b);
    for (int q = 0; q < b->nprocs; q++)
        if (q == b->pid)
            apply_own(b);
        else
            apply_from(b, q);
    if (b->reg.changes) {
        bsp_accord_apply(b, areas_of);
        bsp_logs_forget(x->logs, b->nprocs);
    }
    b->accord.digest = 0;
    for (int q = 0; q < b->nprocs; q++) finish_sending(b, q);
    if (!ending && b->nprocs > 1) open_next(b);
    atomic_store_explicit(&x->waiting, false, memory_order_relaxed);
    bsp_lanes_open(b, x->logs, x->send_logs, b->nprocs);
}
