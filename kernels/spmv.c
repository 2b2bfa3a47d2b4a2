/* spmv: y = A·x, A sparse in compressed rows (term Tcomp; BSP ch. 8, Bisseling ch. 4). Eight nonzeros a row, one of
 * them near the diagonal and seven anywhere: x is read in no order, which is what makes sparse products slow. */
#include "kernels/sweep.h"

#define NONZEROS 8
#define ROW_BYTES (NONZEROS * (sizeof(double) + sizeof(uint32_t)) + sizeof(uint32_t) + 2 * sizeof(double))

typedef struct spmv {
    sup_sweep sweep; /* over rows */
    uint64_t n;
    uint32_t *start, *column;
    double *value, *x, *y;
} spmv;

static SUP_KERNEL_LOOP void loop(double *restrict y, const spmv *k, uint64_t from, uint64_t to) {
    const uint32_t *restrict start = k->start, *restrict column = k->column;
    const double *restrict value = k->value, *restrict x = k->x;
    for (uint64_t i = from; i < to; i++) {
        double sum = 0.0;
        for (uint32_t j = start[i]; j < start[i + 1]; j++) sum += value[j] * x[column[j]];
        y[i] = sum;
    }
}

static uint32_t column_of(uint64_t row, uint64_t j, uint64_t n) {
    if (j == 0) return (uint32_t)row;
    uint64_t z = (row * NONZEROS + j) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((z ^ (z >> 27)) % n);
}

static void fill(spmv *k) {
    for (uint64_t i = 0; i < k->n; i++) {
        k->x[i] = sup_datum(i, 2);
        k->start[i] = (uint32_t)(i * NONZEROS);
        for (uint64_t j = 0; j < NONZEROS; j++) {
            k->column[i * NONZEROS + j] = column_of(i, j, k->n);
            k->value[i * NONZEROS + j] = sup_datum(i * NONZEROS + j, 1);
        }
    }
    k->start[k->n] = (uint32_t)(k->n * NONZEROS);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    size_t taken = sizeof(spmv) + 6 * SUP_CARVE_OVERHEAD + sizeof(uint32_t);
    uint64_t n = bytes > taken ? (bytes - taken) / ROW_BYTES : 0;
    if (n > UINT32_MAX / NONZEROS) n = UINT32_MAX / NONZEROS;
    spmv *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k) return 1;
    k->n = n;
    k->value = sup_carve_take(&carve, n * NONZEROS * sizeof(double));
    k->column = sup_carve_take(&carve, n * NONZEROS * sizeof(uint32_t));
    k->start = sup_carve_take(&carve, (n + 1) * sizeof(uint32_t));
    k->x = sup_carve_take(&carve, n * sizeof(double));
    k->y = sup_carve_take(&carve, n * sizeof(double));
    if (!k->value || !k->column || !k->start || !k->x || !k->y) return 1;
    k->sweep = sup_sweep_make(n, NONZEROS);
    fill(k);
    *work = (sup_kernel_work){k, n * NONZEROS, sup_sweep_iterations(&k->sweep), n * ROW_BYTES};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    spmv *k = state;
    uint64_t rows = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        loop(k->y, k, r.from, r.to);
        rows += r.to - r.from;
    }
    return rows * NONZEROS;
}

static int verify(void *state) {
    const spmv *k = state;
    for (uint64_t i = 0; i < k->n; i++) {
        double sum = 0.0;
        for (uint64_t j = 0; j < NONZEROS; j++)
            sum += sup_datum(i * NONZEROS + j, 1) * sup_datum(column_of(i, j, k->n), 2);
        if (!sup_close(k->y[i], sum)) return 0;
    }
    return 1;
}

const sup_kernel sup_kernel_spmv = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "spmv", "nonzero", ROW_BYTES / 8.0, 2.0, 1024, NULL, setup, run, verify, NULL};
