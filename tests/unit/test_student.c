/* Student's t: against tables to 1e-9 and better, its symmetries, and the corners of its domain. */
#include "../random_real.h"
#include "base/number/random.h"
#include "base/number/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "student_table.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double cdf(double t, double nu) { return sup_student_tail(-t, nu); }

static double relative(double got, double wanted) { return fabs(got - wanted) / fabs(wanted); }

static void quantiles_agree_with_tables(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(student_table); i++) {
        double nu = student_table[i].nu, p = student_table[i].p, t = sup_student_quantile(p, nu);
        if (!(relative(t, student_table[i].t) < 1e-11)) fail_msg("nu %g p %g: %.17g", nu, p, t);
        assert_true(sup_student_quantile(1.0 - p, nu) < 0.0);
    }
}

static void probabilities_agree_with_tables(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(student_table); i++) {
        double nu = student_table[i].nu, p = student_table[i].p, t = student_table[i].t;
        if (!(relative(cdf(t, nu), p) < 1e-11)) fail_msg("cdf nu %g p %g", nu, p);
        if (!(relative(sup_student_tail(t, nu), 1.0 - p) < 1e-11)) fail_msg("tail nu %g p %g", nu, p);
        if (!(relative(sup_student_tail(-t, nu), p) < 1e-11)) fail_msg("mirrored tail nu %g p %g", nu, p);
    }
}

/* The values printed in every textbook: guards the generated table against a mistake of its own. */
static void textbook_values(void **state) {
    (void)state;
    assert_true(fabs(sup_student_quantile(0.975, 1) - 12.706204736432095) < 1e-9);
    assert_true(fabs(sup_student_quantile(0.975, 4) - 2.7764451051977987) < 1e-9);
    assert_true(fabs(sup_student_quantile(0.95, 10) - 1.8124611228107335) < 1e-9);
    assert_true(fabs(sup_student_quantile(0.975, 29) - 2.0452296421327) < 1e-9);
    assert_true(fabs(sup_student_quantile(0.975, INFINITY) - 1.959963984540054) < 1e-12);
    assert_true(fabs(sup_student_two_sided(0.95, 29) - sup_student_quantile(0.975, 29)) == 0.0);
}

static void quantile_inverts_probability(void **state) {
    (void)state;
    sup_random r = {.state = 1};
    for (int i = 0; i < 3000; i++) {
        double nu = exp(log(1e6) * sup_random_uniform(&r)), p = exp(-30.0 * sup_random_uniform(&r)) * 0.5;
        double t = sup_student_quantile(p, nu);
        if (!(relative(cdf(t, nu), p) < 1e-10)) fail_msg("nu %.17g p %.17g t %.17g", nu, p, t);
    }
}

/* Where the series for large nu takes over there must be no step. */
static void no_step_at_large_nu(void **state) {
    (void)state;
    const double beyond = nextafter(2e4, INFINITY);
    for (double p = 0.55; p < 1.0; p += 0.049) {
        double below = sup_student_quantile(p, 2e4), above = sup_student_quantile(p, beyond);
        assert_true(relative(below, above) < 1e-11);
        assert_true(relative(sup_student_tail(below, 2e4), sup_student_tail(below, beyond)) < 1e-11);
    }
    assert_true(relative(sup_student_quantile(0.999, 1e300), sup_student_quantile(0.999, INFINITY)) < 1e-14);
}

static void corners(void **state) {
    (void)state;
    assert_true(sup_student_quantile(0.5, 7) == 0.0);
    assert_true(sup_student_quantile(0.0, 7) == -INFINITY && sup_student_quantile(1.0, 7) == INFINITY);
    assert_true(cdf(INFINITY, 3) == 1.0 && cdf(-INFINITY, 3) == 0.0);
    assert_true(cdf(0.0, 3) == 0.5);
    assert_true(isnan(sup_student_quantile(-0.1, 7)) && isnan(sup_student_quantile(1.1, 7)));
    assert_true(isnan(sup_student_quantile(0.9, 0)) && isnan(sup_student_quantile(0.9, -1)));
    assert_true(isnan(sup_student_quantile(NAN, 7)) && isnan(sup_student_quantile(0.9, NAN)));
    assert_true(isnan(cdf(NAN, 7)) && isnan(cdf(1, 0)));
    assert_true(isnan(sup_student_two_sided(1.0, 7)) && isnan(sup_student_two_sided(-0.1, 7)));
    assert_true(sup_student_tail(1e200, 1.0) > 0.0 && sup_student_tail(1e200, 1.0) < 1e-199);
    assert_true(sup_student_quantile(1e-300, 1.0) < -1e299);
}

static void incomplete_beta_closed_forms(void **state) {
    (void)state;
    for (double x = 0.05; x < 1.0; x += 0.05) {
        assert_true(fabs(sup_incomplete_beta(1, 1, x, 1 - x) - x) < 1e-14);
        assert_true(fabs(sup_incomplete_beta(2, 1, x, 1 - x) - x * x) < 1e-14);
        assert_true(fabs(sup_incomplete_beta(0.5, 0.5, x, 1 - x) - 2 / M_PI * asin(sqrt(x))) < 1e-13);
        assert_true(fabs(sup_incomplete_beta(3, 7, x, 1 - x) + sup_incomplete_beta(7, 3, 1 - x, x) - 1) < 1e-14);
    }
    assert_true(isnan(sup_incomplete_beta(0, 1, 0.5, 0.5)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_agree_with_tables),
        cmocka_unit_test(probabilities_agree_with_tables),
        cmocka_unit_test(textbook_values),
        cmocka_unit_test(quantile_inverts_probability),
        cmocka_unit_test(no_step_at_large_nu),
        cmocka_unit_test(corners),
        cmocka_unit_test(incomplete_beta_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
