/* The kernels that measurements and applications share (term Tcomp; BSP ch. 4, PART ch. 6, CACHE ch. 5): a table of
 * <superstep/kernel.h> entries, one file each. */
#ifndef SUP_KERNELS_KERNELS_H
#define SUP_KERNELS_KERNELS_H

#include <superstep/kernel.h>

#include <stdbool.h>

extern const sup_kernel sup_kernel_daxpy, sup_kernel_dot, sup_kernel_scal, sup_kernel_copy, sup_kernel_triad,
    sup_kernel_stencil5, sup_kernel_stencil9, sup_kernel_wave, sup_kernel_dgemm, sup_kernel_dgemm_blas, sup_kernel_blur,
    sup_kernel_transpose, sup_kernel_spmv, sup_kernel_radix;

/* All of them, in the order of reports; ends with NULL. */
extern const sup_kernel *const sup_kernels[];

const sup_kernel *sup_kernel_find(const char *name); /* NULL: no such kernel */
/* Is it one of those that a profile has, if nobody names others: each uses the machine in another way. */
bool sup_kernel_is_usual(const sup_kernel *kernel);

#endif
