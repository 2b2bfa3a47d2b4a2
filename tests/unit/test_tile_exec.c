/* Tasks that wait until the parts of the next have been asked for, and bands of which some are done at a time
 * (src/tile/exec.c): each runs once, in its phase, with or without stealing, and a failure still stops the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tile_pool.h"

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

/* ---- bands, some at a time ---- */

typedef struct bands {
    _Atomic int ran[10000];
    _Atomic int tasks, most, done; /* most: rows of a task */
    int rows, slow, fails;         /* the row that waits for all others, or fails; -1 none */
} bands;

static int count_rows(const sup_tile_task *t, void *context) {
    bands *b = context;
    const sup_tile_part *p = &t->part[0];
    assert_true(t->first && t->last && p->cols == 3 && p->data);
    atomic_fetch_add(&b->tasks, 1);
    if ((int)p->rows > atomic_load(&b->most)) atomic_store(&b->most, (int)p->rows);
    for (size_t r = p->row; r < p->row + p->rows; r++) {
        atomic_fetch_add(&b->ran[r], 1);
        if ((int)r == b->fails) return 7;
    }
    if ((int)p->row <= b->slow && b->slow < (int)(p->row + p->rows)) /* until all the rest is done */
        while (atomic_load(&b->done) < b->rows - (int)p->rows) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    atomic_fetch_add(&b->done, (int)p->rows);
    if (t->result) ++*(long *)t->result;
    return 0;
}

static void add(void *into, const void *from, void *context) {
    (void)context;
    *(long *)into += *(const long *)from;
}

static bands *run_bands(sup_tile *tile, size_t rows, const bands *like, unsigned flags, int phases, bool result,
                        int code, sup_tile_report *report) {
    static char memory[10000 * 3];
    bands *b = calloc(1, sizeof *b);
    long sum = 0;
    b->rows = (int)rows, b->slow = like->slow, b->fails = like->fails;
    sup_tile_op op = {.kernel = count_rows,
                      .context = b,
                      .set_count = 1,
                      .set = {sup_tile_used(sup_tile_matrix(memory, rows, 3, 3, 1), SUP_TILE_WRITE)},
                      .flags = flags,
                      .phases = phases,
                      .cut = {.strategy = SUP_TILE_GUIDED}};
    if (result) op.result_bytes = sizeof sum, op.result = &sum, op.reduce = add;
    assert_int_equal(sup_tile_run(tile, &op, NULL, report), code);
    for (size_t r = 0; r < rows && !code; r++) assert_int_equal(b->ran[r], phases ? phases : 1);
    if (result && !code) assert_int_equal(sum, b->tasks);
    return b;
}

static int nothing(const sup_tile_task *t, void *context) {
    (void)t, (void)context;
    return 0;
}

/* What was decided for an operation of one phase is not used for the same one with several. */
static void same_name(sup_tile *tile) {
    static char memory[64 * 3];
    sup_tile_report report;
    sup_tile_op op = {.name = "same", .kernel = nothing, .set_count = 1, .set = {sup_tile_matrix(memory, 64, 3, 3, 1)}};
    for (int i = 0; i < 4; i++) {
        op.phases = i % 2 ? 3 : 0;
        op.flags = SUP_TILE_NO_LEARNING;
        assert_int_equal(sup_tile_run(tile, &op, NULL, &report), 0);
        bool can = !op.phases && sup_tile_workers(tile) > 1;
        assert_int_equal(report.strategy, can ? SUP_TILE_GUIDED : SUP_TILE_HORIZONTAL);
    }
}

/* Every row once; a row that takes long keeps nobody from the rest (or this would never end): the first one, because a
 * worker that was quick with it would take all its others at once;
 * where bands cannot be anybody's it is one band a worker; a failure ends it. */
static void guided(void **state) {
    (void)state;
    static const int workers[] = {1, 2, 3, 7};
    static const size_t rows[] = {0, 1, 2, 64, 1001, 10000};
    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
        sup_tile *tile = pool(workers[w]);
        sup_tile_report report;
        bands quick = {.slow = -1, .fails = -1}, slow = {.slow = 0, .fails = -1}, fails = {.slow = -1, .fails = 0};
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            bands *b = run_bands(tile, rows[r], &quick, SUP_TILE_CHECK, 0, false, 0, &report);
            bool can = workers[w] > 1 && rows[r] > 0;
            if (rows[r]) assert_int_equal(report.strategy, can ? SUP_TILE_GUIDED : SUP_TILE_HORIZONTAL);
            assert_true(b->tasks <= report.tasks && b->most <= (int)rows[r]);
            free(b);
        }
        free(run_bands(tile, 1001, &quick, SUP_TILE_IRREGULAR, 3, true, 0, &report));
        assert_int_equal(report.strategy, workers[w] > 1 ? SUP_TILE_GUIDED : SUP_TILE_HORIZONTAL);
        free(run_bands(tile, 1001, &quick, 0, 3, false, 0, &report));
        assert_int_equal(report.strategy, SUP_TILE_HORIZONTAL);
        free(run_bands(tile, 1001, &quick, 0, 0, true, 0, &report));
        assert_int_equal(report.strategy, SUP_TILE_HORIZONTAL);
        if (workers[w] > 1) free(run_bands(tile, 1001, &slow, 0, 0, false, 0, &report));
        if (workers[w] > 1) assert_true(report.stolen > 0);
        free(run_bands(tile, 1001, &fails, 0, 0, false, 7, NULL));
        same_name(tile);
        sup_tile_close(tile);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ahead), cmocka_unit_test(guided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
