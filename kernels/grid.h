/* Square grids of doubles with a fixed border, updated from one array into the other: what the stencil kernels and the
 * wave share. A kernel gives the update of a row and, for the verification, that of a point.
 *
 *     side = 6    # # # # # #      # border, never written
 *                 # . . . . #      . a unit of work
 *                 # . . . . #
 *                 # . . . . #      even passes read `first` and write `second`, odd passes the reverse
 *                 # . . . . #
 *                 # # # # # #                                                                                     */
#ifndef SUP_KERNELS_GRID_H
#define SUP_KERNELS_GRID_H

#include "kernels/sweep.h"

typedef struct sup_grid {
    sup_sweep sweep; /* over inner rows */
    uint64_t side;
    double *first, *second;
} sup_grid;

/* Writes out[1 … side-2]; in is the same row of the other array, its neighbours `side` away. */
typedef void (*sup_grid_row)(double *out, const double *in, uint64_t side);
/* The new value of one point: in and out point to it. */
typedef double (*sup_grid_point)(const double *in, const double *out, uint64_t side);

int sup_grid_setup(void *memory, size_t bytes, sup_kernel_work *work);
uint64_t sup_grid_run(sup_grid *grid, uint64_t iterations, sup_grid_row row);
/* Does the passes again, point by point on copies of its own, and compares. */
int sup_grid_verify(const sup_grid *grid, sup_grid_point point);

#endif
