/* Least squares: exact lines, intervals with their promised coverage, and the solver against its optimality conditions.
 */
#include "../random_real.h"
#include "base/lsq.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static void residual_gradient(const double *a, const double *b, size_t rows, size_t cols, const double *v, double *g,
                              double *rss) {
    memset(g, 0, cols * sizeof *g);
    *rss = 0;
    for (size_t i = 0; i < rows; i++) {
        double r = b[i];
        for (size_t j = 0; j < cols; j++) r -= a[i * cols + j] * v[j];
        for (size_t j = 0; j < cols; j++) g[j] += a[i * cols + j] * r;
        *rss += r * r;
    }
}

/* A solution is optimal iff the gradient vanishes in every free column and in every positive one, and does not point
 * upwards in those held at zero (Kuhn and Tucker): checked on random problems, tall, square, wide and dependent. */
static void solver_meets_optimality(void **state) {
    (void)state;
    sup_random r = {.state = 17};
    for (int run = 0; run < 3000; run++) {
        double a[20 * 8], b[20], a0[20 * 8], b0[20], v[8], g[8], rss, check;
        bool sign[8];
        size_t cols = 1 + sup_random_below(&r, 8), rows = 1 + sup_random_below(&r, 20);
        for (size_t i = 0; i < rows * cols; i++) a[i] = sup_random_normal(&r);
        for (size_t i = 0; i < rows; i++) b[i] = sup_random_normal(&r);
        for (size_t j = 0; j < cols; j++) sign[j] = sup_random_below(&r, 3) > 0;
        bool dependent = cols > 1 && run % 4 == 0;
        for (size_t i = 0; dependent && i < rows; i++) a[i * cols + cols - 1] = 2 * a[i * cols];
        memcpy(a0, a, sizeof a);
        memcpy(b0, b, sizeof b);
        const bool *signs = run % 5 ? sign : NULL;
        assert_int_equal(sup_lsq_solve(a, b, rows, cols, signs, v, &rss), SUP_OK);
        residual_gradient(a0, b0, rows, cols, v, g, &check);
        assert_true(fabs(check - rss) <= 1e-9 * (1 + check));
        for (size_t j = 0; j < cols; j++) {
            assert_true(isfinite(v[j]));
            if (signs && sign[j]) assert_true(v[j] >= 0);
            if (signs && sign[j] && v[j] == 0)
                assert_true(g[j] <= 1e-8);
            else if (!(fabs(g[j]) <= 1e-8))
                fail_msg("run %d column %zu: gradient %g", run, j, g[j]);
        }
    }
    double x = 1;
    assert_int_equal(sup_lsq_solve(&x, &x, 0, 1, NULL, &x, NULL), SUP_EINVAL);
}

static void solver_scales_columns(void **state) {
    (void)state;
    double a[] = {1, 1e12, 1, 2e12, 1, 4e12}, b[3], v[2];
    for (int i = 0; i < 3; i++) b[i] = 5 * a[2 * i] + 3e-12 * a[2 * i + 1];
    assert_int_equal(sup_lsq_solve(a, b, 3, 2, NULL, v, NULL), SUP_OK);
    NEAR(v[0], 5, 1e-12);
    NEAR(v[1] / 3e-12, 1, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_line),
        cmocka_unit_test(known_regression),
        cmocka_unit_test(relative_weights_keep_small_times),
        cmocka_unit_test(bad_data),
        cmocka_unit_test(solver_meets_optimality),
        cmocka_unit_test(solver_scales_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
