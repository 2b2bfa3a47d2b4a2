/* Tagged messages over shared memory: matching, and three protocols to move the bytes.
 *
 * Up to 56 bytes travel in the slot, up to 16 KiB through the byte ring (one copy in, one out). Longer messages are
 * offered: the receiver copies them itself once it has a buffer, directly where it can address the sender's memory
 * (threads, shared heaps), else by process_vm_readv, alone or half and half with the sender; or it asks for the bytes,
 * and the sender streams them through the ring while the receiver empties it. Which of the two is learned
 * (shm/protocol.c). */
#include "base/clock.h"
#include "net/shm/net.h"
#include "net/vm_copy.h"

#include <stdlib.h>

/* ---- small tools ---- */

static void list_push(shm_list *l, shm_op *op) {
    op->next = NULL;
    *l->tail = op;
    l->tail = &op->next;
}

static shm_op *list_pop(shm_list *l) {
    shm_op *op = l->head;
    l->head = op->next;
    if (!l->head) l->tail = &l->head;
    return op;
}

static void list_unlink(shm_list *l, shm_op **link) {
    shm_op *op = *link;
    *link = op->next;
    if (l->tail == &op->next) l->tail = link;
}

static void complete(shm_op *op, sup_status st) {
    sup_net_req *req = op->req;
    if (req) {
        req->peer = op->peer;
        req->tag = op->tag;
        req->length = !op->src && op->len > op->cap ? op->cap : op->len;
        req->status = st;
        req->done = true;
    }
}

void shm_peer_init(shm_net *n, int rank) {
    shm_peer *p = &n->peer[rank];
    p->out.q = shm_queue_of(n->seg, rank, n->net.rank);
    p->in.q = shm_queue_of(n->seg, n->net.rank, rank);
    p->sending.tail = &p->sending.head;
    p->streams.tail = &p->streams.head;
    p->posted.tail = &p->posted.head;
    p->early_tail = &p->early;
    n->known[rank / 64] |= 1ull << (rank % 64);
}

static void announce(shm_net *n, int peer) {
    shm_peer *p = shm_peer_of(n, peer);
    if (p->announced) return;
    p->announced = true;
    atomic_fetch_or_explicit(&shm_active_of(n->seg, peer)->bits[n->net.rank / 64], 1ull << (n->net.rank % 64),
                             memory_order_release);
}

/* ---- sending ---- */

/* Puts what op stands for into the queue. True when that is all there is to put. */
static bool push_once(shm_peer *p, shm_op *op) {
    shm_slot *s = shm_produce_slot(&p->out);
    if (!s) return false;
    switch (op->kind) {
    case SHM_SHORT:
        if (op->len) memcpy(s->u.bytes, op->src, op->len);
        shm_publish(&p->out, s, SHM_SHORT, (unsigned)op->tag, (unsigned)op->len);
        return true;
    case SHM_EAGER:
        if (!shm_produce_room(&p->out, op->len)) return false;
        shm_ring_in(&p->out, op->src, op->len);
        s->u.arg.a = op->len;
        break;
    case SHM_OFFER:
        s->u.arg.a = op->len;
        s->u.arg.b = (uintptr_t)op->src;
        s->u.arg.c = (uintptr_t)op;
        break;
    default: /* control */
        s->u.arg.a = op->a;
        s->u.arg.b = op->b;
        s->u.arg.c = op->c;
        s->u.arg.d = op->d;
        break;
    }
    shm_publish(&p->out, s, op->kind, (unsigned)op->tag, 0);
    return true;
}

static sup_status fit(const shm_op *op) { return op->len > op->cap ? SUP_ETRUNC : SUP_OK; }

/* One op is in the queue: what now? What asks for an answer waits for it, everything else is finished. */
static void pushed(shm_op *op) {
    switch (op->kind) {
    case SHM_OFFER:
    case SHM_ASK:
    case SHM_SHARE:
    case SHM_WROTE: op->kind = 0; break;
    case SHM_TAKEN: complete(op, op->fetched ? op->fetched : fit(op)); break;
    default: complete(op, SUP_OK);
    }
}

/* True if there is room now. */
static inline bool push_now(shm_net *n, int peer, shm_op *op) {
    shm_peer *p = shm_peer_of(n, peer);
    announce(n, peer);
    if (p->sending.head || !push_once(p, op)) return false;
    shm_ring(n, peer);
    return true;
}

static void push_later(shm_net *n, shm_list *list, shm_op *op) {
    list_push(list, op);
    n->backlog++;
}

static void submit(shm_net *n, int peer, shm_op *op) {
    if (push_now(n, peer, op))
        pushed(op);
    else
        push_later(n, &n->peer[peer].sending, op);
}

/* About a message whose op is here. */
static void submit_control(shm_net *n, int peer, shm_op *op, int kind) {
    op->kind = (unsigned char)kind;
    submit(n, peer, op);
}

static void fill_send(shm_op *op, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    *op = (shm_op){.req = req, .src = buf, .len = len, .peer = peer, .tag = tag};
    op->kind = len <= SHM_INLINE ? SHM_SHORT : len <= SHM_FRAGMENT ? SHM_EAGER : SHM_OFFER;
}

sup_status shm_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    if ((unsigned)peer >= (unsigned)net->size || (unsigned)tag > SUP_NET_TAG_MAX) return SUP_EINVAL;
    req->done = false;
    shm_op *op = (shm_op *)req->opaque;
    fill_send(op, peer, tag, buf, len, req);
    submit(shm_of(net), peer, op);
    return SUP_OK;
}

/* Moves as much of an asked-for message as there is room for. */
static bool push_stream(shm_peer *p, shm_op *op) {
    while (op->moved < op->len) {
        size_t piece = op->len - op->moved < SHM_FRAGMENT ? op->len - op->moved : SHM_FRAGMENT;
        shm_slot *s = shm_produce_slot(&p->out);
        if (!s || !shm_produce_room(&p->out, piece)) return false;
        shm_ring_in(&p->out, op->src + op->moved, piece);
        s->u.arg.a = op->a;
        s->u.arg.b = piece;
        shm_publish(&p->out, s, SHM_ANSWER, 0, 0);
        op->moved += piece;
    }
    return true;
}

/* The next peer from rank i on with whom there was ever anything; the number of processes after the last one. */
static int next_known(const shm_net *n, int i) {
    while (i < n->net.size) {
        uint64_t rest = n->known[i / 64] >> (i % 64);
        if (rest) return i + __builtin_ctzll(rest);
        i = (i / 64 + 1) * 64;
    }
    return n->net.size;
}

static void push_backlog(shm_net *n) {
    for (int i = next_known(n, 0); i < n->net.size && n->backlog; i = next_known(n, i + 1)) {
        shm_peer *p = &n->peer[i];
        uint64_t before = p->out.slots;
        while (p->sending.head && push_once(p, p->sending.head)) {
            n->backlog--;
            pushed(list_pop(&p->sending));
        }
        while (p->streams.head && push_stream(p, p->streams.head)) {
            n->backlog--;
            complete(list_pop(&p->streams), SUP_OK);
        }
        if (p->out.slots != before) shm_ring(n, i);
    }
}

/* ---- receiving ---- */

static shm_op **find_posted(shm_list *l, int tag) {
    shm_op **link = &l->head;
    while (*link && (*link)->tag != tag) link = &(*link)->next;
    return *link ? link : NULL;
}

/* The receive that a message from peer with this tag belongs to, taken off its list: the one posted first. */
static shm_op *match_posted(shm_net *n, int peer, int tag) {
    shm_list *own = &shm_peer_of(n, peer)->posted;
    shm_op **a = own->head ? find_posted(own, tag) : NULL;
    shm_op **b = n->any.head ? find_posted(&n->any, tag) : NULL;
    if (!a && !b) return NULL;
    bool from_any = !a || (b && (*b)->seq < (*a)->seq);
    shm_op **link = from_any ? b : a;
    shm_op *op = *link;
    list_unlink(from_any ? &n->any : own, link);
    op->peer = peer;
    return op;
}

static void ask_for_stream(shm_net *n, shm_op *op, int peer) {
    op->moved = 0;
    op->a = op->sender;
    op->b = (uintptr_t)op;
    submit_control(n, peer, op, SHM_ASK);
}

/* The receive is over, well or not, once the sender can be told. */
static void let_go(shm_net *n, shm_op *op, int peer, sup_status st) {
    op->fetched = st;
    op->a = op->sender;
    if (st == SUP_EPEER)
        complete(op, st);
    else
        submit_control(n, peer, op, SHM_TAKEN);
}

/* The sender writes the first half while we read the second; on_wrote ends it. */
static void share_offer(shm_net *n, shm_op *op, int peer, uint64_t remote) {
    size_t take = op->len < op->cap ? op->len : op->cap, half = (take / 2) & ~(size_t)63;
    op->a = op->sender;
    op->b = (uintptr_t)op;
    op->c = (uintptr_t)op->dst;
    op->d = half;
    submit_control(n, peer, op, SHM_SHARE);
    op->fetched = shm_copy_from(&n->net, peer, op->dst + half, (const void *)(uintptr_t)(remote + half), take - half);
}

/* A copy by the kernel that fails, for whatever reason, is no loss while both live: the bytes can be streamed. */
static bool can_stream(sup_status copied) { return copied && copied != SUP_EPEER; }

/* A receive has met an offer: fetch it, share the work, or ask for it. */
static void take_offer(shm_net *n, shm_op *op, int peer, size_t len, uint64_t remote, uint64_t sender) {
    shm_peer *p = shm_peer_of(n, peer);
    bool mapped = shm_mapped(&n->net, peer, (void *)(uintptr_t)remote, len);
    int protocol = mapped ? SHM_BY_KERNEL : shm_choose_protocol(n, p, len);
    op->len = len;
    op->sender = sender;
    op->start = sup_clock_now();
    if (protocol == SHM_BY_BOTH) {
        share_offer(n, op, peer, remote);
        return;
    }
    sup_status st = SUP_EPERM;
    if (protocol == SHM_BY_KERNEL)
        st = shm_copy_from(&n->net, peer, op->dst, (const void *)(uintptr_t)remote, len < op->cap ? len : op->cap);
    if (can_stream(st)) {
        ask_for_stream(n, op, peer);
        return;
    }
    if (!mapped && !st) shm_learn_protocol(p, SHM_BY_KERNEL, op->start, len);
    let_go(n, op, peer, st);
}

/* The sender has done its half, or could not: then everything is streamed. */
static void on_wrote(shm_net *n, int peer, shm_op *op, sup_status theirs) {
    sup_status ours = op->fetched;
    if (can_stream(ours) || can_stream(theirs)) {
        ask_for_stream(n, op, peer);
        return;
    }
    sup_status st = ours ? ours : theirs;
    if (!st) shm_learn_protocol(shm_peer_of(n, peer), SHM_BY_BOTH, op->start, op->len);
    let_go(n, op, peer, st);
}

static void on_share(shm_net *n, int peer, shm_op *op, uint64_t receiver, uint64_t to, size_t len) {
    op->a = receiver;
    op->b = (uint64_t)(int64_t)shm_copy_to(&n->net, peer, (void *)(uintptr_t)to, op->src, len);
    submit_control(n, peer, op, SHM_WROTE);
}

static sup_status keep_early(shm_net *n, int peer, int tag, size_t len, bool offer, shm_early **out) {
    shm_peer *p = shm_peer_of(n, peer);
    shm_early *e = malloc(sizeof *e + (offer ? 0 : len));
    if (!e) return SUP_ENOMEM;
    n->starved = 0;
    *e = (shm_early){.len = len, .order = n->next_order++, .tag = tag, .offer = offer};
    *p->early_tail = e;
    p->early_tail = &e->next;
    *out = e;
    return SUP_OK;
}

/* SUP_ENOMEM: it stays where it is, and all that comes after it. */
static sup_status on_message(shm_net *n, int peer, const shm_slot *s, uint64_t word) {
    shm_consumer *in = &shm_peer_of(n, peer)->in;
    unsigned kind = shm_word_kind(word);
    int tag = (int)shm_word_tag(word);
    size_t len = kind == SHM_SHORT ? shm_word_inlined(word) : s->u.arg.a;
    shm_op *op = match_posted(n, peer, tag);
    if (op && kind == SHM_OFFER) {
        take_offer(n, op, peer, len, s->u.arg.b, s->u.arg.c);
        return SUP_OK;
    }
    if (op) {
        op->len = len;
        size_t take = len < op->cap ? len : op->cap;
        if (kind == SHM_SHORT) {
            if (take) memcpy(op->dst, s->u.bytes, take);
        } else {
            shm_ring_out(in, op->dst, take);
            shm_ring_out(in, NULL, len - take);
        }
        complete(op, fit(op));
        return SUP_OK;
    }
    shm_early *e;
    sup_status st = keep_early(n, peer, tag, len, kind == SHM_OFFER, &e);
    if (st) return st;
    if (kind == SHM_OFFER) {
        e->remote = s->u.arg.b;
        e->sender = s->u.arg.c;
    } else if (kind == SHM_SHORT) {
        memcpy(e->data, s->u.bytes, len);
    } else {
        shm_ring_out(in, e->data, len);
    }
    return SUP_OK;
}

static void on_answer(shm_net *n, int peer, shm_op *op, size_t piece) {
    shm_consumer *in = &shm_peer_of(n, peer)->in;
    size_t room = op->moved < op->cap ? op->cap - op->moved : 0, take = piece < room ? piece : room;
    shm_ring_out(in, op->dst + op->moved, take);
    shm_ring_out(in, NULL, piece - take);
    op->moved += piece;
    if (op->moved < op->len) return;
    shm_learn_protocol(shm_peer_of(n, peer), SHM_BY_STREAM, op->start, op->len);
    complete(op, fit(op));
}

static sup_status on_slot(shm_net *n, int peer, const shm_slot *s, uint64_t word) {
    unsigned kind = shm_word_kind(word);
    if (kind == SHM_SHORT || kind == SHM_EAGER || kind == SHM_OFFER) return on_message(n, peer, s, word);
    shm_op *op = (shm_op *)(uintptr_t)s->u.arg.a;
    switch (kind) {
    case SHM_ASK:
        op->a = s->u.arg.b;
        op->moved = 0;
        push_later(n, &shm_peer_of(n, peer)->streams, op);
        break;
    case SHM_ANSWER: on_answer(n, peer, op, s->u.arg.b); break;
    case SHM_SHARE: on_share(n, peer, op, s->u.arg.b, s->u.arg.c, s->u.arg.d); break;
    case SHM_WROTE: on_wrote(n, peer, op, (sup_status)(int64_t)s->u.arg.b); break;
    case SHM_TAKEN: complete(op, SUP_OK); break;
    default: return SUP_EMISMATCH;
    }
    return SUP_OK;
}

/* Memory for an early message may be there the next time, or its receive; but a process does not wait for ever. */
enum { STARVES = 10000 };

static sup_status drain(shm_net *n, int peer) {
    shm_consumer *in = &shm_peer_of(n, peer)->in;
    uint64_t word;
    sup_status st = SUP_OK;
    bool told = false; /* of room in the queue, which the sender may be waiting for */
    for (int k = 0; k < SHM_SLOTS && !st; k++) {
        shm_slot *s = shm_consume_peek(in, &word);
        if (!s) break;
        st = on_slot(n, peer, s, word);
        if (st != SUP_ENOMEM) told |= shm_consume_done(in);
    }
    if (told) shm_ring(n, peer);
    return st == SUP_ENOMEM && ++n->starved < STARVES ? SUP_OK : st;
}

sup_status shm_progress(sup_net *net) {
    shm_net *n = shm_of(net);
    if (n->backlog) push_backlog(n);
    for (int w = 0; w * 64 < net->size; w++) {
        uint64_t bits = atomic_load_explicit(&n->active->bits[w], memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            sup_status st = drain(n, w * 64 + __builtin_ctzll(bits));
            if (st) return st;
        }
    }
    return SUP_OK;
}

/* The oldest early message that a receive for (peer, tag) may take: its link, and whose it is. */
static shm_early **find_early(shm_net *n, int peer, int tag, int *from) {
    shm_early **best = NULL;
    int low = peer == SUP_NET_ANY ? 0 : peer, high = peer == SUP_NET_ANY ? n->net.size - 1 : peer;
    for (int i = next_known(n, low); i <= high; i = next_known(n, i + 1)) {
        shm_early **link = &n->peer[i].early;
        while (*link && (*link)->tag != tag) link = &(*link)->next;
        if (*link && (!best || (*link)->order < (*best)->order)) {
            best = link;
            *from = i;
        }
    }
    return best;
}

sup_status shm_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req) {
    shm_net *n = shm_of(net);
    bool any = peer == SUP_NET_ANY;
    if ((!any && (unsigned)peer >= (unsigned)net->size) || (unsigned)tag > SUP_NET_TAG_MAX) return SUP_EINVAL;
    shm_op *op = (shm_op *)req->opaque;
    *op = (shm_op){.req = req, .dst = buf, .cap = cap, .peer = peer, .tag = tag};
    req->done = false;
    int from = peer;
    shm_early **link = find_early(n, peer, tag, &from);
    if (!link) {
        op->seq = n->next_seq++;
        list_push(any ? &n->any : &shm_peer_of(n, peer)->posted, op);
        return SUP_OK;
    }
    shm_early *e = *link;
    *link = e->next;
    if (n->peer[from].early_tail == &e->next) n->peer[from].early_tail = link;
    op->peer = from;
    op->len = e->len;
    if (e->offer) {
        take_offer(n, op, from, e->len, e->remote, e->sender);
    } else {
        size_t take = e->len < cap ? e->len : cap;
        if (take) memcpy(buf, e->data, take);
        complete(op, fit(op));
    }
    free(e);
    return SUP_OK;
}

sup_status shm_test(sup_net *net, sup_net_req *req) {
    sup_status st = shm_progress(net);
    if (req->done) return req->status;
    return st ? st : shm_check_failure(shm_of(net));
}

sup_status shm_cancel(sup_net *net, sup_net_req *req) {
    shm_net *n = shm_of(net);
    if (req->done) return SUP_EBUSY;
    shm_op *op = (shm_op *)req->opaque;
    shm_list *l = op->peer == SUP_NET_ANY ? &n->any : &shm_peer_of(n, op->peer)->posted;
    for (shm_op **link = &l->head; *link; link = &(*link)->next) {
        if (*link != op) continue;
        list_unlink(l, link);
        req->status = SUP_EINTR;
        req->done = true;
        return SUP_OK;
    }
    return SUP_EBUSY;
}

void shm_msg_release(shm_net *n) {
    for (int i = next_known(n, 0); i < n->net.size; i = next_known(n, i + 1)) {
        shm_peer *p = &n->peer[i];
        while (p->early) {
            shm_early *e = p->early;
            p->early = e->next;
            free(e);
        }
        for (shm_list *l = &p->sending; l; l = l == &p->sending ? &p->streams : NULL)
            while (l->head) complete(list_pop(l), SUP_EPEER);
    }
}
