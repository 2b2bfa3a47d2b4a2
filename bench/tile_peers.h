/* What bench_tile races against, on the same data: OpenMP, oneTBB, OpenBLAS. Each is a file of its own because each
 * needs flags, a language or a library of its own, and any of them may be missing. */
#ifndef SUP_BENCH_TILE_PEERS_H
#define SUP_BENCH_TILE_PEERS_H

#include "kernels/tile/cases.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All return false if they have no such case. */
bool tile_omp_rows(const char *name, const sup_tile_work *work, int threads);  /* parallel for */
bool tile_omp_cells(const char *name, const sup_tile_work *work, int threads); /* collapse(2) */
bool tile_omp_copy(const sup_tile_work *work, int threads); /* a to b, element by element: STREAM copy */

bool tile_tbb_auto(const char *name, const sup_tile_work *work, int threads);
bool tile_tbb_affinity(const char *name, const sup_tile_work *work, int threads);

bool tile_blas(const char *name, const sup_tile_work *work, int threads);

#ifdef __cplusplus
}
#endif
#endif
