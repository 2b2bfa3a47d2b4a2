/* bench/programs: conjugate gradients for the Laplace operator with five points on a square, rows of the grid cut among
 * processes: a step is one exchange of rows with the neighbours and two sums of a double over all processes, which is
 * where MPI's solvers spend their time when a process has few points. It knows nothing of Superstep.
 *
 *     cg-MPI N STEPS     N × N points; prints the seconds of the steps and the residual of the last solution */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct grid {
    int n, rows, up, down; /* rows of this process; neighbours or MPI_PROC_NULL */
} grid;

/* Rows 1 … rows are this process's, 0 and rows + 1 the neighbours'. */
static double *row(const grid *g, double *v, int i) { return v + (size_t)i * (size_t)g->n; }

static void exchange(const grid *g, double *v) {
    MPI_Sendrecv(row(g, v, 1), g->n, MPI_DOUBLE, g->up, 1, row(g, v, g->rows + 1), g->n, MPI_DOUBLE, g->down, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(g, v, g->rows), g->n, MPI_DOUBLE, g->down, 2, row(g, v, 0), g->n, MPI_DOUBLE, g->up, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double dot(const grid *g, double *a, double *b) {
    double mine = 0, all = 0;
    const double *x = row(g, a, 1), *y = row(g, b, 1);
    for (size_t i = 0; i < (size_t)g->rows * (size_t)g->n; i++) mine += x[i] * y[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* out = A in; what lies outside of the square is 0. */
static void multiply(const grid *g, double *in, double *out) {
    exchange(g, in);
    for (int i = 1; i <= g->rows; i++) {
        const double *above = row(g, in, i - 1), *x = row(g, in, i), *below = row(g, in, i + 1);
        double *to = row(g, out, i);
        for (int j = 0; j < g->n; j++)
            to[j] = 4 * x[j] - above[j] - below[j] - (j ? x[j - 1] : 0) - (j + 1 < g->n ? x[j + 1] : 0);
    }
}

static void add(const grid *g, double *to, double *a, double times, double *b) {
    size_t n = (size_t)g->rows * (size_t)g->n;
    double *t = row(g, to, 1);
    const double *x = row(g, a, 1), *y = row(g, b, 1);
    for (size_t i = 0; i < n; i++) t[i] = x[i] + times * y[i];
}

/* v: solution, residual, direction, A × direction. The right side is 1 everywhere. */
static void begin(const grid *g, double *v[4]) {
    for (size_t i = 0, n = (size_t)g->rows * (size_t)g->n; i < n; i++) {
        row(g, v[0], 1)[i] = 0;
        row(g, v[1], 1)[i] = row(g, v[2], 1)[i] = 1;
    }
}

/* Solved is solved: the rest of the steps solves it again, as steps of a simulation would. Going on would compute with
 * numbers next to zero, which takes a hundred times as long. */
static double solve(const grid *g, double *v[4], int steps) {
    const double fallen = 1e-16;
    double old = 0, first = 0, last = 0;
    for (int k = 0; k < steps; k++) {
        if (!(old > fallen * first)) {
            last = old;
            begin(g, v);
            first = old = dot(g, v[1], v[1]);
        }
        multiply(g, v[2], v[3]);
        double alpha = old / dot(g, v[2], v[3]);
        add(g, v[0], v[0], alpha, v[2]);
        add(g, v[1], v[1], -alpha, v[3]);
        double now = dot(g, v[1], v[1]);
        add(g, v[2], v[1], now / old, v[2]);
        old = now;
    }
    return sqrt(last > 0 ? last : old);
}

int main(int argc, char **argv) {
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (n < size) MPI_Abort(MPI_COMM_WORLD, 1);
    grid g = {.n = n, .rows = n / size + (rank < n % size)};
    g.up = rank ? rank - 1 : MPI_PROC_NULL;
    g.down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    double *v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = calloc((size_t)(g.rows + 2) * (size_t)n, sizeof(double));
        if (!v[i]) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double since = MPI_Wtime(), residual = solve(&g, v, steps), mine = MPI_Wtime() - since, all;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (!rank) printf("seconds %.6f\nresidual %.9g\n", all, residual);
    for (int i = 0; i < 4; i++) free(v[i]);
    MPI_Finalize();
    return 0;
}
