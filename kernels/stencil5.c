/* stencil5: the 5-point average (term Tcomp; the Laplacian stencil of BSP ch. 8). Weights add up to 1, so that values
 * stay between those of the border. */
#include "kernels/grid.h"

static SUP_KERNEL_LOOP void row(double *restrict out, const double *restrict in, uint64_t side) {
    const double *up = in - side, *down = in + side;
    for (uint64_t x = 1; x + 1 < side; x++) out[x] = 0.5 * in[x] + 0.125 * (in[x - 1] + in[x + 1] + up[x] + down[x]);
}

static double point(const double *in, const double *out, uint64_t side) {
    ptrdiff_t s = (ptrdiff_t)side;
    (void)out;
    return in[0] / 2 + (in[-s] + in[s] + in[-1] + in[1]) / 8;
}

static uint64_t run(void *state, uint64_t iterations) { return sup_grid_run(state, iterations, row); }

static int verify(void *state) { return sup_grid_verify(state, point); }

const sup_kernel sup_kernel_stencil5 = {SUP_KERNEL_ABI, sizeof(sup_kernel), "stencil5", "point", 16.0, 6.0, 1024,
                                        NULL,           sup_grid_setup,     run,        verify,  NULL};
