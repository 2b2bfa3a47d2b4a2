/* Recorded computation on another machine: the ratio of the rates of kernels that both profiles have, with an interval
 * as wide as the kernels differ; nothing where they have none in common. */
#include "model/platform/carry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b))
#define HEAD                                                                                                         \
    "{\"kind\": \"superstep-profile\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"superstep " \
    "0\", \"signature\": {\"topology\": \"abc\", \"cpu\": \"x\", \"cores\": 8, \"hosts\": 1, \"processes\": 2, "     \
    "\"transport\": \"shm\", \"placement\": [{\"host\": 0, \"hosts\": 1, \"cores\": [0, 1]}]}, \"kernels\": ["
#define RATE(active, small, large)                                                                                 \
    "{\"active\": " active ", \"unit_s\": {\"segments\": [{\"x_lo\": 1024, \"x_hi\": 65536, \"intercept\": " small \
    ", \"slope\": 0, \"residual\": 0.01, \"n\": 5}, {\"x_lo\": 131072, \"x_hi\": 16777216, \"intercept\": " large  \
    ", \"slope\": 0, \"residual\": 0.01, \"n\": 5}]}}"
#define KERNEL(name, bytes, rates)                                               \
    "{\"name\": \"" name "\", \"unit\": \"element\", \"bytes_per_unit\": " bytes \
    ", \"flops_per_unit\": 2, \"rates\": [" rates "]}"
#define TAIL "]}"

static sup_profile *profile(const char *text) {
    sup_json *doc = NULL;
    sup_profile *p = NULL;
    sup_diag d = {0};
    if (sup_json_parse("profile", text, strlen(text), &d, &doc) || sup_profile_parse(doc, true, &d, &p))
        fail_msg("%d: %s", d.line, d.text);
    sup_json_free(doc);
    return p;
}

static sup_status carry(const char *there, const char *here, int64_t active, sup_carry *out, sup_diag *diag) {
    sup_profile *a = profile(there), *b = profile(here);
    sup_status st = sup_carry_ratio(a, 1, b, active, 0.9, diag, out);
    sup_profile_free(a);
    sup_profile_free(b);
    return st;
}

#define THERE                                                                                                         \
    HEAD KERNEL("dot", "16", RATE("1", "1e-9", "2e-9")) "," KERNEL("fma", "8", RATE("1", "1e-9", "1e-9")) "," KERNEL( \
        "copy", "16", RATE("1", "4e-9", "4e-9")) TAIL

static void median_of_the_kernels(void **state) {
    (void)state;
    sup_carry c;
    sup_diag d = {0};
    /* dot 2 times, fma 1.5 times, copy 3 times as long */
    assert_int_equal(carry(THERE,
                           HEAD KERNEL("copy", "16", RATE("1", "12e-9", "12e-9")) "," KERNEL(
                               "dot", "16", RATE("1", "2e-9", "4e-9")) "," KERNEL("fma", "8",
                                                                                  RATE("1", "1.5e-9", "1.5e-9")) TAIL,
                           1, &c, &d),
                     SUP_OK);
    assert_int_equal(c.kernels, 3);
    NEAR(c.ratio.value, 2.0);
    NEAR(c.ratio.low, 1.5);
    NEAR(c.ratio.high, 3.0);
}

/* The same machine is as quick as itself, but a program is like no kernel. */
static void itself(void **state) {
    (void)state;
    sup_carry c;
    sup_diag d = {0};
    assert_int_equal(carry(THERE, THERE, 1, &c, &d), SUP_OK);
    NEAR(c.ratio.value, 1.0);
    NEAR(c.ratio.low, 0.95);
    NEAR(c.ratio.high, 1.05);
}

static void active_cores_count(void **state) {
    (void)state;
    sup_carry c;
    sup_diag d = {0};
    const char *here = HEAD KERNEL("dot", "16", RATE("1", "1e-9", "2e-9") "," RATE("8", "4e-9", "8e-9")) TAIL;
    assert_int_equal(carry(THERE, here, 1, &c, &d), SUP_OK);
    NEAR(c.ratio.value, 1.0);
    NEAR(c.ratio.high, 1.5); /* one kernel alone */
    assert_int_equal(carry(THERE, here, 7, &c, &d), SUP_OK);
    NEAR(c.ratio.value, 4.0);
    assert_int_equal(c.kernels, 1);
}

/* Another kernel of the same name, and names that only one side has. */
static void nothing_in_common(void **state) {
    (void)state;
    sup_carry c;
    sup_diag d = {0};
    const char *here =
        HEAD KERNEL("dot", "24", RATE("1", "1e-9", "2e-9")) "," KERNEL("novel", "8", RATE("1", "1e-9", "2e-9")) TAIL;
    assert_int_equal(carry(THERE, here, 1, &c, &d), SUP_ENOENT);
    assert_non_null(strstr(d.text, "no rate of a kernel in common"));
    assert_int_equal(carry(HEAD TAIL, THERE, 1, &c, &d), SUP_ENOENT);
}

static void same_machines(void **state) {
    (void)state;
    char x[] = "x", y[] = "y";
    sup_origin a = {.cpu = x, .topology = x}, b = {.cpu = x, .topology = x}, other = {.cpu = y, .topology = x},
               shape = {.cpu = x, .topology = y}, bare = {0};
    assert_true(sup_carry_same(&a, &b));
    assert_false(sup_carry_same(&a, &other));
    assert_false(sup_carry_same(&a, &shape));
    assert_true(sup_carry_same(&a, &bare));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_the_kernels), cmocka_unit_test(itself),        cmocka_unit_test(active_cores_count),
        cmocka_unit_test(nothing_in_common),     cmocka_unit_test(same_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
