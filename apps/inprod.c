/* Inner product of two distributed vectors, the bspinprod of BSP §3.1: each process its part (kernel dot), then
 * everyone's part to everyone, one superstep each time.
 *
 *     inprod ELEMENTS SUPERSTEPS          elements of all processes together
 *
 * The first tenth warms up and is left out of a trace. Rank 0 prints the median time of a superstep. */
#include "typical.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* As kernels/dot.c: eight partial sums. */
static double dot(const double *restrict x, const double *restrict y, size_t n) {
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static double step(const double *x, const double *y, size_t n, double *parts) {
    double mine = dot(x, y, n), sum = 0;
    for (int p = 0; p < bsp_nprocs(); p++) bsp_put(p, &mine, parts, (size_t)bsp_pid() * sizeof mine, sizeof mine);
    bsp_sync();
    for (int p = 0; p < bsp_nprocs(); p++) sum += parts[p];
    return sum;
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    if (argc < 3) bsp_abort("usage: inprod ELEMENTS SUPERSTEPS\n");
    size_t p = (size_t)bsp_nprocs(), me = (size_t)bsp_pid(), all = strtoul(argv[1], NULL, 10);
    size_t n = all / p + (me < all % p);
    long supersteps = strtol(argv[2], NULL, 10);
    if (supersteps < 1 || all > (size_t)1 << 34) bsp_abort("sizes out of range\n");
    double *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y), *parts = calloc(p, sizeof *parts);
    double *seconds = calloc((size_t)supersteps, sizeof *seconds);
    if (!x || !y || !parts || !seconds) bsp_abort("out of memory\n");
    for (size_t i = 0; i < n; i++) {
        x[i] = 1.0;
        y[i] = 0.5;
    }
    sup_trace_off();
    bsp_push_reg(parts, p * sizeof *parts);
    bsp_sync();
    double sum = 0;
    for (long s = 0; s < supersteps / 10 + 2; s++) sum = step(x, y, n, parts);
    sup_trace_on();
    double from = bsp_time();
    for (long s = 0; s < supersteps; s++) {
        sum = step(x, y, n, parts);
        double now = bsp_time();
        seconds[s] = now - from;
        from = now;
    }
    sup_trace_off();
    if (fabs(sum - 0.5 * (double)all) > 1e-9 * (double)all) bsp_abort("the sum is %g\n", sum);
    if (bsp_pid() == 0)
        printf("inprod %zu elements, %d processes: %.3f us a superstep\n", all, bsp_nprocs(),
               typical_median(seconds, supersteps) * 1e6);
    bsp_end();
    free(seconds);
    free(parts);
    free(y);
    free(x);
    return 0;
}
