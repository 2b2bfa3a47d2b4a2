/* The trial: the program's own calls, ours and the library's in turn, on this communicator and of this size. The data
 * are where the program has them, and nothing is called that it has not asked for but a barrier before each, from which
 * the time runs. When the next call comes the members agree on the slowest one's time of each, and so on who is
 * quicker. Later there is another trial, so that neither a bad moment nor what has changed since decides for ever.
 *
 * Which calls belong to a trial follows from their number, and what comes of it is agreed upon. Never asked for folds
 * that round. */
#include "base/clock.h"
#include "pmpi/pmpi.h"

#include <math.h>

enum { WARM = 2, EACH = (SUP_PMPI_TRIAL - WARM) / 2 };
/* Whose the calls of a trial are, ours 1. The first of each touches memory and makes connections. In the others no side
 * always has the shorter ones of a program that changes between two sizes. */
static const unsigned char turns[SUP_PMPI_TRIAL] = {1, 0, 1, 0, 0, 1, 0, 1, 1, 0};

/* From one trial to the next there are so many times as many calls as before it. */
enum { LATER = 8, LATER_LEAST = 64 };

/* Who is to take over has to win by more than its noise: both in its best time and in the middle. */
#define MARGIN 1.03f

typedef struct found {
    float least, middle;
} found;

static found find(const float *slowest, int whose) {
    float sorted[EACH];
    int n = 0;
    for (int i = WARM; i < SUP_PMPI_TRIAL; i++) {
        if (turns[i] != whose) continue;
        int at = n++;
        for (; at > 0 && sorted[at - 1] > slowest[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = slowest[i];
    }
    return (found){sorted[0], sorted[(EACH - 1) / 2]};
}

static bool beats(found a, found b, float margin) {
    return a.least * margin <= b.least && a.middle * margin <= b.middle;
}

static void decide(sup_pmpi_comm *c, sup_pmpi_class *k) {
    float slowest[SUP_PMPI_TRIAL];
    if (PMPI_Allreduce(k->taken, slowest, SUP_PMPI_TRIAL, MPI_FLOAT, MPI_MAX, c->comm) != MPI_SUCCESS) return;
    found ours = find(slowest, 1), theirs = find(slowest, 0);
    k->pairs = EACH;
    k->ours_s = ours.middle;
    k->theirs_s = theirs.middle;
    if (k->who == SUP_PMPI_OURS && beats(theirs, ours, MARGIN))
        k->who = SUP_PMPI_THEIRS;
    else if (k->who == SUP_PMPI_THEIRS && beats(ours, theirs, 1))
        k->who = SUP_PMPI_OURS;
}

bool sup_pmpi_trial(sup_pmpi_comm *c, sup_pmpi_class *k) {
    if (k->tried == SUP_PMPI_TRIAL) {
        decide(c, k);
        k->tried = 0;
        k->ask_at = k->calls * LATER > LATER_LEAST ? k->calls * LATER : LATER_LEAST;
        return k->who == SUP_PMPI_OURS;
    }
    int i = k->tried++;
    k->taken[i] = INFINITY;
    PMPI_Barrier(c->comm);
    c->trial = k;
    c->trial_ns = sup_clock_ns();
    return turns[i];
}

void sup_pmpi_trial_over(sup_pmpi_comm *c) {
    sup_pmpi_class *k = c->trial;
    k->taken[k->tried - 1] = (float)((double)(sup_clock_ns() - c->trial_ns) * 1e-9);
    c->trial = NULL;
}
