/* Notices: what others announce or ask for beside packets, and how this process waits, which it never does without
 * looking at them.
 *
 * A direct get is answered as soon as the one that is asked looks: in its progress thread while it computes, in its
 * sync, or while it waits for an answer itself, so that nobody waits in a circle. It must have come to the superstep of
 * the request, or puts that it has not carried out yet would be missed; until then the request stays in a list. */
#include "bsp/message/message.h"

#include <stdlib.h>

/* ---- direct gets of others ---- */

static const char *const direct_call = "bsp_direct_get";

static void note_direct(bsp_runtime *b, int pid, const msg_notice *notice) {
    msg_exchange *x = b->ex;
    msg_direct *d = calloc(1, sizeof *d);
    if (!d) bsp_fail_status(direct_call, SUP_ENOMEM);
    d->notice = *notice;
    d->pid = pid;
    d->next = x->directs;
    x->directs = d;
}

void msg_direct_answer(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    for (msg_direct **at = &x->directs; *at;) {
        msg_direct *d = *at;
        if (!d->sent && d->notice.epoch <= atomic_load(&x->open_epoch)) {
            const void *from = (const void *)(uintptr_t)d->notice.addr;
            msg_check(direct_call, sup_net_isend(b->net, d->pid, MSG_TAG_DIRECT, from, d->notice.len, &d->req));
            d->sent = true;
        }
        if (d->sent) msg_check(direct_call, sup_net_test(b->net, &d->req));
        if (d->sent && d->req.done) {
            *at = d->next;
            free(d);
        } else {
            at = &d->next;
        }
    }
}

void msg_direct_finish(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    sup_wait w = SUP_WAIT_INIT;
    while (x->directs) {
        msg_direct_answer(b);
        if (x->directs) sup_net_pause(b->net, &w);
    }
    sup_net_waited(b->net, &w);
}

/* ---- notices ---- */

static void receive_notices(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    for (;;) {
        if (!x->notice_posted) {
            sup_status st =
                sup_net_irecv(b->net, SUP_NET_ANY, MSG_TAG_NOTICE, &x->notice, sizeof x->notice, &x->notice_req);
            msg_check("bsp_sync", st);
            x->notice_posted = true;
        }
        msg_check("bsp_sync", sup_net_test(b->net, &x->notice_req));
        if (!x->notice_req.done) return;
        x->notice_posted = false;
        atomic_fetch_add(&x->traffic, 1);
        if (x->notice.kind == MSG_GO)
            x->peer[x->notice_req.peer].goes++;
        else if (x->notice.kind == MSG_DIRECT)
            note_direct(b, x->notice_req.peer, &x->notice);
        else
            msg_note_piece(b, x->notice_req.peer, &x->notice);
    }
}

/* What the others announced is asked for before anything long leaves. */
void msg_take_notices(bsp_runtime *b) {
    msg_exchange *x = b->ex;
    receive_notices(b);
    if (x->directs) msg_direct_answer(b);
    for (int q = 0; x->outstanding && q < b->nprocs; q++)
        if (x->peer[q].goes) msg_go_on(b, q);
}

/* ---- waiting ---- */

/* The lock is given up between looks: the progress thread may be in the middle of one, and must come out of it. What
 * the library moves in steps would lie still while this process sleeps, as in sup_net_wait. */
void msg_wait(bsp_runtime *b, sup_net_req *req) {
    msg_exchange *x = b->ex;
    sup_wait w = SUP_WAIT_INIT, moving = SUP_WAIT_INIT;
    for (unsigned look = 1;; look++) {
        msg_lock(x);
        sup_status st = sup_net_test(b->net, req);
        /* the other side may wait for a piece that waits here, or, if this takes long, for its direct get */
        if (x->outstanding || w.slow || look % 16 == 0) msg_take_notices(b);
        msg_unlock(x);
        msg_check("bsp_sync", st);
        if (req->done) break;
        if (req->unrung)
            sup_wait_pause(&moving, &b->net->unrung, NULL);
        else
            sup_net_pause(b->net, &w);
    }
    sup_net_waited(b->net, &w);
    sup_wait_end(&moving, &b->net->unrung, NULL);
}
