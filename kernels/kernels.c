/* The table of kernels (term Tcomp). A new one is a file of the same shape, a line here and one in kernels.h. */
#include "kernels/kernels.h"

#include <string.h>

const sup_kernel *const sup_kernels[] = {
    &sup_kernel_daxpy,    &sup_kernel_dot,       &sup_kernel_scal, &sup_kernel_copy,  &sup_kernel_triad,
    &sup_kernel_stencil5, &sup_kernel_stencil9,  &sup_kernel_wave, &sup_kernel_dgemm, &sup_kernel_dgemm_blas,
    &sup_kernel_blur,     &sup_kernel_transpose, &sup_kernel_spmv, &sup_kernel_radix, NULL,
};

const sup_kernel *sup_kernel_find(const char *name) {
    for (size_t i = 0; sup_kernels[i]; i++)
        if (strcmp(sup_kernels[i]->name, name) == 0) return sup_kernels[i];
    return NULL;
}

/* Vectors (the classic r), memory bandwidth (copy, triad), caches (stencil5), arithmetic (a matrix product, the best
 * there is), indirection (spmv). */
bool sup_kernel_is_usual(const sup_kernel *kernel) {
    static const sup_kernel *const usual[] = {&sup_kernel_copy, &sup_kernel_triad, &sup_kernel_daxpy,
                                              &sup_kernel_stencil5, &sup_kernel_spmv};
    bool library = !(sup_kernel_dgemm_blas.unavailable && sup_kernel_dgemm_blas.unavailable());
    if (kernel == (library ? &sup_kernel_dgemm_blas : &sup_kernel_dgemm)) return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (kernel == usual[i]) return true;
    return false;
}
