/* As the programs of Bisseling's course are written: helpers for vectors and a broadcast of the program's own, cyclic
 * distributions, an inner product, and a bench of g and l by total exchanges, of which only the counts are looked at.
 */
#include "edupack.h"

double *vecallocd(size_t n) {
    double *pd = malloc(MAX(n, 1) * SZDBL);
    if (pd == NULL) bsp_abort("vecallocd: not enough memory");
    return pd;
}

void vecfreed(double *pd) {
    if (pd != NULL) free(pd);
}

void bsp_broadcast(double *x, long n, long root) {
    bsp_push_reg(x, n * SZDBL);
    bsp_sync();
    if (bsp_pid() == root)
        for (long t = 0; t < bsp_nprocs(); t++) bsp_put(t, x, x, 0, n * SZDBL);
    bsp_sync();
    bsp_pop_reg(x);
}

static long P;

static long nloc(long p, long s, long n) { return (n + p - s - 1) / p; }

static double inprod(long p, long s, long n, double *x, double *y) {
    double *sums = vecallocd(p), inner = 0.0, alpha = 0.0;
    bsp_push_reg(sums, p * SZDBL);
    bsp_sync();
    for (long i = 0; i < nloc(p, s, n); i++) inner += x[i] * y[i];
    for (long t = 0; t < p; t++) bsp_put(t, &inner, sums, s * SZDBL, SZDBL);
    bsp_sync();
    for (long t = 0; t < p; t++) alpha += sums[t];
    bsp_pop_reg(sums);
    vecfreed(sums);
    return alpha;
}

/* h words to all others in turn, cyclically. */
static void exchange(long p, long s, long h, double *src, double *dest) {
    for (long i = 0; i < h; i++) {
        long to = p == 1 ? 0 : (s + 1 + i % (p - 1)) % p, block = p == 1 ? i : i / (p - 1);
        src[i] = 1000.0 * s + i;
        bsp_put(to, &src[i], dest, (s + p * block) * SZDBL, SZDBL);
    }
}

static void bench(void) {
    enum { MAXH = 24 };
    bsp_begin(P);
    long p = bsp_nprocs(), s = bsp_pid(), n = 0;
    bsp_push_reg(&n, SZLONG);
    bsp_sync();
    if (s == 0) n = 1003;
    bsp_get(0, &n, 0, &n, SZLONG);
    bsp_sync();
    bsp_pop_reg(&n);

    long nl = nloc(p, s, n);
    double *x = vecallocd(nl), factor = s == p - 1 ? 0.5 : 0.0;
    bsp_broadcast(&factor, 1, p - 1);
    for (long i = 0; i < nl; i++) x[i] = i * p + s + 1;
    double alpha = factor * inprod(p, s, n, x, x), expected = factor * n * (n + 1) * (2 * n + 1) / 6;
    if (fabs(alpha - expected) > 1e-9 * expected) bsp_abort("inner product %f, not %f", alpha, expected);

    double *src = vecallocd(MAXH), *dest = vecallocd((MAXH + 2) * p);
    bsp_push_reg(dest, (MAXH + 2) * p * SZDBL);
    bsp_sync();
    for (long h = 0; h <= MAXH; h++) {
        for (long i = 0; i < (MAXH + 2) * p; i++) dest[i] = -1;
        bsp_sync();
        double before = bsp_time();
        exchange(p, s, h, src, dest);
        bsp_sync();
        long got = 0;
        for (long i = 0; i < (MAXH + 2) * p; i++) got += dest[i] >= 0;
        long sent_here = 0; /* by the rule of exchange() */
        for (long t = 0; t < p; t++)
            for (long i = 0; i < h; i++) sent_here += (p == 1 ? 0 : (t + 1 + i % (p - 1)) % p) == s;
        if (got != sent_here || bsp_time() < before) bsp_abort("h = %ld: %ld words instead of %ld", h, got, sent_here);
        bsp_sync();
    }
    bsp_pop_reg(dest);
    vecfreed(dest);
    vecfreed(src);
    vecfreed(x);
    if (s == 0) printf("ok 1 - a program of the course\n1..1\n");
    bsp_end();
}

int main(int argc, char **argv) {
    bsp_init(bench, argc, argv);
    P = bsp_nprocs();
    if (P > bsp_nprocs()) {
        printf("Sorry, only %d processors available.\n", bsp_nprocs());
        exit(EXIT_FAILURE);
    }
    bench();
    exit(EXIT_SUCCESS);
}
