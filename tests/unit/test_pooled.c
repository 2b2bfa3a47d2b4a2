/* Variances that share what they know: the functions, what is found of made-up variances, and that intervals of a few
 * values each hold as often as they say, and are narrower than what each would say alone. */
#include "../random_real.h"

#include "base/number/pooled.h"
#include "base/number/stats.h"
#include "base/number/student.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static bool is_near(double a, double b, double relative) { return fabs(a - b) <= relative * fabs(b); }

static void derivatives_of_gamma(void **state) {
    (void)state;
    assert_true(is_near(sup_digamma(1.0), -0.57721566490153286, 1e-9));
    assert_true(is_near(sup_digamma(0.5), -1.9635100260214235, 1e-9));
    assert_true(is_near(sup_trigamma(1.0), M_PI * M_PI / 6, 1e-9));
    assert_true(is_near(sup_trigamma(0.5), M_PI * M_PI / 2, 1e-9));
    for (double x = 0.01; x < 1000.0; x *= 1.7) {
        assert_true(is_near(sup_digamma(x + 1.0), sup_digamma(x) + 1.0 / x, 1e-8));
        assert_true(is_near(sup_trigamma(x), sup_trigamma(x + 1.0) + 1.0 / (x * x), 1e-8));
    }
}

enum { THINGS = 2000, VALUES = 4 };

/* Of things whose σ² are drawn around 4 as a scaled inverse χ² with so many degrees of freedom; 0: all are 4. */
typedef struct made_up {
    double mean[THINGS], variance[THINGS], freedom[THINGS];
} made_up;

static made_up *make(int freedom) {
    made_up *m = calloc(1, sizeof *m);
    sup_random random = {.state = 7 + (uint64_t)freedom};
    assert_non_null(m);
    for (int i = 0; i < THINGS; i++) {
        double x[VALUES], chi = 0.0;
        for (int k = 0; k < freedom; k++) chi += pow(sup_random_normal(&random), 2.0);
        double deviation = freedom ? 2.0 * sqrt(freedom / chi) : 2.0;
        for (int k = 0; k < VALUES; k++) x[k] = deviation * sup_random_normal(&random);
        m->mean[i] = sup_stats_mean(x, VALUES);
        m->variance[i] = sup_stats_variance(x, VALUES);
        m->freedom[i] = VALUES - 1;
    }
    return m;
}

static void what_all_know(void **state) {
    (void)state;
    made_up *alike = make(0), *four = make(4);
    sup_pooled p = sup_pooled_of(alike->variance, alike->freedom, THINGS);
    assert_true(is_near(p.variance, 4.0, 0.06) && p.freedom == SUP_POOLED_MOST);
    p = sup_pooled_of(four->variance, four->freedom, THINGS);
    assert_true(is_near(p.variance, 4.0, 0.15) && p.freedom > 3.0 && p.freedom < 5.5);
    const sup_pooled one = sup_pooled_with(&p, 8.0, 2.0);
    assert_true(is_near(one.variance, (p.freedom * p.variance + 16.0) / (p.freedom + 2.0), 1e-12));
    assert_true(is_near(one.freedom, p.freedom + 2.0, 1e-12));
    assert_true(sup_pooled_with(&p, NAN, 0.0).variance == p.variance);
    for (int i = 0; i < THINGS; i++) alike->variance[i] = i % 2 ? NAN : 0.0; /* nothing is known of them */
    const sup_pooled none = sup_pooled_of(alike->variance, alike->freedom, THINGS);
    assert_true(isnan(none.variance) && sup_pooled_with(&none, 8.0, 2.0).variance == 8.0);
    free(four);
    free(alike);
}

/* Of intervals of 90 %, and of those that each would have alone, how wide they are together. */
static double held(const made_up *m, const sup_pooled *others, double *width) {
    int good = 0;
    *width = 0.0;
    for (int i = 0; i < THINGS; i++) {
        sup_pooled one = sup_pooled_with(others, m->variance[i], m->freedom[i]);
        double half = sup_student_two_sided(0.9, one.freedom) * sqrt(one.variance / VALUES);
        good += fabs(m->mean[i]) <= half;
        *width += half;
    }
    return (double)good / THINGS;
}

static void intervals_hold_and_are_narrower(void **state) {
    (void)state;
    static const int freedoms[] = {0, 3, 8};
    for (int k = 0; k < 3; k++) {
        made_up *m = make(freedoms[k]);
        const sup_pooled none = {NAN, 0.0}, others = sup_pooled_of(m->variance, m->freedom, THINGS);
        double width, alone, share = held(m, &others, &width), share_alone = held(m, &none, &alone);
        if (share < 0.88 || share > 0.92 || share_alone < 0.88 || width > 0.95 * alone)
            print_error("%d: %.3f, alone %.3f; %.3f as wide\n", freedoms[k], share, share_alone, width / alone);
        assert_true(share >= 0.88 && share <= 0.92);
        assert_true(share_alone >= 0.88 && share_alone <= 0.92);
        assert_true(width <= 0.95 * alone);
        free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_gamma),
        cmocka_unit_test(what_all_know),
        cmocka_unit_test(intervals_hold_and_are_narrower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
