/* A worker of bench/net: the loops that are timed, and the conversation with the coordinator. */
#include "net_worker.h"

#include "base/clock.h"
#include "coll/barrier.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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
    if (!barrier && sup_barrier_new(w->net, w->size, SUP_BARRIER_DISSEMINATION, 4, &barrier)) return false;
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

static bool batch(net_worker *w, const net_order *o, long reps) {
    size_t size = (size_t)o->size;
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

/* A tenth as many repetitions first: both ends are awake and warm when the clock starts. */
static net_report execute(net_worker *w, const net_order *o) {
    sup_usage_mark mark;
    sup_usage usage;
    net_report r = {0};
    bool ok = o->size >= 0 && (size_t)o->size <= w->room && batch(w, o, (long)(o->reps / 10 + 1));
    sup_usage_begin(&mark);
    ok = ok && batch(w, o, (long)o->reps);
    sup_usage_end(&mark, &usage);
    r.seconds = usage.wall_s;
    r.failed = !ok;
    bool idle = o->kind == BARE_COPY && w->rank != 0;
    r.disturbed = !w->crowded && !idle && sup_usage_disturbed(&usage, true);
    return r;
}

static int dial(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || strlen(path) >= sizeof a.sun_path) return -1;
    memcpy(a.sun_path, path, strlen(path) + 1);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    close(fd);
    return -1;
}

int net_worker_serve(net_worker *w, const char *socket_path, const char *group) {
    int fd = dial(socket_path);
    if (fd < 0) {
        fprintf(stderr, "bench_net: %s: no coordinator at %s: %s\n", group, socket_path, strerror(errno));
        return 1;
    }
    net_hello hello = {.rank = w->rank};
    snprintf(hello.group, sizeof hello.group, "%s", group);
    w->room = w->size > 2 ? 4096 : NET_SIZE_MAX; /* larger groups only synchronise */
    w->buf = aligned_alloc(4096, w->room);
    w->other = aligned_alloc(4096, w->line ? w->room : 4096);
    int rc = 1;
    if (!w->buf || !w->other) goto close_fd;
    memset(w->buf, w->rank + 1, w->room);
    memset(w->other, 0, w->line ? w->room : 4096);
    if (write(fd, &hello, sizeof hello) != (ssize_t)sizeof hello) goto close_fd;
    net_order order;
    while (recv(fd, &order, sizeof order, MSG_WAITALL) == (ssize_t)sizeof order) {
        net_report r = execute(w, &order);
        if (write(fd, &r, sizeof r) != (ssize_t)sizeof r) break;
    }
    rc = 0;

close_fd:
    free(w->other);
    free(w->buf);
    close(fd);
    return rc;
}
