/* The transport's own barrier: everybody meets here to open, to close and to name regions.
 *
 * One counter and one futex, because these are the moments at which processes come one after another: most of them have
 * long to wait, and a thousand that look again and again keep away those who are still on their way. Each process is
 * woken once a meeting. The barriers of a program's supersteps are built of signals (coll/barrier.c).
 *
 *     arrived   counts up; the last one sets it back to 0, then raises …
 *     round     … which ends the meeting, and wakes if there are …
 *     sleepers  … any
 *
 * Who waits still serves the others (transfers by message), rarely unless it is woken for that. */
#include "net/shm_net.h"
#include "net/wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_NAP_NS = 1000000, LAST_NAP_NS = 64000000 };

void shm_gate_wake(shm_header *h) {
    if (atomic_load(&h->gate.sleepers)) syscall(SYS_futex, &h->gate.round, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void sleep_at(shm_gate *g, uint32_t round, long nap_ns) {
    struct timespec nap = {.tv_nsec = nap_ns};
    atomic_fetch_add(&g->sleepers, 1);
    syscall(SYS_futex, &g->round, FUTEX_WAIT, round, &nap, NULL, 0);
    atomic_fetch_sub(&g->sleepers, 1);
}

/* Will everybody come? A process that has exited is expected only if the meeting is over already. */
static sup_status still_possible(shm_net *n, uint32_t round) {
    sup_status st = shm_check_failure(n);
    if (!st) st = shm_progress(&n->net);
    if (st) return st;
    if (!atomic_load(&n->head->gone) || atomic_load(&n->head->gate.round) != round) return SUP_OK;
    return SUP_EPEER;
}

static sup_status wait_for_all(shm_net *n, uint32_t round) {
    shm_gate *g = &n->head->gate;
    long nap = FIRST_NAP_NS;
    for (uint32_t spins = 0; atomic_load_explicit(&g->round, memory_order_acquire) == round; spins++) {
        if (!n->net.oversubscribed && spins < SUP_WAIT_SPINS) {
            sup_cpu_relax();
            continue;
        }
        sup_status st = still_possible(n, round);
        if (st) return st;
        sleep_at(g, round, nap);
        if (nap < LAST_NAP_NS) nap *= 2;
    }
    return SUP_OK;
}

sup_status shm_barrier(shm_net *n) {
    shm_gate *g = &n->head->gate;
    if (n->apart) return SUP_EPEER;          /* or it would be counted twice at a meeting that others still wait for */
    uint32_t round = atomic_load(&g->round); /* it cannot change before we have arrived */
    if (atomic_fetch_add(&g->arrived, 1) + 1 < (uint32_t)n->net.size) {
        sup_status st = wait_for_all(n, round);
        n->apart = st != SUP_OK;
        return st;
    }
    atomic_store(&g->arrived, 0);
    atomic_store(&g->round, round + 1);
    shm_gate_wake(n->head);
    return SUP_OK;
}
