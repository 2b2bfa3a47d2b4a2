/* Curves that do not invent: between two measured sizes a curve is between what was measured there, it falls only where
 * points say so, it meets every point that is well known, and points count by their own intervals. */
#include "../random_real.h"
#include "base/number/curve.h"
#include "base/number/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MAX 80

typedef struct set {
    double x[MAX], y[MAX], deviation[MAX];
    size_t n;
} set;

static sup_curve *fitted(const set *s, sup_shape shape) {
    sup_curve *c = NULL;
    sup_diag d;
    sup_curve_options o = {.shape = shape, .noise = 0.005, .deviations = s->deviation, .min_points = 2, .penalty = 1};
    if (sup_curve_fit(s->x, s->y, s->n, &o, &d, &c)) fail_msg("%s", d.text);
    return c;
}

static double soft(double x, double at, double width) { return 1 / (1 + exp(-log(x / at) / width)); }

/* Time of a unit over footprint: a small-size overhead, sharp steps, gradual steps. */
static double sharp_steps(double x) {
    return 1.2e-9 * (1 + 500 / x) + (x > 32768 ? 0.6e-9 : 0) + (x > 1 << 20 ? 1.5e-9 : 0);
}
static double gradual_steps(double x) {
    return 1.2e-9 * (1 + 500 / x) + 0.6e-9 * soft(x, 40000, 0.15) + 1.5e-9 * soft(x, 1.2e6, 0.25);
}
/* Time over bytes. */
static double protocols(double x) { return x < 4000 ? 2.5e-7 + 2e-10 * x : 3e-6 + 1e-10 * x; }
static double bandwidth(double x) { return 2.5e-7 + x / (1e10 * (0.15 + 0.85 / (1 + pow(x / 3e5, 0.7)))); }
static double drop(double x) { return x < 10000 ? 1e-6 + 1e-9 * x : 2e-6 + 3e-10 * x; }

static const struct {
    double (*time)(double);
    sup_shape shape;
    double low, high;
} shapes[] = {{sharp_steps, SUP_SHAPE_VALLEY, 1024, 1 << 26},
              {gradual_steps, SUP_SHAPE_VALLEY, 1024, 1 << 26},
              {protocols, SUP_SHAPE_RISING, 1, 1 << 20},
              {bandwidth, SUP_SHAPE_RISING, 1, 1 << 20},
              {drop, SUP_SHAPE_RISING, 1, 1 << 20}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static set measure(int shape, double step, double noise, sup_random *r) {
    set s = {0};
    for (double x = shapes[shape].low; x <= shapes[shape].high; x *= step) {
        if (s.n > 0 && floor(x) == s.x[s.n - 1]) continue;
        s.x[s.n] = floor(x);
        s.y[s.n] = shapes[shape].time(floor(x)) * exp(noise * sup_random_normal(r));
        s.deviation[s.n++] = noise;
    }
    return s;
}

/* How far a fit may be from a point: three intervals of two deviations, or 5 %. */
static double allowed(const set *s, size_t i) { return fmax(0.05, 6 * hypot(s->deviation[i], 0.005)); }

static void no_peak_without_a_point(void **state) {
    (void)state;
    sup_random r = {.state = 21};
    for (int run = 0; run < 40; run++)
        for (int shape = 0; shape < SHAPES; shape++) {
            set s = measure(shape, run % 2 ? 2 : 4, 0.002 * (run % 5), &r);
            sup_curve *c = fitted(&s, shapes[shape].shape);
            for (size_t i = 0; i + 1 < s.n; i++)
                for (double u = 0; u <= 1; u += 1.0 / 16) {
                    double v = sup_curve_at(c, s.x[i] * pow(s.x[i + 1] / s.x[i], u));
                    double low = fmin(s.y[i] * (1 - allowed(&s, i)), s.y[i + 1] * (1 - allowed(&s, i + 1)));
                    double high = fmax(s.y[i] * (1 + allowed(&s, i)), s.y[i + 1] * (1 + allowed(&s, i + 1)));
                    if (!(v >= low && v <= high)) fail_msg("run %d shape %d at %g: %g", run, shape, s.x[i], v);
                }
            sup_curve_free(c);
        }
}

/* The case that was seen: 2.34 ns a unit between ends of 1.65 and 1.22. */
static void a_gap_leads_from_one_side_to_the_other(void **state) {
    (void)state;
    const set s = {.x = {1e3, 2e3, 4e3, 8e3, 64e3, 128e3, 256e3, 512e3},
                   .y = {1.1e-9, 1.18e-9, 1.34e-9, 1.65e-9, 1.22e-9, 1.22e-9, 1.23e-9, 1.22e-9},
                   .deviation = {0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005, 0.005},
                   .n = 8};
    for (int shape = SUP_SHAPE_FREE; shape <= SUP_SHAPE_VALLEY; shape++) {
        sup_curve *c = fitted(&s, (sup_shape)shape);
        double before = sup_curve_at(c, 8e3);
        for (double x = 8e3; x <= 64e3; x *= 1.05) {
            double v = sup_curve_at(c, x);
            assert_true(v >= 1.2e-9 && v <= 1.67e-9 && v <= before);
            before = v;
        }
        for (size_t k = 1; k < c->count; k++) assert_true(c->segments[k].x_lo == c->segments[k - 1].x_hi);
        sup_curve_free(c);
    }
}

/* 250 ns measured, 371 ns in the fit: one quick small size before a long line. */
static void every_point_that_is_known_is_met(void **state) {
    (void)state;
    set s = {0};
    for (double x = 1; x <= 1 << 20; x *= 2, s.n++) {
        s.x[s.n] = x;
        s.y[s.n] = x < 2 ? 250e-9 : 371e-9 + 1e-10 * x;
        s.deviation[s.n] = 0.005;
    }
    sup_curve *c; /* one point is no line of its own */
    sup_curve_options o = {.shape = SUP_SHAPE_RISING, .noise = 0.005, .deviations = s.deviation, .min_points = 3};
    assert_int_equal(sup_curve_fit(s.x, s.y, s.n, &o, NULL, &c), SUP_OK);
    for (size_t i = 0; i < s.n; i++) assert_true(fabs(sup_curve_at(c, s.x[i]) / s.y[i] - 1) < 0.02);
    assert_true(c->count <= 3); /* the rest is one line */
    sup_curve_free(c);
    sup_random r = {.state = 22};
    for (int run = 0; run < 30; run++)
        for (int shape = 0; shape < SHAPES; shape++) {
            s = measure(shape, 2, 0.01, &r);
            c = fitted(&s, shapes[shape].shape);
            for (size_t i = 0; i < s.n; i++)
                assert_true(fabs(sup_curve_at(c, s.x[i]) / s.y[i] - 1) <= allowed(&s, i) * 1.001);
            sup_curve_free(c);
        }
}

static void a_line_takes_few_segments(void **state) {
    (void)state;
    sup_random r = {.state = 23};
    for (int run = 0; run < 60; run++) {
        set s = {0};
        for (double x = 1; x <= 1 << 20; x *= 1.5, s.n++) {
            s.x[s.n] = floor(x) + (double)s.n;
            s.deviation[s.n] = run % 3 == 0 ? 0.01 : run % 3 == 1 ? 0.05 : 0.2;
            s.y[s.n] = (1e-6 + 1e-9 * s.x[s.n]) * exp(s.deviation[s.n] * sup_random_normal(&r));
        }
        sup_curve *c = fitted(&s, SUP_SHAPE_RISING);
        assert_true(c->count <= 3);
        sup_curve_free(c);
    }
}

static void times_fall_only_where_points_do(void **state) {
    (void)state;
    sup_random r = {.state = 24};
    for (int run = 0; run < 60; run++)
        for (int shape = 2; shape < SHAPES; shape++) {
            double noise = shape == 4 ? 0.02 : 0.01 + 0.02 * (run % 4);
            set s = measure(shape, 1.5, noise, &r);
            sup_curve *c = fitted(&s, SUP_SHAPE_RISING);
            bool dropped = shape == 4; /* 11 µs to 5 µs is more than noise */
            assert_int_equal(!(c->flags & SUP_CURVE_NONDECREASING), dropped);
            for (double x = 1; x < 1 << 21; x *= 1.02)
                if (!dropped || x < 6000 || x > 20000) assert_true(sup_curve_at(c, x) <= sup_curve_at(c, x * 1.02));
            if (dropped) assert_true(sup_curve_at(c, 12000) < 0.8 * sup_curve_at(c, 7500));
            sup_curve_free(c);
        }
}

/* Up to its least value a rate falls; then noise alone does not make it fall. Nothing says that it rises beyond the
 * last point. */
static void rates_are_valleys(void **state) {
    (void)state;
    sup_random r = {.state = 25};
    for (int run = 0; run < 40; run++)
        for (int shape = 0; shape < 2; shape++) {
            set s = measure(shape, 1.5, 0.02, &r);
            sup_curve *c = fitted(&s, SUP_SHAPE_VALLEY);
            double least = INFINITY, at = 0;
            for (double x = 1024; x < 1 << 26; x *= 1.02)
                if (sup_curve_at(c, x) < least) least = sup_curve_at(c, x), at = x;
            for (double x = 1024; x < 1 << 26; x *= 1.02) {
                double step = sup_curve_at(c, x * 1.02) - sup_curve_at(c, x);
                if (x > at && step < -1e-9 * least) fail_msg("falls at %g", x);
                if (x * 1.02 < at && step > 1e-9 * least) fail_msg("rises at %g", x);
            }
            assert_true(sup_curve_at(c, 1e12) <= sup_curve_at(c, s.x[s.n - 1]) * (1 + 1e-9));
            sup_curve_free(c);
        }
}

static void points_count_by_their_deviations(void **state) {
    (void)state;
    sup_random r = {.state = 26};
    double sum = 0;
    int count = 0;
    for (int run = 0; run < 50; run++) {
        set s = {0};
        for (double x = 1; x <= 1 << 20; x *= 1.6, s.n++) {
            bool rough = sup_random_uniform(&r) < 0.4;
            s.x[s.n] = floor(x) + (double)s.n;
            s.deviation[s.n] = rough ? 0.2 : 0.01;
            s.y[s.n] = (1e-6 + 1e-9 * s.x[s.n]) * exp(s.deviation[s.n] * sup_random_normal(&r));
        }
        sup_curve *c = fitted(&s, SUP_SHAPE_RISING);
        for (double x = 2; x < 1 << 20; x *= 1.7, count++) sum += fabs(sup_curve_at(c, x) / (1e-6 + 1e-9 * x) - 1);
        sup_curve_free(c);
    }
    assert_true(sum / count < 0.01);
    const double x[] = {1, 2, 3}, y[] = {1, 1, 1}, unknown[] = {NAN, INFINITY, 0};
    sup_curve *c;
    assert_int_equal(sup_curve_fit(x, y, 3, &(sup_curve_options){.deviations = unknown}, NULL, &c), SUP_OK);
    assert_true(fabs(sup_curve_at(c, 2) - 1) < 1e-9);
    sup_curve_free(c);
}

/* Sizes between the measured ones, away from switches. */
static void held_out_error_is_small(void **state) {
    (void)state;
    const double limits[SHAPES][2] = {{0.005, 0.013}, {0.010, 0.023}, {0.004, 0.012}, {0.009, 0.020}, {0.004, 0.012}};
    const double switches[] = {4000, 10000, 32768, 1 << 20};
    sup_random r = {.state = 27};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int k = 0; k < 2; k++) {
            double sum = 0, noise = k ? 0.03 : 0.01;
            int count = 0;
            for (int run = 0; run < 40; run++) {
                set s = measure(shape, 1.55, noise, &r);
                sup_curve *c = fitted(&s, shapes[shape].shape);
                for (int i = 0; i < 60; i++) {
                    double x = shapes[shape].low * pow(s.x[s.n - 1] / shapes[shape].low, sup_random_uniform(&r));
                    bool beside = false;
                    for (int j = 0; j < 4; j++) beside |= fabs(log(x / switches[j])) < log(1.55);
                    if (beside && shape != 1 && shape != 3) continue;
                    sum += fabs(sup_curve_at(c, x) / shapes[shape].time(x) - 1);
                    count++;
                }
                sup_curve_free(c);
            }
            if (!(sum / count < limits[shape][k])) fail_msg("shape %d, noise %g: %g", shape, noise, sum / count);
        }
}

/* Steps are where the curve rises, however many segments they have, and a bend or a wiggle is none. */
static void steps_are_found(void **state) {
    (void)state;
    sup_random r = {.state = 28};
    for (int run = 0; run < 40; run++)
        for (int shape = 0; shape < 2; shape++) {
            set s = measure(shape, 1.5, 0.01, &r);
            sup_curve *c = fitted(&s, SUP_SHAPE_VALLEY);
            sup_break steps[8];
            assert_int_equal(sup_curve_breaks(c, 0.05, steps, 8), 2);
            assert_int_equal(sup_curve_breaks(c, 0.05, steps, 1), 1);
            sup_curve_breaks(c, 0.05, steps, 8);
            assert_true(steps[0].low < 40000 && steps[0].high > 32768 && steps[0].after > 1.3 * steps[0].before);
            assert_true(steps[1].low < 1.2e6 && steps[1].high > 1 << 20 && steps[1].after > 1.5 * steps[1].before);
            sup_curve_free(c);
        }
    /* as files of earlier versions have them: a gap, and 1.10 → 1.10 */
    const sup_segment old[] = {{1e3, 3e4, 1.1e-9, 0, 0.01, 5},
                               {4e4, 1e5, 1.101e-9, 0, 0.01, 5},
                               {1.2e5, 1e6, 2e-9, 0, 0.01, 9}};
    sup_curve *c;
    sup_break steps[8];
    assert_int_equal(sup_curve_make(old, 3, 0, NULL, &c), SUP_OK);
    assert_int_equal(sup_curve_breaks(c, 0.05, steps, 8), 1);
    assert_true(steps[0].low >= 1e5 && steps[0].high == 1.2e5 && steps[0].after == 2e-9);
    assert_int_equal(sup_curve_jumps(c, 0.15, steps, 8), 1); /* the gap */
    assert_true(steps[0].low == 1e5 && steps[0].high == 1.2e5 && steps[0].before == 1.101e-9 && steps[0].after == 2e-9);
    sup_curve_free(c);
}

static void a_jump_is_reported_as_unknown(void **state) {
    (void)state;
    sup_random r = {.state = 29};
    set s = measure(2, 1.5, 0.01, &r);
    sup_curve *c = fitted(&s, SUP_SHAPE_RISING);
    size_t joints = 0;
    for (size_t k = 0; k < c->count; k++) {
        if (c->segments[k].n != SUP_CURVE_JOINT) continue;
        joints++;
        for (double u = 0.05; u < 1; u += 0.1) {
            double x = c->segments[k].x_lo * pow(c->segments[k].x_hi / c->segments[k].x_lo, u);
            sup_prediction p = sup_curve_predict(c, x, 0.95);
            assert_true(p.low < protocols(3999) * 1.01 && p.high > protocols(4000) * 0.99);
            assert_true(p.low <= p.value && p.value <= p.high && p.value == sup_curve_at(c, x));
        }
    }
    assert_int_equal(joints, 1);
    sup_break jumps[4];
    assert_int_equal(sup_curve_jumps(c, 0.15, jumps, 4), 1);
    assert_true(jumps[0].low < 4000 && jumps[0].high >= 4000 && jumps[0].after > 3 * jumps[0].before);
    assert_int_equal(sup_curve_jumps(c, 0.15, jumps, 0), 0);
    assert_true(sup_curve_predict(c, 1000, 0.95).high < 1.2 * protocols(1000));
    assert_true(sup_curve_predict(c, 10000, 0.95).low > 0.85 * protocols(10000));
    sup_curve_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_peak_without_a_point),
        cmocka_unit_test(a_gap_leads_from_one_side_to_the_other),
        cmocka_unit_test(every_point_that_is_known_is_met),
        cmocka_unit_test(a_line_takes_few_segments),
        cmocka_unit_test(times_fall_only_where_points_do),
        cmocka_unit_test(rates_are_valleys),
        cmocka_unit_test(points_count_by_their_deviations),
        cmocka_unit_test(held_out_error_is_small),
        cmocka_unit_test(steps_are_found),
        cmocka_unit_test(a_jump_is_reported_as_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
