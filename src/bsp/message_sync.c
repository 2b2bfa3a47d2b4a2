/* The sync of the exchange by messages.
 *
 *     send packets and pieces │ receive everyone's │ answer gets │ receive answers │ write gets, puts by source rank
 *
 * Only the owner writes its memory, so no second barrier is needed: once our answers have left and the answers to us
 * are here, we may write. A process's dealings with itself take the same way without the net. */
#include "bsp/message.h"

#include <stdlib.h>
#include <string.h>

static const char *const call = "bsp_sync";

/* The lock is given up between looks: the progress thread may be in the middle of one, and must come out of it. */
void msg_wait(bsp_runtime *b, sup_net_req *req) {
    msg_exchange *x = b->ex;
    sup_wait w = SUP_WAIT_INIT;
    for (unsigned look = 1;; look++) {
        msg_lock(x);
        sup_status st = sup_net_test(b->net, req);
        /* the other side may wait for a piece that waits here, or, if this takes long, for its direct get */
        if (x->outstanding || w.slow || look % 16 == 0) msg_take_notices(b);
        msg_unlock(x);
        msg_check(call, st);
        if (req->done) break;
        sup_net_pause(b->net, &w);
    }
    sup_net_waited(b->net, &w);
}

/* ---- out ---- */

static bool has_packet(const msg_exchange *x, int q) {
    const msg_peer *p = &x->peer[q];
    return p->asks.used || p->puts.used || p->sends.used || p->notices || p->pieces;
}

static void send_part(bsp_runtime *b, int q, int tag, const void *at, size_t len) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    if (!len) return;
    msg_check(call, sup_net_isend(b->net, q, tag + (int)(b->epoch & 1), at, len, &p->send[p->sending++]));
}

static unsigned char *append(unsigned char *to, const void *from, size_t len) {
    if (len) memcpy(to, from, len);
    return to + len;
}

/* The notices of all pieces that are not on their way yet, for a near process to fetch. */
static void list_pieces(msg_peer *p) {
    p->list.used = 0;
    for (const msg_out *o = p->out; o; o = o->next) {
        memcpy(msg_room(&p->list, sizeof o->notice, call), &o->notice, sizeof o->notice);
        p->list.used += sizeof o->notice;
    }
}

/* What did not fit into the packet goes as messages, or is there to be fetched. */
static void send_parts(bsp_runtime *b, int q, size_t areas) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    if (p->near) return;
    send_part(b, q, MSG_TAG_AREAS, b->reg.fresh, areas);
    send_part(b, q, MSG_TAG_ASKS, p->asks.at, p->asks.used);
    send_part(b, q, MSG_TAG_PUTS, p->puts.at, p->puts.used);
    send_part(b, q, MSG_TAG_SENDS, p->sends.at, p->sends.used);
}

static void send_pieces(bsp_runtime *b, int q, bool apart) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    if (p->near) return;
    int tag = MSG_TAG_PIECE + (int)(b->epoch & 1);
    for (msg_out *o = p->out; o; o = o->next)
        if (!o->started && apart)
            msg_start_piece(b, q, o);
        else if (!o->started)
            msg_check(call, sup_net_isend(b->net, q, tag, o->src, o->notice.len, &o->req));
}

/* Head, list of pieces, areas; then requests, puts and messages if they fit, else behind it. */
static void send_packet(bsp_runtime *b, int q, bool ending) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    size_t areas = (size_t)b->reg.pushes * sizeof(bsp_area), list = (size_t)p->pieces * sizeof(msg_notice);
    size_t parts = areas + list + p->asks.used + p->puts.used + p->sends.used;
    msg_head h = {.epoch = b->epoch,
                  .asks = p->asks.used,
                  .puts = p->puts.used,
                  .sends = p->sends.used,
                  .packets = p->packets,
                  .payload = p->payload,
                  .notices = (uint32_t)p->notices,
                  .pieces = (uint32_t)p->pieces,
                  .pushes = (uint32_t)b->reg.pushes,
                  .flags = (ending ? MSG_ENDING : 0) | (b->accord.digest ? MSG_CHANGE : 0),
                  .reply = (uintptr_t)p->reply.at};
    bool apart = sizeof h + sizeof b->accord + parts > MSG_PACKET_MAX;
    p->sending = 0;
    if (apart) h.flags |= MSG_APART;
    if (apart && !p->near) {
        h.notices += h.pieces; /* the list would not fit: each is announced */
        h.pieces = 0;
    }
    unsigned char *to = append(p->packet, &h, sizeof h);
    if (h.flags & MSG_CHANGE) to = append(to, &b->accord, sizeof b->accord);
    if (apart && p->near) {
        list_pieces(p);
        msg_places at = {(uintptr_t)p->list.at, (uintptr_t)b->reg.fresh, (uintptr_t)p->asks.at, (uintptr_t)p->puts.at,
                         (uintptr_t)p->sends.at};
        to = append(to, &at, sizeof at);
    } else if (!apart) {
        for (msg_out *o = p->out; o; o = o->next)
            if (!o->started) to = append(to, &o->notice, sizeof o->notice);
        to = append(to, b->reg.fresh, areas);
        to = append(to, p->asks.at, p->asks.used);
        to = append(to, p->puts.at, p->puts.used);
        to = append(to, p->sends.at, p->sends.used);
    }
    msg_lock(x);
    send_part(b, q, MSG_TAG_PACKET, p->packet, (size_t)(to - p->packet));
    if (p->near && (apart || p->pieces)) msg_near_lend(b, q);
    if (apart) send_parts(b, q, areas);
    send_pieces(b, q, apart);
    msg_unlock(x);
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
    msg_near_finish(b, q);
    await_goes(b, q);
    while (p->out) {
        msg_out *o = p->out;
        p->out = o->next;
        if (q != b->pid && !p->near) msg_wait(b, &o->req);
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

static void post_packet(bsp_runtime *b, int q, int parity) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    msg_check(call, sup_net_irecv(b->net, q, MSG_TAG_PACKET + parity, p->packet_in[parity], MSG_PACKET_MAX,
                                  &p->packet_req[parity]));
    p->packet_posted[parity] = true;
}

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

/* A part that follows its packet goes behind what is there already; pointers are set when all have come. */
static size_t expect_part(bsp_runtime *b, int q, msg_buffer *m, int tag, size_t len) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    size_t at = m->used;
    if (!len) return at;
    msg_check(call, sup_net_irecv(b->net, q, tag + (int)(b->epoch & 1), m->at + at, len, &p->rest_req[p->resting++]));
    m->used += (len + 15) & ~(size_t)15;
    return at;
}

/* The packet of q has arrived: where its parts are, or are coming. Messages must outlive this sync: they are kept
 * apart. */
static void open_packet(bsp_runtime *b, int q, const unsigned char *packet) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    msg_head *h = &p->head;
    msg_buffer *keep = &p->kept[b->epoch & 1], *rest = &p->rest;
    memcpy(h, packet, sizeof *h);
    packet += sizeof *h;
    if (h->flags & MSG_CHANGE) {
        memcpy(&p->accord, packet, sizeof p->accord);
        packet += sizeof p->accord;
    }
    size_t areas = h->pushes * sizeof(bsp_area);
    p->resting = 0;
    rest->used = keep->used = 0;
    msg_room(keep, h->sends, call);
    p->sends_in = keep->at;
    if (!(h->flags & MSG_APART)) {
        const unsigned char *at = packet;
        for (uint32_t i = 0; i < h->pieces; i++, at += sizeof(msg_notice)) {
            msg_notice n;
            memcpy(&n, at, sizeof n);
            msg_lock(x);
            msg_note_piece(b, q, &n);
            msg_unlock(x);
        }
        p->areas_in = at;
        p->asks_in = at + areas;
        p->puts_in = p->asks_in + h->asks;
        append(keep->at, p->puts_in + h->puts, h->sends);
        return;
    }
    if (p->near) {
        msg_near_open(b, q, packet);
        return;
    }
    msg_room(rest, areas + h->asks + h->puts + 64, call);
    msg_lock(x);
    p->areas_in = rest->at + expect_part(b, q, rest, MSG_TAG_AREAS, areas);
    p->asks_in = rest->at + expect_part(b, q, rest, MSG_TAG_ASKS, h->asks);
    p->puts_in = rest->at + expect_part(b, q, rest, MSG_TAG_PUTS, h->puts);
    expect_part(b, q, keep, MSG_TAG_SENDS, h->sends);
    msg_unlock(x);
}

static void receive_direct(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    int parity = (int)(b->epoch & 1);
    for (int k = 1; k < b->nprocs; k++) {
        int q = (b->pid + b->nprocs - k) % b->nprocs;
        msg_peer *p = &x->peer[q];
        msg_wait(b, &p->packet_req[parity]);
        p->packet_posted[parity] = false;
        open_packet(b, q, p->packet_in[parity]);
    }
}

/* From `count` processes, not known which. One buffer will do: a packet is opened before the next is received. */
static void receive_some(bsp_runtime *b, int count) {
    msg_exchange *x = b->ex;
    int parity = (int)(b->epoch & 1);
    for (int k = 0; k < count; k++) {
        sup_net_req req;
        unsigned char *spare = x->peer[b->pid].packet_in[parity];
        msg_lock(x);
        sup_status st = sup_net_irecv(b->net, SUP_NET_ANY, MSG_TAG_PACKET + parity, spare, MSG_PACKET_MAX, &req);
        msg_unlock(x);
        msg_check(call, st);
        msg_wait(b, &req);
        msg_peer *p = &x->peer[req.peer];
        memcpy(p->packet_in[parity], spare, req.length);
        open_packet(b, req.peer, p->packet_in[parity]);
    }
}

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

/* A near piece is fetched in its turn: to its place, or a log to where it can be read. */
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
    if (p->fetched) msg_near_thank(b, q);
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

/* Somebody changes something. All come to the same conclusion. */
static void __attribute__((noinline)) compare_changes(bsp_runtime *b) {
    bool differ = false;
    for (int q = 0; q < b->nprocs; q++) differ |= accord_of(b, q).digest != b->accord.digest;
    if (!differ) return;
    bsp_accord *all = bsp_grow(NULL, (size_t)b->nprocs * sizeof *all, call);
    for (int q = 0; q < b->nprocs; q++) all[q] = accord_of(b, q);
    bsp_disagree(b, all);
}

/* ---- the whole ---- */

/* Packets out and in. Registrations and the end concern everybody, so then everybody sends to everybody. */
static void exchange_packets(bsp_runtime *b, bool ending) {
    msg_exchange *x = b->ex;
    bool direct = !strcmp(x->counts, "direct");
    uint32_t everyone = direct || b->accord.digest || ending;
    for (int q = 0; q < b->nprocs; q++) x->count_out[q] = q != b->pid && (everyone || has_packet(x, q));
    if (direct)
        for (int q = 0; q < b->nprocs; q++)
            if (q != b->pid && !x->peer[q].packet_posted[b->epoch & 1]) {
                msg_lock(x);
                post_packet(b, q, (int)(b->epoch & 1));
                msg_unlock(x);
            }
    for (int k = 1; k < b->nprocs; k++) {
        int q = (b->pid + k) % b->nprocs;
        if (x->count_out[q]) send_packet(b, q, ending);
    }
    if (direct)
        receive_direct(b);
    else
        receive_some(b, msg_count(b, x->count_out));
    uint32_t flags = b->accord.digest ? MSG_CHANGE : 0;
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && x->peer[q].head.epoch == b->epoch) {
            check_packet(b, q, ending);
            flags |= x->peer[q].head.flags;
        }
    if (flags & MSG_CHANGE) compare_changes(b);
    for (int q = 0; q < b->nprocs; q++)
        if (q != b->pid && x->peer[q].head.epoch == b->epoch) receive_rest(b, q);
}

static bool anyone_asks(const bsp_runtime *b) {
    const msg_exchange *x = b->ex;
    if (x->get_count) return true;
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
    for (int q = 0; q < b->nprocs; q++) {
        if (q == b->pid) continue;
        if (x->peer[q].in[parity]) msg_post_pieces(b, q, parity);
        if (!strcmp(x->counts, "direct") && !x->peer[q].packet_posted[parity]) post_packet(b, q, parity);
    }
    if (x->directs) msg_direct_answer(b);
    msg_unlock(x);
}

void msg_sync(bsp_runtime *b, bool ending) {
    msg_exchange *x = b->ex;
    atomic_store_explicit(&x->waiting, true, memory_order_relaxed);
    bsp_accord_take(b);
    for (int q = 0; q < b->nprocs; q++) msg_close_log(x, q);
    if (b->get_cursor) msg_get_close(b);
    if (x->get_count) msg_get_prepare(b);
    exchange_packets(b, ending);
    bsp_queue_clear(&b->queue);
    if (anyone_asks(b)) msg_get_exchange(b);
    for (int q = 0; q < b->nprocs; q++)
        if (q == b->pid)
            apply_own(b);
        else
            apply_from(b, q);
    if (b->reg.changes) {
        bsp_reg_apply(b, areas_of);
        bsp_logs_forget(x->logs, b->nprocs);
    }
    b->accord.digest = 0;
    for (int q = 0; q < b->nprocs; q++) finish_sending(b, q);
    if (!ending && b->nprocs > 1) open_next(b);
    atomic_store_explicit(&x->waiting, false, memory_order_relaxed);
    bsp_lanes_open(b, x->logs, x->send_logs, b->nprocs);
}
