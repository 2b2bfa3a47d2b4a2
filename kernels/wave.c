/* wave: New = 2(1 − 2C²)·Cur − Old + C²·(N + S + E + W), New in the place of Old (term Tcomp; Wave2D of PART ch. 6).
 * With C² = 1/4 it is stable: values stay bounded. */
#include "kernels/grid.h"

#define SQUARE 0.25

static SUP_KERNEL_LOOP void row(double *restrict out, const double *restrict in, uint64_t side) {
    const double *up = in - side, *down = in + side;
    for (uint64_t x = 1; x + 1 < side; x++)
        out[x] = 2.0 * (1.0 - 2.0 * SQUARE) * in[x] - out[x] + SQUARE * (in[x - 1] + in[x + 1] + up[x] + down[x]);
}

static double point(const double *in, const double *out, uint64_t side) {
    ptrdiff_t s = (ptrdiff_t)side;
    double laplacian = in[-s] + in[s] + in[-1] + in[1] - 4.0 * in[0];
    return 2.0 * in[0] - out[0] + SQUARE * laplacian;
}

static uint64_t run(void *state, uint64_t iterations) { return sup_grid_run(state, iterations, row); }

static int verify(void *state) { return sup_grid_verify(state, point); }

const sup_kernel sup_kernel_wave = {SUP_KERNEL_ABI, sizeof(sup_kernel), "wave", "point", 24.0, 7.0, 1024,
                                    NULL,           sup_grid_setup,     run,    verify,  NULL};
