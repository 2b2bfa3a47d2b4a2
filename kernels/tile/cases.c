/* The table of cases and the memory they work on. */
#include "kernels/tile/cases.h"

#include <stdlib.h>
#include <string.h>

const sup_tile_case *const sup_tile_cases[] = {&sup_case_matmult,   &sup_case_matmult_int,
                                               &sup_case_transpose, &sup_case_transpose_int,
                                               &sup_case_blur,      &sup_case_blur_rows,
                                               &sup_case_saxpy,     &sup_case_series,
                                               &sup_case_stencil,   NULL};

/* Larger windows, by name only. */
static const sup_tile_case *const more[] = {&sup_case_blur_20, &sup_case_blur_25, &sup_case_blur_rows_20,
                                            &sup_case_blur_rows_25, NULL};

const sup_tile_case *sup_tile_case_find(const char *name) {
    for (size_t i = 0; more[i]; i++)
        if (strcmp(more[i]->name, name) == 0) return more[i];
    for (size_t i = 0; sup_tile_cases[i]; i++)
        if (strcmp(sup_tile_cases[i]->name, name) == 0) return sup_tile_cases[i];
    return NULL;
}

void *sup_tile_memory(size_t count, size_t element) {
    size_t bytes;
    void *memory = NULL;
    if (__builtin_mul_overflow(count, element, &bytes) || posix_memalign(&memory, 4096, bytes ? bytes : 1)) return NULL;
    return memory;
}

void sup_tile_fill(double *x, size_t count, size_t salt) {
    for (size_t i = 0; i < count; i++) x[i] = (double)((i * 7 + salt) % 13);
}

void sup_tile_fill_int(int32_t *x, size_t count, size_t salt) {
    for (size_t i = 0; i < count; i++) x[i] = (int32_t)((i * 7 + salt) % 13);
}

void sup_tile_work_free(sup_tile_work *work) {
    free(work->a);
    free(work->b);
    free(work->c);
    free(work->weights);
    memset(work, 0, sizeof *work);
}
