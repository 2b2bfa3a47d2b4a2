/* scal: x *= a (term Tcomp; BSP fig. 4.5). Doubles and halves in turn, which is exact. */
#include "kernels/sweep.h"

typedef struct scal {
    sup_sweep sweep;
    uint64_t n;
    double *x;
} scal;

static SUP_KERNEL_LOOP void loop(double *x, double a, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) x[i] *= a;
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t n = sup_carve_elements(bytes, sizeof(scal), 1, sizeof(double));
    scal *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k || !(k->x = sup_carve_take(&carve, n * sizeof(double)))) return 1;
    k->n = n;
    k->sweep = sup_sweep_make(n, 1);
    for (uint64_t i = 0; i < n; i++) k->x[i] = sup_datum(i, 1);
    *work = (sup_kernel_work){k, n, sup_sweep_iterations(&k->sweep), 1 * n * sizeof(double)};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    scal *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->x + r.from, r.odd ? 0.5 : 2.0, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const scal *k = state;
    double a = k->sweep.passes & 1 ? 2.0 : 1.0;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->x[i] != a * sup_datum(i, 1)) return 0;
    return 1;
}

const sup_kernel sup_kernel_scal = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "scal", "element", 16.0, 1.0, 1024, NULL, setup, run, verify, NULL};
