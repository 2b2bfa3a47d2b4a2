/* Collective operations by messages: carries out this member's actions of a schedule (schedule.h).
 *
 * The walk calls `take` for each action. Sends and receives are started and join those that are under way; whatever
 * must find them complete (a copy, a fold, the next stage) waits for all of them first. Data go from and to the
 * caller's buffers themselves, or TEMP. */
#include "coll/ways.h"

#include <stdlib.h>

enum { LAST_LOOKS = 1000 };

typedef struct carrier {
    sup_walker walker; /* first: take gets the carrier back */
    sup_coll *coll;
    const sup_net_group *group;
    unsigned char *base[3]; /* of sup_buffer; IN is only read */
    const sup_fold *fold;
    int stage, under_way;
} carrier;

/* ---- requests ---- */

static sup_net_req *request(const sup_coll *c, int i) { return &c->chunk[i / SUP_COLL_CHUNK]->req[i % SUP_COLL_CHUNK]; }
static int64_t *expected(const sup_coll *c, int i) {
    return &c->chunk[i / SUP_COLL_CHUNK]->expects[i % SUP_COLL_CHUNK];
}

static sup_status one_more(sup_coll *c, int used) {
    if (used < c->chunks * SUP_COLL_CHUNK) return SUP_OK;
    sup_coll_chunk **list = realloc(c->chunk, ((size_t)c->chunks + 1) * sizeof(sup_coll_chunk *));
    if (!list) return SUP_ENOMEM;
    c->chunk = list;
    list[c->chunks] = malloc(sizeof **list);
    if (!list[c->chunks]) return SUP_ENOMEM;
    c->chunks++;
    return SUP_OK;
}

/* Something went wrong: receives are withdrawn; what was sent to the living may yet leave. What does not, the transport
 * keeps until it is closed, and so the requests are kept, too. */
static void give_up(carrier *k, sup_status st) {
    sup_coll *c = k->coll;
    sup_net *net = k->group->net;
    for (int i = 0; i < k->under_way; i++) {
        sup_net_req *q = request(c, i);
        if (!q->done && *expected(c, i) >= 0) (void)sup_net_cancel(net, q);
        for (int look = 0; look < LAST_LOOKS && !q->done; look++) (void)sup_net_test(net, q);
        if (!q->done) c->lost = true;
    }
    if (c->lost) sup_coll_end(c, st);
    k->under_way = 0;
}

/* Would anything that is waited for still come? */
static sup_status heard(void *coll) {
    sup_coll *c = coll;
    return sup_coll_heard(&c->all.group, c->options.slot);
}

static sup_status complete(carrier *k) {
    sup_coll *c = k->coll;
    sup_status first = SUP_OK;
    for (int i = 0; i < k->under_way && !first; i++) {
        sup_net_req *q = request(c, i);
        int64_t expects = *expected(c, i);
        first = sup_net_wait_watching(k->group->net, q, heard, c);
        if (first == SUP_ETRUNC || (!first && expects >= 0 && q->length != (size_t)expects)) first = SUP_EMISMATCH;
    }
    if (!first) k->under_way = 0;
    return first;
}

static sup_status start(carrier *k, const sup_action *a) {
    sup_net *net = k->group->net;
    sup_status st = one_more(k->coll, k->under_way);
    if (st) return st;
    sup_net_req *q = request(k->coll, k->under_way);
    unsigned char *at = k->base[a->buffer] + a->at;
    int peer = sup_net_group_rank(k->group, (int)a->peer), tag = k->coll->options.tag;
    static unsigned char nothing;
    if (a->bytes == 0) at = &nothing;
    *expected(k->coll, k->under_way) = a->kind == SUP_RECEIVE ? a->bytes : -1;
    st = a->kind == SUP_RECEIVE ? sup_net_irecv(net, peer, tag, at, (size_t)a->bytes, q)
                                : sup_net_isend(net, peer, tag, at, (size_t)a->bytes, q);
    if (!st) k->under_way++;
    return st;
}

/* ---- here ---- */

static sup_status fold(carrier *k, const sup_action *a) {
    if (!k->fold) return SUP_EINVAL;
    return sup_coll_fold(k->coll, k->fold, k->base[a->to] + a->to_at, k->base[a->buffer] + a->at, a->bytes, a->before,
                         a->buffer == SUP_TEMP);
}

static sup_status take(sup_walker *walker, const sup_action *a) {
    carrier *k = (carrier *)(void *)walker;
    bool moves = a->kind == SUP_SEND || a->kind == SUP_RECEIVE;
    if (k->under_way && (a->stage != k->stage || !moves)) {
        sup_status st = complete(k);
        if (st) return st;
    }
    k->stage = a->stage;
    if (moves) return start(k, a);
    if (a->kind == SUP_FOLD) return fold(k, a);
    sup_coll_move(k->base[a->to] + a->to_at, k->base[a->buffer] + a->at, a->bytes);
    return SUP_OK;
}

bool sup_messages_can(const sup_coll *c, const sup_job *job, const sup_choice *choice) {
    (void)c;
    return !(choice->algorithm->traits & SUP_ALGORITHM_SHARED) && sup_algorithm_fits(choice->algorithm, job);
}

sup_status sup_run_messages(sup_coll *c, const sup_net_group *group, const sup_coll_call *call,
                            const sup_choice *choice) {
    const sup_algorithm *algorithm = choice->algorithm;
    sup_job job = sup_coll_job(call, group->size, choice);
    int64_t temp = algorithm->temp ? algorithm->temp(&job, group->self) : 0;
    sup_status st = temp > 0 ? sup_coll_reserve(&c->temp, (size_t)temp) : SUP_OK;
    if (st) return st;
    carrier k = {{take}, c, group, {NULL, call->out, c->temp.at}, call->fold, 0, 0};
    k.base[SUP_IN] = (unsigned char *)(uintptr_t)call->in;
    st = algorithm->walk(&job, group->self, &k.walker);
    if (!st) st = complete(&k);
    if (st) give_up(&k, st);
    return st;
}
