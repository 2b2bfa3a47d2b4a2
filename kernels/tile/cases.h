/* The benchmarks of CACHE ch. 5 as operations of <superstep/tile.h>: plain loops, no word about caches. What
 * `superstep tune tile` sweeps and bench_tile races; and examples of how such kernels are written. */
#ifndef SUP_KERNELS_TILE_CASES_H
#define SUP_KERNELS_TILE_CASES_H

#include <superstep/tile.h>

typedef struct sup_tile_work {
    size_t n; /* side of the matrices, or elements */
    size_t radius;
    void *a, *b, *c;
    double *weights;
    sup_tile_op op;
} sup_tile_work;

typedef struct sup_tile_case {
    const char *name, *what;
    size_t size, least, most; /* usual, smallest and largest n */
    /* 0, or not 0 without memory. */
    int (*setup)(sup_tile_work *work, size_t n);
    /* After a run: not 0 if the result is right, as far as a sample of it tells. */
    int (*verify)(const sup_tile_work *work);
} sup_tile_case;

extern const sup_tile_case sup_case_matmult, sup_case_matmult_int, sup_case_transpose, sup_case_transpose_int,
    sup_case_blur, sup_case_blur_20, sup_case_blur_25, sup_case_blur_rows, sup_case_blur_rows_20, sup_case_blur_rows_25,
    sup_case_saxpy, sup_case_series, sup_case_stencil;

/* All of them; ends with NULL. */
extern const sup_tile_case *const sup_tile_cases[];
const sup_tile_case *sup_tile_case_find(const char *name); /* NULL: no such case */
void sup_tile_work_free(sup_tile_work *work);

/* One Fourier coefficient pair of (x+1)^x on [0, 2], for others that do the same work. */
void sup_series_pair(size_t k, double *pair);

/* Memory for count elements, aligned to a page; filled with small whole numbers by the two below. */
void *sup_tile_memory(size_t count, size_t element);
void sup_tile_fill(double *x, size_t count, size_t salt);
void sup_tile_fill_int(int32_t *x, size_t count, size_t salt);

#endif
