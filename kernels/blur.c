/* blur: Gaussian blur of a grey picture with the binomial 5×5 mask, float to float (term Tcomp; CACHE ch. 5). The
 * border of two pixels is not written. Data and mask are such that every sum is exact. */
#include "kernels/sweep.h"

#define REACH 2

typedef struct blur {
    sup_sweep sweep; /* over inner rows */
    uint64_t side;
    float *in, *out;
} blur;

static const float mask[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

static SUP_KERNEL_LOOP void row(float *restrict out, const float *restrict in, uint64_t side) {
    for (uint64_t x = REACH; x + REACH < side; x++) {
        float sum = 0.0f;
        for (int dy = 0; dy < 5; dy++) {
            const float *p = in + (uint64_t)dy * side + x - REACH;
            sum += mask[dy] * (mask[0] * (p[0] + p[4]) + mask[1] * (p[1] + p[3]) + mask[2] * p[2]);
        }
        out[x] = sum;
    }
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    sup_carve carve = {memory, bytes};
    uint64_t side = sup_carve_side(bytes, sizeof(blur), 2, sizeof(float)), count = side * side;
    blur *k = sup_carve_take(&carve, sizeof *k);
    if (side <= 2 * REACH || !k) return 1;
    k->in = sup_carve_take(&carve, count * sizeof(float));
    k->out = sup_carve_take(&carve, count * sizeof(float));
    if (!k->in || !k->out) return 1;
    uint64_t inner = side - 2 * REACH;
    k->side = side;
    k->sweep = sup_sweep_make(inner, inner);
    for (uint64_t i = 0; i < count; i++) k->in[i] = (float)sup_datum(i, 1);
    *work = (sup_kernel_work){k, inner * inner, sup_sweep_iterations(&k->sweep), 2 * count * sizeof(float)};
    return 0;
}

static uint64_t run(void *state, uint64_t iterations) {
    blur *k = state;
    uint64_t rows = 0;
    for (; iterations > 0; iterations--) {
        sup_range r = sup_sweep_next(&k->sweep);
        for (uint64_t y = r.from; y < r.to; y++) row(k->out + (y + REACH) * k->side, k->in + y * k->side, k->side);
        rows += r.to - r.from;
    }
    return rows * (k->side - 2 * REACH);
}

static double blurred(const blur *k, uint64_t y, uint64_t x) {
    static const int binomial[5] = {1, 4, 6, 4, 1};
    double sum = 0.0;
    for (uint64_t dy = 0; dy < 5; dy++)
        for (uint64_t dx = 0; dx < 5; dx++)
            sum += binomial[dy] * binomial[dx] * sup_datum((y + dy - REACH) * k->side + x + dx - REACH, 1);
    return sum / 256.0;
}

static int verify(void *state) {
    const blur *k = state;
    for (uint64_t y = REACH; y + REACH < k->side; y++)
        for (uint64_t x = REACH; x + REACH < k->side; x++)
            if ((double)k->out[y * k->side + x] != blurred(k, y, x)) return 0;
    return 1;
}

const sup_kernel sup_kernel_blur = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "blur", "pixel", 8.0, 34.0, 1024, NULL, setup, run, verify, NULL};
