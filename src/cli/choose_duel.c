/* superstep choose --duel (choose_duel.h): ties between collective algorithms, measured in turn in the same launches
 * (measure/collectives.h). Term Tcomm, stages measure and choose. */
#include "cli/choose_duel.h"

#include "measure/collectives.h"

#include <math.h>
#include <stdlib.h>

#define ALL_S 10.0 /* of measuring, over all launches */
enum { LAUNCHES = 2, CASES_MOST = 256 };

typedef struct turn {
    sup_collective_case cases[CASES_MOST];
    sup_timing times[CASES_MOST];
    size_t of[CASES_MOST]; /* 2 · duel + side */
    size_t count;
} turn;

/* Both sides of every duel of so many processes, as far as there is room; what MPI does by itself is not ours to
 * launch. */
static void collect(const sup_choose_duel *duels, size_t count, int64_t processes, turn *t) {
    t->count = 0;
    for (size_t i = 0; i < count && t->count + 2 <= CASES_MOST; i++) {
        const sup_choose_duel *d = &duels[i];
        if (d->processes != processes || !d->choice[0].algorithm || !d->choice[1].algorithm) continue;
        for (size_t side = 0; side < 2; side++) {
            t->of[t->count] = 2 * i + side;
            t->cases[t->count++] =
                (sup_collective_case){.operation = d->operation, .choice = d->choice[side], .bytes = d->bytes};
        }
    }
}

static size_t numbers_of_processes(const sup_choose_duel *duels, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < i && duels[k].processes != duels[i].processes) k++;
        numbers += k == i;
    }
    return numbers;
}

static sup_status run_turn(const char *transport, int64_t processes, double seconds, turn *t, sup_choose_duel *duels,
                           sup_diag *diag) {
    sup_collectives_order order = {.transport = transport,
                                   .processes = (int)processes,
                                   .cases = t->cases,
                                   .count = t->count,
                                   .launches = LAUNCHES,
                                   .seconds = seconds / LAUNCHES,
                                   .bounded = true};
    sup_status st = t->count ? sup_measure_cases(&order, diag, t->times) : SUP_OK;
    for (size_t i = 0; i < t->count && !st; i++) {
        sup_choose_duel *d = &duels[t->of[i] / 2];
        if (t->times[i].status) continue;
        d->seconds[t->of[i] % 2] = t->times[i].seconds;
        d->ci[t->of[i] % 2] = t->times[i].ci;
    }
    return st;
}

sup_status sup_choose_duels(void *context, const char *transport, sup_choose_duel *duels, size_t count,
                            sup_diag *diag) {
    (void)context;
    turn *t = malloc(sizeof *t);
    double each = ALL_S / (double)(count ? numbers_of_processes(duels, count) : 1);
    sup_status st = t ? SUP_OK : SUP_ENOMEM;
    for (size_t i = 0; i < count && !st; i++) {
        size_t k = 0;
        while (k < i && duels[k].processes != duels[i].processes) k++;
        if (k < i) continue; /* had their turn */
        collect(duels, count, duels[i].processes, t);
        st = run_turn(transport, duels[i].processes, each, t, duels, diag);
    }
    free(t);
    return st;
}
