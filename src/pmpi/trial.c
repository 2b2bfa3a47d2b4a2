/* The trial: our way and the library's, in turn, for a bounded time, before our way is used. A safety net, not a
 * measurement: the plan was made from measurements; this only finds machines on which it is plainly wrong. */
#include "base/clock.h"
#include "pmpi/pmpi.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = 24, PAIRS_LEAST = 3, BATCH_LEAST = 4, BATCH = 16 };
#define BATCH_S 2e-5 /* a batch is about so long, but no single call: who is last out of one is late in the next … */
#define TRIAL_S 1e-2 /* … and the trial, once both are known to be quick */

#define SCRATCH (4 << 20) /* bytes of IN, and of OUT, at most: what is larger is tried so */

/* What is compared. */
typedef struct subject {
    const sup_pmpi_comm *c;
    int op;
    sup_pmpi_scratch scratch;
    sup_coll_call call;
} subject;

static int run_once(const subject *s, bool ours) {
    if (!ours) return sup_pmpi_ops[s->op].theirs(&s->scratch, s->c->comm);
    sup_status st =
        s->op == SUP_PMPI_BARRIER ? sup_barrier_run(s->c->barrier, 0, NULL) : sup_coll_run(s->c->coll, &s->call);
    return st ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Who is ahead in a batch, as the root of a broadcast may be, begins the next with the others. What fails takes for
 * ever: other members may not have failed, or not yet, so this one goes on to where they agree. */
static void run(const subject *s, bool ours, int times, double *each_s) {
    int code = s->op == SUP_PMPI_BARRIER ? MPI_SUCCESS : PMPI_Barrier(s->c->comm);
    int64_t begin = sup_clock_ns();
    for (int i = 0; i < times && code == MPI_SUCCESS; i++) code = run_once(s, ours);
    *each_s = code == MPI_SUCCESS ? (double)(sup_clock_ns() - begin) * 1e-9 / times : (double)INFINITY;
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
    int code = PMPI_Allreduce(mine, each_s, 2, MPI_DOUBLE, MPI_MAX, c->comm);
    return code == MPI_SUCCESS && !(isfinite(each_s[0]) && isfinite(each_s[1])) ? MPI_ERR_OTHER : code;
}

/* [0]: the library's, [1]: ours. The first of each touches memory and makes connections; the second says how many more
 * there is time for. */
static int compare(const subject *s, double each_s[2], int *count) {
    double taken[2][PAIRS];
    for (int k = 0; k < 4; k++) run(s, k & 1, 1, &each_s[k & 1]);
    if (agree(s->c, each_s) != MPI_SUCCESS) return MPI_ERR_OTHER;
    int pairs = pairs_of(each_s);
    for (int k = 0; k < 2 * pairs; k++) run(s, k & 1, batch_of(each_s[k & 1]), &taken[k & 1][k / 2]);
    for (int w = 0; w < 2; w++) {
        qsort(taken[w], (size_t)pairs, sizeof taken[w][0], ascending);
        bool failed = !isfinite(taken[w][pairs - 1]);
        each_s[w] = taken[w][failed ? pairs - 1 : pairs / 4];
    }
    *count = pairs;
    return agree(s->c, each_s) == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int sup_pmpi_trial_barrier(sup_pmpi_comm *c) {
    sup_pmpi_use *u = &c->use[SUP_PMPI_BARRIER];
    double each_s[2];
    int code = compare(&(subject){.c = c, .op = SUP_PMPI_BARRIER}, each_s, &u->pairs);
    if (code != MPI_SUCCESS) return code;
    u->theirs_s = each_s[0];
    u->ours_s = each_s[1];
    return MPI_SUCCESS;
}

/* ---- the other operations, between buffers of our own ---- */

/* Bytes of a block, or the vector; whole elements of the trial's fold. */
static int64_t bytes_of(const sup_pmpi_comm *c, const sup_pmpi_op *o, int64_t total) {
    if (total > SCRATCH) total = SCRATCH;
    int64_t bytes = o->unsized ? SUP_PMPI_NOMINAL : o->blocks ? total / c->size : total;
    if (o->unsized && bytes * c->size > SCRATCH) bytes = SCRATCH / c->size;
    if (o->folds) bytes &= ~(int64_t)3;
    return bytes > 0 ? bytes : o->folds ? 4 : 1;
}

static void fill_call(subject *s) {
    const sup_pmpi_op *o = &sup_pmpi_ops[s->op];
    sup_pmpi_comm *c = (sup_pmpi_comm *)(uintptr_t)s->c;
    int64_t bytes = s->scratch.bytes;
    s->call = (sup_coll_call){.operation = o->operation, .in = s->scratch.in, .out = s->scratch.out, .bytes = bytes};
    if (o->folds) s->call.fold = sup_fold_find(SUP_TYPE_INT32, SUP_MAX);
    s->call.choice =
        o->unsized ? &c->unsized[s->op] : sup_coll_look(c->coll, o->operation, o->blocks ? bytes * c->size : bytes);
    for (int i = 0; i < c->size; i++) {
        c->blocks[i] = bytes;
        c->blocks[c->size + i] = i * bytes;
        s->scratch.counts[i] = (int)(o->folds ? bytes / 4 : bytes);
        s->scratch.displacements[i] = (int)(i * bytes);
    }
    /* blocks of a gather or scatter are the root's alone, the others say how long theirs is */
    bool elsewhere = o->unsized && o->operation != SUP_ALLTOALL && c->rank != 0;
    if (o->in_varies && !elsewhere) s->call.in_at = c->blocks + c->size;
    if (o->out_varies && !elsewhere) s->call.out_at = c->blocks + c->size;
    if (elsewhere ? o->out_varies : o->in_varies) s->call.in_bytes = c->blocks;
    if (elsewhere ? o->in_varies : o->out_varies) s->call.out_bytes = c->blocks;
    if (o->in_varies != o->out_varies && !o->unsized) s->call.choice = NULL; /* as in calls: the next that can */
}

int sup_pmpi_trial_class(sup_pmpi_comm *c, int op, int64_t total) {
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    sup_pmpi_class *k = &c->use[op].class[o->unsized ? 0 : sup_pmpi_class_of(total)];
    subject s = {.c = c, .op = op, .scratch.bytes = bytes_of(c, o, total)};
    size_t room = (size_t)s.scratch.bytes * (o->blocks ? (size_t)c->size : 1);
    unsigned char *both = calloc(2, (room + 63) / 64 * 64);
    int *counts = calloc(2 * (size_t)c->size, sizeof *counts), pairs = 0;
    int mine = both && counts, all = 0;
    double each_s[2];
    int code = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, c->comm);
    if (code == MPI_SUCCESS && !(all && both && counts)) code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS) {
        s.scratch.in = both;
        s.scratch.out = both + (room + 63) / 64 * 64;
        s.scratch.counts = counts;
        s.scratch.displacements = counts + c->size;
        fill_call(&s);
        code = compare(&s, each_s, &pairs);
    }
    if (code == MPI_SUCCESS) {
        k->pairs = pairs;
        k->theirs_s = (float)each_s[0];
        k->ours_s = (float)each_s[1];
    }
    free(counts);
    free(both);
    return code;
}
