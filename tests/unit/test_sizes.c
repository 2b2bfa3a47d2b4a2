/* The curve of sizes as files hold it: points with all that is known about them, and a curve that reads back the same.
 */
#include "base/file/record.h"
#include "measure/pair/sizes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static sup_sizes measured(double typical) {
    sup_sizes s;
    sup_sizes_init(&s, 1, 1 << 20, 40, 2.0);
    for (size_t x; (x = sup_sizes_next(&s)) > 0;) {
        double y = x < 3000 ? 3e-7 + 1e-10 * (double)x : 2e-6 + 2e-10 * (double)x;
        sup_timing t = {.seconds = y, .ci = 0.01 * y, .typical = typical * y, .bad = 2.0 * y, .n = (int64_t)x};
        sup_sizes_add(&s, x, &t);
    }
    return s;
}

static void points_have_all_that_is_known(void **state) {
    (void)state;
    sup_sizes s = measured(1.2);
    sup_file_curve *file;
    assert_int_equal(sup_sizes_file_curve(&s, NULL, &file), SUP_OK);
    const sup_points *p = file->points;
    assert_true(file->nondecreasing && p->x_count == s.count && p->y_count == s.count && p->ci_count == s.count);
    assert_true(p->typical_count == s.count && p->bad_count == s.count && p->n_count == s.count);
    for (size_t i = 0; i < s.count; i++) {
        assert_true(p->x[i] == s.x[i] && p->y[i] == s.y[i] && p->ci[i] == s.timing[i].ci && p->n[i] == (int64_t)s.x[i]);
        assert_true(p->typical[i] == s.timing[i].typical && p->bad[i] == s.timing[i].bad);
        assert_true(fabs(sup_curve_at(file->curve, p->x[i]) / p->y[i] - 1.0) < 0.01);
    }
    assert_int_equal(sup_record_check(&sup_file_curve_record, file, NULL), SUP_OK);
    sup_record_clear(&sup_file_curve_record, file);
    free(file);
}

static void what_is_not_known_is_left_out(void **state) {
    (void)state;
    sup_sizes s = measured(NAN);
    sup_file_curve *file;
    s.timing[3].ci = NAN;
    assert_int_equal(sup_sizes_file_curve(&s, NULL, &file), SUP_OK);
    assert_true(file->points->ci_count == 0 && file->points->typical_count == 0);
    assert_true(file->points->bad_count == s.count);
    sup_record_clear(&sup_file_curve_record, file);
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_all_that_is_known),
        cmocka_unit_test(what_is_not_known_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
