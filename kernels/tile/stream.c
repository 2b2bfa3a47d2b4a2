/* Kernels that visit their data once: SAXPY, the Fourier series of Java Grande (CACHE §5.2), and a 5-point stencil
 * sweep whose phases are separated by a barrier. */
#include "kernels/tile/cases.h"

#include <math.h>
#include <string.h>

static int saxpy(const sup_tile_task *t, void *unused) {
    const float *x = t->part[0].data;
    float *y = t->part[1].data;
    (void)unused;
    for (size_t i = 0; i < t->part[0].cols; i++) y[i] = 0.5f * x[i] + y[i];
    return 0;
}

static int setup_saxpy(sup_tile_work *w, size_t n) {
    *w = (sup_tile_work){.n = n, .a = sup_tile_memory(n, sizeof(float)), .b = sup_tile_memory(n, sizeof(float))};
    float *x = w->a, *y = w->b;
    if (!x || !y) {
        sup_tile_work_free(w);
        return 1;
    }
    for (size_t i = 0; i < n; i++) x[i] = 0, y[i] = (float)(i % 100); /* stays as it is however often it is run */
    w->op = (sup_tile_op){.name = "saxpy",
                          .kernel = saxpy,
                          .set_count = 2,
                          .set = {sup_tile_vector(x, n, sizeof(float)),
                                  sup_tile_used(sup_tile_vector(y, n, sizeof(float)), SUP_TILE_UPDATE)}};
    return 0;
}

static int verify_saxpy(const sup_tile_work *w) {
    const float *y = w->b;
    for (size_t i = 0; i < w->n; i += 1 + w->n / 1000)
        if (y[i] != (float)(i % 100)) return 0;
    return 1;
}

/* ---- series -------------------------------------------------------------------------------------------------------*/

void sup_series_pair(size_t k, double *pair) {
    enum { STEPS = 1000 };
    double dx = 2.0 / STEPS, cosine = 0, sine = 0;
    for (int i = 0; i <= STEPS; i++) {
        double x = i * dx, weight = i == 0 || i == STEPS ? 0.5 : 1, f = weight * pow(x + 1, x);
        cosine += f * cos(3.14159265358979323846 * (double)k * x);
        sine += f * sin(3.14159265358979323846 * (double)k * x);
    }
    pair[0] = cosine * dx;
    pair[1] = sine * dx;
}

static int series(const sup_tile_task *t, void *unused) {
    double *out = t->part[0].data;
    (void)unused;
    for (size_t i = 0; i < t->part[0].cols; i++) sup_series_pair(t->part[0].col + i, out + 2 * i);
    return 0;
}

static int setup_series(sup_tile_work *w, size_t n) {
    *w = (sup_tile_work){.n = n, .a = sup_tile_memory(n, 2 * sizeof(double))};
    if (!w->a) return 1;
    memset(w->a, 0, n * 2 * sizeof(double));
    w->op = (sup_tile_op){.name = "series",
                          .kernel = series,
                          .set_count = 1,
                          .set = {sup_tile_used(sup_tile_vector(w->a, n, 2 * sizeof(double)), SUP_TILE_WRITE)}};
    return 0;
}

static int verify_series(const sup_tile_work *w) {
    const double *out = w->a;
    double pair[2];
    sup_series_pair(w->n - 1, pair);
    return out[2 * w->n - 2] == pair[0] && out[2 * w->n - 1] == pair[1];
}

/* ---- stencil ------------------------------------------------------------------------------------------------------*/

enum { SWEEPS = 10 };

static int stencil(const sup_tile_task *t, void *context) {
    const sup_tile_work *w = context;
    const sup_tile_part *p = &t->part[0];
    size_t offset = (p->row + 1) * (w->n + 2) + p->col + 1;
    const double *in = (t->phase % 2 ? w->b : w->a);
    double *out = (t->phase % 2 ? w->a : w->b);
    for (size_t i = 0; i < p->rows; i++) {
        const double *x = in + offset + i * p->pitch;
        double *y = out + offset + i * p->pitch;
        for (size_t j = 0; j < p->cols; j++)
            y[j] = 0.25 * (x[j - 1] + x[j + 1] + x[(ptrdiff_t)j - (ptrdiff_t)p->pitch] + x[j + p->pitch]);
    }
    return 0;
}

static int setup_stencil(sup_tile_work *w, size_t n) {
    size_t side = n + 2;
    *w = (sup_tile_work){.n = n,
                         .a = sup_tile_memory(side * side, sizeof(double)),
                         .b = sup_tile_memory(side * side, sizeof(double))};
    if (!w->a || !w->b) {
        sup_tile_work_free(w);
        return 1;
    }
    double *a = w->a, *b = w->b;
    for (size_t i = 0; i < side * side; i++) a[i] = b[i] = (double)(i % side + i / side); /* harmonic: it stays so */
    w->op = (sup_tile_op){.name = "stencil",
                          .kernel = stencil,
                          .context = w,
                          .phases = SWEEPS,
                          .set_count = 1,
                          .set = {sup_tile_halo(a + side + 1, n, n, side, sizeof(double), 1, 1)}};
    return 0;
}

static int verify_stencil(const sup_tile_work *w) {
    const double *a = w->a, *b = w->b;
    size_t side = w->n + 2;
    for (size_t i = 0; i < side * side; i += 1 + side / 3)
        if (a[i] != (double)(i % side + i / side) || b[i] != a[i]) return 0;
    return 1;
}

const sup_tile_case sup_case_saxpy = {"saxpy", "y = a x + y", 10000000, 1, (size_t)1 << 32, setup_saxpy, verify_saxpy};
const sup_tile_case sup_case_series = {"series", "Fourier coefficients", 10000,        1,
                                       1 << 24,  setup_series,           verify_series};
const sup_tile_case sup_case_stencil = {"stencil",     "5-point stencil, 10 sweeps", 2000, 1, 1 << 15, setup_stencil,
                                        verify_stencil};
