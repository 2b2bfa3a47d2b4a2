/* Gaussian blur (CACHE §5.2, σ = 1.5): once with a window around every element, once row by row, which processors with
 * vector units like better as long as rows are long. Elements outside the image count as zero. */
#include "kernels/tile/cases.h"

#include <math.h>

/* How far the window reaches, of `have` elements that exist in that direction. */
static size_t reach(size_t radius, size_t have) { return radius < have ? radius : have; }

static int blur(const sup_tile_task *t, void *context) {
    const sup_tile_work *w = context;
    const sup_tile_part *in = &t->part[0], *out = &t->part[1];
    size_t side = 2 * w->radius + 1;
    for (size_t i = 0; i < in->rows; i++)
        for (size_t j = 0; j < in->cols; j++) {
            size_t up = reach(w->radius, i + in->above), down = reach(w->radius, in->rows - 1 - i + in->below);
            size_t left = reach(w->radius, j + in->left), right = reach(w->radius, in->cols - 1 - j + in->right);
            const double *x = (const double *)in->data + i * in->pitch + j - up * in->pitch - left;
            const double *weight = w->weights + (w->radius - up) * side + w->radius - left;
            double sum = 0;
            for (size_t y = 0; y <= up + down; y++, x += in->pitch, weight += side)
                for (size_t z = 0; z <= left + right; z++) sum += x[z] * weight[z];
            ((double *)out->data)[i * out->pitch + j] = sum;
        }
    return 0;
}

static void add_row(double *out, const double *in, size_t count, double weight) {
    for (size_t j = 0; j < count; j++) out[j] += weight * in[j];
}

static int blur_rows(const sup_tile_task *t, void *context) {
    const sup_tile_work *w = context;
    const sup_tile_part *in = &t->part[0], *out = &t->part[1];
    ptrdiff_t radius = (ptrdiff_t)w->radius, side = 2 * radius + 1, cols = (ptrdiff_t)in->cols;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)in->rows; i++) {
        double *y = (double *)out->data + i * (ptrdiff_t)out->pitch;
        ptrdiff_t up = -(ptrdiff_t)reach(w->radius, (size_t)i + in->above);
        ptrdiff_t down = (ptrdiff_t)reach(w->radius, in->rows - 1 - (size_t)i + in->below);
        for (ptrdiff_t j = 0; j < cols; j++) y[j] = 0;
        for (ptrdiff_t v = up; v <= down; v++)
            for (ptrdiff_t h = -radius; h <= radius; h++) {
                ptrdiff_t from = -(ptrdiff_t)in->left - h, to = cols + (ptrdiff_t)in->right - h;
                if (from < 0) from = 0;
                if (to > cols) to = cols;
                if (from >= to) continue;
                const double *x = (const double *)in->data + (i + v) * (ptrdiff_t)in->pitch + h;
                add_row(y + from, x + from, (size_t)(to - from), w->weights[(v + radius) * side + h + radius]);
            }
    }
    return 0;
}

/* radius 0: 15, and little where the image is small. */
static int setup(sup_tile_work *w, size_t n, size_t radius, sup_tile_kernel *kernel, const char *name) {
    *w = (sup_tile_work){.n = n, .radius = radius ? radius : n < 1000 ? 3 : 15};
    size_t side = 2 * w->radius + 1;
    w->a = sup_tile_memory(n * n, sizeof(double));
    w->b = sup_tile_memory(n * n, sizeof(double));
    w->weights = sup_tile_memory(side * side, sizeof(double));
    if (!w->a || !w->b || !w->weights) {
        sup_tile_work_free(w);
        return 1;
    }
    sup_tile_fill(w->a, n * n, 3);
    sup_tile_fill(w->b, n * n, 0);
    for (size_t i = 0; i < side * side; i++) {
        double y = (double)(i / side) - (double)w->radius, x = (double)(i % side) - (double)w->radius;
        w->weights[i] = exp(-(x * x + y * y) / (2 * 1.5 * 1.5));
    }
    w->op = (sup_tile_op){.name = name,
                          .kernel = kernel,
                          .context = w,
                          .set_count = 2,
                          .set = {sup_tile_halo(w->a, n, n, n, sizeof(double), w->radius, 0),
                                  sup_tile_used(sup_tile_matrix(w->b, n, n, n, sizeof(double)), SUP_TILE_WRITE)}};
    if (kernel == blur) w->op.set[0].walk = SUP_TILE_WINDOW;
    return 0;
}

static int setup_blur(sup_tile_work *w, size_t n) { return setup(w, n, 0, blur, "blur"); }
static int setup_blur_20(sup_tile_work *w, size_t n) { return setup(w, n, 20, blur, "blur-20"); }
static int setup_blur_25(sup_tile_work *w, size_t n) { return setup(w, n, 25, blur, "blur-25"); }
static int setup_rows(sup_tile_work *w, size_t n) { return setup(w, n, 0, blur_rows, "blur-rows"); }
static int setup_rows_20(sup_tile_work *w, size_t n) { return setup(w, n, 20, blur_rows, "blur-rows-20"); }
static int setup_rows_25(sup_tile_work *w, size_t n) { return setup(w, n, 25, blur_rows, "blur-rows-25"); }

static int verify(const sup_tile_work *w) {
    const double *in = w->a, *out = w->b;
    ptrdiff_t n = (ptrdiff_t)w->n, radius = (ptrdiff_t)w->radius;
    for (ptrdiff_t s = 0; s < 40; s++) {
        ptrdiff_t i = s * 61 % n, j = s * 97 % n;
        double sum = 0;
        for (ptrdiff_t v = -radius; v <= radius; v++)
            for (ptrdiff_t h = -radius; h <= radius; h++)
                if (i + v >= 0 && i + v < n && j + h >= 0 && j + h < n)
                    sum += in[(i + v) * n + j + h] * w->weights[(v + radius) * (2 * radius + 1) + h + radius];
        if (fabs(out[i * n + j] - sum) > 1e-9 * (1 + fabs(sum))) return 0;
    }
    return 1;
}

#define WINDOW "Gaussian blur, a window around each element"
#define BY_ROWS "Gaussian blur, row by row"
const sup_tile_case sup_case_blur = {"blur", WINDOW, 1000, 1, 1 << 15, setup_blur, verify};
const sup_tile_case sup_case_blur_20 = {"blur-20", WINDOW, 1000, 1, 1 << 15, setup_blur_20, verify};
const sup_tile_case sup_case_blur_25 = {"blur-25", WINDOW, 1000, 1, 1 << 15, setup_blur_25, verify};
const sup_tile_case sup_case_blur_rows = {"blur-rows", BY_ROWS, 1000, 1, 1 << 15, setup_rows, verify};
const sup_tile_case sup_case_blur_rows_20 = {"blur-rows-20", BY_ROWS, 1000, 1, 1 << 15, setup_rows_20, verify};
const sup_tile_case sup_case_blur_rows_25 = {"blur-rows-25", BY_ROWS, 1000, 1, 1 << 15, setup_rows_25, verify};
