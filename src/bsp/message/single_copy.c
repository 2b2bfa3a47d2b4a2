/* The engine by messages between processes of one host: packets say where things are, the reader fetches them.
 *
 * Whoever is fetched from must know when that is over before it leaves the sync: then its memory is the program's
 * again. The one that fetched says so with an empty message. */
#include "bsp/message/message.h"

#include <string.h>

static const char *const call = "bsp_sync";

void msg_fetch(bsp_runtime *b, int pid, void *to, uint64_t from, size_t len) {
    if (len) msg_check(call, sup_net_copy_from(b->net, pid, to, (const void *)(uintptr_t)from, len));
}

/* The packet to pid leads into our memory (the lock is held). */
void msg_lend(bsp_runtime *b, int pid) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[pid];
    int tag = MSG_TAG_FETCHED + (int)(b->epoch & 1);
    msg_check(call, sup_net_irecv(b->net, pid, tag, NULL, 0, &p->fetched_req));
    p->lending = true;
}

static size_t fetch_part(bsp_runtime *b, int pid, msg_buffer *m, uint64_t from, size_t len) {
    size_t at = m->used;
    msg_fetch(b, pid, m->at + at, from, len);
    m->used += bsp_pad16(len);
    return at;
}

/* All parts of a packet that did not fit into it; pieces are noted, not fetched yet. */
void msg_fetch_parts(bsp_runtime *b, int pid, const unsigned char *places) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[pid];
    const msg_head *h = &p->head;
    msg_buffer *keep = &p->kept[b->epoch & 1], *rest = &p->rest;
    size_t areas = h->changes * sizeof(bsp_area), list = h->pieces * sizeof(msg_notice);
    msg_places at;
    memcpy(&at, places, sizeof at);
    msg_room(rest, areas + list + h->asks + h->puts + 64, call);
    size_t noted = fetch_part(b, pid, rest, at.list, list);
    p->areas_in = rest->at + fetch_part(b, pid, rest, at.areas, areas);
    p->asks_in = rest->at + fetch_part(b, pid, rest, at.asks, h->asks);
    p->puts_in = rest->at + fetch_part(b, pid, rest, at.puts, h->puts);
    fetch_part(b, pid, keep, at.sends, h->sends);
    msg_note_pieces(b, pid, rest->at + noted, h->pieces);
    p->fetched = true;
}

/* Nothing of pid's memory is needed any more. */
void msg_acknowledge(bsp_runtime *b, int pid) {
    msg_exchange *x = b->ex;
    msg_peer *p = &x->peer[pid];
    msg_lock(x);
    int tag = MSG_TAG_FETCHED + (int)(b->epoch & 1);
    msg_check(call, sup_net_isend(b->net, pid, tag, NULL, 0, &p->fetched_out));
    msg_unlock(x);
}

void msg_await_acknowledged(bsp_runtime *b, int pid) {
    msg_peer *p = &((msg_exchange *)b->ex)->peer[pid];
    if (p->lending) msg_wait(b, &p->fetched_req);
    if (p->fetched) msg_wait(b, &p->fetched_out);
    p->lending = p->fetched = false;
}
