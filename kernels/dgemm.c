/* dgemm: C = A·B in C, the way tuned libraries do it (term Tcomp): blocks of 64 × 64 × 64 that fit a small cache, the
 * block of B packed into narrow panels, and tiles of C that stay in registers while k runs. For where there is no BLAS.
 *
 *     C (4 × WIDTH in registers) += A (4 rows, one number of each at a time) · panel of B (WIDTH wide, packed)
 *
 * Vectors are those of the compiler. A processor of the x86 family that has AVX2 and FMA is asked for them when the
 * kernel runs: what programs are compiled for by default there uses a quarter of it. */
#include "kernels/product.h"

#define BLOCK 64
#define ROWS 4

/* A tile: `count` vectors of `lanes` numbers in each of 4 rows. The loops over them are unrolled. */
#define DEFINE_TILE(name, attribute, lanes, count)                                                               \
    typedef double name##_vector __attribute__((vector_size(8 * (lanes)), aligned(8), may_alias));               \
    static SUP_KERNEL_LOOP attribute void name(double *c, const double *a, const double *panel, uint64_t n,      \
                                               uint64_t depth, bool add) {                                       \
        name##_vector sum[ROWS][count];                                                                          \
        for (int r = 0; r < ROWS; r++)                                                                           \
            for (int v = 0; v < (count); v++) {                                                                  \
                sum[r][v] = (name##_vector){0.0};                                                                \
                if (add) sum[r][v] = *(const name##_vector *)(c + (uint64_t)r * n + v * (lanes));                \
            }                                                                                                    \
        for (uint64_t k = 0; k < depth; k++, panel += (lanes) * (count)) {                                       \
            for (int v = 0; v < (count); v++) {                                                                  \
                const name##_vector line = *(const name##_vector *)(panel + v * (lanes));                        \
                sum[0][v] += a[k] * line;                                                                        \
                sum[1][v] += a[n + k] * line;                                                                    \
                sum[2][v] += a[2 * n + k] * line;                                                                \
                sum[3][v] += a[3 * n + k] * line;                                                                \
            }                                                                                                    \
        }                                                                                                        \
        for (int r = 0; r < ROWS; r++)                                                                           \
            for (int v = 0; v < (count); v++) *(name##_vector *)(c + (uint64_t)r * n + v * (lanes)) = sum[r][v]; \
    }

typedef void tile_function(double *c, const double *a, const double *panel, uint64_t n, uint64_t depth, bool add);

/* 16 registers of 16 bytes where nothing else is known, 32 of them on arm, 16 of 32 bytes with AVX2. */
#if defined(__x86_64__)
DEFINE_TILE(tile_plain, , 2, 2)
DEFINE_TILE(tile_wide, __attribute__((target("avx2,fma"))), 4, 2)

static tile_function *tile_here(uint64_t *width) {
    bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    *width = wide ? 8 : 4;
    return wide ? tile_wide : tile_plain;
}
#elif defined(__aarch64__)
DEFINE_TILE(tile_plain, , 2, 4)

static tile_function *tile_here(uint64_t *width) {
    *width = 8;
    return tile_plain;
}
#else
DEFINE_TILE(tile_plain, , 2, 2)

static tile_function *tile_here(uint64_t *width) {
    *width = 4;
    return tile_plain;
}
#endif

/* Panel p has columns [p · width, …) of the block, row after row. */
static void pack(double *panels, const double *b, uint64_t n, uint64_t columns, uint64_t depth, uint64_t width) {
    for (uint64_t j = 0; j < columns; j += width)
        for (uint64_t k = 0; k < depth; k++)
            for (uint64_t x = 0; x < width; x++) *panels++ = b[k * n + j + x];
}

/* Matrices smaller than a tile. */
static void multiply_small(double *c, const double *a, const double *b, uint64_t n, uint64_t rows, uint64_t columns,
                           uint64_t depth, bool add) {
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) {
            double sum = add ? c[i * n + j] : 0.0;
            for (uint64_t k = 0; k < depth; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

static void multiply(double *c, const double *a, const double *b, uint64_t n, uint64_t rows, uint64_t columns,
                     uint64_t depth, bool add) {
    double panels[BLOCK * BLOCK] __attribute__((aligned(64)));
    uint64_t width;
    tile_function *tile = tile_here(&width);
    if (rows % ROWS || columns % width || columns > BLOCK || depth > BLOCK) {
        multiply_small(c, a, b, n, rows, columns, depth, add);
        return;
    }
    pack(panels, b, n, columns, depth, width);
    for (uint64_t j = 0; j < columns; j += width)
        for (uint64_t i = 0; i < rows; i += ROWS) tile(c + i * n + j, a + i * n, panels + j * depth, n, depth, add);
}

static int setup(void *memory, size_t bytes, sup_kernel_work *work) {
    return sup_product_setup(memory, bytes, BLOCK, work);
}

static uint64_t run(void *state, uint64_t iterations) { return sup_product_run(state, iterations, multiply); }

static int verify(void *state) { return sup_product_verify(state); }

const sup_kernel sup_kernel_dgemm = {
    SUP_KERNEL_ABI, sizeof(sup_kernel), "dgemm", "multiply-add", 0.0, 2.0, 1024, NULL, setup, run, verify, NULL};
