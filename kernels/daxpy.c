/* daxpy: y += a·x (term Tcomp; the inner loop of bspbench, BSP §3.1 and §4.1). a changes its sign from pass to pass, so
 * that y stays where it was. */
#include "kernels/sweep.h"

#define FACTOR 3.0

typedef struct daxpy {
    sup_sweep sweep;
    uint64_t n;
    double *x, *y;
} daxpy;

static SUP_KERNEL_LOOP void loop(double *restrict y, const double *restrict x, double a, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t n = sup_carve_elements(bytes, sizeof(daxpy), 2, sizeof(double));
    daxpy *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k || !(k->x = sup_carve_take(&carve, n * sizeof(double))) ||
        !(k->y = sup_carve_take(&carve, n * sizeof(double))))
        return 1;
    k->n = n;
    k->sweep = sup_sweep_make(n, 1);
    for (uint64_t i = 0; i < n; i++) {
        k->x[i] = sup_datum(i, 1);
        k->y[i] = sup_datum(i, 2);
    }
    *work = (sup_kernel_work){k, n, sup_sweep_iterations(&k->sweep), 2 * n * sizeof(double)};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    daxpy *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->y + r.from, k->x + r.from, r.odd ? -FACTOR : FACTOR, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const daxpy *k = state;
    double a = k->sweep.passes & 1 ? FACTOR : 0.0;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->y[i] != sup_datum(i, 2) + a * sup_datum(i, 1)) return 0;
    return 1;
}

const sup_kernel sup_kernel_daxpy = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "daxpy", "element", 24.0, 2.0, 1024, NULL, setup, run, verify, NULL};
