/* C = A·B for square matrices in blocks: what the dgemm kernels share (term Tcomp; SUMMA's inner product, PART ch. 6).
 *
 * An iteration multiplies one block of A with one of B; k runs fastest, so that a block of C is finished before the
 * next is begun. Small matrices are one block. */
#ifndef SUP_KERNELS_PRODUCT_H
#define SUP_KERNELS_PRODUCT_H

#include "kernels/sweep.h"

typedef struct sup_product {
    uint64_t n, block, blocks; /* order, order of a block, blocks along a side */
    uint64_t i, j, k;          /* the next block triple */
    uint64_t passes;
    double *a, *b, *c; /* row by row */
} sup_product;

/* C (rows × columns) = A (rows × depth) · B (depth × columns), or += with add; a line of each is n long. */
typedef void (*sup_product_block)(double *c, const double *a, const double *b, uint64_t n, uint64_t rows,
                                  uint64_t columns, uint64_t depth, bool add);

int sup_product_setup(void *memory, size_t bytes, uint64_t block, sup_kernel_work *work);
uint64_t sup_product_run(sup_product *product, uint64_t iterations, sup_product_block multiply);
int sup_product_verify(const sup_product *product);

#endif
