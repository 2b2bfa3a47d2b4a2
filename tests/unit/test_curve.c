/* Curves: properties over synthetic curves with seeded multiplicative noise (breaks recovered, no break invented,
 * held-out error, never negative, never decreasing, coverage), and the refusal of what is no curve. */
#include "../random_real.h"
#include "base/number/curve.h"
#include "base/number/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))
#define MAX 400

static double straight(double x) { return 1e-6 + 1e-9 * x; }
static double level(double x) { return 5e-7 + 0 * x; }
static double bent(double x) { return 1e-6 + 1e-10 * x + 9e-10 * fmax(0, x - 32768); }

/* Three protocol switches, as libraries have them: 270 B doubles, 4000 B, 65000 B. */
static double jumps(double x) {
    if (x < 270) return 4e-7 + 1e-10 * x;
    if (x < 4000) return 8e-7 + 1.5e-10 * x;
    return x < 65000 ? 2.0e-6 + 2e-10 * x : 6e-6 + 4e-10 * x;
}
static const double jump_places[] = {270, 4000, 65000};

/* Bulk beats eager at once: a jump down, which real libraries show. */
static double drops(double x) { return x < 10000 ? 1e-6 + 1e-9 * x : 4e-6 + 3e-10 * x; }

/* Time per element of a kernel: two caches. */
static double caches(double x) {
    double y = 1e-9;
    if (x > 32768) y += 1e-14 * (fmin(x, 65536) - 32768) * 3;
    if (x > 1 << 19) y += 2e-15 * (x - (1 << 19));
    return y;
}

typedef struct set {
    double x[MAX], y[MAX];
    size_t n;
} set;

/* n sizes from 1 to 2^20, geometric, times with relative noise. */
static set measure(double (*f)(double), size_t n, double noise, sup_random *r) {
    set s = {.n = n};
    for (size_t i = 0; i < n; i++) {
        s.x[i] = floor(pow(2, 20.0 * (double)i / (double)(n - 1)));
        s.y[i] = f(s.x[i]) * exp(noise * sup_random_normal(r));
    }
    return s;
}

static sup_curve *fitted(const set *s, unsigned flags) {
    sup_curve *c = NULL;
    sup_diag d;
    sup_curve_options o = {.flags = flags};
    if (sup_curve_fit(s->x, s->y, s->n, &o, &d, &c) != SUP_OK) fail_msg("%s", d.text);
    return c;
}

static double random_size(sup_random *r) { return pow(2, 20 * sup_random_uniform(r)); }

static void check_promises(const sup_curve *c, sup_random *r) {
    for (int i = 0; i < 300; i++) {
        double a = pow(2, 24 * sup_random_uniform(r)) - 1,
               b = i % 2 ? nextafter(a, INFINITY) : a * sup_random_uniform(r);
        if (i % 3 == 0 && c->count > 1) {
            a = c->begins[1 + sup_random_below(r, c->count - 1)];
            b = nextafter(a, i % 2 ? 0 : INFINITY);
        }
        double low = fmin(a, b), high = fmax(a, b);
        assert_true(sup_curve_at(c, low) >= 0 && sup_curve_at(c, high) >= 0);
        if (c->flags & SUP_CURVE_NONDECREASING) assert_true(sup_curve_at(c, low) <= sup_curve_at(c, high));
        sup_prediction p = sup_curve_predict(c, a, 0.95);
        assert_true(p.value == sup_curve_at(c, a) && 0 <= p.low && p.low <= p.value && p.value <= p.high);
    }
}

static void one_line_gives_one_segment(void **state) {
    (void)state;
    double (*const shapes[])(double) = {straight, level};
    sup_random r = {.state = 1};
    int more = 0, runs = 0;
    for (int shape = 0; shape < 2; shape++)
        for (size_t n = 20; n <= 160; n *= 2)
            for (int run = 0; run < 50; run++, runs++) {
                set s = measure(shapes[shape], n, 0.03, &r);
                sup_curve *c = fitted(&s, 0);
                more += c->count > 1;
                sup_curve_free(c);
            }
    assert_true(more <= runs * 3 / 100);
}

static void exact_data_are_reproduced(void **state) {
    (void)state;
    double (*const shapes[])(double) = {straight, level, bent, caches};
    const size_t segments[] = {1, 1, 3, 7}; /* a bend between two sizes needs a short line of its own */
    sup_random r = {.state = 2};
    for (int shape = 0; shape < 4; shape++)
        for (unsigned flags = 0; flags < 2; flags++) {
            set s = measure(shapes[shape], 100, 0, &r);
            sup_curve *c = fitted(&s, flags);
            assert_in_range(c->count, (segments[shape] + 1) / 2, segments[shape]);
            for (int i = 0; i < 200; i++) {
                double x = random_size(&r), y = shapes[shape](x);
                NEAR(sup_curve_at(c, x), y, 0.005 * y);
            }
            check_promises(c, &r);
            sup_curve_free(c);
        }
}

/* Every switch lies in a joint, or next to it, and a joint leads from one point to the next. */
static void jumps_are_found_where_they_are(void **state) {
    (void)state;
    sup_random r = {.state = 3};
    int exact = 0, runs = 100;
    for (int run = 0; run < runs; run++) {
        set s = measure(jumps, 60, 0.03, &r);
        sup_curve *c = fitted(&s, run % 2 ? SUP_CURVE_NONDECREASING : 0);
        bool all = c->count == 7;
        for (size_t k = 0; all && k < 3; k++) {
            double step = pow(2, 20.0 / 59), place = jump_places[k];
            const sup_segment *joint = &c->segments[2 * k + 1];
            all = joint->x_lo < place * step && joint->x_hi > place / step && joint->x_hi < joint->x_lo * step * 1.01;
            all &= joint->n == SUP_CURVE_JOINT && joint[-1].n > 2 && joint[1].n > 2;
        }
        exact += all;
        check_promises(c, &r);
        sup_curve_free(c);
    }
    assert_true(exact >= runs * 95 / 100);
}

static void kinks_are_found_where_they_are(void **state) {
    (void)state;
    sup_random r = {.state = 4};
    int near = 0, runs = 100;
    for (int run = 0; run < runs; run++) {
        set s = measure(bent, 60, 0.02, &r);
        sup_curve *c = fitted(&s, 0);
        /* a knot: the segments meet, and the curve has no step there */
        if ((c->count == 2 || c->count == 3) && c->segments[0].x_hi == c->segments[1].x_lo) {
            double at = c->begins[1], before = sup_curve_at(c, nextafter(at, 0)), after = sup_curve_at(c, at);
            NEAR(before, after, 1e-9 * after);
            near += at > 32768 / 1.6 && at < 32768 * 1.6;
        }
        sup_curve_free(c);
    }
    assert_true(near >= runs * 95 / 100);
}

/* Held-out sizes that are not next to a switch; right beside one nobody can know the side. */
static void held_out_error_is_small(void **state) {
    (void)state;
    double (*const shapes[])(double) = {straight, level, bent, jumps, drops, caches};
    const double limits[] = {0.01, 0.01, 0.01, 0.015, 0.01, 0.015};
    sup_random r = {.state = 5};
    for (int shape = 0; shape < 6; shape++) {
        double sum = 0;
        int count = 0;
        for (int run = 0; run < 50; run++) {
            set s = measure(shapes[shape], 60, 0.03, &r);
            sup_curve *c = fitted(&s, 0);
            for (int i = 0; i < 50; i++) {
                double x = random_size(&r), y = shapes[shape](x), near = pow(2, 20.0 / 59);
                if (shapes[shape](x * near) / shapes[shape](x / near) > 1.4 && shape == 3) continue;
                if (shape == 4 && x > 10000 / near && x < 10000 * near) continue;
                sum += fabs(sup_curve_at(c, x) / y - 1);
                count++;
            }
            sup_curve_free(c);
        }
        if (!(sum / count < limits[shape])) fail_msg("shape %d: mean error %g", shape, sum / count);
    }
}

static void promises_hold_on_any_data(void **state) {
    (void)state;
    sup_random r = {.state = 6};
    for (int run = 0; run < 300; run++) {
        set s = {.n = 1 + sup_random_below(&r, 60)};
        for (size_t i = 0; i < s.n; i++) {
            s.x[i] = run % 2 ? random_size(&r) : (double)sup_random_below(&r, 12); /* many repeated x, 0 among them */
            double kind = sup_random_uniform(&r);
            s.y[i] = kind < 0.05
                         ? 0
                         : exp(10 * sup_random_normal(&r) * (run % 3)) * (1 + sup_random_uniform(&r)); /* 26 decades */
        }
        for (unsigned flags = 0; flags < 2; flags++) {
            sup_curve *c = fitted(&s, flags);
            assert_true(c->count >= 1 && c->count <= s.n);
            for (size_t k = 1; k < c->count; k++) assert_true(c->segments[k].x_lo == c->segments[k - 1].x_hi);
            check_promises(c, &r);
            sup_curve_free(c);
        }
    }
}

static void falling_data_give_a_level_curve_where_it_must_not_fall(void **state) {
    (void)state;
    set s = {.n = 30};
    for (size_t i = 0; i < 30; i++) {
        s.x[i] = (double)i + 1;
        s.y[i] = 1.0 / (double)(i + 1);
    }
    sup_random r = {.state = 7};
    sup_curve *c = fitted(&s, SUP_CURVE_NONDECREASING);
    NEAR(sup_curve_at(c, 1), sup_curve_at(c, 30), 1e-9);
    check_promises(c, &r);
    sup_curve_free(c);
    c = fitted(&s, 0);
    NEAR(sup_curve_at(c, 10.5) * 10.5, 1, 0.05);
    assert_true(sup_curve_at(c, 1000) > 0); /* level beyond the end, not falling through zero */
    NEAR(sup_curve_at(c, 1000), sup_curve_at(c, 30), 1e-12);
    sup_curve_free(c);
}

static void intervals_cover_as_promised(void **state) {
    (void)state;
    double (*const shapes[])(double) = {straight, level, bent, jumps, drops};
    const double noises[] = {0.005, 0.03, 0.1};
    sup_random r = {.state = 8};
    for (int shape = 0; shape < 5; shape++)
        for (int k = 0; k < 3; k++) {
            int inside = 0, total = 0;
            for (int run = 0; run < 60; run++) {
                set s = measure(shapes[shape], 50, noises[k], &r);
                sup_curve *c = fitted(&s, 0);
                for (int i = 0; i < 40; i++, total++) {
                    double x = random_size(&r), y = shapes[shape](x) * exp(noises[k] * sup_random_normal(&r));
                    sup_prediction p = sup_curve_predict(c, x, 0.9);
                    inside += p.low <= y && y <= p.high;
                }
                sup_curve_free(c);
            }
            double coverage = (double)inside / total;
            if (!(coverage > 0.87 && coverage < 0.95)) fail_msg("shape %d noise %g: %g", shape, noises[k], coverage);
        }
}

/* In the gap of a jump the interval covers both sides: what nobody measured is not known. */
static void gaps_are_reported_as_unknown(void **state) {
    (void)state;
    const sup_segment two[] = {{1, 100, 1.0, 0.0, 0.01, 10}, {200, 1000, 3.0, 0.0, 0.01, 10}};
    sup_curve *c;
    assert_int_equal(sup_curve_make(two, 2, SUP_CURVE_NONDECREASING, NULL, &c), SUP_OK);
    NEAR(c->begins[1], sqrt(100 * 200.0), 1e-9);
    assert_true(sup_curve_at(c, 141) == 1 && sup_curve_at(c, 142) == 3);
    for (double x = 101; x < 200; x += 7) {
        sup_prediction p = sup_curve_predict(c, x, 0.95);
        assert_true(p.low < 1 && p.high > 3);
    }
    assert_true(sup_curve_predict(c, 100, 0.95).high < 1.1 && sup_curve_predict(c, 200, 0.95).low > 2.9);
    sup_curve_free(c);
}

static double width(const sup_curve *c, double x) {
    sup_prediction p = sup_curve_predict(c, x, 0.95);
    return (p.high - p.value) / p.value;
}

static void extrapolation_follows_its_rule(void **state) {
    (void)state;
    const sup_segment s = {64, 1024, 1.0, 0.01, 0.02, 20};
    sup_curve *c;
    assert_int_equal(sup_curve_make(&s, 1, 0, NULL, &c), SUP_OK);
    NEAR(sup_curve_at(c, 0), 1.0, 1e-12);
    NEAR(sup_curve_at(c, -5), 1.0, 1e-12);
    NEAR(sup_curve_at(c, 1e6), 1 + 1e4, 1e-6);
    double inside = width(c, 512);
    NEAR(width(c, 64), inside, 1e-9);
    NEAR(width(c, 0), 2 * inside, 1e-9);
    NEAR(width(c, 32), 1.5 * inside, 1e-9);
    NEAR(width(c, 2048), 2 * inside, 1e-9);
    NEAR(width(c, 8192), 4 * inside, 1e-9);
    assert_true(isnan(sup_curve_at(c, NAN)) && isnan(sup_curve_predict(c, 1, 1.5).value));
    assert_false(isnan(sup_curve_at(c, INFINITY)) || isnan(sup_curve_predict(c, INFINITY, 0.95).low));
    sup_curve_free(c);
    const sup_segment steep = {64, 1024, -0.5, 0.01, 0.02, 20};
    assert_int_equal(sup_curve_make(&steep, 1, 0, NULL, &c), SUP_OK);
    assert_true(sup_curve_at(c, 10) == 0); /* the line is below zero there, the curve is not */
    sup_curve_free(c);
}

static void few_points(void **state) {
    (void)state;
    const double x[] = {8, 16, 8}, y[] = {2, 3, 2.2};
    sup_curve *c;
    assert_int_equal(sup_curve_fit(x, y, 1, NULL, NULL, &c), SUP_OK);
    assert_true(c->count == 1 && sup_curve_at(c, 0) == 2 && sup_curve_at(c, 1e9) == 2);
    assert_true(sup_curve_predict(c, 8, 0.95).low == 0); /* one point: nothing is known about its error */
    sup_curve_free(c);
    assert_int_equal(sup_curve_fit(x, y, 2, NULL, NULL, &c), SUP_OK);
    NEAR(sup_curve_at(c, 12), 2.5, 1e-12);
    sup_curve_free(c);
    assert_int_equal(sup_curve_fit(x, y, 3, NULL, NULL, &c), SUP_OK);
    NEAR(sup_curve_at(c, 8), 2.1, 0.02);
    sup_curve_free(c);
    const double same[] = {5, 5, 5, 5}, spread[] = {1, 1.1, 0.9, 1};
    assert_int_equal(sup_curve_fit(same, spread, 4, NULL, NULL, &c), SUP_OK);
    NEAR(sup_curve_at(c, 77), 1, 0.01);
    sup_curve_free(c);
}

static void order_does_not_matter(void **state) {
    (void)state;
    sup_random r = {.state = 9};
    set s = measure(jumps, 60, 0.03, &r), t = s;
    for (size_t i = s.n; i-- > 1;) {
        size_t j = sup_random_below(&r, i + 1);
        double x = t.x[i], y = t.y[i];
        t.x[i] = t.x[j], t.y[i] = t.y[j];
        t.x[j] = x, t.y[j] = y;
    }
    sup_curve *a = fitted(&s, 0), *b = fitted(&t, 0);
    assert_int_equal(a->count, b->count);
    for (double x = 1; x < 2e6; x *= 1.3) NEAR(sup_curve_at(a, x), sup_curve_at(b, x), 1e-6 * sup_curve_at(a, x));
    sup_curve_free(a);
    sup_curve_free(b);
}

/* Raw samples instead of medians: many points at each of few sizes. A break still lies between sizes. */
static void repeated_sizes(void **state) {
    (void)state;
    sup_random r = {.state = 13};
    set s = {.n = 320};
    for (size_t i = 0; i < s.n; i++) {
        s.x[i] = floor(pow(2, 20.0 * (double)(i % 32) / 31));
        s.y[i] = jumps(s.x[i]) * exp(0.1 * sup_random_normal(&r));
    }
    sup_curve *c = fitted(&s, SUP_CURVE_NONDECREASING);
    assert_int_equal(c->count, 7);
    for (size_t k = 0; k < 3; k++) {
        const sup_segment *joint = &c->segments[2 * k + 1];
        assert_true(joint->x_lo < jump_places[k] && jump_places[k] <= joint->x_hi);
        assert_true(joint[1].residual > 0.07 && joint[1].residual < 0.14);
    }
    check_promises(c, &r);
    sup_curve_free(c);
}

static void round_trip_through_arrays(void **state) {
    (void)state;
    sup_random r = {.state = 10};
    for (int run = 0; run < 50; run++) {
        set s = measure(run % 2 ? jumps : caches, 80, 0.03, &r);
        sup_curve *a = fitted(&s, SUP_CURVE_NONDECREASING), *b;
        sup_segment stored[80];
        for (size_t k = 0; k < a->count; k++) { /* as a file would: 15 digits */
            const sup_segment *from = &a->segments[k];
            const double in[] = {from->x_lo, from->x_hi, from->intercept, from->slope, from->residual};
            double out[5];
            for (int i = 0; i < 5; i++) {
                char text[64];
                snprintf(text, sizeof text, "%.15g", in[i]);
                sscanf(text, "%lf", &out[i]);
            }
            stored[k] = (sup_segment){out[0], out[1], out[2], out[3], out[4], from->n};
        }
        assert_int_equal(sup_curve_make(stored, a->count, a->flags, NULL, &b), SUP_OK);
        check_promises(b, &r);
        for (double x = 1; x < 2e6; x *= 1.7) NEAR(sup_curve_at(a, x), sup_curve_at(b, x), 1e-9 * sup_curve_at(a, x));
        sup_curve_free(a);
        sup_curve_free(b);
    }
}

static void what_is_no_curve_is_refused(void **state) {
    (void)state;
    static const struct {
        sup_segment s[2];
        size_t count;
        unsigned flags;
        const char *text;
    } bad[] = {
        {{{0}}, 0, 0, "a curve needs at least one segment"},
        {{{1, 2, 1, 0, 0, 1}}, 1, 8, "unknown curve flags 0x8"},
        {{{1, 2, NAN, 0, 0, 1}}, 1, 0, "segment 0 has a value that is not finite"},
        {{{1, 1e300, 0, 1e300, 0, 1}}, 1, 0, "segment 0 has a value that is not finite"},
        {{{-1, 2, 1, 0, 0, 1}}, 1, 0, "segment 0 begins below 0"},
        {{{3, 2, 1, 0, 0, 1}}, 1, 0, "segment 0 ends before it begins"},
        {{{1, 2, 1, 0, -0.1, 1}}, 1, 0, "segment 0 has a negative residual"},
        {{{1, 2, 1, 0, 0, 0}}, 1, 0, "segment 0 has no points"},
        {{{1, 9, 1, -1, 0, 3}}, 1, 0, "segment 0 is negative at one end"},
        {{{1, 2, 9, -1, 0, 3}}, 1, 1, "segment 0 falls, in a curve that never decreases"},
        {{{1, 5, 1, 0, 0, 3}, {4, 6, 1, 0, 0, 3}}, 2, 0, "segment 1 begins before the one in front of it ends"},
        {{{5, 5, 1, 0, 0, 3}, {5, 5, 1, 0, 0, 3}}, 2, 0, "segment 1 covers the same sizes as the one in front of it"},
        {{{1, 5, 2, 0, 0, 3}, {5, 6, 1, 0, 0, 3}},
         2,
         1,
         "segment 1 begins below the one in front of it, in a curve that never decreases"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sup_curve *c = NULL;
        sup_diag d;
        assert_int_equal(sup_curve_make(bad[i].s, bad[i].count, bad[i].flags, &d, &c), SUP_EINVAL);
        assert_string_equal(d.text, bad[i].text);
        assert_null(c);
    }
}

static void what_cannot_be_fitted_is_refused(void **state) {
    (void)state;
    const double x[] = {1, 2, -3, NAN, INFINITY}, y[] = {1, 1, 1, 1, 1}, z[] = {1, -1};
    sup_curve *c = NULL;
    assert_int_equal(sup_curve_fit(x, y, 0, NULL, NULL, &c), SUP_EINVAL);
    for (size_t n = 3; n <= 5; n++) assert_int_equal(sup_curve_fit(x + n - 1, y, 1, NULL, NULL, &c), SUP_EINVAL);
    assert_int_equal(sup_curve_fit(x, z, 2, NULL, NULL, &c), SUP_EINVAL);
    const sup_curve_options bad[] = {{.flags = 2},  {.min_points = 1},   {.penalty = -1},
                                     {.noise = -1}, {.noise = INFINITY}, {.shape = 3}};
    for (size_t i = 0; i < 6; i++) assert_int_equal(sup_curve_fit(x, y, 2, &bad[i], NULL, &c), SUP_EINVAL);
    assert_null(c);
}

static void limit_of_segments_is_kept(void **state) {
    (void)state;
    sup_random r = {.state = 12};
    set s = measure(jumps, 100, 0.01, &r);
    for (size_t most = 1; most <= 7; most++) {
        sup_curve_options o = {.max_segments = most};
        sup_curve *c;
        assert_int_equal(sup_curve_fit(s.x, s.y, s.n, &o, NULL, &c), SUP_OK);
        assert_true(c->count <= most);
        sup_curve_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_gives_one_segment),
        cmocka_unit_test(exact_data_are_reproduced),
        cmocka_unit_test(jumps_are_found_where_they_are),
        cmocka_unit_test(kinks_are_found_where_they_are),
        cmocka_unit_test(held_out_error_is_small),
        cmocka_unit_test(promises_hold_on_any_data),
        cmocka_unit_test(falling_data_give_a_level_curve_where_it_must_not_fall),
        cmocka_unit_test(intervals_cover_as_promised),
        cmocka_unit_test(gaps_are_reported_as_unknown),
        cmocka_unit_test(extrapolation_follows_its_rule),
        cmocka_unit_test(few_points),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(repeated_sizes),
        cmocka_unit_test(round_trip_through_arrays),
        cmocka_unit_test(what_is_no_curve_is_refused),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(limit_of_segments_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
