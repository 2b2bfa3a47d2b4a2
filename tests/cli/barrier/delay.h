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

#ifndef REPEATS
#define REPEATS 3
#endif
enum { ROUNDS_MAX = 65536, FUNCTIONS_MAX = 64 };

struct words {
    _Atomic int here[ROUNDS_MAX];     /* others that have called or are about to */
    _Atomic int arrived[ROUNDS_MAX];  /* the late one has */
    _Atomic int left[ROUNDS_MAX];     /* who is out of the barrier */
    _Atomic int early[FUNCTIONS_MAX]; /* how often somebody left too early */
};

static void pause_ms(long ms) {
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
}

/* Long enough for the others to leave, if they do. patience: in ms, as long as nobody has; for barriers that are known
 * to be none. */
static void come_late(struct words *w, int round, int patience) {
    for (int ms = 0; ms < patience && !atomic_load_explicit(&w->left[round], memory_order_relaxed); ms++) pause_ms(1);
    if (!patience) pause_ms(2);
}

/* One function, every process late in turn; `call` is the barrier. Ordering is the barrier's own: all words here are
 * relaxed. */
static void delay_each(struct words *w, int function, int processes, int rank, int patience,
                       void (*call)(void *, int, int), void *context) {
    for (int late = 0; late < processes; late++)
        for (int again = 0; again < REPEATS; again++) {
            int round = (function * processes + late) * REPEATS + again;
            if (rank == late) {
                while (atomic_load_explicit(&w->here[round], memory_order_relaxed) < processes - 1) sched_yield();
                come_late(w, round, patience);
                atomic_store_explicit(&w->arrived[round], 1, memory_order_relaxed);
            } else {
                atomic_fetch_add_explicit(&w->here[round], 1, memory_order_relaxed);
            }
            call(context, function, rank);
            atomic_fetch_add_explicit(&w->left[round], 1, memory_order_relaxed);
            if (!atomic_load_explicit(&w->arrived[round], memory_order_relaxed))
                atomic_fetch_add_explicit(&w->early[function], 1, memory_order_relaxed);
        }
}

/* "good", or for how long to wait for somebody who leaves too early. */
static int patience_of(const char *word) { return atoi(word); }

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
