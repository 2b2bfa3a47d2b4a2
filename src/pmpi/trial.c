/* The trial: our way and the library's, in turn, for a bounded time, before our way is used. A safety net, not a
 * measurement: the plan was made from measurements; this only finds machines on which it is plainly wrong. */
#include "base/clock.h"
#include "pmpi/pmpi.h"

#include <stdlib.h>

enum { PAIRS = 24, PAIRS_LEAST = 3, BATCH_LEAST = 4, BATCH = 16 };
#define BATCH_S 2e-5 /* a batch is about so long, but no single call: who is last out of one is late in the next … */
#define TRIAL_S 1e-2 /* … and the trial, once both are known to be quick */

static int run(const sup_pmpi_op *op, const sup_pmpi_comm *c, void *state, bool ours, int times, double *each_s) {
    int64_t begin = sup_clock_ns();
    int code = MPI_SUCCESS;
    for (int i = 0; i < times && code == MPI_SUCCESS; i++)
        code = !ours ? op->theirs(c->comm) : op->ours(state) ? MPI_ERR_OTHER : MPI_SUCCESS;
    *each_s = (double)(sup_clock_ns() - begin) * 1e-9 / times;
    return code;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int batch_of(double each_s) {
    double n = BATCH_S / (each_s + 1e-9);
    return n < BATCH_LEAST ? BATCH_LEAST : n > BATCH ? BATCH : (int)n;
}

static int pairs_of(const double each_s[2]) {
    double one = 0;
    for (int w = 0; w < 2; w++) one += each_s[w] * batch_of(each_s[w]);
    double n = TRIAL_S / (one + 1e-9);
    return n < PAIRS_LEAST ? PAIRS_LEAST : n > PAIRS ? PAIRS : (int)n;
}

/* The slowest member's. */
static int agree(const sup_pmpi_comm *c, double each_s[2]) {
    double mine[2] = {each_s[0], each_s[1]};
    return PMPI_Allreduce(mine, each_s, 2, MPI_DOUBLE, MPI_MAX, c->comm);
}

/* [0]: the library's, [1]: ours. The first of each touches memory and makes connections; the second says how many more
 * there is time for. */
int sup_pmpi_trial(sup_pmpi_comm *c, int number) {
    const sup_pmpi_op *op = sup_pmpi_ops[number];
    sup_pmpi_use *u = &c->use[number];
    double each_s[2] = {0, 0}, taken[2][PAIRS];
    int code = MPI_SUCCESS;
    for (int k = 0; k < 4 && code == MPI_SUCCESS; k++) code = run(op, c, u->state, k & 1, 1, &each_s[k & 1]);
    int told = agree(c, each_s); /* all ask, whatever happened */
    if (code != MPI_SUCCESS || told != MPI_SUCCESS) return MPI_ERR_OTHER;
    int pairs = pairs_of(each_s);
    for (int k = 0; k < 2 * pairs && code == MPI_SUCCESS; k++)
        code = run(op, c, u->state, k & 1, batch_of(each_s[k & 1]), &taken[k & 1][k / 2]);
    for (int w = 0; w < 2; w++) {
        qsort(taken[w], (size_t)pairs, sizeof taken[w][0], ascending);
        each_s[w] = taken[w][pairs / 4];
    }
    told = agree(c, each_s);
    if (code != MPI_SUCCESS || told != MPI_SUCCESS) return MPI_ERR_OTHER;
    u->pairs = pairs;
    u->theirs_s = each_s[0];
    u->ours_s = each_s[1];
    return MPI_SUCCESS;
}
