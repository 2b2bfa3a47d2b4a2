/* bench/wait: what its workers do, and the step that the BSP and the MPI program share. */
#ifndef SUP_BENCH_WAIT_JACOBI_H
#define SUP_BENCH_WAIT_JACOBI_H

#include <stddef.h>
#include <stdlib.h>

enum { WAIT_JACOBI, WAIT_SYNC, WAIT_LONG }; /* a step; a sync alone; rank 0 waits for rank 1, size milliseconds */
enum { JACOBI_N = 1024 };

/* A band of rows of an N × N grid, with a row of its neighbours above and below; twice, for the old and the new. */
typedef struct jacobi {
    int rows;
    double *grid[2]; /* (rows + 2) × (N + 2) */
} jacobi;

static inline double *jacobi_row(const jacobi *j, int which, int row) {
    return j->grid[which] + (size_t)row * (JACOBI_N + 2);
}

static inline size_t jacobi_bytes(const jacobi *j) { return (size_t)(j->rows + 2) * (JACOBI_N + 2) * sizeof(double); }

static inline void jacobi_fill(jacobi *j, int rank) {
    size_t count = jacobi_bytes(j) / sizeof(double);
    for (int w = 0; w < 2; w++)
        for (size_t i = 0; i < count; i++) j->grid[w][i] = (double)((i * 7 + (size_t)rank) % 11);
}

/* From grid `from` to the other one. */
static inline void jacobi_step(const jacobi *j, int from) {
    for (int i = 1; i <= j->rows; i++) {
        const double *up = jacobi_row(j, from, i - 1), *at = jacobi_row(j, from, i), *down = jacobi_row(j, from, i + 1);
        double *to = jacobi_row(j, 1 - from, i);
        for (int k = 1; k <= JACOBI_N; k++) to[k] = 0.25 * (up[k] + down[k] + at[k - 1] + at[k + 1]);
    }
}

#endif
