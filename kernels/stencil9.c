/* stencil9: the 9-point average, the binomial one of the 3×3 neighbourhood (term Tcomp). */
#include "kernels/grid.h"

static SUP_KERNEL_LOOP void row(double *restrict out, const double *restrict in, uint64_t side) {
    const double *up = in - side, *down = in + side;
    for (uint64_t x = 1; x + 1 < side; x++)
        out[x] = 0.25 * in[x] + 0.125 * (in[x - 1] + in[x + 1] + up[x] + down[x]) +
                 0.0625 * (up[x - 1] + up[x + 1] + down[x - 1] + down[x + 1]);
}

static double point(const double *in, const double *out, uint64_t side) {
    ptrdiff_t s = (ptrdiff_t)side;
    static const double weight[3] = {0.25, 0.5, 0.25};
    double sum = 0.0;
    (void)out;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += weight[dy + 1] * weight[dx + 1] * in[dy * s + dx];
    return sum;
}

static uint64_t run(void *state, uint64_t iterations) { return sup_grid_run(state, iterations, row); }

static int verify(void *state) { return sup_grid_verify(state, point); }

const sup_kernel sup_kernel_stencil9 = {SUP_KERNEL_ABI, sizeof(sup_kernel), "stencil9", "point", 16.0, 11.0, 1024,
                                        NULL,           sup_grid_setup,     run,        verify,  NULL};
