/* Tasks that wait until the parts of the next have been asked for (src/tile/exec.c): each runs once, in its phase, with
 * or without stealing, and a failure still stops the others. */
#include <superstep/tile.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_tile *pool(int workers) {
    sup_tile *tile = NULL;
    sup_tile_options options = {.workers = workers};
    assert_int_equal(sup_tile_open(&options, NULL, &tile), SUP_OK);
    assert_int_equal(sup_tile_workers(tile), workers);
    return tile;
}

typedef struct visits {
    int width, phase_ends;
    _Atomic int ran[3][64 * 48];
    int stop_at; /* task row at which the kernel fails; -1 never */
    _Atomic int total;
} visits;

static int visit(const sup_tile_task *t, void *context) {
    visits *v = context;
    const sup_tile_part *p = &t->part[0], *q = &t->part[1];
    const int *in = p->data;
    int *out = q->data;
    atomic_fetch_add(&v->total, 1);
    if (v->stop_at >= 0 && (int)p->row >= v->stop_at) return 9;
    for (size_t i = 0; i < p->rows; i++)
        for (size_t j = 0; j < p->cols; j++) {
            out[j * q->pitch + i] = in[i * p->pitch + j];
            atomic_fetch_add(&v->ran[t->phase][(p->row + i) * (size_t)v->width + p->col + j], 1);
        }
    return 0;
}

static int end_of_phase(int phase, void *context) {
    visits *v = context;
    for (int i = 0; i < 64 * 48; i++)
        if (v->ran[phase][i] != 1) return -5; /* a task that still waits */
    v->phase_ends++;
    return 0;
}

static void ahead(void **state) {
    (void)state;
    static int in[64 * 48], out[48 * 64];
    const int workers[] = {1, 2, 3};
    for (int i = 0; i < 64 * 48; i++) in[i] = i;
    for (size_t w = 0; w < 3; w++)
        for (int stealing = 0; stealing < 2; stealing++) {
            sup_tile *tile = pool(workers[w]);
            visits *v = calloc(1, sizeof *v);
            v->width = 48;
            v->stop_at = -1;
            memset(out, 0, sizeof out);
            sup_tile_op op = {.kernel = visit,
                              .context = v,
                              .set_count = 2,
                              .set = {sup_tile_matrix(in, 64, 48, 48, sizeof(int)),
                                      sup_tile_used(sup_tile_transposed(out, 48, 64, 64, sizeof(int)), SUP_TILE_WRITE)},
                              .flags = SUP_TILE_CHECK | (stealing ? SUP_TILE_IRREGULAR : 0),
                              .phases = 3,
                              .between = end_of_phase,
                              .cut = {.strategy = SUP_TILE_AHEAD, .shape = {32, 16, 1}, .inner = {5, 3, 1}}};
            sup_tile_report report;
            assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
            assert_int_equal(v->phase_ends, 3);
            assert_int_equal(report.strategy, SUP_TILE_AHEAD);
            for (int i = 0; i < 64; i++)
                for (int j = 0; j < 48; j++) assert_int_equal(out[j * 64 + i], in[i * 48 + j]);
            memset(v, 0, sizeof *v);
            v->width = 48;
            v->stop_at = 0;
            assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 9);
            assert_true(v->total <= workers[w]); /* each was at most in the one that failed */
            free(v);
            sup_tile_close(tile);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
