/* Least squares: exact lines, and intervals with their promised coverage. */
#include "../random_real.h"
#include "base/number/lsq.h"
#include "base/number/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static void exact_line(void **state) {
    (void)state;
    const double x[] = {1, 4096, 1e8, 64}, y[] = {3e-6 + 2e-10, 3e-6 + 2e-10 * 4096, 3e-6 + 2e-2, 3e-6 + 2e-10 * 64};
    for (int w = SUP_WEIGHT_RELATIVE; w <= SUP_WEIGHT_EQUAL; w++) {
        sup_line l;
        assert_int_equal(sup_line_fit(x, y, 4, (sup_weighting)w, &l), SUP_OK);
        NEAR(l.slope / 2e-10, 1, 1e-9);
        NEAR(l.residual, 0, 1e-9);
    }
    sup_line l;
    assert_int_equal(sup_line_fit(x, y, 4, SUP_WEIGHT_RELATIVE, &l), SUP_OK);
    NEAR(l.intercept / 3e-6, 1, 1e-9);
    NEAR(sup_line_at(&l, 1000) / (3e-6 + 2e-7), 1, 1e-9);
}

/* Anscombe's first data set; standard errors as in every textbook. */
static void known_regression(void **state) {
    (void)state;
    const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    sup_line l;
    assert_int_equal(sup_line_fit(x, y, 11, SUP_WEIGHT_EQUAL, &l), SUP_OK);
    NEAR(l.intercept, 3.0000909, 1e-7);
    NEAR(l.slope, 0.5000909, 1e-7);
    NEAR(l.intercept_sd, 1.1247468, 1e-7);
    NEAR(l.slope_sd, 0.1179055, 1e-7);
    NEAR(l.residual, 1.2366033, 1e-7);
    sup_interval slope = sup_line_slope_interval(&l, 0.95), at = sup_line_intercept_interval(&l, 0.95);
    NEAR(slope.low, 0.2333701, 1e-6);
    NEAR(slope.high, 0.7668117, 1e-6);
    NEAR(at.low, 0.4557369, 1e-6);
    NEAR(sup_line_at(&l, 9.0), 7.500909, 1e-6);
    double w[11];
    for (int i = 0; i < 11; i++) w[i] = 1;
    sup_line lw;
    assert_int_equal(sup_line_fit_weighted(x, y, w, 11, &lw), SUP_OK);
    NEAR(lw.slope, l.slope, 1e-14);
    NEAR(lw.slope_sd, l.slope_sd, 1e-14);
}

/* Relative noise over six orders of magnitude: equal weights lose the intercept, relative ones do not. */
static void relative_weights_keep_small_times(void **state) {
    (void)state;
    sup_random r = {.state = 3};
    int slope = 0, intercept = 0, runs = 1000;
    double worst_relative = 0, worst_equal = 0, bias = 0;
    for (int run = 0; run < runs; run++) {
        double x[21], y[21];
        for (int i = 0; i <= 20; i++) {
            x[i] = ldexp(1, i);
            y[i] = (1e-6 + 1e-9 * x[i]) * (1 + 0.05 * sup_random_normal(&r));
        }
        sup_line l, e;
        assert_int_equal(sup_line_fit(x, y, 21, SUP_WEIGHT_RELATIVE, &l), SUP_OK);
        assert_int_equal(sup_line_fit(x, y, 21, SUP_WEIGHT_EQUAL, &e), SUP_OK);
        worst_relative = fmax(worst_relative, fabs(sup_line_at(&l, 96) / 1.096e-6 - 1));
        worst_equal = fmax(worst_equal, fabs(sup_line_at(&e, 96) / 1.096e-6 - 1));
        bias += (l.slope / 1e-9 - 1) / runs;
        sup_interval s = sup_line_slope_interval(&l, 0.95), a = sup_line_intercept_interval(&l, 0.95);
        slope += s.low <= 1e-9 && 1e-9 <= s.high;
        intercept += a.low <= 1e-6 && 1e-6 <= a.high;
    }
    assert_true(worst_relative < 0.08);
    assert_true(worst_equal > 1.0);
    NEAR(bias, 0, 0.002);
    NEAR((double)slope / runs, 0.95, 0.025);
    NEAR((double)intercept / runs, 0.95, 0.025);
}

static void bad_data(void **state) {
    (void)state;
    const double x[] = {1, 1, 2}, y[] = {1, 2, 0}, inf[] = {1, INFINITY, 2}, w[] = {1, 0, 1};
    sup_line l = {.n = 99};
    assert_int_equal(sup_line_fit(x, y, 0, 0, &l), SUP_EINVAL);
    assert_int_equal(sup_line_fit(x, y, 2, 0, &l), SUP_EINVAL); /* one x */
    assert_int_equal(sup_line_fit(x, y, 3, 0, &l), SUP_EINVAL); /* y = 0, relative */
    assert_int_equal(sup_line_fit(x, inf, 3, 0, &l), SUP_EINVAL);
    assert_int_equal(sup_line_fit(x, y, 3, (sup_weighting)7, &l), SUP_EINVAL);
    assert_int_equal(sup_line_fit_weighted(x, y, w, 3, &l), SUP_EINVAL);
    assert_int_equal(l.n, 99);
    assert_int_equal(sup_line_fit(x + 1, y, 2, 0, &l), SUP_OK); /* two points: a line that promises nothing */
    assert_true(sup_line_slope_interval(&l, 0.95).low == -INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_line),
        cmocka_unit_test(known_regression),
        cmocka_unit_test(relative_weights_keep_small_times),
        cmocka_unit_test(bad_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
