/* A rate while it is being measured: what visits of a point add up to, and which is next. */
#include "measure/comp_curve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static void visits_that_disagree_widen(void **state) {
    (void)state;
    sup_comp_curve c = {0};
    sup_comp_point a = {.bytes = 1000, .unit_s = 1.00, .ci_s = 0.01, .n = 10},
                   b = {.bytes = 1000, .unit_s = 1.01, .ci_s = 0.01, .n = 10},
                   far = {.bytes = 1000, .unit_s = 2.0, .ci_s = 0.01, .n = 10},
                   none = {.bytes = 2000, .unit_s = 0.0, .ci_s = 0.0, .n = 1};
    assert_int_equal(sup_comp_curve_add(&c, 1100, &a), SUP_OK);
    assert_int_equal(sup_comp_curve_add(&c, 1100, &b), SUP_OK);
    assert_int_equal(c.count, 1);
    NEAR(sup_comp_spot_value(&c.spots[0]), 1.005, 1e-9);
    NEAR(sup_comp_spot_ci(&c.spots[0]), 0.01, 0.001);
    assert_int_equal(sup_comp_curve_add(&c, 1100, &far), SUP_OK);
    assert_true(sup_comp_spot_ci(&c.spots[0]) > 0.3);
    assert_int_equal(sup_comp_curve_add(&c, 1100, &none), SUP_EINVAL);
    sup_comp_choice next = sup_comp_curve_next(&c);
    assert_true(next.again && next.bytes == 1100);
    for (int i = 0; i < 100; i++) sup_comp_curve_tried(&c, &next);
    assert_int_equal(sup_comp_curve_next(&c).bytes, 0); /* hopeless: given up */
    sup_comp_curve_clear(&c);
}

/* Of visits on a busy machine the ones that were held up do not count once there is a better one; and before that
 * nothing is bisected because of them. */
static void busy_visits(void **state) {
    (void)state;
    sup_comp_curve c = {0};
    sup_comp_point held = {.bytes = 1000, .unit_s = 1.6, .ci_s = 0.001, .n = 10, .noisy = true};
    sup_comp_point well = {.bytes = 1000, .unit_s = 1.0, .ci_s = 0.01, .n = 10, .noisy = true};
    sup_comp_point next = {.bytes = 8000, .unit_s = 1.0, .ci_s = 0.001, .n = 10};
    held.noisy = false; /* nobody noticed, yet */
    assert_int_equal(sup_comp_curve_add(&c, 1000, &held), SUP_OK);
    held.noisy = next.noisy = true;
    assert_int_equal(sup_comp_curve_add(&c, 8000, &next), SUP_OK);
    assert_int_equal(sup_comp_curve_add(&c, 8000, &next), SUP_OK);
    sup_comp_choice choice = sup_comp_curve_next(&c);
    assert_true(choice.again && choice.bytes == 1000);
    assert_int_equal(sup_comp_curve_add(&c, 1000, &well), SUP_OK);
    NEAR(sup_comp_spot_value(&c.spots[0]), 1.0, 1e-9);
    assert_true(sup_comp_curve_next(&c).again); /* once is not enough */
    assert_int_equal(sup_comp_curve_add(&c, 1000, &held), SUP_OK);
    NEAR(sup_comp_spot_value(&c.spots[0]), 1.0, 1e-9);
    assert_int_equal(c.spots[0].visits, 2); /* the one that does not count was one, too */
    assert_true(sup_comp_curve_next(&c).relative < 0.02);
    next.bytes = 16000, next.shared = 0.8; /* samples with a neighbour agree with each other; that proves nothing */
    assert_int_equal(sup_comp_curve_add(&c, 16000, &next), SUP_OK);
    NEAR(sup_comp_spot_ci(&c.spots[2]), 0.4, 0.01);
    for (int i = 0; i < 8; i++) assert_int_equal(sup_comp_curve_add(&c, 16000, &next), SUP_OK);
    NEAR(sup_comp_spot_ci(&c.spots[2]), 0.4, 0.01); /* nor do more of them */
    sup_comp_curve_clear(&c);
}

/* A rate does not become better with the footprint: on a busy machine such a spot is visited again, some times. */
static void busy_falls(void **state) {
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        sup_comp_curve c = {0};
        sup_comp_point slow = {.bytes = 1000, .unit_s = 1.5, .ci_s = 0.001, .n = 10, .noisy = noisy};
        sup_comp_point fine = {.bytes = 64000, .unit_s = 1.0, .ci_s = 0.001, .n = 10, .noisy = noisy};
        for (int visit = 0; visit < 2; visit++) {
            assert_int_equal(sup_comp_curve_add(&c, 1000, &slow), SUP_OK);
            assert_int_equal(sup_comp_curve_add(&c, 64000, &fine), SUP_OK);
        }
        int tries = 0;
        sup_comp_choice choice;
        while ((choice = sup_comp_curve_next(&c)).again && tries < 100) {
            assert_int_equal(choice.bytes, 1000);
            sup_comp_curve_tried(&c, &choice);
            tries++;
        }
        assert_int_equal(tries, noisy ? 4 : 0);
        assert_int_equal(choice.bytes, 8000); /* then it is a step, to be located */
        sup_comp_curve_clear(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(visits_that_disagree_widen), cmocka_unit_test(busy_visits),
                                       cmocka_unit_test(busy_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
