/* Vectors of doubles that a kernel sweeps over: what copy, scal, daxpy, dot and triad share (term Tcomp). */
#ifndef SUP_KERNELS_VECTORS_H
#define SUP_KERNELS_VECTORS_H

#include "kernels/sweep.h"

typedef struct sup_vectors {
    sup_sweep sweep;
    uint64_t n;
    double *x, *y, *z; /* those that there are: x, x and y, or all three */
    double sum;        /* for kernels that add up: of the present pass */
} sup_vectors;

/* Setup of a kernel (superstep/kernel.h) with so many vectors; x and y are filled with sup_datum(i, 1) and (i, 2). */
int sup_vectors_setup(int count, void *memory, size_t bytes, sup_kernel_work *work);

#endif
