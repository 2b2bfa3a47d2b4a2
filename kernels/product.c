/* Products of matrices in blocks (product.h; term Tcomp). */
#include "kernels/product.h"

#define WHOLE 8 /* numbers in the widest vector */

int sup_product_setup(void *memory, size_t bytes, uint64_t block, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t n = sup_carve_side(bytes, sizeof(sup_product), 3, sizeof(double));
    /* whole blocks: all iterations are then alike, and the rate does not depend on what remains of a row */
    if (n >= WHOLE) n -= n % (n < block ? WHOLE : block);
    uint64_t count = n * n;
    sup_product *p = sup_carve_take(&carve, sizeof *p);
    if (n < 1 || n > 1000000 || !p) return 1; /* n³ must fit */
    p->a = sup_carve_take(&carve, count * sizeof(double));
    p->b = sup_carve_take(&carve, count * sizeof(double));
    p->c = sup_carve_take(&carve, count * sizeof(double));
    if (!p->a || !p->b || !p->c) return 1;
    p->n = n;
    p->block = block < n ? block : n;
    p->blocks = (n + p->block - 1) / p->block;
    for (uint64_t i = 0; i < count; i++) {
        p->a[i] = sup_datum(i, 1);
        p->b[i] = sup_datum(i, 2);
    }
    *work = (sup_kernel_work){p, n * n * n, p->blocks * p->blocks * p->blocks, 3 * count * sizeof(double)};
    return 0;
}

/* The length of block i: the last one may be shorter. */
static uint64_t length(const sup_product *p, uint64_t i) {
    uint64_t from = i * p->block;
    return p->n - from < p->block ? p->n - from : p->block;
}

static void advance(sup_product *p) {
    if (++p->k < p->blocks) return;
    p->k = 0;
    if (++p->j < p->blocks) return;
    p->j = 0;
    if (++p->i < p->blocks) return;
    p->i = 0;
    p->passes++;
}

uint64_t sup_product_run(sup_product *p, uint64_t iterations, sup_product_block multiply) {
    uint64_t units = 0, n = p->n;
    for (; iterations > 0; iterations--) {
        uint64_t i = p->i * p->block, j = p->j * p->block, k = p->k * p->block;
        uint64_t rows = length(p, p->i), columns = length(p, p->j), depth = length(p, p->k);
        multiply(p->c + i * n + j, p->a + i * n + k, p->b + k * n + j, n, rows, columns, depth, p->k > 0);
        units += rows * columns * depth;
        advance(p);
    }
    return units;
}

int sup_product_verify(const sup_product *p) {
    uint64_t n = p->n;
    if (p->passes == 0) return 1;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (uint64_t k = 0; k < n; k++) sum += sup_datum(i * n + k, 1) * sup_datum(k * n + j, 2);
            if (!sup_close(p->c[i * n + j], sum)) return 0;
        }
    return 1;
}
