/* scal: x *= a (term Tcomp; BSP fig. 4.5). Doubles and halves in turn, which is exact. */
#include "kernels/vectors.h"

static SUP_KERNEL_LOOP void loop(double *x, double a, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) x[i] *= a;
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_vectors_setup(1, memory, bytes, work);
}

static uint64_t run(void *state, uint64_t iterations) {
    sup_vectors *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->x + r.from, r.odd ? 0.5 : 2.0, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const sup_vectors *k = state;
    double a = k->sweep.passes & 1 ? 2.0 : 1.0;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->x[i] != a * sup_datum(i, 1)) return 0;
    return 1;
}

const sup_kernel sup_kernel_scal = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "scal", "element", 16.0, 1.0, 1024, NULL, setup, run, verify, NULL};
