/* copy: y = x, by the C library (term Tcomp; what buffered communication is made of). */
#include "kernels/vectors.h"

#include <string.h>

static SUP_KERNEL_LOOP void loop(double *restrict y, const double *restrict x, uint64_t n) {
    memcpy(y, x, n * sizeof *x);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_vectors_setup(2, memory, bytes, work);
}

static uint64_t run(void *state, uint64_t iterations) {
    sup_vectors *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->y + r.from, k->x + r.from, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const sup_vectors *k = state;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->y[i] != sup_datum(i, 1)) return 0;
    return 1;
}

const sup_kernel sup_kernel_copy = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "copy", "element", 16.0, 0.0, 1024, NULL, setup, run, verify, NULL};
