/* daxpy: y += a·x (term Tcomp; the inner loop of bspbench, BSP §3.1 and §4.1). a changes its sign from pass to pass, so
 * that y stays where it was. */
#include "kernels/vectors.h"

#define FACTOR 3.0

static SUP_KERNEL_LOOP void loop(double *restrict y, const double *restrict x, double a, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_vectors_setup(2, memory, bytes, work);
}

static uint64_t run(void *state, uint64_t iterations) {
    sup_vectors *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->y + r.from, k->x + r.from, r.odd ? -FACTOR : FACTOR, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const sup_vectors *k = state;
    double a = k->sweep.passes & 1 ? FACTOR : 0.0;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->y[i] != sup_datum(i, 2) + a * sup_datum(i, 1)) return 0;
    return 1;
}

const sup_kernel sup_kernel_daxpy = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "daxpy", "element", 24.0, 2.0, 1024, NULL, setup, run, verify, NULL};
