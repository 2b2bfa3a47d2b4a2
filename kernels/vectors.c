/* Vectors for the kernels that sweep over them (vectors.h; term Tcomp). */
#include "kernels/vectors.h"

int sup_vectors_setup(int count, void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t n = sup_carve_elements(bytes, sizeof(sup_vectors), (unsigned)count, sizeof(double));
    sup_vectors *k = sup_carve_take(&carve, sizeof *k);
    if (n == 0 || !k) return 1;
    double **all[] = {&k->x, &k->y, &k->z};
    for (int v = 0; v < count; v++)
        if (!(*all[v] = sup_carve_take(&carve, n * sizeof(double)))) return 1;
    k->n = n;
    k->sweep = sup_sweep_make(n, 1);
    for (uint64_t i = 0; i < n; i++) k->x[i] = sup_datum(i, 1);
    for (uint64_t i = 0; count > 1 && i < n; i++) k->y[i] = sup_datum(i, 2);
    *work = (sup_kernel_work){k, n, sup_sweep_iterations(&k->sweep), (uint64_t)count * n * sizeof(double)};
    return 0;
}
