/* Simplified τ-Lop expressions: A1, A2, A3, the worked example of PART §5.1; what is simplified costs what it was. */
#include "taulop_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const made_channel quick = {.o = 1e-6, .b = 1e-9, .e = 0.7, .transfers = 2},
                          slow = {.o = 2e-6, .b = 1e-8, .e = 1, .transfers = 1};

static sup_taulop_costs *two_channels(void) {
    static sup_taulop_channel c[2];
    static sup_taulop_costs costs = {.channels = c, .channels_count = 2, .fold = made_fold};
    c[0] = made(0, &quick);
    c[1] = made(1, &slow);
    return &costs;
}

static void becomes(const char *text, const sup_taulop_costs *costs, const char *wanted) {
    sup_exprs *x = sup_exprs_new();
    const sup_expr *e, *simple;
    sup_diag diag = {0};
    char got[500];
    if (sup_expr_read(x, text, &diag, &e)) fail_msg("%s", diag.text);
    assert_int_equal(sup_expr_simplify(x, e, costs, &simple), SUP_OK);
    sup_expr_print(simple, false, got, sizeof got);
    assert_string_equal(got, wanted);
    sup_exprs_free(x);
}

/* PART §5.1, with m_a = 100, m_b = 900, m_c = 300, m_d = 200: m_c ≥ m_a, m_b ≥ m_d, T¹(m_b) ≥ T⁰(m_c − m_a). */
static void worked_example(void **state) {
    (void)state;
    const char *text = "[T0(100) + T1(900)] || [T0(300) + T1(200)]";
    sup_taulop_costs *costs = two_channels();
    assert_true(sup_taulop_send(&costs->channels[1], 900, 1) >= sup_taulop_send(&costs->channels[0], 200, 1));
    becomes(text, costs, "2 ‖ T⁰(100) + 2 ‖ T¹(200) + T¹(700)");
    /* Who does not know the costs comes as far as the document's second line. */
    becomes(text, NULL, "2 ‖ T⁰(100) + [T¹(900) ‖ [T⁰(200) + T¹(200)]]");
    /* The other way round T¹(m_b) is the shorter one. */
    becomes("[T0(100) + T1(9)] || [T0(300000) + T1(200)]", costs, "2 ‖ T⁰(100) + T⁰(299900) + T¹(200)");
}

static void rules(void **state) {
    (void)state;
    const sup_taulop_costs *costs = two_channels();
    becomes("T0(1) + T0(2) + 2||T0(3) + 2||T0(4) + T1(5)", NULL, "T⁰(3) + 2 ‖ T⁰(7) + T¹(5)"); /* A1 */
    becomes("5 * T0(3)", NULL, "T⁰(15)");
    becomes("5 * (2 || T0(3))", NULL, "2 ‖ T⁰(15)");
    becomes("T0(5) || T0(3)", NULL, "2 ‖ T⁰(3) + T⁰(2)"); /* A2 */
    becomes("T0(5) || 3||T0(3) || T0(9)", NULL, "5 ‖ T⁰(3) + 2 ‖ T⁰(2) + T⁰(4)");
    becomes("T0(3) || T0(3) || T0(3)", NULL, "3 ‖ T⁰(3)");
    becomes("T0(3) || T1(3)", costs, "T¹(3)"); /* A3 */
    becomes("T0(3) || T1(3)", NULL, "T⁰(3) ‖ T¹(3)");
    becomes("T0(3) || T1(3) || T0(3)", NULL, "[2 ‖ T⁰(3)] ‖ T¹(3)");
    becomes("2 || (T0(1) + T1(2))", NULL, "2 ‖ T⁰(1) + 2 ‖ T¹(2)"); /* distribution */
    becomes("2 || 3 || (T0(1) + (T1(2) + T1(3)))", NULL, "6 ‖ T⁰(1) + 6 ‖ T¹(5)");
    becomes("4 || L0(8K, 2) + L0(8K, 8) + L0(8K, 8)", NULL, "3 · L⁰(8K, 8)"); /* transfers stay as many as they are */
    becomes("2 || (3 * L0(8K, 1))", NULL, "3 · L⁰(8K, 2)");
    becomes("L0(8K, 2) || L0(8K, 4) || L0(8K, 1)", NULL, "L⁰(8K, 7)");
    becomes("L0(1K, 2) || L0(3K, 4)", NULL, "L⁰(1K, 6) + L⁰(2K, 4)");
    becomes("G(1K) || G(1K)", NULL, "γ(1K, 2)");
    becomes("W(1) + W(2) || W(4)", NULL, "W(5)");
    becomes("4 || W(1)", NULL, "W(1)");
    becomes("3 * (T0(1) + T1(1))", NULL, "3 · [T⁰(1) + T¹(1)]");
    becomes("3 * 2 * (T0(1) + T1(1))", NULL, "6 · [T⁰(1) + T¹(1)]");
    becomes("(2 * (T0(1) + T1(1))) || T0(1)", costs, "2 ‖ T⁰(1) + T¹(1) + T⁰(1) + T¹(1)");
    becomes("(1000000000 * (T0(1) + T1(1))) || T0(1)", costs, "2 ‖ T⁰(1) + T¹(1) + 999999999 · [T⁰(1) + T¹(1)]");
    becomes("0 + (0 + 0)", NULL, "0");
    becomes("T0(5) || (0)", NULL, "T⁰(5)");
}

static void unknown(void **state) {
    (void)state;
    sup_exprs *x = sup_exprs_new();
    const sup_expr *out = NULL;
    assert_int_equal(sup_expr_simplify(x, sup_expr_send(x, 5, 1, 1), two_channels(), &out), SUP_ENOENT);
    assert_null(out);
    sup_exprs_free(x);
}

static const sup_expr *random_expr(sup_exprs *x, sup_random *r, int depth) {
    double bytes = (double)(1 + sup_random_below(r, 200)) * 64, tau = (double)(1 + sup_random_below(r, 3));
    int channel = (int)sup_random_below(r, 2);
    const sup_expr *parts[4];
    size_t count = 1 + sup_random_below(r, 4);
    switch (depth > 0 ? sup_random_below(r, 9) : sup_random_below(r, 4)) {
    case 0: return sup_expr_transfer(x, channel, bytes, tau);
    case 1: return sup_random_below(r, 2) ? sup_expr_fold(x, bytes, tau) : sup_expr_wait(x, 1e-6 * random_share(r));
    case 2:
    case 3: return sup_expr_send(x, channel, bytes, tau);
    case 4: return sup_expr_times(x, (double)(1 + sup_random_below(r, 5)), random_expr(x, r, depth - 1));
    case 5: return sup_expr_many(x, (double)(1 + sup_random_below(r, 5)), random_expr(x, r, depth - 1));
    case 6:
        for (size_t i = 0; i < count; i++) parts[i] = random_expr(x, r, depth - 1);
        return sup_expr_sequence(x, parts, count);
    default:
        for (size_t i = 0; i < count; i++) parts[i] = random_expr(x, r, depth - 1);
        return sup_expr_together(x, parts, count);
    }
}

/* By `paper`, what is simplified costs what it was; what is simple stays as it is; nothing stays undecided. */
static bool has_together(const sup_expr *e) {
    bool found = e->kind == SUP_EXPR_TOGETHER;
    for (size_t i = 0; i < e->count && !found; i++) found = has_together(e->parts[i]);
    return found;
}

static void same_cost(void **state) {
    (void)state;
    const sup_taulop_costs *costs = two_channels();
    sup_random r = {.state = 17};
    for (int k = 0; k < 3000; k++) {
        sup_exprs *x = sup_exprs_new();
        const sup_expr *e = random_expr(x, &r, 4), *simple, *again, *half, *whole;
        double before, after, later;
        assert_int_equal(sup_expr_simplify(x, e, costs, &simple), SUP_OK);
        assert_false(has_together(simple));
        assert_int_equal(sup_taulop_cost(costs, &sup_evaluator_paper, e, NULL, &before), SUP_OK);
        assert_int_equal(sup_taulop_cost(costs, &sup_evaluator_paper, simple, NULL, &after), SUP_OK);
        if (fabs(after / before - 1) > 1e-9) fail_msg("round %d: %g, then %g", k, before, after);
        assert_int_equal(sup_expr_simplify(x, simple, costs, &again), SUP_OK);
        assert_int_equal(sup_taulop_cost(costs, &sup_evaluator_paper, again, NULL, &later), SUP_OK);
        assert_true(fabs(later / after - 1) < 1e-9);
        /* Simplified without costs it can still be simplified with them. */
        assert_int_equal(sup_expr_simplify(x, e, NULL, &half), SUP_OK);
        assert_int_equal(sup_expr_simplify(x, half, NULL, &whole), SUP_OK);
        assert_int_equal(sup_expr_simplify(x, half, costs, &whole), SUP_OK);
        assert_false(has_together(whole));
        sup_exprs_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(worked_example), cmocka_unit_test(rules),
                                       cmocka_unit_test(unknown), cmocka_unit_test(same_cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
