/* Tagged messages over MPI: heads and tails (see transport.h).
 *
 *     len <= SHORT        head: the bytes
 *     len >  SHORT        head: the first SHORT bytes, then {len, n};  tail n: the rest, in chunks, in order
 *
 * A receive is posted at once with room for any head, in a block of ours, from which the bytes are copied: what a head
 * says about its tail must not depend on what else the caller does with its buffer. The tail is asked for when the head
 * is in. That step is ours and not MPI's, so requests that may need it stand in the list `pending`, and every wait
 * looks through it now and then. */
#include "net/mpi/transport.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 2 };

typedef struct request {
    sup_mpi_link link;              /* first: the list gives back the request */
    MPI_Request head, tail[WINDOW]; /* so many chunks of the tail may be on their way */
    sup_mpi_block *block;
    unsigned char *buf;
    void *scratch;             /* where a chunk goes that does not fit into buf */
    size_t cap;                /* receive: room in buf; send: length */
    size_t at, posted, length; /* how far the tail has come and is asked for; length of the whole message, 0 unknown */
    unsigned number;
    unsigned char first, count; /* the oldest one of tail[], and how many there are */
    bool sends, listed;
} request;

_Static_assert(sizeof(request) <= sizeof((sup_net_req *)0)->opaque, "a request fits into the caller's storage");

static request *inside(sup_net_req *req) { return (request *)(void *)req->opaque; }
static sup_net_req *outside(request *r) {
    return (sup_net_req *)(void *)((unsigned char *)r - offsetof(sup_net_req, opaque));
}

/* ---- blocks and the list -----------------------------------------------------------------------------------------*/

static sup_mpi_block *block_get(sup_mpi *t) {
    sup_mpi_block *b = t->blocks;
    if (!b) return aligned_alloc(64, (sizeof *b + 63) / 64 * 64);
    t->blocks = b->next;
    return b;
}

static void block_put(sup_mpi *t, sup_mpi_block *b) {
    b->next = t->blocks;
    t->blocks = b;
}

static void list_add(sup_mpi *t, request *r) {
    r->listed = true;
    r->link.prev = t->pending.prev;
    r->link.next = &t->pending;
    t->pending.prev->next = &r->link;
    t->pending.prev = &r->link;
}

static void list_remove(request *r) {
    r->link.prev->next = r->link.next;
    r->link.next->prev = r->link.prev;
    r->listed = false;
}

void sup_mpi_messages_init(sup_mpi *t) { t->pending.next = t->pending.prev = &t->pending; }

void sup_mpi_messages_free(sup_mpi *t) {
    while (t->blocks) {
        sup_mpi_block *b = t->blocks;
        t->blocks = b->next;
        free(b);
    }
}

static void finish(sup_mpi *t, sup_net_req *req, sup_status status) {
    request *r = inside(req);
    if (r->listed) list_remove(r);
    /* after a failure MPI may still own the block: better lost than used twice */
    if (r->block && (status == SUP_OK || status == SUP_ETRUNC)) block_put(t, r->block);
    if (r->scratch) free(r->scratch);
    req->status = status;
    req->done = true;
}

/* ---- tails -------------------------------------------------------------------------------------------------------*/

static size_t chunk_length(sup_mpi *t, const sup_net_req *req, const request *r, size_t at) {
    size_t most =
        sup_mpi_copies(&t->net, req->peer) || req->peer == t->net.rank ? SUP_MPI_CHUNK_NEAR : SUP_MPI_CHUNK_FAR;
    return r->length - at < most ? r->length - at : most;
}

/* Asks for the next chunks, as many as may be on their way. One that does not fit into buf goes alone. */
static sup_status tail_post(sup_mpi *t, sup_net_req *req) {
    req->unrung = true;
    request *r = inside(req);
    int tag = t->tail_tag + (int)(r->number & t->tail_mask), code = MPI_SUCCESS;
    while (r->posted < r->length && r->count < WINDOW && !r->scratch && code == MPI_SUCCESS) {
        size_t n = chunk_length(t, req, r, r->posted);
        unsigned char *place = r->buf + r->posted;
        MPI_Request *next = &r->tail[(r->first + r->count) % WINDOW];
        if (!r->sends && (r->posted >= r->cap || n > r->cap - r->posted)) {
            if (r->count) break;
            place = r->scratch = malloc(n);
            if (!place) return SUP_ENOMEM;
        }
        code = r->sends ? MPI_Isend(place, (int)n, MPI_BYTE, req->peer, tag, t->tails, next)
                        : MPI_Irecv(place, (int)n, MPI_BYTE, req->peer, tag, t->tails, next);
        r->posted += n;
        r->count++;
    }
    sup_mpi_ring(t, req->peer);
    return sup_mpi_status(t, code, req->peer);
}

/* A chunk is in: keep what fits, ask for the next. */
static sup_status tail_next(sup_mpi *t, sup_net_req *req) {
    request *r = inside(req);
    size_t n = chunk_length(t, req, r, r->at);
    if (r->scratch) {
        if (r->at < r->cap) memcpy(r->buf + r->at, r->scratch, n < r->cap - r->at ? n : r->cap - r->at);
        free(r->scratch);
        r->scratch = NULL;
    }
    r->at += n;
    r->first = (r->first + 1) % WINDOW;
    r->count--;
    return tail_post(t, req);
}

/* *moved: there may be more to do at once. */
static sup_status tail_poll(sup_mpi *t, sup_net_req *req, bool *moved) {
    request *r = inside(req);
    int flag = 0;
    int code = MPI_Test(&r->tail[r->first], &flag, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return sup_mpi_status(t, code, req->peer);
    if (!flag) return SUP_OK;
    *moved = true;
    return tail_next(t, req);
}

/* ---- heads -------------------------------------------------------------------------------------------------------*/

/* Bytes of a head. The members are part of either implementation's binary interface; the call that MPI has for it costs
 * a small message 3 % of its time. */
static inline size_t head_length(const MPI_Status *status) {
#if defined(OPEN_MPI)
    return status->_ucount;
#else
    return (size_t)status->count_lo;
#endif
}

static sup_status head_received(sup_mpi *t, sup_net_req *req, const MPI_Status *status) {
    request *r = inside(req);
    size_t n = head_length(status);
    req->peer = status->MPI_SOURCE;
    size_t here = n == SUP_MPI_HEAD ? SUP_MPI_SHORT : n;
    uint64_t trailer[2];
    if (n == SUP_MPI_HEAD) memcpy(trailer, r->block->data + SUP_MPI_SHORT, sizeof trailer);
    if (r->block && r->cap) memcpy(r->buf, r->block->data, here < r->cap ? here : r->cap);
    r->at = r->posted = here;
    r->length = req->length = here;
    if (n != SUP_MPI_HEAD) return SUP_OK;
    r->length = req->length = (size_t)trailer[0];
    r->number = (unsigned)trailer[1];
    return tail_post(t, req);
}

static void receive_tail(sup_mpi *t, sup_net_req *req, sup_status st) {
    request *r = inside(req);
    for (bool moved = true; !st && moved && r->at < r->length;) {
        moved = false;
        st = tail_poll(t, req, &moved);
    }
    if (st)
        finish(t, req, st);
    else if (r->at == r->length)
        finish(t, req, r->length > r->cap ? SUP_ETRUNC : SUP_OK);
    if (req->done && req->length > r->cap) req->length = r->cap; /* what the buffer holds */
}

/* The test of a head has ended with `code`. */
static void receive_head(sup_mpi *t, sup_net_req *req, int code, const MPI_Status *status) {
    receive_tail(t, req, code == MPI_SUCCESS ? head_received(t, req, status) : sup_mpi_status(t, code, req->peer));
}

static void poll_receive(sup_mpi *t, sup_net_req *req) {
    request *r = inside(req);
    if (r->head == MPI_REQUEST_NULL) {
        receive_tail(t, req, SUP_OK);
        return;
    }
    MPI_Status status;
    int flag = 0;
    int code = MPI_Test(&r->head, &flag, &status);
    if (code != MPI_SUCCESS || flag) receive_head(t, req, code, &status);
}

static void poll_send(sup_mpi *t, sup_net_req *req) {
    request *r = inside(req);
    sup_status st = SUP_OK;
    if (r->head != MPI_REQUEST_NULL) {
        int flag = 0;
        int code = MPI_Test(&r->head, &flag, MPI_STATUS_IGNORE);
        st = sup_mpi_status(t, code, req->peer);
    }
    for (bool moved = true; !st && moved && r->at < r->length;) {
        moved = false;
        st = tail_poll(t, req, &moved);
    }
    if (st || (r->head == MPI_REQUEST_NULL && r->at == r->length)) finish(t, req, st);
}

static void poll(sup_mpi *t, sup_net_req *req) {
    if (inside(req)->sends)
        poll_send(t, req);
    else
        poll_receive(t, req);
}

void sup_mpi_scan(sup_mpi *t) {
    for (sup_mpi_link *l = t->pending.next, *next; l != &t->pending; l = next) {
        next = l->next;
        poll(t, outside((request *)l));
    }
    if (t->flag_first) sup_mpi_signals_reclaim(t);
}

/* ---- the calls ---------------------------------------------------------------------------------------------------*/

static bool bad_tag(int tag) { return tag < 0 || tag > SUP_NET_TAG_MAX; }

static sup_status refuse(sup_net_req *req, sup_status status) {
    req->status = status;
    req->done = true;
    return status;
}

static request *start(sup_net_req *req, int peer, int tag, void *buf, size_t cap, bool sends) {
    request *r = inside(req);
    req->status = SUP_OK;
    req->done = false;
    req->peer = peer;
    req->tag = tag;
    req->length = sends ? cap : 0;
    for (int i = 0; i < WINDOW; i++) r->tail[i] = MPI_REQUEST_NULL;
    r->first = r->count = 0;
    r->block = NULL;
    r->scratch = NULL;
    r->buf = buf;
    r->cap = cap;
    r->sends = sends;
    r->listed = false;
    r->at = r->posted = r->length = 0;
    return r;
}

static sup_status send_long(sup_mpi *t, sup_net_req *req, int peer, int tag, const void *buf, size_t len) {
    request *r = start(req, peer, tag, (void *)(uintptr_t)buf, len, true);
    r->head = MPI_REQUEST_NULL;
    r->block = block_get(t);
    if (!r->block) return refuse(req, SUP_ENOMEM);
    r->length = r->cap;
    r->at = r->posted = SUP_MPI_SHORT;
    r->number = t->tail_next[req->peer]++;
    uint64_t trailer[2] = {r->length, r->number};
    memcpy(r->block->data, r->buf, SUP_MPI_SHORT);
    memcpy(r->block->data + SUP_MPI_SHORT, trailer, sizeof trailer);
    list_add(t, r);
    int code = MPI_Isend(r->block->data, SUP_MPI_HEAD, MPI_BYTE, req->peer, req->tag, t->user, &r->head);
    sup_status st = sup_mpi_status(t, code, req->peer);
    if (!st) st = tail_post(t, req);
    if (st) finish(t, req, st);
    return st;
}

sup_status sup_mpi_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    sup_mpi *t = sup_mpi_of(net);
    if (peer < 0 || peer >= net->size || bad_tag(tag) || (len && !buf) || len > PTRDIFF_MAX)
        return refuse(req, SUP_EINVAL);
    if (len > SUP_MPI_SHORT) return send_long(t, req, peer, tag, buf, len);
    /* first send, then keep the books: the receiver need not wait for them */
    int code = MPI_Isend(buf, (int)len, MPI_BYTE, peer, tag, t->user, &inside(req)->head);
    sup_mpi_ring(t, peer);
    start(req, peer, tag, NULL, len, true);
    if (code != MPI_SUCCESS) return refuse(req, sup_mpi_status(t, code, peer));
    return SUP_OK;
}

sup_status sup_mpi_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req) {
    sup_mpi *t = sup_mpi_of(net);
    if (peer < SUP_NET_ANY || peer >= net->size || bad_tag(tag) || (cap && !buf)) return refuse(req, SUP_EINVAL);
    request *r = start(req, peer, tag, buf, cap, false);
    r->block = block_get(t);
    if (!r->block) return refuse(req, SUP_ENOMEM);
    int from = peer == SUP_NET_ANY ? MPI_ANY_SOURCE : peer;
    int code = MPI_Irecv(r->block->data, SUP_MPI_HEAD, MPI_BYTE, from, tag, t->user, &r->head);
    if (code != MPI_SUCCESS) return refuse(req, sup_mpi_status(t, code, peer));
    list_add(t, r);
    return SUP_OK;
}

/* Looks before a test gives up: an answer that is due comes between two of them. */
enum { LOOKS = 8 };

static inline void copy_short(unsigned char *to, const unsigned char *from, size_t n) {
    if (n == 8)
        memcpy(to, from, 8);
    else if (n)
        memcpy(to, from, n);
}

/* The way of most receives, in as few steps as possible; the others go the long way from here. */
static inline void test_short(sup_mpi *t, sup_net_req *req, request *r) {
    MPI_Status status;
    int flag = 0, code = MPI_SUCCESS;
    for (int i = t->net.oversubscribed ? LOOKS - 1 : 0; i < LOOKS && !flag && code == MPI_SUCCESS; i++)
        code = MPI_Test(&r->head, &flag, &status);
    if (code == MPI_SUCCESS && !flag) return;
    if (code == MPI_SUCCESS && head_length(&status) <= r->cap && head_length(&status) <= SUP_MPI_SHORT) {
        if (r->block) {
            copy_short(r->buf, r->block->data, head_length(&status));
            block_put(t, r->block);
        }
        req->peer = status.MPI_SOURCE;
        req->length = head_length(&status);
        req->done = true;
        list_remove(r);
        return;
    }
    receive_head(t, req, code, &status);
}

sup_status sup_mpi_test(sup_net *net, sup_net_req *req) {
    sup_mpi *t = sup_mpi_of(net);
    request *r = inside(req);
    if (!r->sends && r->head != MPI_REQUEST_NULL)
        test_short(t, req, r);
    else
        poll(t, req);
    if (req->done) return req->status;
    sup_mpi_idle(t);
    return req->done ? req->status : SUP_OK;
}

sup_status sup_mpi_cancel(sup_net *net, sup_net_req *req) {
    sup_mpi *t = sup_mpi_of(net);
    request *r = inside(req);
    if (req->done || r->sends || r->head == MPI_REQUEST_NULL) return SUP_EBUSY;
    MPI_Status status;
    int flag = 0, cancelled = 0;
    int code = MPI_Cancel(&r->head);
    if (code == MPI_SUCCESS) code = MPI_Test(&r->head, &flag, &status);
    if (code != MPI_SUCCESS) return sup_mpi_status(t, code, req->peer);
    if (!flag) return SUP_EBUSY;
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled) {
        finish(t, req, SUP_OK);
        req->status = SUP_EINTR;
        return SUP_OK;
    }
    /* it was matched: carry on as if nobody had asked */
    receive_head(t, req, MPI_SUCCESS, &status);
    return SUP_EBUSY;
}
