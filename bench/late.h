/* bench/late: what its workers do alike. In turn each process computes for longer than the others, and all note when
 * they come to the barrier behind that, and when they are out of it. The clock is one for all processes of a machine.
 */
#ifndef SUP_BENCH_LATE_H
#define SUP_BENCH_LATE_H

#include "harness.h"
#include "worker.h"

#include "base/clock.h"

enum { LATE, LATE_MAX = 64 /* repetitions of a batch */ };

typedef struct late_notes {
    double in[LATE_MAX], out[LATE_MAX];
} late_notes;

typedef struct late_work {
    int me, procs;
    long turn; /* the same everywhere */
    bool (*barrier)(void);
    late_notes notes;
    double seconds; /* rank 0: from the last arrival until all are out, median of the batch × repetitions */
} late_work;

static inline bool late_batch(late_work *w, const bench_order *o, long reps) {
    bool good = o->kind == LATE && reps <= LATE_MAX;
    for (long i = 0; i < reps && good; i++) {
        good = w->barrier() && w->barrier();
        double until = sup_clock_now() + 1e-6 * (double)o->size;
        while (w->turn % w->procs == w->me && sup_clock_now() < until) continue;
        w->turn++;
        w->notes.in[i] = sup_clock_now();
        good = good && w->barrier();
        w->notes.out[i] = sup_clock_now();
    }
    return good;
}

/* Of the notes of all. */
static inline void late_sum_up(late_work *w, const late_notes *all, long reps) {
    double took[LATE_MAX];
    for (long i = 0; i < reps; i++) {
        double in = 0, out = 0;
        for (int p = 0; p < w->procs; p++) {
            if (all[p].in[i] > in) in = all[p].in[i];
            if (all[p].out[i] > out) out = all[p].out[i];
        }
        took[i] = out - in;
    }
    w->seconds = bench_quantile(took, (int)reps, 0.5) * (double)reps;
}

#endif
