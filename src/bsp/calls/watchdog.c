/* Deadlock: P processes of which one never syncs. A thread in each looks how long its process has been in one sync.
 *
 * Where processes share memory each shows what it is doing, and the first whose time is up prints a table of all:
 *
 *     bsp_sync: no progress for 2 s
 *       rank 0 waits in bsp_sync (prog.c:31, superstep 4)
 *       rank 2 computes since superstep 3 (from prog.c:29)
 *
 * Elsewhere each process whose time is up prints its own line: those who print none do not wait. It wants to see syncs
 * only, so transfers cost what they cost without it. */
#include "base/clock.h"
#include "bsp/calls/last_words.h"
#include "bsp/engine/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { COMPUTES = 0, SYNCS = 1, ENDS = 2, GONE = 3 };

/* What a process shows. Relaxed: a number that is a moment old is as good. */
typedef struct card {
    _Alignas(128) _Atomic uint64_t state;
    _Atomic uint64_t superstep;
    _Atomic uint64_t entered; /* counts changes of state */
    _Atomic uint64_t site, site_program;
    _Atomic uint64_t reported; /* of rank 0: somebody is printing the table */
} card;

static struct {
    bsp_runtime *b;
    sup_net_region *region; /* NULL: nobody sees the others */
    card alone, *mine;
    pthread_t thread;
    bool threaded;
    _Atomic bool stop;
} w;

/* Programs sync in few places. */
static bsp_site site_of(const void *address) {
    static const void *last;
    static bsp_site site;
    if (address != last) site = bsp_site_of(address);
    last = address;
    return site;
}

static void show(uint64_t state) {
    bsp_site site = site_of(w.b->site);
    atomic_store_explicit(&w.mine->site, site.at, memory_order_relaxed);
    atomic_store_explicit(&w.mine->site_program, site.program, memory_order_relaxed);
    atomic_store_explicit(&w.mine->superstep, w.b->superstep + (state == COMPUTES), memory_order_relaxed);
    atomic_store_explicit(&w.mine->state, state, memory_order_relaxed);
    atomic_fetch_add_explicit(&w.mine->entered, 1, memory_order_relaxed);
}

static void watched_sync(bsp_runtime *b, bool ending) {
    (void)b;
    show(ending ? ENDS : SYNCS);
}

static void watched_synced(bsp_runtime *b, bool ending) {
    (void)b;
    show(ending ? GONE : COMPUTES);
}

/* ---- the report ---- */

static void describe(const card *c, int rank, char *text, size_t size) {
    char where[600];
    bsp_site site = {atomic_load(&c->site), atomic_load(&c->site_program)};
    unsigned long long superstep = atomic_load(&c->superstep);
    uint64_t state = atomic_load(&c->state);
    bsp_site_text(site, where, sizeof where);
    if (state == SYNCS || state == ENDS)
        snprintf(text, size, "rank %d waits in %s (%s, superstep %llu)\n", rank, state == ENDS ? "bsp_end" : "bsp_sync",
                 where, superstep);
    else if (site.at)
        snprintf(text, size, "rank %d computes since superstep %llu (from %s)\n", rank, superstep, where);
    else
        snprintf(text, size, "rank %d computes since superstep 0\n", rank);
}

/* MPI cannot be called from here: its launcher ends the others when this process is gone. */
static _Noreturn void leave(double after_s) {
    usleep((useconds_t)(1e6 * after_s));
    _exit(1);
}

static void report_all(double limit) {
    card *first = sup_net_direct(w.b->net, w.region, 0);
    if (atomic_exchange(&first->reported, 1)) {
        sleep(5); /* another is at it, and will end us */
        _exit(1);
    }
    char line[1024] = "  ";
    snprintf(line + 2, sizeof line - 2, "bsp_sync: no progress for %g s\n", limit);
    bsp_say(line + 2);
    for (int q = 0; q < w.b->procs; q++) {
        describe(sup_net_direct(w.b->net, w.region, q), q, line + 2, sizeof line - 2);
        bsp_say(line);
    }
    if (w.b->net->memory_beside) leave(0.05);
    sup_net_abort(w.b->net, 1);
}

static void report_own(double limit) {
    char line[1100];
    int n = snprintf(line, sizeof line, "bsp_sync: no progress for %g s: ", limit);
    describe(w.mine, w.b->pid, line + n, sizeof line - (size_t)n);
    bsp_say(line);
    leave(limit < 2 ? limit / 2 : 1); /* the others have come a little later */
}

/* ---- the thread ---- */

static void *run(void *arg) {
    (void)arg;
    double limit = w.b->launch.deadlock_s, step = limit / 20, since = sup_clock_now();
    uint64_t seen = atomic_load(&w.mine->entered);
    step = step < 1e-3 ? 1e-3 : step > 0.05 ? 0.05 : step;
    while (!atomic_load(&w.stop)) {
        usleep((useconds_t)(1e6 * step));
        uint64_t now = atomic_load(&w.mine->entered), state = atomic_load(&w.mine->state);
        double t = sup_clock_now();
        if (now != seen || (state != SYNCS && state != ENDS)) {
            seen = now;
            since = t;
        } else if (t - since > limit) {
            if (w.region)
                report_all(limit);
            else
                report_own(limit);
        }
    }
    return NULL;
}

static bool wanted(const bsp_runtime *b) { return b->launch.deadlock_s > 0; }

static sup_status watched_open(bsp_runtime *b, sup_diag *diag) {
    (void)diag;
    w.b = b;
    w.mine = &w.alone;
    if (sup_net_one_memory(b->net)) {
        sup_status st = sup_net_region_alloc(b->net, sizeof(card), &w.region);
        if (st) return st;
        w.mine = w.region->base;
    }
    atomic_store(&w.stop, false);
    if (b->pid < b->nprocs) w.threaded = bsp_start_thread(&w.thread, run, NULL);
    return SUP_OK;
}

static void watched_close(bsp_runtime *b) {
    if (w.threaded) {
        atomic_store(&w.stop, true);
        pthread_join(w.thread, NULL);
        w.threaded = false;
    }
    sup_net_region_free(b->net, w.region);
    w.region = NULL;
}

const bsp_layer bsp_layer_watchdog = {
    .wanted = wanted, .open = watched_open, .close = watched_close, .sync = watched_sync, .synced = watched_synced};
