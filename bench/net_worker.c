/* A worker of bench/net: the loops that are timed. */
#include "net_worker.h"

#include "coll/messages/barrier.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool send_all(sup_net *net, int peer, const void *buf, size_t size) {
    sup_net_req q;
    return !sup_net_isend(net, peer, 0, buf, size, &q) && !sup_net_wait(net, &q);
}

static bool receive(sup_net *net, int peer, void *buf, size_t size) {
    sup_net_req q;
    return !sup_net_irecv(net, peer, 0, buf, size, &q) && !sup_net_wait(net, &q);
}

static bool pingpong(net_worker *w, size_t size, long reps) {
    int peer = 1 - w->rank;
    bool ok = true;
    for (long i = 0; i < reps && ok; i++) {
        if (w->rank == 0)
            ok = send_all(w->net, peer, w->buf, size) && receive(w->net, peer, w->buf, size);
        else
            ok = receive(w->net, peer, w->buf, size) && send_all(w->net, peer, w->buf, size);
    }
    return ok;
}

static bool flags(net_worker *w, long reps) {
    static uint64_t value;
    int peer = 1 - w->rank;
    bool ok = true;
    for (long i = 0; i < reps && ok; i++) {
        value++;
        if (w->rank == 0)
            ok = !sup_net_signal(w->net, peer, 0, value) && !sup_net_await(w->net, peer, 0, value, NULL);
        else
            ok = !sup_net_await(w->net, peer, 0, value, NULL) && !sup_net_signal(w->net, peer, 0, value);
    }
    return ok;
}

static bool barriers(net_worker *w, long reps) {
    static sup_barrier *barrier;
    sup_net_group everybody = sup_net_group_first(w->net, w->size);
    sup_pattern pattern = sup_pattern_make(&sup_generator_dissemination, w->size);
    if (!barrier && sup_barrier_new(&everybody, &pattern, 4, &barrier)) return false;
    bool ok = true;
    for (long i = 0; i < reps && ok; i++) ok = !sup_barrier_run(barrier, 0, NULL);
    return ok;
}

/* The least that two cores can take to tell each other something: a store that the other sees, and one back. */
static bool line(net_worker *w, long reps) {
    static uint64_t value;
    _Atomic uint64_t *there = w->line, *back = there + 16;
    for (long i = 0; i < reps; i++) {
        value++;
        if (w->rank == 0) atomic_store_explicit(there, value, memory_order_release);
        while (atomic_load_explicit(w->rank == 0 ? back : there, memory_order_acquire) < value) continue;
        if (w->rank == 1) atomic_store_explicit(back, value, memory_order_release);
    }
    return true;
}

static bool copy(net_worker *w, size_t size, long reps) {
    for (long i = 0; i < reps && w->rank == 0; i++) {
        memcpy(w->other, w->buf, size);
        __asm__ volatile("" ::: "memory");
    }
    return true;
}

static bool batch(void *context, const bench_order *o, long reps) {
    net_worker *w = context;
    size_t size = (size_t)o->size;
    if (o->size < 0 || size > w->room) return false;
    switch (o->kind) {
    case NET_PINGPONG: return pingpong(w, size, reps);
    case NET_FLAG: return flags(w, reps);
    case NET_BARRIER: return barriers(w, reps);
    case RAW_PINGPONG:
    case RAW_BARRIER: return w->raw && w->raw(w, o->kind, size, reps);
    case BARE_LINE: return line(w, reps);
    case BARE_COPY: return copy(w, size, reps);
    default: return false;
    }
}

int net_worker_serve(net_worker *w, const char *socket_path, const char *group) {
    w->room = w->size > 2 ? 4096 : NET_SIZE_MAX; /* larger groups only synchronise */
    size_t other = w->line ? w->room : 4096;
    w->buf = aligned_alloc(4096, w->room);
    w->other = aligned_alloc(4096, other);
    int rc = 1;
    if (w->buf && w->other) {
        memset(w->buf, w->rank + 1, w->room);
        memset(w->other, 0, other);
        bench_worker me = {w->rank, w->size > 2 ? BENCH_CROWD : BENCH_ALONE, batch, w};
        rc = bench_serve(&me, socket_path, group);
    }
    free(w->other);
    free(w->buf);
    return rc;
}
