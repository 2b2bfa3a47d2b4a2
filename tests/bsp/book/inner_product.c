/* Inner product of two vectors in cyclic distribution, and the prefix sums of one value a process by doubling. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <stdlib.h>

/* Number of components of a vector of length n on process s, cyclic over p. */
static int local_length(int p, int s, int n) { return (n + p - s - 1) / p; }

static double inner_product(int n, const double *x, const double *y) {
    int p = bsp_nprocs(), s = bsp_pid();
    double *sums = book_alloc((size_t)p, sizeof *sums), mine = 0.0, all = 0.0;
    bsp_push_reg(sums, (size_t)p * sizeof *sums);
    bsp_sync();
    for (int i = 0; i < local_length(p, s, n); i++) mine += x[i] * y[i];
    for (int t = 0; t < p; t++) bsp_put(t, &mine, sums, (size_t)s * sizeof mine, sizeof mine);
    bsp_sync();
    for (int t = 0; t < p; t++) all += sums[t];
    bsp_pop_reg(sums);
    free(sums);
    return all;
}

void book_inner_product(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    RULE("book: inner product of (1, 2, …, n) with itself is n(n+1)(2n+1)/6, for n below, at and above p");
    for (int n = 1; n < 3000; n = 2 * n + 1) {
        int local = local_length(p, s, n);
        double *x = book_alloc((size_t)local, sizeof *x);
        for (int i = 0; i < local; i++) x[i] = i * p + s + 1;
        double alpha = inner_product(n, x, x);
        EXPECT(alpha == (double)n * (n + 1) * (2 * n + 1) / 6.0);
        free(x);
    }
    bsp_sync();
}

void book_prefix(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    long long sum = 3LL * s + 1, from_left = 0;
    RULE("book: prefix sums by doubling, one put a superstep");
    bsp_push_reg(&from_left, sizeof from_left);
    bsp_sync();
    for (int d = 1; d < p; d *= 2) {
        if (s + d < p) bsp_put(s + d, &sum, &from_left, 0, sizeof sum);
        bsp_sync();
        if (s >= d) sum += from_left;
    }
    bsp_pop_reg(&from_left);
    bsp_sync();
    EXPECT(sum == 3LL * s * (s + 1) / 2 + s + 1);
}
