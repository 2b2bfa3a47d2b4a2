/* What holds for every strategy in the table (base/tile_strategy.h), so that a new one is tested by its row: names are
 * found again, every element is visited once in each phase, whoever may steal and whatever the shape, and failures stop
 * the others. And what the runtime does when nobody passes it a first guess. */
#include "tile/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tile_pool.h"

static void table(void **state) {
    (void)state;
    int count = 0;
    for (const sup_tile_trait *t; (t = sup_tile_trait_at(count)); count++) {
        assert_int_equal(t->strategy, count);
        assert_ptr_equal(sup_tile_trait_find(t->name), t);
        assert_string_equal(sup_tile_strategy_name(t->strategy), t->name);
        assert_true(t->parts != SUP_TILE_NO_PARTS || t->strategy == SUP_TILE_AUTO);
        const sup_tile_method *m = sup_tile_method_of(t->strategy);
        assert_true(m->cut && m->phase);
        if (m->possible) assert_null(sup_tile_method_of(m->instead)->possible);
    }
    assert_true(count > SUP_TILE_GUIDED);
    assert_null(sup_tile_trait_at(-1));
    assert_string_equal(sup_tile_strategy_name((sup_tile_strategy)count), "unknown");
    assert_int_equal(sup_tile_trait_find("of a later version")->strategy, SUP_TILE_AUTO);
    int listed = 0;
    for (sup_tile_parts parts = SUP_TILE_BANDS; parts <= SUP_TILE_REDEALT_PARTS; parts++)
        for (const sup_tile_trait *t = NULL; (t = sup_tile_trait_next(parts, t)); listed++)
            assert_int_equal(t->parts, parts);
    assert_int_equal(listed, count - 1);
}

/* ---- every element once -------------------------------------------------------------------------------------------*/

enum { ROWS = 61, COLS = 45 };

typedef struct visits {
    unsigned char seen[ROWS * COLS];
    int fails; /* row in which the kernel fails; -1 none */
} visits;

static int visit(const sup_tile_task *t, void *context) {
    const visits *v = context;
    const sup_tile_part *p = &t->part[0];
    unsigned char *seen = p->data;
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->cols; c++) seen[r * p->pitch + c]++;
    return v->fails >= (int)p->row && v->fails < (int)(p->row + p->rows) ? 42 : 0;
}

static void run_one(sup_tile *tile, const sup_tile_cut *cut, unsigned flags, int phases) {
    visits v = {.fails = -1};
    sup_tile_op op = {.kernel = visit,
                      .context = &v,
                      .set_count = 1,
                      .set = {sup_tile_used(sup_tile_matrix(v.seen, ROWS, COLS, COLS, 1), SUP_TILE_UPDATE)},
                      .flags = flags | SUP_TILE_CHECK,
                      .phases = phases,
                      .cut = *cut};
    sup_tile_report report;
    assert_int_equal(sup_tile_run(tile, &op, NULL, &report), SUP_OK);
    for (size_t i = 0; i < sizeof v.seen; i++) assert_int_equal(v.seen[i], phases ? phases : 1);
    const sup_tile_method *m = sup_tile_method_of(cut->strategy);
    if (cut->strategy) assert_true(report.strategy == cut->strategy || (m->possible && report.strategy == m->instead));
    v.fails = ROWS / 2;
    assert_int_equal(sup_tile_run(tile, &op, NULL, NULL), 42);
}

static void every_element_once(void **state) {
    (void)state;
    static const sup_tile_cut shapes[] = {{.shape = {0}},
                                          {.shape = {16, 8, 1}},
                                          {.shape = {ROWS, 1, 1}},
                                          {.shape = {20, 30, 1}, .inner = {3, 7, 1}},
                                          {.target_bytes = 64}};
    static const int workers[] = {1, 2, 3, 4, 7};
    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
        sup_tile *tile = pool(workers[w]);
        const sup_tile_trait *t;
        for (int s = 0; (t = sup_tile_trait_at(s)); s++)
            for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
                sup_tile_cut cut = shapes[i];
                cut.strategy = t->strategy;
                if (cut.target_bytes && sup_tile_method_of(t->strategy)->own_cut_only) continue;
                run_one(tile, &cut, 0, 0);
                run_one(tile, &cut, 0, 3);
                run_one(tile, &cut, SUP_TILE_IRREGULAR, 0);
            }
        sup_tile_close(tile);
    }
}

/* ---- first guesses ------------------------------------------------------------------------------------------------*/

static sup_status guess_parts(const void *context, const sup_tile_problem *problem, sup_plan_tile *out) {
    ++*(int *)(uintptr_t)context;
    const int64_t shape[] = {8, 8, 1};
    sup_status status = sup_plan_tile_begin(problem, out);
    if (!status) status = sup_plan_tile_add(out, "contiguous", shape, 3);
    return status ? status : sup_plan_tile_publish(out, 0);
}

static void guesses_are_passed_in(void **state) {
    (void)state;
    for (int workers = 1; workers <= 2; workers++) {
        visits v = {.fails = -1};
        sup_tile_op op = {.name = "guessed",
                          .kernel = visit,
                          .context = &v,
                          .set_count = 1,
                          .set = {sup_tile_used(sup_tile_matrix(v.seen, ROWS, COLS, COLS, 1), SUP_TILE_UPDATE)}};
        sup_tile_options options = {.workers = workers};
        sup_tile_report report;
        sup_tile *tile = NULL;
        int asked = 0;
        assert_int_equal(sup_tile_start(&options, NULL, &tile), SUP_OK);
        assert_int_equal(sup_tile_run(tile, &op, NULL, &report), SUP_OK);
        assert_int_equal(report.strategy, workers > 1 ? SUP_TILE_GUIDED : SUP_TILE_HORIZONTAL);
        op.name = "another";
        tile->guesser = (sup_tile_guesser){guess_parts, &asked, NULL};
        for (int i = 0; i < 2; i++) assert_int_equal(sup_tile_run(tile, &op, NULL, &report), SUP_OK);
        assert_int_equal(report.strategy, SUP_TILE_CONTIGUOUS);
        assert_int_equal(asked, 1);
        sup_tile_close(tile);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(every_element_once),
        cmocka_unit_test(guesses_are_passed_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
