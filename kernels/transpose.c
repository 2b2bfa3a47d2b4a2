/* transpose: B = Aᵀ, tile by tile (term Tcomp; CACHE ch. 5). An iteration is a strip of tiles; inside one both matrices
 * are visited line by line. */
#include "kernels/sweep.h"

#define TILE 16

typedef struct transpose {
    sup_sweep sweep; /* over strips */
    uint64_t side;
    double *from, *to;
} transpose;

static SUP_KERNEL_LOOP void tile(double *restrict to, const double *restrict from, uint64_t side, uint64_t rows,
                                 uint64_t columns) {
    for (uint64_t x = 0; x < columns; x++)
        for (uint64_t y = 0; y < rows; y++) to[x * side + y] = from[y * side + x];
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t side = sup_carve_side(bytes, sizeof(transpose), 2, sizeof(double)), count = side * side;
    transpose *k = sup_carve_take(&carve, sizeof *k);
    if (side < 1 || !k) return 1;
    k->from = sup_carve_take(&carve, count * sizeof(double));
    k->to = sup_carve_take(&carve, count * sizeof(double));
    if (!k->from || !k->to) return 1;
    k->side = side;
    k->sweep = sup_sweep_make((side + TILE - 1) / TILE, TILE * side);
    for (uint64_t i = 0; i < count; i++) k->from[i] = (double)i;
    *work = (sup_kernel_work){k, count, sup_sweep_iterations(&k->sweep), 2 * count * sizeof(double)};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    transpose *k = state;
    uint64_t side = k->side, rows = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        uint64_t end = least(r.to * TILE, side);
        for (uint64_t y = r.from * TILE; y < end; y += TILE)
            for (uint64_t x = 0; x < side; x += TILE)
                tile(k->to + x * side + y, k->from + y * side + x, side, least(TILE, end - y), least(TILE, side - x));
        rows += end - r.from * TILE;
    }
    return rows * side;
}

static int verify(void *state) {
    const transpose *k = state;
    for (uint64_t y = 0; y < k->side; y++)
        for (uint64_t x = 0; x < k->side; x++)
            if (k->to[x * k->side + y] != (double)(y * k->side + x)) return 0;
    return 1;
}

const sup_kernel sup_kernel_transpose = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "transpose", "element", 16.0, 0.0, 1024, NULL, setup, run, verify, NULL};
