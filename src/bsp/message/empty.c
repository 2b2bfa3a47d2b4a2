/* Supersteps in which nobody has anything for anybody, in the engine by messages: a barrier says so, and that is all.
 *
 * Before any packet leaves, processes may ask each other by the plan's barrier, whose signals carry whether somebody
 * has something. Inside a host the answer costs a fraction of a message; without the question every superstep costs
 * counts or packets. Where every superstep has traffic the question is in vain and would come on top. So after a
 * question in vain the next superstep does not ask, after the next the next two, then four, up to PAUSE_MAX; one that
 * paid off forgets all that. Everybody hears the same answers, so everybody asks in the same supersteps.
 *
 * While a process waits for the answer it does what it does in every wait: others may still compute and want something
 * of it (message/notice.c). But not at every turn: a look at notices is a turn of MPI, and on cores that others need
 * one after each short nap doubled the time of a sync of 8 processes on 4 hosts. As often as the progress thread looks
 * when nothing is under way (message/progress.c) is enough. */
#include "bsp/message/message.h"

enum { PAUSE_MAX = 64, NOTICES_EVERY = 64 /* looks */, NOTICES_NS = 1000000 /* asleep */ };

static const char *const call = "bsp_sync";

static unsigned ask(bsp_runtime *b, unsigned bits) {
    msg_exchange *x = b->ex;
    sup_wait w = SUP_WAIT_INIT;
    unsigned all = 0;
    int64_t asleep_ns = 0;
    bool done = false;
    msg_lock(x);
    sup_status st = sup_barrier_start(x->barrier, bits);
    for (unsigned look = 1;; look++) {
        if (!st) st = sup_barrier_try(x->barrier, &done, &all);
        if (w.nap_ns && !w.armed) asleep_ns += w.nap_ns;
        if (!done && (x->outstanding || asleep_ns >= NOTICES_NS || look % NOTICES_EVERY == 0)) {
            msg_take_notices(b);
            asleep_ns = 0;
        }
        bool rung = !x->outstanding && sup_barrier_rung(x->barrier);
        msg_unlock(x);
        msg_check(call, st);
        if (done) break;
        if (rung)
            sup_net_pause_rung(b->net, &w);
        else
            sup_net_pause(b->net, &w);
        msg_lock(x);
    }
    sup_net_waited_rung(b->net, &w);
    sup_net_waited(b->net, &w);
    return all;
}

bool msg_is_empty(bsp_runtime *b, bool mine) {
    msg_exchange *x = b->ex;
    if (!x->barrier) return false;
    if (x->unasked) {
        x->unasked--;
        return false;
    }
    bool empty = !ask(b, !mine);
    x->pause = empty ? 0 : !x->pause ? 1 : x->pause < PAUSE_MAX ? 2 * x->pause : PAUSE_MAX;
    x->unasked = x->pause;
    return empty;
}
