/* The transport's own barrier: everybody meets here to open, to close and to name regions.
 *
 * One counter, because these are the moments at which processes come one after another: most of them have long to wait,
 * and a thousand that look again and again keep away those who are still on their way. So where processes exceed cores
 * they sleep at once, and each is woken once a meeting. The barriers of a program's supersteps are built of signals
 * (coll/messages/barrier.c).
 *
 *     arrived   counts up; the last one sets it back to 0, then raises …
 *     round     … which ends the meeting, and rings for all
 *
 * Who waits still serves the others (transfers by message): they ring when they need it. */
#include "net/shm/net.h"

#include <errno.h>
#include <signal.h>

void shm_ring_all(void *base) {
    for (int rank = 0; rank < (int)((shm_header *)base)->size; rank++) sup_bell_ring(shm_bell_of(base, rank));
}

void sup_shm_segment_set_failure(void *base, int rank, int cause) {
    uint64_t none = 0, f = (uint64_t)(rank + 1) << 32 | (uint32_t)cause;
    atomic_compare_exchange_strong(&((shm_header *)base)->failure, &none, f); /* the first one is the cause */
    shm_ring_all(base);
}

/* Where no monitor looks after the processes of the segment, nobody waits for one that is gone all the same. */
static sup_status serve_beside(shm_net *n) {
    for (int rank = 0; rank < n->net.size; rank++) {
        pid_t process = atomic_load(&shm_card_of(n->seg, rank)->pid);
        if (process > 0 && kill(process, 0) && errno == ESRCH) return SUP_EPEER;
    }
    return n->beside->ops->progress(n->beside);
}

/* Will everybody come? A process that has exited is expected only if the meeting is over already. */
static sup_status still_possible(shm_net *n, uint32_t round) {
    sup_status st = shm_check_failure(n);
    if (!st) st = shm_progress(&n->net);
    if (!st && n->beside) st = serve_beside(n);
    if (st) return st;
    if (!atomic_load(&n->head->gone) || atomic_load(&n->head->gate.round) != round) return SUP_OK;
    return SUP_EPEER;
}

static sup_status wait_for_all(shm_net *n, uint32_t round) {
    sup_patience patience = n->net.patience;
    sup_wait w = SUP_WAIT_INIT;
    sup_status st = SUP_OK;
    patience.yields = false;
    while (!st && atomic_load_explicit(&n->head->gate.round, memory_order_acquire) == round) {
        sup_wait_pause(&w, &patience, n->net.bell);
        if (w.slow) st = still_possible(n, round);
    }
    sup_wait_end(&w, &patience, n->net.bell);
    return st;
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
    shm_ring_all(n->seg);
    return SUP_OK;
}
