/* Statistics: values worked out by hand, and properties over seeded samples. */
#include "../random_real.h"
#include "base/number/random.h"
#include "base/number/stats.h"
#include "base/number/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static void by_hand(void **state) {
    (void)state;
    const double x[] = {9, 2, 4, 4, 5, 5, 7, 4};
    NEAR(sup_stats_mean(x, 8), 5.0, 1e-15);
    NEAR(sup_stats_variance(x, 8), 32.0 / 7, 1e-14);
    NEAR(sup_stats_deviation(x, 8), sqrt(32.0 / 7), 1e-14);
    NEAR(sup_stats_median(x, 8), 4.5, 0);
    NEAR(sup_stats_median(x, 7), 5.0, 0);
    NEAR(sup_stats_quantile(x, 8, 0.0), 2, 0);
    NEAR(sup_stats_quantile(x, 8, 1.0), 9, 0);
    NEAR(sup_stats_quantile(x, 8, 0.25), 4, 0);
    NEAR(sup_stats_quantile(x, 8, 0.9), 7.6, 1e-14);
    assert_true(x[0] == 9); /* left as it was */
}

static void nearly_equal_samples_keep_their_variance(void **state) {
    (void)state;
    double x[1000];
    for (int i = 0; i < 1000; i++) x[i] = 1e6 + (i % 2 ? 1e-6 : -1e-6);
    NEAR(sup_stats_deviation(x, 1000) / 1e-6, sqrt(1000.0 / 999), 1e-3);
}

static void empty_and_broken_samples(void **state) {
    (void)state;
    const double bad[] = {1, NAN, 3};
    assert_true(isnan(sup_stats_mean(bad, 0)) && isnan(sup_stats_median(bad, 0)));
    assert_true(isnan(sup_stats_variance(bad, 1)) && isnan(sup_stats_mean(bad, 3)) && isnan(sup_stats_median(bad, 3)));
    assert_true(isnan(sup_stats_quantile(bad, 1, 1.5)));
    assert_true(sup_stats_median(bad, 1) == 1.0);
    assert_true(sup_stats_mean_interval(bad, 1, 0.95).high == INFINITY);
    assert_true(isnan(sup_stats_median_interval(bad, 3, 0.95).low));
    assert_true(isnan(sup_stats_median_interval(bad, 0, 0.95).low));
}

/* Where one more sample like these falls with this confidence. */
static sup_interval sample_interval(const double *x, size_t n, double confidence) {
    double mean = sup_stats_mean(x, n), t = sup_student_two_sided(confidence, (double)(n - 1));
    double half = t * sup_stats_deviation(x, n) * sqrt(1.0 + 1.0 / (double)n);
    return (sup_interval){mean - half, mean + half, confidence};
}

static void interval_of_the_mean_by_hand(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}; /* s = 1.5811, t(0.975, 4) = 2.7764, half = 1.9632 */
    sup_interval ci = sup_stats_mean_interval(x, 5, 0.95);
    NEAR(ci.low, 3 - 1.963243161, 1e-8);
    NEAR(ci.high, 3 + 1.963243161, 1e-8);
    sup_interval one = sample_interval(x, 5, 0.95);
    NEAR(one.high - 3, 1.963243161 * sqrt(6.0), 1e-8);
}

/* Tables of the order-statistic interval: n = 10 uses x(2), x(9) at 97.85 %; n = 6 the range at 96.88 %; n = 30 x(10),
 * x(21) at 95.72 %; n = 100 x(40), x(61) at 96.48 %. */
static void interval_of_the_median_by_table(void **state) {
    (void)state;
    static const struct {
        size_t n, k;
        double confidence;
    } rows[] = {{5, 1, 0.9375}, {6, 1, 0.96875}, {10, 2, 0.978516}, {30, 10, 0.957226}, {100, 40, 0.964800}};
    double x[100];
    for (int i = 0; i < 100; i++) x[i] = i + 1;
    for (size_t i = 0; i < 5; i++) {
        sup_interval ci = sup_stats_median_interval(x, rows[i].n, 0.95);
        NEAR(ci.low, (double)rows[i].k, 0);
        NEAR(ci.high, (double)(rows[i].n + 1 - rows[i].k), 0);
        NEAR(ci.confidence, rows[i].confidence, 1e-6);
    }
    assert_true(sup_stats_median_interval(x, 1, 0.95).confidence == 0.0);
}

static void interval_of_the_median_of_many(void **state) {
    (void)state;
    static double x[20001];
    for (int i = 0; i < 20001; i++) x[i] = i;
    sup_interval ci = sup_stats_median_interval(x, 20001, 0.95);
    double half = 1.96 * sqrt(20001.0) / 2;
    NEAR(ci.high - 10000, half, 2);
    NEAR(10000 - ci.low, half, 2);
    assert_true(ci.confidence >= 0.95 && ci.confidence < 0.955);
}

static void intervals_cover_as_promised(void **state) {
    (void)state;
    sup_random r = {.state = 7};
    int mean = 0, median = 0, one = 0, runs = 4000;
    for (int run = 0; run < runs; run++) {
        double x[25];
        for (int i = 0; i < 25; i++) x[i] = 3.0 + sup_random_normal(&r);
        sup_interval a = sup_stats_mean_interval(x, 25, 0.9), b = sup_stats_median_interval(x, 25, 0.9);
        sup_interval c = sample_interval(x, 25, 0.9);
        double next = 3.0 + sup_random_normal(&r);
        mean += a.low <= 3 && 3 <= a.high;
        median += b.low <= 3 && 3 <= b.high;
        one += c.low <= next && next <= c.high;
    }
    NEAR((double)mean / runs, 0.9, 0.015);
    NEAR((double)one / runs, 0.9, 0.015);
    assert_true((double)median / runs > 0.89);
}

static void random_numbers_are_fixed(void **state) {
    (void)state;
    sup_random r = {.state = 1234567};
    assert_true(sup_random_next(&r) == UINT64_C(6457827717110365317)); /* reference sequence of splitmix64 */
    assert_true(sup_random_next(&r) == UINT64_C(3203168211198807973));
    double mean = 0, square = 0;
    int seen[7] = {0};
    for (int i = 0; i < 70000; i++) {
        double z = sup_random_normal(&r), u = sup_random_uniform(&r);
        assert_true(u >= 0.0 && u < 1.0);
        mean += z / 70000;
        square += z * z / 70000;
        seen[sup_random_below(&r, 7)]++;
    }
    NEAR(mean, 0, 0.02);
    NEAR(square, 1, 0.02);
    for (int i = 0; i < 7; i++) assert_true(seen[i] > 9600 && seen[i] < 10400);
    assert_true(sup_random_below(&r, 0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(nearly_equal_samples_keep_their_variance),
        cmocka_unit_test(empty_and_broken_samples),
        cmocka_unit_test(interval_of_the_mean_by_hand),
        cmocka_unit_test(interval_of_the_median_by_table),
        cmocka_unit_test(interval_of_the_median_of_many),
        cmocka_unit_test(intervals_cover_as_promised),
        cmocka_unit_test(random_numbers_are_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
