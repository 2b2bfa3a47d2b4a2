/* Square grids for the stencil kernels and the wave (grid.h; term Tcomp). */
#include "kernels/grid.h"

#include <stdlib.h>

static void fill(double *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) values[i] = sup_datum(i, 1);
}

int sup_grid_setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t side = sup_carve_side(bytes, sizeof(sup_grid), 2, sizeof(double)), count = side * side;
    sup_grid *g = sup_carve_take(&carve, sizeof *g);
    if (side < 3 || !g) return 1;
    g->first = sup_carve_take(&carve, count * sizeof(double));
    g->second = sup_carve_take(&carve, count * sizeof(double));
    if (!g->first || !g->second) return 1;
    g->side = side;
    g->sweep = sup_sweep_make(side - 2, side - 2);
    fill(g->first, count);
    fill(g->second, count);
    *work = (sup_kernel_work){g, (side - 2) * (side - 2), sup_sweep_iterations(&g->sweep), 2 * count * sizeof(double)};
    return 0;
}

uint64_t sup_grid_run(sup_grid *g, uint64_t iterations, sup_grid_row row) {
    uint64_t rows = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&g->sweep);
        double *out = r.odd ? g->first : g->second;
        const double *in = r.odd ? g->second : g->first;
        for (uint64_t y = r.from + 1; y <= r.to; y++) row(out + y * g->side, in + y * g->side, g->side);
        rows += r.to - r.from;
    }
    return rows * (g->side - 2);
}

int sup_grid_verify(const sup_grid *g, sup_grid_point point) {
    uint64_t side = g->side, count = side * side;
    double *in = malloc(2 * count * sizeof *in), *out = in ? in + count : NULL;
    if (!in) return 0;
    double *whole = in;
    fill(in, count);
    fill(out, count);
    for (uint64_t pass = 0; pass < g->sweep.passes; pass++) {
        for (uint64_t y = 1; y + 1 < side; y++)
            for (uint64_t x = 1; x + 1 < side; x++)
                out[y * side + x] = point(&in[y * side + x], &out[y * side + x], side);
        double *swap = in;
        in = out;
        out = swap;
    }
    bool odd = g->sweep.passes & 1, right = true;
    const double *last = odd ? g->second : g->first, *before = odd ? g->first : g->second;
    for (uint64_t i = 0; i < count && right; i++) right = sup_close(last[i], in[i]) && sup_close(before[i], out[i]);
    free(whole);
    return right;
}
