/* The rule that says whether a core works at its full pace, and that looking at a real one ends in time. */
#include "base/clock.h"
#include "base/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A machine without neighbours: the quotient scatters by a few per cent, and every look is a good one. */
static void quiet(void **state) {
    (void)state;
    sup_pace_learned learned = {0};
    for (int i = 0; i < 1000; i++) assert_true(sup_pace_judge(1.0 + 0.04 * (i % 5) / 4.0, 1e-5, &learned));
    assert_in_range((int)(1000 * learned.best), 1000, 1040);
}

/* A neighbour makes the core do less at once; that it is seen does not depend on how it began. */
static void neighbour(void **state) {
    (void)state;
    sup_pace_learned learned = {0};
    assert_true(sup_pace_judge(1.8, 1e-5, &learned)); /* nothing better is known yet */
    for (int i = 0; i < 50; i++) assert_true(sup_pace_judge(1.1, 1e-5, &learned));
    for (int i = 0; i < 1000; i++) assert_false(sup_pace_judge(1.3 + 0.5 * (i % 2), 1e-5, &learned));
    assert_true(sup_pace_judge(1.1, 1e-5, &learned));
}

/* Looks that came out too good (interrupts) do not turn all others into bad ones: neither one nor one in a hundred,
 * among good looks as among bad ones. */
static void freak(void **state) {
    (void)state;
    sup_pace_learned learned = {1.1, 1.1};
    sup_pace_judge(0.9, 1e-5, &learned);
    assert_true(sup_pace_judge(1.1, 1e-5, &learned));
    for (int i = 0; i < 100000; i++)
        if (i % 100 == 0)
            sup_pace_judge(0.1, 1e-5, &learned);
        else
            assert_true(sup_pace_judge(1.08 + 0.04 * (i % 5) / 4.0, 1e-5, &learned));
    for (int i = 0; i < 100000; i++) sup_pace_judge(i % 100 ? 1.4 : 0.1, 1e-5, &learned);
    assert_true(sup_pace_judge(1.1, 1e-5, &learned));
}

/* A pace that does not come back in five minutes is the machine's new one: measuring goes on. A gap between looks is
 * not time in which it did not come back. */
static void forgets(void **state) {
    (void)state;
    sup_pace_learned learned = {1.1, 1.1};
    int slow = 0;
    while (!sup_pace_judge(1.4, 0.01, &learned)) assert_true(++slow < 100000);
    assert_in_range(slow, 10000, 30000); /* 100 … 300 s */
    learned = (sup_pace_learned){1.1, 1.1};
    for (int i = 0; i < 100; i++) assert_false(sup_pace_judge(1.4, 1000.0, &learned));
}

static void real_core(void **state) {
    (void)state;
    double from = sup_clock_now();
    bool full = false, first = sup_pace_await(1, 0.01, &full);
    assert_true(!first || full); /* what was full at the first look was so at the last: there was no other */
    sup_pace_lost(1);
    for (int i = 0; i < 20; i++) sup_pace_full(1 + i % 12); /* more threads than are kept apart is no trouble */
    assert_true(sup_clock_now() - from < 60.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet),   cmocka_unit_test(neighbour), cmocka_unit_test(freak),
        cmocka_unit_test(forgets), cmocka_unit_test(real_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
