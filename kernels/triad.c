/* triad: z = x + a·y (term Tcomp; the access pattern of STREAM). */
#include "kernels/vectors.h"

static SUP_KERNEL_LOOP void loop(double *restrict z, const double *restrict x, const double *restrict y, double a,
                                 uint64_t n) {
    for (uint64_t i = 0; i < n; i++) z[i] = x[i] + a * y[i];
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_vectors_setup(3, memory, bytes, work);
}

static uint64_t run(void *state, uint64_t iterations) {
    sup_vectors *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->z + r.from, k->x + r.from, k->y + r.from, 3.0, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const sup_vectors *k = state;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->z[i] != sup_datum(i, 1) + 3.0 * sup_datum(i, 2)) return 0;
    return 1;
}

const sup_kernel sup_kernel_triad = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "triad", "element", 24.0, 2.0, 1024, NULL, setup, run, verify, NULL};
