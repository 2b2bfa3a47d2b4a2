/* bench/wait: what its workers do, and the step that the BSP and the MPI program share. */
#ifndef SUP_BENCH_WAIT_JACOBI_H
#define SUP_BENCH_WAIT_JACOBI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* A step; a sync alone; rank 0 waits for rank 1, size milliseconds; a step whose halo columns are packed. */
enum { WAIT_JACOBI, WAIT_SYNC, WAIT_LONG, WAIT_PACKED };
enum { JACOBI_N = 1024 };

/* A part of an N × N grid, with a line of its neighbours on each side; twice, for the old and the new: a band of rows,
 * whose halo lies in memory as it travels, or a band of columns, whose halo is packed before it leaves. */
typedef struct jacobi {
    int rows, columns;
    double *grid[2];           /* (rows + 2) × (columns + 2) */
    double *leaving, *arrived; /* columns: the first and the last own one; those of the neighbours */
} jacobi;

static inline double *jacobi_row(const jacobi *j, int which, int row) {
    return j->grid[which] + (size_t)row * (size_t)(j->columns + 2);
}

static inline size_t jacobi_bytes(const jacobi *j) {
    return (size_t)(j->rows + 2) * (size_t)(j->columns + 2) * sizeof(double);
}
static inline size_t jacobi_column_bytes(const jacobi *j) { return (size_t)j->rows * sizeof(double); }

/* Everything but the values; false: no memory. */
static inline bool jacobi_make(jacobi *j, int rows, int columns, int rank) {
    *j = (jacobi){.rows = rows, .columns = columns};
    j->leaving = calloc(2, jacobi_column_bytes(j));
    j->arrived = calloc(2, jacobi_column_bytes(j));
    for (int w = 0; w < 2; w++) {
        j->grid[w] = malloc(jacobi_bytes(j));
        for (size_t i = 0; j->grid[w] && i < jacobi_bytes(j) / sizeof(double); i++)
            j->grid[w][i] = (double)((i * 7 + (size_t)rank) % 11);
    }
    return j->leaving && j->arrived && j->grid[0] && j->grid[1];
}

/* From grid `from` to the other one. */
static inline void jacobi_step(const jacobi *j, int from) {
    for (int i = 1; i <= j->rows; i++) {
        const double *up = jacobi_row(j, from, i - 1), *at = jacobi_row(j, from, i), *down = jacobi_row(j, from, i + 1);
        double *to = jacobi_row(j, 1 - from, i);
        for (int k = 1; k <= j->columns; k++) to[k] = 0.25 * (up[k] + down[k] + at[k - 1] + at[k + 1]);
    }
}

static inline void jacobi_pack(const jacobi *j, int which) {
    for (int i = 0; i < j->rows; i++) {
        const double *row = jacobi_row(j, which, i + 1);
        j->leaving[i] = row[1];
        j->leaving[j->rows + i] = row[j->columns];
    }
}

static inline void jacobi_unpack(const jacobi *j, int which, bool left, bool right) {
    for (int i = 0; i < j->rows; i++) {
        double *row = jacobi_row(j, which, i + 1);
        if (left) row[0] = j->arrived[i];
        if (right) row[j->columns + 1] = j->arrived[j->rows + i];
    }
}

#endif
