/* OpenMP as one would write it: the plain loops with `parallel for` over rows, and with collapse(2). */
#include "tile_peers.h"

#include <string.h>

/* A task of rows [i, i + 1) and everything else whole: the same inner loops as ours. */
static void one_row(const sup_tile_work *w, size_t i, int phase) {
    sup_tile_part part[SUP_TILE_SETS];
    sup_tile_task task = {.part = part, .first = true, .last = true, .phase = phase};
    for (int s = 0; s < w->op.set_count; s++) {
        const sup_tile_set *set = &w->op.set[s];
        sup_tile_part *p = &part[s];
        *p = (sup_tile_part){.data = set->data, .rows = set->rows, .cols = set->cols, .pitch = set->pitch};
        if (set->row_axis == SUP_TILE_I) {
            p->row = i;
            p->rows = 1;
            p->data = (char *)set->data + i * set->pitch * set->element;
            size_t above = i + set->border, below = set->rows - 1 - i + set->border;
            p->above = set->halo_rows < above ? set->halo_rows : above;
            p->below = set->halo_rows < below ? set->halo_rows : below;
            p->left = p->right = set->border < set->halo_cols ? set->border : set->halo_cols;
        } else if (set->col_axis == SUP_TILE_I) {
            p->col = i;
            p->cols = 1;
            p->data = (char *)set->data + i * set->element;
        }
    }
    w->op.kernel(&task, w->op.context);
}

static void rows(const sup_tile_work *w, int threads) {
    size_t n = w->op.set[0].rows;
    int phases = w->op.phases ? w->op.phases : 1;
    for (int phase = 0; phase < phases; phase++) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t i = 0; i < n; i++) one_row(w, i, phase);
    }
}

static void saxpy(const sup_tile_work *w, int threads) {
    const float *x = w->a;
    float *y = w->b;
    size_t n = w->n;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) y[i] = 0.5f * x[i] + y[i];
}

static void series(const sup_tile_work *w, int threads) {
    double *out = w->a;
    size_t n = w->n;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) sup_series_pair(i, out + 2 * i);
}

bool tile_omp_rows(const char *name, const sup_tile_work *w, int threads) {
    if (strcmp(name, "saxpy") == 0)
        saxpy(w, threads);
    else if (strcmp(name, "series") == 0)
        series(w, threads);
    else
        rows(w, threads);
    return true;
}

static void product(const double *A, const double *B, double *C, size_t n, int threads) {
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

static void product_int(const int32_t *A, const int32_t *B, int32_t *C, size_t n, int threads) {
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (size_t k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

static void transpose(const double *A, double *B, size_t n, int threads) {
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) B[j * n + i] = A[i * n + j];
}

static void transpose_int(const int32_t *A, int32_t *B, size_t n, int threads) {
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) B[j * n + i] = A[i * n + j];
}

bool tile_omp_cells(const char *name, const sup_tile_work *w, int threads) {
    if (strcmp(name, "matmult") == 0)
        product(w->a, w->b, w->c, w->n, threads);
    else if (strcmp(name, "matmult-int") == 0)
        product_int(w->a, w->b, w->c, w->n, threads);
    else if (strcmp(name, "transpose") == 0)
        transpose(w->a, w->b, w->n, threads);
    else if (strcmp(name, "transpose-int") == 0)
        transpose_int(w->a, w->b, w->n, threads);
    else
        return false;
    return true;
}

bool tile_omp_copy(const sup_tile_work *w, int threads) {
    const char *from = w->a;
    char *to = w->b;
    size_t row = w->n * w->op.set[0].element;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < w->n; i++) memcpy(to + i * row, from + i * row, row);
    return true;
}
