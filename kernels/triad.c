/* triad: z = x + a·y (term Tcomp; the access pattern of STREAM). */
#include "kernels/sweep.h"

typedef struct triad {
    sup_sweep sweep;
    uint64_t n;
    double *x, *y, *z;
} triad;

static SUP_KERNEL_LOOP void loop(double *restrict z, const double *restrict x, const double *restrict y, double a,
                                 uint64_t n) {
    for (uint64_t i = 0; i < n; i++) z[i] = x[i] + a * y[i];
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t n = sup_carve_elements(bytes, sizeof(triad), 3, sizeof(double));
    triad *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k || !(k->x = sup_carve_take(&carve, n * sizeof(double))) ||
        !(k->y = sup_carve_take(&carve, n * sizeof(double))) || !(k->z = sup_carve_take(&carve, n * sizeof(double))))
        return 1;
    k->n = n;
    k->sweep = sup_sweep_make(n, 1);
    for (uint64_t i = 0; i < n; i++) {
        k->x[i] = sup_datum(i, 1);
        k->y[i] = sup_datum(i, 2);
    }
    *work = (sup_kernel_work){k, n, sup_sweep_iterations(&k->sweep), 3 * n * sizeof(double)};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    triad *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->z + r.from, k->x + r.from, k->y + r.from, 3.0, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const triad *k = state;
    for (uint64_t i = 0; i < k->n; i++)
        if (k->z[i] != sup_datum(i, 1) + 3.0 * sup_datum(i, 2)) return 0;
    return 1;
}

const sup_kernel sup_kernel_triad = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "triad", "element", 24.0, 2.0, 1024, NULL, setup, run, verify, NULL};
