/* The memory that cases work on. */
#include "kernels/tile/cases.h"

#include <stdlib.h>
#include <string.h>

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
