/* The table of tile cases: which there are, and by what name they are found. */
#include "kernels/tile/cases.h"

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
