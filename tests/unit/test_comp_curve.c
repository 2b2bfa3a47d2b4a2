/* A rate as far as it is known: which footprint comes next, and what the profile gets. */
#include "measure/comp/curve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static void add(sup_comp_curve *c, size_t asked, double seconds, int64_t n) {
    sup_comp_curve_add(c, asked,
                       &(sup_timing){.seconds = seconds,
                                     .ci = 0.02 * seconds,
                                     .typical = 1.1 * seconds,
                                     .bad = 1.4 * seconds,
                                     .n = n,
                                     .footprint = (double)(asked / 1000 * 1000)});
}

static void keeps_an_order(void **state) {
    (void)state;
    sup_comp_curve c = {0};
    add(&c, 8000, 2.0, 10);
    add(&c, 1000, 1.0, 10);
    add(&c, 1100, 3.0, 5); /* the same footprint, known less well */
    assert_int_equal(c.count, 2);
    assert_true(c.spots[0].bytes == 1000.0 && c.spots[0].timing.seconds == 1.0 && c.spots[1].bytes == 8000.0);
    add(&c, 1200, 1.5, 50); /* known better */
    assert_true(c.spots[0].timing.seconds == 1.5);
    add(&c, 4000, 0.0, 1); /* no time is no rate */
    sup_comp_curve_add(&c, 5000, &(sup_timing){.seconds = NAN, .footprint = 5000.0});
    sup_comp_curve_add(&c, 6000, &(sup_timing){.seconds = 1.0, .footprint = 6000.0, .status = SUP_ENOTSUP});
    assert_int_equal(c.count, 2);
    double bytes = 0.0;
    c.spots[1].timing.ci = NAN;
    NEAR(sup_comp_curve_worst(&c, &bytes), 1.0, 1e-9); /* an interval that is unknown is a wide one */
    assert_true(bytes == 8000.0);
    for (size_t i = 0; i < 200; i++) add(&c, 100000 + 1000 * i, 1.0, 1);
    assert_int_equal(c.count, SUP_COMP_SPOTS);
}

/* Steps are bisected until they are located; level parts only as far as a gap is wide. */
static void bisects_steps(void **state) {
    (void)state;
    const double step = 300000.0;
    sup_comp_curve c = {0};
    size_t next, asked = 4;
    for (size_t b = 10000; b < 30000000; b *= 13) add(&c, b, (double)b < step ? 1.0 : 2.0, 10);
    while ((next = sup_comp_curve_next(&c)) && asked++ < 40) add(&c, next, (double)next < step ? 1.0 : 2.0, 10);
    assert_true(asked < 24);
    double below = 0.0, above = INFINITY;
    for (size_t i = 0; i < c.count; i++) {
        if (c.spots[i].bytes < step) below = fmax(below, c.spots[i].bytes);
        if (c.spots[i].bytes >= step) above = fmin(above, c.spots[i].bytes);
    }
    assert_true(above / below < 1.3);
    for (size_t i = 0; i + 1 < c.count; i++) assert_true(c.spots[i + 1].bytes < 15.0 * c.spots[i].bytes);

    sup_comp_curve level = {0};
    add(&level, 10000, 1.0, 10);
    add(&level, 30000, 1.0, 10);
    add(&level, 90000, 1.001, 10);
    assert_int_equal(sup_comp_curve_next(&level), 0);
}

/* A kernel that rounds its sizes may never get to a middle: it is not asked for again. */
static void rounded_sizes_end(void **state) {
    (void)state;
    sup_comp_curve c = {0};
    sup_timing t = {.seconds = 1.0, .ci = 0.01, .typical = 1.0, .bad = 1.0, .n = 4, .footprint = 1000.0};
    sup_comp_curve_add(&c, 1000, &t);
    t.seconds = 2.0, t.footprint = 64000.0;
    sup_comp_curve_add(&c, 64000, &t);
    assert_int_equal(sup_comp_curve_next(&c), 8000);
    sup_comp_curve_add(&c, 8000, &t);
    assert_int_equal(sup_comp_curve_next(&c), 0);
}

static void fills_a_profile(void **state) {
    (void)state;
    sup_comp_curve c = {0};
    for (size_t b = 4000; b < 5000000; b *= 2) add(&c, b, b < 60000 ? 1e-9 : 2e-9, 10);
    sup_file_curve *file = sup_record_make(&sup_file_curve_record);
    assert_non_null(file);
    assert_int_equal(sup_comp_curve_store(&c, file, NULL), SUP_OK);
    assert_int_equal(file->points->x_count, c.count);
    assert_int_equal(file->points->typical_count, c.count);
    assert_int_equal(file->points->bad_count, c.count);
    NEAR(sup_curve_at(file->curve, 16000.0), 1e-9, 1e-11);
    NEAR(sup_curve_at(file->curve, 512000.0), 2e-9, 2e-11);
    NEAR(file->points->bad[0], 1.4e-9, 1e-15);
    assert_int_equal(file->points->n[0], 10);
    sup_record_clear(&sup_file_curve_record, file);
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_an_order), cmocka_unit_test(bisects_steps),
                                       cmocka_unit_test(rounded_sizes_end), cmocka_unit_test(fills_a_profile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
