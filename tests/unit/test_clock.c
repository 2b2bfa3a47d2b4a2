/* The clock: goes forward, can be replaced and measured; the watch for switches sees what the kernel counted. */
#include "base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void goes_forward(void **state) {
    (void)state;
    int64_t last = sup_clock_ns();
    for (int i = 0; i < 10000; i++) {
        int64_t now = sup_clock_ns();
        assert_true(now >= last);
        last = now;
    }
    double a = (double)sup_clock_ns() * 1e-9, now = sup_clock_now(), b = (double)sup_clock_ns() * 1e-9;
    assert_true(a <= now && now <= b);
}

static void system_clock_is_measured(void **state) {
    (void)state;
    const sup_clock *c = sup_clock_system();
    assert_ptr_equal(c, sup_clock_system());
    assert_true(c->resolution_s > 0.0 && c->resolution_s < 0.1);
    assert_true(c->overhead_s > 0.0 && c->overhead_s < 0.1);
    int64_t a = c->now_ns(c->context);
    assert_true(sup_clock_ns() >= a);
}

/* Ticks of 100 ns, a reading takes 25: the step is 100, the cost 25. */
static int64_t coarse(void *context) {
    int64_t *t = context;
    *t += 25;
    return *t / 100 * 100;
}

static int64_t stopped(void *context) {
    (void)context;
    return 42;
}

static void replaced_clocks_are_measured(void **state) {
    (void)state;
    int64_t t = 0;
    sup_clock c = {.now_ns = coarse, .context = &t};
    sup_clock_measure(&c);
    assert_true(fabs(c.resolution_s - 100e-9) < 1e-15);
    assert_true(fabs(c.overhead_s - 25e-9) < 1e-10);
    sup_clock s = {.now_ns = stopped};
    sup_clock_measure(&s);
    assert_true(s.resolution_s == 0.0 && s.overhead_s == 0.0);
    assert_true(sup_clock_seconds(1000000000, 3500000000) == 2.5);
}

static void verdict(void **state) {
    (void)state;
    sup_usage quiet = {.wall_s = 1e-3, .cpu_s = 1.001e-3};
    assert_false(sup_usage_disturbed(&quiet, true));
    sup_usage switched = quiet;
    switched.involuntary = 1;
    assert_true(sup_usage_disturbed(&switched, false) && sup_usage_disturbed(&switched, true));
    sup_usage throttled = {.wall_s = 1e-3, .cpu_s = 0.9e-3};
    assert_true(sup_usage_disturbed(&throttled, true));
    assert_false(sup_usage_disturbed(&throttled, false));
    sup_usage rounding = {.wall_s = 10e-6, .cpu_s = 9e-6};
    assert_false(sup_usage_disturbed(&rounding, true));
}

static void sleep_is_seen(void **state) {
    (void)state;
    sup_usage_mark mark;
    sup_usage usage;
    sup_usage_begin(&mark);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    sup_usage_end(&mark, &usage);
    assert_true(usage.wall_s >= 0.02);
    assert_true(usage.cpu_s < usage.wall_s);
    assert_true(usage.voluntary >= 1);
    assert_true(sup_usage_disturbed(&usage, true));
}

/* Work that is not interrupted has used all the time there was: on a busy machine one quiet try of many is enough. */
static void undisturbed_work_is_seen(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        sup_usage_mark mark;
        sup_usage usage;
        sup_usage_begin(&mark);
        int64_t until = sup_clock_ns() + 20000;
        while (sup_clock_ns() < until) {
        }
        sup_usage_end(&mark, &usage);
        assert_true(usage.wall_s >= 20e-6);
        if (!sup_usage_disturbed(&usage, true)) return;
    }
    fail_msg("2000 batches of 20 us were all disturbed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_forward),
        cmocka_unit_test(system_clock_is_measured),
        cmocka_unit_test(replaced_clocks_are_measured),
        cmocka_unit_test(verdict),
        cmocka_unit_test(sleep_is_seen),
        cmocka_unit_test(undisturbed_work_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
