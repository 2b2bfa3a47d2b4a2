/* Jacobi iteration with the 5-point stencil on a square grid (kernel stencil5), rows dealt out to the processes: Tcomp
 * with a little Tcomm, one superstep an iteration, in which border rows go to the neighbours.
 *
 *     jacobi SIDE ITERATIONS            points a side, without the border of zeros
 *
 *         process 0   ░░░░░░░░   ░ its rows
 *                     ▒▒▒▒▒▒▒▒   ▒ a row that the neighbour has, put there in the last superstep
 *         process 1   ▒▒▒▒▒▒▒▒
 *                     ░░░░░░░░
 *
 * It begins with an eigenvector of the iteration, which only shrinks, by a factor that is known: that is what is
 * checked. The first tenth warms up and is left out of a trace. Rank 0 prints the median time of an iteration. */
#include "typical.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAVES = 2 }; /* half waves a side */
static const double pi = 3.14159265358979323846;

typedef struct field {
    size_t side, wide;                /* points; doubles of a row, with its two of the border */
    size_t first, rows, above, below; /* ours, and how many rows the neighbours have: 0, no neighbour */
    double *old, *new;                /* rows + 2 each */
} field;

/* As kernels/stencil5.c. */
static void sweep_row(double *restrict out, const double *restrict in, size_t wide) {
    const double *up = in - wide, *down = in + wide;
    for (size_t x = 1; x + 1 < wide; x++) out[x] = 0.5 * in[x] + 0.125 * (in[x - 1] + in[x + 1] + up[x] + down[x]);
}

static size_t rows_of(size_t side, size_t p, size_t rank) { return side / p + (rank < side % p); }

/* The neighbour above gets our first row as its last, the one below our last row as its first. */
static void iterate(field *f) {
    size_t bytes = f->wide * sizeof(double);
    for (size_t y = 1; y <= f->rows; y++) sweep_row(f->new + y * f->wide, f->old + y * f->wide, f->wide);
    double *swap = f->old;
    f->old = f->new;
    f->new = swap;
    if (f->rows && f->above) bsp_put(bsp_pid() - 1, f->old + f->wide, f->old, (f->above + 1) * bytes, bytes);
    if (f->rows && f->below) bsp_put(bsp_pid() + 1, f->old + f->rows * f->wide, f->old, 0, bytes);
    bsp_sync();
}

static double at_start(const field *f, size_t y, size_t x) {
    double step = WAVES * pi / (double)(f->side + 1);
    return sin(step * (double)y) * sin(step * (double)x);
}

static void open_field(field *f, size_t side) {
    size_t p = (size_t)bsp_nprocs(), me = (size_t)bsp_pid();
    f->side = side;
    f->wide = side + 2;
    f->rows = rows_of(side, p, me);
    f->first = 1 + me * (side / p) + (me < side % p ? me : side % p);
    f->above = me > 0 ? rows_of(side, p, me - 1) : 0;
    f->below = me + 1 < p ? rows_of(side, p, me + 1) : 0;
    size_t all = (f->rows + 2) * f->wide;
    f->old = calloc(all, sizeof(double));
    f->new = calloc(all, sizeof(double));
    if (!f->old || !f->new) bsp_abort("out of memory\n");
    for (size_t y = 0; y < f->rows + 2; y++)
        for (size_t x = 1; x <= side; x++) f->old[y * f->wide + x] = at_start(f, f->first + y - 1, x);
    bsp_push_reg(f->old, all * sizeof(double));
    bsp_push_reg(f->new, all * sizeof(double));
    bsp_sync();
}

static void check(const field *f, long iterations) {
    double factor = pow(0.5 + 0.5 * cos(WAVES * pi / (double)(f->side + 1)), (double)iterations);
    for (size_t y = 1; y <= f->rows; y++)
        for (size_t x = 1; x <= f->side; x++) {
            double wanted = factor * at_start(f, f->first + y - 1, x), is = f->old[y * f->wide + x];
            if (!(fabs(is - wanted) <= 1e-12 * (double)iterations))
                bsp_abort("row %zu, column %zu is %.15g, not %.15g\n", f->first + y - 1, x, is, wanted);
        }
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    if (argc < 3) bsp_abort("usage: jacobi SIDE ITERATIONS\n");
    size_t side = strtoul(argv[1], NULL, 10);
    long iterations = strtol(argv[2], NULL, 10), warm = iterations / 10 + 2;
    if (iterations < 1 || side < 1 || side > 1 << 16) bsp_abort("sizes out of range\n");
    field f = {0};
    sup_trace_off();
    open_field(&f, side);
    double *seconds = calloc((size_t)iterations, sizeof *seconds);
    if (!seconds) bsp_abort("out of memory\n");
    for (long i = 0; i < warm; i++) iterate(&f);
    sup_trace_on();
    double from = bsp_time();
    for (long i = 0; i < iterations; i++) {
        iterate(&f);
        double now = bsp_time();
        seconds[i] = now - from;
        from = now;
    }
    sup_trace_off();
    check(&f, iterations + warm);
    if (bsp_pid() == 0)
        printf("jacobi %zu points a side, %d processes, right: %.3f us an iteration\n", side, bsp_nprocs(),
               typical_median(seconds, iterations) * 1e6);
    bsp_end();
    free(seconds);
    free(f.new);
    free(f.old);
    return 0;
}
