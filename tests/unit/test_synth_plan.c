/* Which of the barriers is taken, and the plan that holds it. */
#include "choose/choose.h"
#include "synth_machine.h"

/* ---- the choice ---- */

static sup_candidate candidate(const char *name, double predicted, double half, double measured, int stages) {
    static sup_plan_barrier some;
    sup_candidate c = {.record = &some,
                       .cost = {predicted, predicted - half, predicted + half},
                       .measured_s = measured,
                       .stages = stages,
                       .signals = stages};
    snprintf(c.name, sizeof c.name, "%s", name);
    return c;
}

static size_t choose_of(sup_candidate *at, size_t count, size_t usual) {
    sup_candidates list = {.at = at, .count = count, .usual = usual};
    return choice_of(&list);
}

static void the_choice(void **state) {
    (void)state;
    /* better by less than is unknown: kept */
    sup_candidate a[] = {candidate("a", 0.9, 0.2, NAN, 3), candidate("usual", 1, 0.2, NAN, 4)};
    assert_int_equal(choose_of(a, 2, 1), 1);
    a[0] = candidate("a", 0.75, 0.2, NAN, 3); /* of either: the usual may be as quick as 0.8 */
    assert_int_equal(choose_of(a, 2, 1), 1);
    a[0] = candidate("a", 0.55, 0.2, NAN, 3);
    assert_int_equal(choose_of(a, 2, 1), 0);
    /* a plan cannot hold it */
    a[0].record = NULL;
    assert_int_equal(choose_of(a, 2, 1), 1);
    /* measurement counts more than prediction, both ways */
    a[0] = candidate("a", 0.5, 0.1, 1.2, 3);
    assert_int_equal(choose_of(a, 2, 1), 1);
    a[0] = candidate("a", 1.5, 0.1, 0.9, 3);
    assert_int_equal(choose_of(a, 2, 1), 1);
    a[1] = candidate("usual", 1, 0.05, NAN, 4);
    assert_int_equal(choose_of(a, 2, 1), 0);
    /* two measured ones differ by 3 % */
    a[1].measured_s = 0.92;
    assert_int_equal(choose_of(a, 2, 1), 1);
    a[1].measured_s = 0.93;
    assert_int_equal(choose_of(a, 2, 1), 0);
    a[1].measured_ci = 0.04; /* and their intervals do not meet */
    assert_int_equal(choose_of(a, 2, 1), 1);
    a[1].measured_ci = 0;
    a[0].measured_ci = 0.04;
    assert_int_equal(choose_of(a, 2, 1), 1);
    /* within the interval of the best prediction what was measured is preferred; beyond it is not */
    sup_candidate b[] = {candidate("best", 0.5, 0.1, NAN, 3), candidate("seen", 0.7, 0.1, 0.58, 3),
                         candidate("usual", 1, 0.1, NAN, 4)};
    assert_int_equal(choose_of(b, 3, 2), 1);
    b[1].measured_s = 0.62;
    assert_int_equal(choose_of(b, 3, 2), 0);
    /* equal but for 3 %: the simpler */
    b[1] = candidate("simple", 0.51, 0.1, NAN, 2);
    assert_int_equal(choose_of(b, 3, 2), 1);
    b[1] = candidate("simple", 0.52, 0.1, NAN, 2);
    assert_int_equal(choose_of(b, 3, 2), 0);
    /* equal but for 10 %: fewer signals between hosts */
    b[0].crossing = 9;
    b[1].crossing = 1;
    assert_int_equal(choose_of(b, 3, 2), 1);
    b[1] = candidate("few", 0.56, 0.1, NAN, 2);
    assert_int_equal(choose_of(b, 3, 2), 0);
}

/* What the profile measured of a pattern is found, of this transport and number only. */
static void as_measured(void **state) {
    (void)state;
    static const char *const rows =
        "{\"transport\":\"shm\",\"algorithm\":\"linear\",\"processes\":8,\"payload_bytes\":0,\"time_s\":{\"value\":1e-"
        "6,"
        "\"ci\":1e-8,\"n\":9}},{\"transport\":\"shm\",\"algorithm\":\"tree\",\"processes\":4,\"payload_bytes\":0,"
        "\"time_s\":{\"value\":1e-9,\"ci\":1e-11,\"n\":9}},{\"transport\":\"shm\",\"algorithm\":\"dissemination\","
        "\"processes\":8,\"payload_bytes\":0,\"time_s\":{\"value\":3e-6,\"ci\":1e-8,\"n\":9}},{\"transport\":\"shm\","
        "\"algorithm\":\"4 ring, ring\",\"processes\":8,\"payload_bytes\":0,\"time_s\":{\"value\":7e-6,\"ci\":1e-8,"
        "\"n\":9}}";
    machine w = {"shm", 1, {8}, {1e-7, 1e-7}, {0, 0}, false, rows, NULL};
    sup_profile *p = profile_of(&w);
    sup_platform *m = platform_of(p, 0);
    sup_candidates list = candidates_of(m);
    check_all(m, &list);
    int found = 0;
    for (size_t k = 0; k < list.count; k++) {
        const sup_candidate *c = &list.at[k];
        if (!strcmp(c->name, "linear")) assert_true(c->measured_s == 1e-6), found++;
        if (!strcmp(c->name, "dissemination")) assert_true(c->measured_s == 3e-6), found++;
        if (!strcmp(c->name, "tree")) assert_true(isnan(c->measured_s)), found++;
    }
    for (size_t k = 0; k < list.count; k++) /* whatever was measured is among them */
        found += list.at[k].measured_s == 7e-6;
    assert_int_equal(found, 4);
    close_all(&list, m, p);
}

/* ---- plans ---- */

static char *plan_text(const machine *w) {
    sup_profile *p = profile_of(w);
    sup_plan *plan = NULL;
    sup_diag diag = {0};
    char *out = NULL;
    size_t length;
    sup_choose_lacks lacks;
    if (sup_choose(p, &(sup_choose_options){.only = "barrier", .unconfirmed = true}, &diag, &plan, &lacks))
        fail_msg("%s", diag.text);
    assert_int_equal(sup_record_set_string(&plan->created, "2026-01-31T12:00:00Z"), SUP_OK);
    if (sup_plan_text(plan, &diag, &out, &length)) fail_msg("%s", diag.text);
    sup_plan_free(plan);
    sup_profile_free(p);
    return out;
}

/* The same profile, the same plan; it can be read again, and its rows are found by the sets they are for. */
static void plans(void **state) {
    (void)state;
    machine w = {"openmpi", 3, {4, 4, 4}, {5e-8, 1e-7}, {5e-6, 2e-5}, false, NULL, NULL};
    char *once = plan_text(&w), *again = plan_text(&w);
    assert_string_equal(once, again);
    sup_json *doc = NULL;
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    if (sup_json_parse("plan", once, strlen(once), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_plan_parse(doc, true, &diag, &plan)) fail_msg("%d: %s", diag.line, diag.text);
    assert_int_equal(plan->decisions_count, 1);
    assert_string_equal(plan->decisions[0].about, "barrier");
    assert_true(plan->decisions[0].beaten_count == 8);
    assert_true(plan->decisions[0].predicted_s <= plan->decisions[0].otherwise_s);
    const int all[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    if (plan->barrier) {
        assert_true(sup_plan_has_barrier(plan, &(sup_plan_set){12, "openmpi", all}));
        assert_false(sup_plan_has_barrier(plan, &(sup_plan_set){12, "mpich", all}));
    } else {
        assert_string_equal(plan->decisions[0].choice, plan->decisions[0].otherwise);
    }
    for (size_t k = 0; k < plan->barriers_count; k++) {
        const sup_plan_barrier *b = &plan->barriers[k];
        assert_true(b->processes >= 2 && b->processes < 12 && b->hosts_count);
    }
    const int apart[] = {0, 1, 2, 3}; /* four hosts were never seen */
    assert_false(sup_plan_has_barrier(plan, &(sup_plan_set){4, "openmpi", apart}));
    sup_plan_free(plan);
    sup_json_free(doc);
    free(once);
    free(again);
}

/* Rows of a profile may come in any order. */
static void any_order(void **state) {
    (void)state;
    static const char *const one = "{\"transport\":\"shm\",\"algorithm\":\"linear\",\"processes\":8,\"payload_bytes\":"
                                   "0,\"time_s\":{\"value\":1e-6,"
                                   "\"ci\":1e-8,\"n\":9}}";
    static const char *const two =
        "{\"transport\":\"shm\",\"algorithm\":\"dissemination\",\"processes\":8,\"payload_bytes\":0,\"time_s\":"
        "{\"value\":3e-6,\"ci\":1e-8,\"n\":9}}";
    char rows[2][512];
    snprintf(rows[0], sizeof rows[0], "%s,%s", one, two);
    snprintf(rows[1], sizeof rows[1], "%s,%s", two, one);
    sup_candidates list[2];
    for (int k = 0; k < 2; k++) {
        machine w = {"shm", 1, {8}, {1e-7, 1e-7}, {0, 0}, false, rows[k], NULL};
        sup_profile *p = profile_of(&w);
        sup_platform *m = platform_of(p, 0);
        list[k] = candidates_of(m);
        sup_platform_free(m);
        sup_profile_free(p);
    }
    assert_int_equal(list[0].count, list[1].count);
    size_t a = choice_of(&list[0]), b = choice_of(&list[1]);
    assert_string_equal(list[0].at[a].name, list[1].at[b].name);
    for (int k = 0; k < 2; k++) sup_candidates_free(&list[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice),
        cmocka_unit_test(as_measured),
        cmocka_unit_test(plans),
        cmocka_unit_test(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
