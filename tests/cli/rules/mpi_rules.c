/* An MPI program for rules of Open MPI's collectives: every operation that rules are written for gives the right result
 * at several sizes, reductions that do not commute included, and which of its algorithms Open MPI takes is printed:
 * "bcast 4096: bcast_intra_binomial". Those functions are Open MPI's own, called through ours of the same names. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;
static const char *during = ""; /* what is asked for; "" outside */
static long asked;

/* Arguments are passed on as they come: more than any of these has. */
#define SPY(name)                                                                                                    \
    __attribute__((visibility("default"))) int ompi_coll_base_##name(long a, long b, long c, long d, long e, long f, \
                                                                     long g, long h, long i, long j);                \
    int ompi_coll_base_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {      \
        static int (*real)(long, long, long, long, long, long, long, long, long, long);                              \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, "ompi_coll_base_" #name);                                      \
        if (!rank && *during) printf("%s %ld: " #name "\n", during, asked);                                          \
        during = "";                                                                                                 \
        return real(a, b, c, d, e, f, g, h, i, j);                                                                   \
    }
SPY(bcast_intra_basic_linear)
SPY(bcast_intra_chain)
SPY(bcast_intra_pipeline)
SPY(bcast_intra_bintree)
SPY(bcast_intra_binomial)
SPY(bcast_intra_scatter_allgather)
SPY(bcast_intra_scatter_allgather_ring)
SPY(allgather_intra_bruck)
SPY(allgather_intra_recursivedoubling)
SPY(allgather_intra_ring)
SPY(allgather_intra_neighborexchange)
SPY(gather_intra_basic_linear)
SPY(gather_intra_binomial)
SPY(scatter_intra_basic_linear)
SPY(scatter_intra_binomial)
SPY(alltoall_intra_basic_linear)
SPY(alltoall_intra_pairwise)
SPY(alltoall_intra_bruck)

static void begin(const char *what, long bytes) {
    during = what;
    asked = bytes;
}

static void check(const char *what, long bytes, int good) {
    during = "";
    if (good) return;
    printf("%s of %ld bytes is wrong on process %d\n", what, bytes, rank);
    wrong = 1;
}

/* Matrices of 2 × 2: their product does not commute. */
enum { MODULUS = 1009 };
static void multiply(const int *x, const int *y, int *out) {
    int r[4];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) r[2 * i + k] = (x[2 * i] * y[k] + x[2 * i + 1] * y[2 + k]) % MODULUS;
    memcpy(out, r, sizeof r);
}
static void product(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++) multiply((int *)in + 4 * i, (int *)inout + 4 * i, (int *)inout + 4 * i);
}

static void fill(int *x, int of, long matrices) {
    for (long i = 0; i < 4 * matrices; i++) x[i] = (int)((7 * of + 3 * i + 1) % MODULUS);
}

static void reductions(long bytes, MPI_Datatype matrix, MPI_Op op) {
    long n = bytes / 16;
    int *x = malloc((size_t)bytes), *y = malloc((size_t)bytes), *want = malloc((size_t)bytes);
    fill(want, 0, n);
    for (int p = 1; p < size; p++) {
        fill(x, p, n);
        for (long i = 0; i < n; i++) multiply(want + 4 * i, x + 4 * i, want + 4 * i);
    }
    fill(x, rank, n);
    MPI_Allreduce(x, y, (int)n, matrix, op, MPI_COMM_WORLD);
    check("allreduce", bytes, !memcmp(y, want, (size_t)bytes));
    MPI_Reduce(x, y, (int)n, matrix, op, size - 1, MPI_COMM_WORLD);
    check("reduce", bytes, rank != size - 1 || !memcmp(y, want, (size_t)bytes));
    free(x);
    free(y);
    free(want);
}

/* Block p is full of p + 1. `bytes` is the sum of blocks. */
static void blocks(long bytes) {
    int n = (int)(bytes / size);
    char *one = malloc((size_t)bytes), *all = malloc((size_t)bytes);
    int good = 1;
    memset(all, rank == 1 % size ? 99 : 0, (size_t)bytes);
    begin("bcast", bytes);
    MPI_Bcast(all, (int)bytes, MPI_CHAR, 1 % size, MPI_COMM_WORLD);
    for (long i = 0; i < bytes; i++) good &= all[i] == 99;
    check("bcast", bytes, good);
    memset(one, rank + 1, (size_t)n);
    begin("allgather", (long)n * size);
    MPI_Allgather(one, n, MPI_CHAR, all, n, MPI_CHAR, MPI_COMM_WORLD);
    for (long i = 0; i < (long)n * size; i++) good &= all[i] == i / n + 1;
    check("allgather", bytes, good);
    begin("scatter", (long)n * size);
    MPI_Scatter(all, n, MPI_CHAR, one, n, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) good &= one[i] == rank + 1;
    check("scatter", bytes, good);
    memset(all, 0, (size_t)bytes);
    begin("gather", (long)n * size);
    MPI_Gather(one, n, MPI_CHAR, all, n, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (long i = 0; i < (long)n * size && !rank; i++) good &= all[i] == i / n + 1;
    check("gather", bytes, good);
    memset(all, rank + 1, (size_t)bytes);
    char *from = malloc((size_t)bytes);
    begin("alltoall", (long)n * size);
    MPI_Alltoall(all, n, MPI_CHAR, from, n, MPI_CHAR, MPI_COMM_WORLD);
    for (long i = 0; i < (long)n * size; i++) good &= from[i] == i / n + 1;
    check("alltoall", bytes, good);
    free(from);
    free(one);
    free(all);
}

int main(int argc, char **argv) {
    static const long sizes[] = {96, 3072, 49152, 393216, 1572864};
    MPI_Datatype matrix;
    MPI_Op op;
    int all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(product, 0, &op);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        blocks(sizes[i]);
        reductions(sizes[i], matrix, op);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&matrix);
    MPI_Finalize();
    return all;
}
