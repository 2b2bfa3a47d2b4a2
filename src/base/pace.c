/* Looking at a core's pace (pace.h). Any term of the equation, stage "measure". */
#include "base/pace.h"

#include "base/clock.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

#define RESOLUTIONS 50 /* of the clock, in each of the four pieces of a look: 1 to 2 µs */
#define FULL 1.08      /* times the best: on a machine with a busy neighbour the quotient is 1.0 ± 0.04 or 1.1 … 2 */
#define DOWN 0.25      /* towards a better quotient … */
#define DOWN_MOST 0.02 /* … of the learned one at most: interrupts in both chains make quotients of nearly 0 */
#define UP 0.03        /* towards a worse one that still counts as full: what is learned is not the luckiest look */
#define FORGETS 0.001  /* a second without the full pace, in case it was never true: neighbours stay for minutes */
#define LONGEST 0.1    /* seconds between two looks that count for that */
#define FIRST_LOOKS 16 /* before the first verdict */
#define WAIT_SHARE 0.5 /* of the time since the first look, if waiting helps … */
#define WAIT_LEAST 0.03 /* … and if it does not: that may change */
#define LAST_WAITS 0.05 /* weight of the last wait in how often they help */
#define HOPE 0.1        /* of waits that helped: with fewer, what is slow is as good as it gets */
#define CORES 256
#define THREADS 8

typedef struct known {
    _Atomic double best, last; /* sup_pace_learned */
    _Atomic int64_t looked_ns;
} known;

static known table[CORES][THREADS];
static _Atomic int64_t began_ns, waited_ns;
static _Atomic double helps = 1.0; /* share of waits that ended at the full pace */

/* The compiler may neither merge nor drop a step. */
static inline void step(uint64_t *x, uint64_t y) {
    *x ^= y; /* not a sum: some cores add constants before the step is executed */
    __asm__ volatile("" : "+r"(*x));
}

static int64_t chain(int steps) {
    uint64_t x = 1;
    int64_t from = sup_clock_ns();
    for (int i = 0; i < steps; i++) {
        step(&x, 7);
        step(&x, 5);
        step(&x, 3);
        step(&x, 9);
    }
    return sup_clock_ns() - from;
}

static int64_t wide(int steps) {
    enum { WIDTH = 8 };
    uint64_t x[WIDTH] = {0};
    int64_t from = sup_clock_ns();
    for (int i = 0; i < steps; i++) {
#pragma GCC unroll 2
        for (int round = 0; round < 2; round++)
#pragma GCC unroll 8
            for (int k = 0; k < WIDTH; k++) step(&x[k], 7);
    }
    return sup_clock_ns() - from;
}

/* As many steps as the clock needs to see them. */
static int find_steps(void) {
    int64_t wanted = (int64_t)(RESOLUTIONS * 1e9 * sup_clock_system()->resolution_s);
    int steps = 100;
    while (steps < 100000 && chain(steps) < wanted) steps += steps / 2;
    return steps;
}

static double quotient(void) {
    static _Atomic int found;
    int steps = atomic_load_explicit(&found, memory_order_relaxed);
    if (!steps) {
        steps = find_steps();
        atomic_store_explicit(&found, steps, memory_order_relaxed);
    }
    int64_t narrow = chain(steps), all = wide(steps), narrow2 = chain(steps), all2 = wide(steps);
    if (narrow2 < narrow) narrow = narrow2; /* twice: an interrupt meets one of them */
    if (all2 < all) all = all2;
    return narrow > 0 ? (double)all / (double)narrow : 1.0;
}

bool sup_pace_judge(double now, double elapsed_s, sup_pace_learned *learned) {
    if (!(learned->best > 0.0)) *learned = (sup_pace_learned){now, now};
    double best = learned->best, twice = fmax(now, learned->last);
    bool full = now <= FULL * best;
    if (twice < best)
        best -= fmin(DOWN * (best - twice), DOWN_MOST * best);
    else if (full && now > best)
        best += UP * (now - best);
    else if (!full)
        best *= 1.0 + FORGETS * fmin(fmax(elapsed_s, 0.0), LONGEST);
    *learned = (sup_pace_learned){best, now};
    return full;
}

/* The second best of some: good enough to begin with, and no single freak decides. */
static double first_looks(void) {
    double best = INFINITY, second = INFINITY;
    for (int i = 0; i < FIRST_LOOKS; i++) {
        double q = quotient();
        second = q < best ? best : fmin(second, q);
        best = fmin(best, q);
    }
    return second;
}

bool sup_pace_full(int threads) {
    int cpu = sched_getcpu();
    known *k = &table[cpu > 0 ? cpu % CORES : 0][(threads > THREADS ? THREADS : threads < 1 ? 1 : threads) - 1];
    sup_pace_learned learned = {atomic_load_explicit(&k->best, memory_order_relaxed),
                                atomic_load_explicit(&k->last, memory_order_relaxed)};
    if (!(learned.best > 0.0)) learned.best = learned.last = first_looks();
    double q = quotient();
    int64_t at = sup_clock_ns(), last = atomic_exchange_explicit(&k->looked_ns, at, memory_order_relaxed);
    bool full = sup_pace_judge(q, last ? sup_clock_seconds(last, at) : 0.0, &learned);
    atomic_store_explicit(&k->best, learned.best, memory_order_relaxed); /* a lost update is made up for by the next */
    atomic_store_explicit(&k->last, learned.last, memory_order_relaxed);
    return full;
}

bool sup_pace_hope(void) { return atomic_load_explicit(&helps, memory_order_relaxed) > HOPE; }

bool sup_pace_lost(int threads) { return !sup_pace_full(threads) && sup_pace_hope(); }

static bool may_wait(int64_t at) {
    int64_t none = 0;
    atomic_compare_exchange_strong(&began_ns, &none, at);
    double passed = sup_clock_seconds(atomic_load(&began_ns), at);
    double share = WAIT_LEAST + (WAIT_SHARE - WAIT_LEAST) * atomic_load_explicit(&helps, memory_order_relaxed);
    return (double)atomic_load(&waited_ns) * 1e-9 < share * (passed + 0.1);
}

bool sup_pace_await(int threads, double most_s, bool *full) {
    int64_t from = sup_clock_ns(), at = from;
    bool first = sup_pace_full(threads), now = first;
    bool waits = !now && most_s > 0.0 && may_wait(at);
    while (!now && sup_clock_seconds(from, at) < most_s && waits) {
        int64_t before = at;
        now = sup_pace_full(threads);
        at = sup_clock_ns();
        atomic_fetch_add(&waited_ns, at - before);
    }
    double before = atomic_load_explicit(&helps, memory_order_relaxed);
    if (waits) atomic_store_explicit(&helps, before + LAST_WAITS * ((double)now - before), memory_order_relaxed);
    if (full) *full = now;
    return first;
}
