/* Matrix product and transpose, double and int32 (CACHE §5.2): the plain loops. */
#include "kernels/tile/cases.h"

enum { SAMPLES = 64 };

static size_t sample(size_t k, size_t n) { return (k * 2654435761u + k * k) % n; }

/* The loops stay as they are written: no interchange, no tiling by the compiler. */
static int product_double(const sup_tile_task *t, void *unused) {
    const sup_tile_part *a = &t->part[0], *b = &t->part[1], *c = &t->part[2];
    const double *A = a->data, *B = b->data;
    double *C = c->data;
    (void)unused;
    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j < c->cols; j++) {
            double sum = t->first ? 0 : C[i * c->pitch + j];
            for (size_t k = 0; k < a->cols; k++) sum += A[i * a->pitch + k] * B[k * b->pitch + j];
            C[i * c->pitch + j] = sum;
        }
    return 0;
}

static int product_int(const sup_tile_task *t, void *unused) {
    const sup_tile_part *a = &t->part[0], *b = &t->part[1], *c = &t->part[2];
    const int32_t *A = a->data, *B = b->data;
    int32_t *C = c->data;
    (void)unused;
    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j < c->cols; j++) {
            int32_t sum = t->first ? 0 : C[i * c->pitch + j];
            for (size_t k = 0; k < a->cols; k++) sum += A[i * a->pitch + k] * B[k * b->pitch + j];
            C[i * c->pitch + j] = sum;
        }
    return 0;
}

static int transpose_double(const sup_tile_task *t, void *unused) {
    const sup_tile_part *in = &t->part[0], *out = &t->part[1];
    const double *A = in->data;
    double *B = out->data;
    (void)unused;
    for (size_t i = 0; i < in->rows; i++)
        for (size_t j = 0; j < in->cols; j++) B[j * out->pitch + i] = A[i * in->pitch + j];
    return 0;
}

static int transpose_int(const sup_tile_task *t, void *unused) {
    const sup_tile_part *in = &t->part[0], *out = &t->part[1];
    const int32_t *A = in->data;
    int32_t *B = out->data;
    (void)unused;
    for (size_t i = 0; i < in->rows; i++)
        for (size_t j = 0; j < in->cols; j++) B[j * out->pitch + i] = A[i * in->pitch + j];
    return 0;
}

/* Element (i, j) of a matrix of the work; small whole numbers are exact in either type. */
static double at(const sup_tile_work *w, const void *matrix, size_t i, size_t j) {
    size_t place = i * w->n + j;
    return w->op.set[0].element == sizeof(double) ? ((const double *)matrix)[place] : ((const int32_t *)matrix)[place];
}

static int verify_product(const sup_tile_work *w) {
    for (size_t s = 0; s < SAMPLES; s++) {
        size_t i = sample(s, w->n), j = sample(s + 99, w->n);
        double sum = 0;
        for (size_t k = 0; k < w->n; k++) sum += at(w, w->a, i, k) * at(w, w->b, k, j);
        if (at(w, w->c, i, j) != sum) return 0;
    }
    return 1;
}

static int verify_transpose(const sup_tile_work *w) {
    for (size_t s = 0; s < SAMPLES; s++) {
        size_t i = sample(s, w->n), j = sample(s + 99, w->n);
        if (at(w, w->b, j, i) != at(w, w->a, i, j)) return 0;
    }
    return 1;
}

static int allocate(sup_tile_work *w, size_t n, size_t element, int count) {
    *w = (sup_tile_work){.n = n};
    void **at[] = {&w->a, &w->b, &w->c};
    for (int i = 0; i < count; i++) {
        *at[i] = sup_tile_memory(n * n, element);
        if (!*at[i]) {
            sup_tile_work_free(w);
            return 1;
        }
        if (element == sizeof(double))
            sup_tile_fill(*at[i], n * n, (size_t)i);
        else
            sup_tile_fill_int(*at[i], n * n, (size_t)i);
    }
    return 0;
}

static int setup_product(sup_tile_work *w, size_t n, size_t element, sup_tile_kernel *kernel, const char *name) {
    if (allocate(w, n, element, 3)) return 1;
    w->op = (sup_tile_op){.name = name,
                          .kernel = kernel,
                          .set_count = 3,
                          .set = {sup_tile_left(w->a, n, n, n, element), sup_tile_right(w->b, n, n, n, element),
                                  sup_tile_product(w->c, n, n, n, element)}};
    return 0;
}

static int setup_transpose(sup_tile_work *w, size_t n, size_t element, sup_tile_kernel *kernel, const char *name) {
    if (allocate(w, n, element, 2)) return 1;
    w->op = (sup_tile_op){.name = name,
                          .kernel = kernel,
                          .set_count = 2,
                          .set = {sup_tile_matrix(w->a, n, n, n, element),
                                  sup_tile_used(sup_tile_transposed(w->b, n, n, n, element), SUP_TILE_WRITE)}};
    return 0;
}

static int setup_product_double(sup_tile_work *w, size_t n) {
    return setup_product(w, n, sizeof(double), product_double, "matmult");
}
static int setup_product_int(sup_tile_work *w, size_t n) {
    return setup_product(w, n, sizeof(int32_t), product_int, "matmult-int");
}
static int setup_transpose_double(sup_tile_work *w, size_t n) {
    return setup_transpose(w, n, sizeof(double), transpose_double, "transpose");
}
static int setup_transpose_int(sup_tile_work *w, size_t n) {
    return setup_transpose(w, n, sizeof(int32_t), transpose_int, "transpose-int");
}

const sup_tile_case sup_case_matmult = {"matmult", "matrix product of doubles", 1000,          1,
                                        1 << 15,   setup_product_double,        verify_product};
const sup_tile_case sup_case_matmult_int = {"matmult-int", "matrix product of 32-bit integers",
                                            1000,          1,
                                            1 << 15,       setup_product_int,
                                            verify_product};
const sup_tile_case sup_case_transpose = {
    "transpose", "matrix transpose of doubles", 5000, 1, 1 << 16, setup_transpose_double, verify_transpose};
const sup_tile_case sup_case_transpose_int = {"transpose-int", "matrix transpose of 32-bit integers",
                                              10000,           1,
                                              1 << 16,         setup_transpose_int,
                                              verify_transpose};
