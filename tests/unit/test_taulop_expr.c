/* τ-Lop expressions: what is refused when they are made, text in and out, what is said about text that is wrong. */
#include "taulop_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- making ---- */

static sup_status refused(sup_expr *(*make)(sup_exprs *x), const char *why) {
    sup_exprs *x = sup_exprs_new();
    sup_diag diag = {0};
    assert_int_equal(sup_exprs_status(x, &diag), SUP_OK);
    assert_null(make(x));
    sup_status status = sup_exprs_status(x, &diag);
    if (!strstr(diag.text, why)) fail_msg("\"%s\" does not say \"%s\"", diag.text, why);
    assert_null(sup_expr_send(x, 0, 1, 1)); /* marked once and for all */
    sup_exprs_free(x);
    return status;
}

static sup_expr *below_one(sup_exprs *x) { return sup_expr_send(x, 0, 1, 0.5); }
static sup_expr *tau_nan(sup_exprs *x) { return sup_expr_transfer(x, 0, 1, NAN); }
static sup_expr *negative(sup_exprs *x) { return sup_expr_send(x, 0, -1, 1); }
static sup_expr *infinite(sup_exprs *x) { return sup_expr_fold(x, INFINITY, 1); }
static sup_expr *no_channel(sup_exprs *x) { return sup_expr_send(x, -1, 1, 1); }
static sup_expr *part_of_many(sup_exprs *x) { return sup_expr_many(x, 1.5, sup_expr_send(x, 0, 1, 1)); }
static sup_expr *no_times(sup_exprs *x) { return sup_expr_times(x, 0, sup_expr_send(x, 0, 1, 1)); }
static sup_expr *backwards(sup_exprs *x) { return sup_expr_wait(x, -1e-9); }
static sup_expr *missing(sup_exprs *x) {
    const sup_expr *parts[2] = {sup_expr_send(x, 0, 1, 1), NULL};
    return sup_expr_sequence(x, parts, 2);
}
static sup_expr *too_many(sup_exprs *x) {
    return sup_expr_many(x, 0x1p30, sup_expr_times(x, 0x1p30, sup_expr_send(x, 0, 1, 1)));
}
static sup_expr *too_deep(sup_exprs *x) {
    sup_expr *e = sup_expr_send(x, 0, 1, 1);
    for (int i = 0; i < 300 && e; i++) e = sup_expr_times(x, 1, e);
    return e;
}

static void arguments(void **state) {
    (void)state;
    assert_int_equal(refused(below_one, "τ = 0.5"), SUP_EINVAL);
    assert_int_equal(refused(tau_nan, "τ = "), SUP_EINVAL);
    assert_int_equal(refused(negative, "-1 bytes"), SUP_EINVAL);
    assert_int_equal(refused(infinite, "inf bytes"), SUP_EINVAL);
    assert_int_equal(refused(no_channel, "channel -1"), SUP_EINVAL);
    assert_int_equal(refused(part_of_many, "1.5 times"), SUP_EINVAL);
    assert_int_equal(refused(no_times, "0 times"), SUP_EINVAL);
    assert_int_equal(refused(backwards, "seconds"), SUP_EINVAL);
    assert_int_equal(refused(missing, "part 1 of 2 is missing"), SUP_EINVAL);
    assert_int_equal(refused(too_many, "more than can be counted"), SUP_EINVAL);
    assert_int_equal(refused(too_deep, "deep"), SUP_EINVAL);
}

static void counts(void **state) {
    (void)state;
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e;
    assert_int_equal(sup_expr_read(x, "3*(2||T0(1) + T1(1,4)) + L0(1,2) + W(1) + 0", NULL, &e), SUP_OK);
    assert_true(sup_expr_transmissions(e) == 3 * (2 + 4) + 2);
    sup_exprs_free(x);
}

/* ---- reading ---- */

static void reads_as(const char *text, const char *plain, const char *paper) {
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e, *again;
    sup_diag diag = {0};
    char got[400];
    if (sup_expr_read(x, text, &diag, &e)) fail_msg("%s: %s", text, diag.text);
    assert_int_equal(sup_expr_print(e, true, got, sizeof got), strlen(plain));
    assert_string_equal(got, plain);
    assert_int_equal(sup_expr_read(x, got, &diag, &again), SUP_OK);
    assert_true(sup_expr_equal(e, again));
    assert_int_equal(sup_expr_print(e, false, got, sizeof got), strlen(paper));
    assert_string_equal(got, paper);
    assert_int_equal(sup_expr_read(x, got, &diag, &again), SUP_OK);
    sup_exprs_free(x);
}

static void text(void **state) {
    (void)state;
    reads_as("2 || T0(64K) + T1(1M)", "2 || T0(64K) + T1(1M)", "2 ‖ T⁰(64K) + T¹(1M)");
    reads_as("2‖(T^0(65536)+T¹²(1.5k))", "2 || (T0(64K) + T12(1536))", "2 ‖ [T⁰(64K) + T¹²(1536)]");
    reads_as("T(64 KB,4)", "T0(64K, 4)", "4 ‖ T⁰(64K)");
    reads_as("T0(64K, 2.5)||T0(1)", "T0(64K, 2.5) || T0(1)", "T⁰(64K, 2.5) ‖ T⁰(1)");
    reads_as("T0(8,2) ∥ T1(8)", "T0(8, 2) || T1(8)", "[2 ‖ T⁰(8)] ‖ T¹(8)");
    reads_as("2L0(8K,1) + 3*L0(8K,2)", "2 * L0(8K, 1) + 3 * L0(8K, 2)", "2 · L⁰(8K, 1) + 3 · L⁰(8K, 2)");
    reads_as("7 × (8 || (2·L(1M,1)))", "7 * (8 || (2 * L0(1M, 1)))", "7 · [8 ‖ [2 · L⁰(1M, 1)]]");
    reads_as("7 * 8 || 2 L(1M,1)", "7 * (8 || (2 * L0(1M, 1)))", "7 · [8 ‖ [2 · L⁰(1M, 1)]]");
    reads_as("2 || T0(1) || T1(2)", "(2 || T0(1)) || T1(2)", "[2 ‖ T⁰(1)] ‖ T¹(2)");
    reads_as("3 * T0(1) || T1(2)", "3 * T0(1) || T1(2)", "3 · T⁰(1) ‖ T¹(2)");
    reads_as("[T0(1) + T1(2)] || [T0(3) + T1(1)]", "(T0(1) + T1(2)) || (T0(3) + T1(1))",
             "[T⁰(1) + T¹(2)] ‖ [T⁰(3) + T¹(1)]");
    reads_as("G(4K) + γ(1 GiB, 2) + W(3us)", "G(4K, 1) + G(1G, 2) + W(3e-06)", "γ(4K, 1) + γ(1G, 2) + W(3e-06)");
    reads_as("(0) || T0(0)", "(0) || T0(0)", "[0] ‖ T⁰(0)");
    reads_as(" 0 ", "0", "0");
    reads_as("(T0(1) + T0(2)) + T0(0.1)", "(T0(1) + T0(2)) + T0(0.1)", "[T⁰(1) + T⁰(2)] + T⁰(0.1)");
}

/* What is wrong, and under which column the caret stands. */
static void caret(const char *given, const char *why, const char *before) {
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e = NULL;
    sup_diag diag = {0};
    char wanted[200];
    assert_int_equal(sup_expr_read(x, given, &diag, &e), SUP_EINVAL);
    assert_null(e);
    assert_int_equal(diag.status, SUP_EINVAL);
    snprintf(wanted, sizeof wanted, "\n  %s\n  %*s^", given, (int)strlen(before), "");
    if (strncmp(diag.text, why, strlen(why)) != 0 || strcmp(diag.text + strcspn(diag.text, "\n"), wanted) != 0)
        fail_msg("wanted: %s%s\ngot: %s", why, wanted, diag.text);
    sup_exprs_free(x);
}

static void mistakes(void **state) {
    (void)state;
    caret("", "a transmission such as T0(64K) is missing here", "");
    caret("T0(64K", "nothing closes this bracket", "..");
    caret("T0()", "a size is missing here", "...");
    caret("T0(-1)", "a size is missing here", "...");
    caret("T0(64Q)", ") or , is missing here", ".....");
    caret("T0(64K, 0.5)", "τ is at least 1", "........");
    caret("2 ‖ T⁰(1) ‖ X(1)", "here a transmission begins", "2 . T.(1) . ");
    caret("T0(1) | T1(1)", "at the same time is written || or ‖", "......");
    caret("T0(1) T1(1)", "+ or ‖ is missing here", "......");
    caret("(T0(1) + T1(1)", "nothing closes this bracket", "");
    caret("(T0(1)]", "), + or ‖ is missing here", "......");
    caret("T0(1))", "no bracket is open here", ".....");
    caret("1.5 || T0(1)", "how many is a whole number, 1 or more", "");
    caret("0 || T0(1)", "how many is a whole number, 1 or more", "");
    caret("T0(1) + 1e400 * T0(1)", "too large a number", "........");
    caret("T0(nan)", "a size is missing here", "...");
    caret("T0(0x10)", ") or , is missing here", "....");
    caret("T0(1.2.3)", "this belongs to no number", "......");
    caret("T99999(1)", "channels are 0 to 65535", ".");
    caret("T^(1)", "the number of a channel is missing here", "..");
    caret("T0(1e300)", "so large a size is no message's", "...");
    caret("9e15*1e16*T0(1)", "how many is a whole number", ".....");
    caret("1e15*1e15*T0(1)", "1e+30 transmissions are more than can be counted", "");
    caret("W(1 hour)", "), + or ‖ is missing here", "....");
}

/* Texts that are long, deep, or no text: an error with its place, never more than the diag holds. */
static void hostile(void **state) {
    (void)state;
    sup_diag diag;
    const sup_expr *e;
    char *deep = malloc(200001);
    for (int way = 0; way < 3; way++) {
        sup_exprs *x = sup_exprs_new();
        for (int i = 0; i < 200000; i++) deep[i] = way == 0 ? '(' : way == 1 ? "2*"[i % 2] : "2|"[i % 3 > 0];
        deep[200000] = '\0';
        assert_int_equal(sup_expr_read(x, deep, &diag, &e), SUP_EINVAL);
        assert_non_null(strstr(diag.text, "nested more than "));
        assert_int_equal(diag.text[strlen(diag.text) - 1], '^');
        sup_exprs_free(x);
    }
    free(deep);
    sup_exprs *x = sup_exprs_new();
    assert_int_equal(sup_expr_read(x, "T0(1) + \x1b[2J\xff\xe2\x81\xa6 \xf0\x9f\x98\x80", &diag, &e), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "\n  T0(1) + ?[2J?? ?\n          ^"));
    sup_exprs_free(x);
}

/* A long text is shown around the place. */
static void far_behind(void **state) {
    (void)state;
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e;
    sup_diag diag;
    char given[3000] = "";
    for (int i = 0; i < 200; i++) strcat(given, "T⁰(1) + ");
    strcat(given, "Q");
    assert_int_equal(sup_expr_read(x, given, &diag, &e), SUP_EINVAL);
    const char *line = strchr(diag.text, '\n');
    assert_non_null(line);
    assert_string_equal(line, "\n  …T⁰(1) + T⁰(1) + T⁰(1) + T⁰(1) + T⁰(1) + Q\n"
                              "                                           ^");
    sup_exprs_free(x);
}

/* ---- both ways ---- */

static const sup_expr *random_expr(sup_exprs *x, sup_random *r, int depth) {
    static const double sizes[] = {0, 1, 1000, 1024, 65536, 3.7, 1e6 / 3, 0x1p40, 0x1p60, 123456789};
    double bytes = sizes[sup_random_below(r, 10)], tau = sup_random_below(r, 2) ? 1 : 1 + 10 * random_share(r);
    int channel = (int)sup_random_below(r, 3) * 7;
    const sup_expr *parts[4];
    size_t count = sup_random_below(r, 5);
    switch (depth > 0 ? sup_random_below(r, 8) : sup_random_below(r, 4)) {
    case 0: return sup_expr_send(x, channel, bytes, tau);
    case 1: return sup_expr_transfer(x, channel, bytes, tau);
    case 2: return sup_expr_fold(x, bytes, tau);
    case 3: return sup_expr_wait(x, random_share(r));
    case 4: return sup_expr_times(x, (double)(1 + sup_random_below(r, 9)), random_expr(x, r, depth - 1));
    case 5: return sup_expr_many(x, (double)(1 + sup_random_below(r, 9)), random_expr(x, r, depth - 1));
    case 6:
        for (size_t i = 0; i < count; i++) parts[i] = random_expr(x, r, depth - 1);
        return sup_expr_sequence(x, parts, count);
    default:
        for (size_t i = 0; i < count; i++) parts[i] = random_expr(x, r, depth - 1);
        return sup_expr_together(x, parts, count);
    }
}

static void round_trip(void **state) {
    (void)state;
    sup_random r = {.state = 11};
    for (int k = 0; k < 5000; k++) {
        sup_exprs *x = sup_exprs_new();
        const sup_expr *e = random_expr(x, &r, 5), *again;
        sup_diag diag = {0};
        if (sup_exprs_status(x, &diag)) fail_msg("%s", diag.text);
        size_t length = sup_expr_print(e, true, NULL, 0);
        char *plain = malloc(length + 1), *second = malloc(length + 1);
        assert_int_equal(sup_expr_print(e, true, plain, length + 1), length);
        assert_int_equal(strlen(plain), length);
        if (sup_expr_read(x, plain, &diag, &again)) fail_msg("%s", diag.text);
        if (!sup_expr_equal(e, again)) fail_msg("%s", plain);
        sup_expr_print(again, true, second, length + 1);
        assert_string_equal(plain, second);
        length = sup_expr_print(e, false, NULL, 0);
        char *paper = malloc(length + 1);
        sup_expr_print(e, false, paper, length + 1);
        if (sup_expr_read(x, paper, &diag, &again)) fail_msg("%s", diag.text);
        assert_true(fabs(sup_expr_transmissions(again) / fmax(1, sup_expr_transmissions(e)) - 1) < 1e-12 ||
                    sup_expr_transmissions(e) < 1);
        free(paper);
        free(second);
        free(plain);
        sup_exprs_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),  cmocka_unit_test(counts),  cmocka_unit_test(text),
        cmocka_unit_test(mistakes),   cmocka_unit_test(hostile), cmocka_unit_test(far_behind),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
