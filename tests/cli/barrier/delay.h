/* The delay test of barriers (BSP §5.5), by words in memory instead of times: in every round one process comes late. It
 * waits until all others have called or are about to, pauses, says so, and calls. Whoever leaves before it has said so
 * has not waited for it.
 *
 * Included are functions that `superstep barrier emit` wrote, named in EACH(X) of all.h, for PROCESSES processes. */
#ifndef DELAY_H
#define DELAY_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 3, ROUNDS_MAX = 65536, FUNCTIONS_MAX = 64 };

struct words {
    _Atomic int here[ROUNDS_MAX];    /* others that have called or are about to */
    _Atomic int arrived[ROUNDS_MAX]; /* the late one has */
    _Atomic int early[FUNCTIONS_MAX]; /* how often somebody left too early */
};

static void pause_ms(long ms) {
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
}

/* One function, every process late in turn; `call` is the barrier. Ordering is the barrier's own: all words here are
 * relaxed. */
static void delay_each(struct words *w, int function, int processes, int rank, void (*call)(void *, int, int),
                       void *context) {
    for (int late = 0; late < processes; late++)
        for (int again = 0; again < REPEATS; again++) {
            int round = (function * processes + late) * REPEATS + again;
            if (rank == late) {
                while (atomic_load_explicit(&w->here[round], memory_order_relaxed) < processes - 1) sched_yield();
                pause_ms(again ? 1 : 3);
                atomic_store_explicit(&w->arrived[round], 1, memory_order_relaxed);
            } else {
                atomic_fetch_add_explicit(&w->here[round], 1, memory_order_relaxed);
            }
            call(context, function, rank);
            if (!atomic_load_explicit(&w->arrived[round], memory_order_relaxed))
                atomic_fetch_add_explicit(&w->early[function], 1, memory_order_relaxed);
        }
}

/* broken: every function must have been caught; otherwise none. Exit code. */
static int judge(struct words *w, const char *const *names, int functions, bool broken) {
    int wrong = 0;
    for (int f = 0; f < functions; f++) {
        int early = atomic_load(&w->early[f]);
        if (broken == (early > 0)) continue;
        fprintf(stderr, "%s: %s\n", names[f], broken ? "nobody left too early" : "somebody left too early");
        wrong = 1;
    }
    return wrong;
}

#endif
