/* dgemm: C = A·B in plain C, blocks of 64 × 64 × 64 that fit a small cache (term Tcomp). Four rows of C at a time: each
 * element of B that is loaded is used four times. */
#include "kernels/product.h"

#define BLOCK 64

static void multiply_row(double *restrict c, const double *restrict a, const double *restrict b, uint64_t n,
                         uint64_t columns, uint64_t depth) {
    for (uint64_t k = 0; k < depth; k++)
        for (uint64_t j = 0; j < columns; j++) c[j] += a[k] * b[k * n + j];
}

static SUP_KERNEL_LOOP void multiply(double *c, const double *a, const double *b, uint64_t n, uint64_t rows,
                                     uint64_t columns, uint64_t depth, bool add) {
    if (!add)
        for (uint64_t i = 0; i < rows; i++)
            for (uint64_t j = 0; j < columns; j++) c[i * n + j] = 0.0;
    uint64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        double *restrict c0 = c + i * n, *restrict c1 = c0 + n, *restrict c2 = c1 + n, *restrict c3 = c2 + n;
        const double *restrict a0 = a + i * n;
        for (uint64_t k = 0; k < depth; k++) {
            const double *restrict line = b + k * n;
            double f0 = a0[k], f1 = a0[n + k], f2 = a0[2 * n + k], f3 = a0[3 * n + k];
            for (uint64_t j = 0; j < columns; j++) {
                c0[j] += f0 * line[j];
                c1[j] += f1 * line[j];
                c2[j] += f2 * line[j];
                c3[j] += f3 * line[j];
            }
        }
    }
    for (; i < rows; i++) multiply_row(c + i * n, a + i * n, b, n, columns, depth);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_product_setup(memory, bytes, BLOCK, work);
}

static uint64_t run(void *state, uint64_t iterations) { return sup_product_run(state, iterations, multiply); }

static int verify(void *state) { return sup_product_verify(state); }

const sup_kernel sup_kernel_dgemm = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "dgemm", "multiply-add", 0.0, 2.0, 1024, NULL, setup, run, verify, NULL};
