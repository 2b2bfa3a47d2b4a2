/* The shapes that are worth looking at, in the order of what the model says they cost (term Tcomp, stage choose). */
#include "choose/tile.h"
#include "model/equation/tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 16 };

/* Powers of two from 4 on that are legal, and the whole axis; of four or more where the axis is very long. */
static int sizes_of(const sup_tile_problem *p, int axis, int64_t *out) {
    int n = 0;
    int64_t factor = 2;
    while (4 * pow((double)factor, SIZES - 1) < (double)p->extent[axis]) factor *= 2;
    for (int64_t size = 4; size < p->extent[axis] && n < SIZES - 1; size *= factor)
        if (size >= p->least[axis]) out[n++] = size;
    out[n++] = p->extent[axis];
    return n;
}

static int by_cost(const void *a, const void *b) {
    const sup_tile_ranked *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return memcmp(&x->shape, &y->shape, sizeof x->shape);
}

sup_tile_ranked *sup_tile_rank(const sup_tile_problem *p, int *count) {
    int64_t sizes[SUP_TILE_AXES][SIZES];
    int n[SUP_TILE_AXES];
    for (int a = 0; a < SUP_TILE_AXES; a++) n[a] = sizes_of(p, a, sizes[a]);
    sup_tile_ranked *list = calloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2], sizeof *list);
    *count = 0;
    if (!list) return NULL;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) {
                sup_tile_shape shape = {{sizes[0][i], sizes[1][j], sizes[2][k]}};
                list[(*count)++] = (sup_tile_ranked){shape, sup_tile_cost(p, &shape)};
            }
    qsort(list, (size_t)*count, sizeof *list, by_cost);
    return list;
}
