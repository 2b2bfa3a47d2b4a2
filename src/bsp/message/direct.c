/* Direct gets by messages: a request and its answer, in the middle of a superstep (message/notice.c answers). Once a
 * process of the same host has answered, its memory is as it should be to the end of the superstep, and later gets need
 * not ask. */
#include "bsp/message/message.h"

#include <string.h>

static const char *const call = "bsp_direct_get";

static void ask(bsp_runtime *b, int pid, uintptr_t remote, void *dst, size_t len) {
    msg_exchange *x = b->ex;
    msg_notice request = {.epoch = b->epoch, .addr = remote, .len = len, .kind = MSG_DIRECT};
    sup_net_req in = {0}, out = {0};
    atomic_store_explicit(&x->waiting, true, memory_order_relaxed);
    msg_lock(x);
    sup_status st = sup_net_irecv(b->net, pid, MSG_TAG_DIRECT, dst, len, &in);
    if (!st) st = sup_net_isend(b->net, pid, MSG_TAG_NOTICE, &request, sizeof request, &out);
    msg_unlock(x);
    msg_check(call, st);
    sup_wait w = SUP_WAIT_INIT;
    for (bool done = false; !done;) {
        msg_lock(x);
        msg_check(call, sup_net_test(b->net, &in));
        msg_check(call, sup_net_test(b->net, &out));
        msg_take_notices(b);
        done = in.done && out.done;
        msg_unlock(x);
        if (!done) sup_net_pause(b->net, &w);
    }
    sup_net_waited(b->net, &w);
    atomic_store_explicit(&x->waiting, false, memory_order_relaxed);
    x->peer[pid].reached = b->epoch;
}

void msg_direct_get(bsp_runtime *b, const bsp_transfer *t) {
    msg_exchange *x = b->ex;
    const msg_peer *p = &x->peer[t->pid];
    void *dst = (void *)t->local.at;
    size_t len = t->local.len;
    if (t->pid == b->pid) {
        memmove(dst, (const void *)t->remote.at, len);
    } else if (p->single_copy && p->reached == b->epoch) {
        msg_lock(x);
        sup_status st = sup_net_copy_from(b->net, t->pid, dst, (const void *)t->remote.at, len);
        msg_unlock(x);
        msg_check(call, st);
    } else {
        ask(b, t->pid, t->remote.at, dst, len);
    }
}
