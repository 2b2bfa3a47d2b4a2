/* Packets (message.h): what a process has for another in a superstep, out and in. */
#include "bsp/message/message.h"

#include <string.h>

static const char *const call = "bsp_sync";

/* ---- out ---- */

static void send_part(bsp_runtime *b, int q, int tag, const void *at, size_t len) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    if (!len) return;
    msg_check(call, sup_net_isend(b->net, q, tag + (int)(b->epoch & 1), at, len, &p->send[p->sending++]));
}

static unsigned char *append(unsigned char *to, const void *from, size_t len) {
    if (len) memcpy(to, from, len);
    return to + len;
}

/* The notices of all pieces that are not on their way yet, for a process of this host to fetch. */
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
    if (p->single_copy) return;
    send_part(b, q, MSG_TAG_AREAS, b->reg.fresh, areas);
    send_part(b, q, MSG_TAG_ASKS, p->asks.at, p->asks.used);
    send_part(b, q, MSG_TAG_PUTS, p->puts.at, p->puts.used);
    send_part(b, q, MSG_TAG_SENDS, p->sends.at, p->sends.used);
}

static void send_pieces(bsp_runtime *b, int q, bool apart) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    if (p->single_copy) return;
    int tag = MSG_TAG_PIECE + (int)(b->epoch & 1);
    for (msg_out *o = p->out; o; o = o->next)
        if (!o->started && apart)
            msg_start_piece(b, q, o);
        else if (!o->started)
            msg_check(call, sup_net_isend(b->net, q, tag, o->src, o->notice.len, &o->req));
}

/* Head, list of pieces, areas; then requests, puts and messages if they fit, else behind it. */
void msg_send_packet(bsp_runtime *b, int q, bool ending) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[q];
    size_t areas = (size_t)b->reg.changes * sizeof(bsp_area), list = (size_t)p->pieces * sizeof(msg_notice);
    size_t parts = areas + list + p->asks.used + p->puts.used + p->sends.used;
    msg_head h = {.epoch = b->epoch,
                  .asks = p->asks.used,
                  .puts = p->puts.used,
                  .sends = p->sends.used,
                  .packets = p->packets,
                  .payload = p->payload,
                  .notices = (uint32_t)p->notices,
                  .pieces = (uint32_t)p->pieces,
                  .changes = (uint32_t)b->reg.changes,
                  .flags = (ending ? MSG_ENDING : 0) | (b->accord.digest ? MSG_CHANGE : 0),
                  .reply = (uintptr_t)p->reply.at};
    bool apart = sizeof h + sizeof b->accord + parts > MSG_PACKET_MAX;
    p->sending = 0;
    if (apart) h.flags |= MSG_APART;
    if (apart && !p->single_copy) {
        h.notices += h.pieces; /* the list would not fit: each is announced */
        h.pieces = 0;
    }
    unsigned char *to = append(p->packet, &h, sizeof h);
    if (h.flags & MSG_CHANGE) to = append(to, &b->accord, sizeof b->accord);
    if (apart && p->single_copy) {
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
    if (p->single_copy && (apart || p->pieces)) msg_lend(b, q);
    if (apart) send_parts(b, q, areas);
    send_pieces(b, q, apart);
    msg_unlock(x);
}

/* ---- in ---- */

void msg_post_packet(bsp_runtime *b, int q, int parity) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    msg_check(call, sup_net_irecv(b->net, q, MSG_TAG_PACKET + parity, p->packet_in[parity], MSG_PACKET_MAX,
                                  &p->packet_req[parity]));
    p->packet_posted[parity] = true;
}

/* A part that follows its packet goes behind what is there already; pointers are set when all have come. */
static size_t expect_part(bsp_runtime *b, int q, msg_buffer *m, int tag, size_t len) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[q];
    size_t at = m->used;
    if (!len) return at;
    msg_check(call, sup_net_irecv(b->net, q, tag + (int)(b->epoch & 1), m->at + at, len, &p->rest_req[p->resting++]));
    m->used += bsp_pad16(len);
    return at;
}

/* The packet of q has arrived: where its parts are, or are coming. Messages must outlive this sync: they are kept
 * apart. */
void msg_open_packet(bsp_runtime *b, int q, const unsigned char *packet) {
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
    size_t areas = h->changes * sizeof(bsp_area);
    p->resting = 0;
    rest->used = keep->used = 0;
    msg_room(keep, h->sends, call);
    p->sends_in = keep->at;
    if (!(h->flags & MSG_APART)) {
        if (h->pieces) msg_note_pieces(b, q, packet, h->pieces);
        p->areas_in = packet + h->pieces * sizeof(msg_notice);
        p->asks_in = p->areas_in + areas;
        p->puts_in = p->asks_in + h->asks;
        append(keep->at, p->puts_in + h->puts, h->sends);
        return;
    }
    if (p->single_copy) {
        msg_fetch_parts(b, q, packet);
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

/* From `count` processes, not known which. One buffer will do: a packet is opened before the next is received. */
void msg_receive_some(bsp_runtime *b, int count) {
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
        msg_open_packet(b, req.peer, p->packet_in[parity]);
    }
}
