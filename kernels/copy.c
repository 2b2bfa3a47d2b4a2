/* copy: y = x, by the C library (term Tcomp; what buffered communication is made of). */
#include "kernels/sweep.h"

#include <string.h>

typedef struct copy {
    sup_sweep sweep;
    uint64_t n;
    double *x, *y;
} copy;

static SUP_KERNEL_LOOP void loop(double *restrict y, const double *restrict x, uint64_t n) {
    memcpy(y, x, n * sizeof *x);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t n = sup_carve_elements(bytes, sizeof(copy), 2, sizeof(double));
    copy *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k || !(k->x = sup_carve_take(&carve, n * sizeof(double))) ||
        !(k->y = sup_carve_take(&carve, n * sizeof(double))))
        return 1;
    k->n = n;
    k->sweep = sup_sweep_make(n, 1);
    for (uint64_t i = 0; i < n; i++) k->x[i] = sup_datum(i, 1);
    *work = (sup_kernel_work){k, n, sup_sweep_iterations(&k->sweep), 2 * n * sizeof(double)};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    copy *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->y + r.from, k->x + r.from, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const copy *k = state;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->y[i] != sup_datum(i, 1)) return 0;
    return 1;
}

const sup_kernel sup_kernel_copy = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "copy", "element", 16.0, 0.0, 1024, NULL, setup, run, verify, NULL};
