/* dot: Σ x·y (term Tcomp; BSP fig. 4.5). Eight partial sums, as a compiler would make them if it were allowed to
 * reorder additions. */
#include "kernels/vectors.h"

static SUP_KERNEL_LOOP double loop(const double *restrict x, const double *restrict y, uint64_t n) {
    double sum[8] = {0};
    uint64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) sum[j] += x[i + j] * y[i + j];
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_vectors_setup(2, memory, bytes, work);
}

static uint64_t run(void *state, uint64_t iterations) {
    sup_vectors *k = state;
    uint64_t units = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        if (r.from == 0) k->sum = 0.0;
        k->sum += loop(k->x + r.from, k->y + r.from, r.to - r.from);
        units += r.to - r.from;
    }
    return units;
}

static int verify(void *state) {
    const sup_vectors *k = state;
    double sum = 0.0;
    for (uint64_t i = 0; i < k->n; i++) {
        if (k->x[i] != sup_datum(i, 1) || k->y[i] != sup_datum(i, 2)) return 0;
        sum += sup_datum(i, 1) * sup_datum(i, 2);
    }
    return sup_close(sum, k->sum);
}

const sup_kernel sup_kernel_dot = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "dot", "element", 16.0, 2.0, 1024, NULL, setup, run, verify, NULL};
