/* Times of several launches: means, odd ones, what is known without running, the file between them. */
#include "measure/launches.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A lab whose every trial takes what we say. */
static double says, takes;
static int runs, noisy; /* of 30 batches */

static sup_status run(sup_lab *lab, const sup_trial *t, sup_diag *diag, sup_timing *out) {
    (void)lab, (void)diag;
    runs++;
    for (int g = 0; g < t->groups; g++)
        out[g] = (sup_timing){
            .seconds = says * (1 + g), .ci = 0.01 * says, .n = 25, .rejected = noisy, .batches = 30, .spent_s = takes};
    return SUP_OK;
}

static char path[] = "/tmp/superstep-launches-XXXXXX";
static const int pair[] = {0, 1, 2, 3};

/* One launch in which one trial is run once and gives `seconds`; *out: what all launches say. */
static void launch(const sup_trial *t, double seconds, sup_timing *out) {
    sup_lab lab = {.size = 4, .transport = "made up", .run = run};
    assert_int_equal(sup_launches_open(path, &lab.launches), SUP_OK);
    says = seconds;
    assert_int_equal(sup_lab_run(&lab, t, NULL, out), SUP_OK);
    assert_int_equal(sup_launches_save(lab.launches, path), SUP_OK);
    sup_launches_free(lab.launches);
}

static int fresh(void **state) {
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int file = mkstemp(path);
    if (file < 0) return -1;
    close(file);
    return unlink(path);
}
static int gone(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

static void mean_of_launches(void **state) {
    (void)state;
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, pair, 1, 2, 0);
    launch(&trial, 160e-9, &t);
    assert_float_equal(t.seconds * 1e9, 160.0, 1e-6);
    assert_float_equal(t.ci * 1e9, 1.6, 1e-6);
    launch(&trial, 190e-9, &t);
    launch(&trial, 160e-9, &t);
    assert_float_equal(t.seconds * 1e9, 170.0, 1e-6);
    assert_float_equal(t.ci * 1e9, 15.0, 1e-6); /* what launches differ by, not what one of them is sure of */
    assert_int_equal(t.n, 75);
    assert_int_equal(t.batches, 30); /* of this launch: the others' were counted */
}

static void odd_launch_is_left_out(void **state) {
    (void)state;
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, pair, 1, 2, 0);
    launch(&trial, 100e-9, &t);
    launch(&trial, 300e-9, &t);
    launch(&trial, 104e-9, &t);
    assert_float_equal(t.seconds * 1e9, 102.0, 1e-6);
}

static void calm_launches_count_more(void **state) {
    (void)state;
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, pair, 1, 2, 0);
    launch(&trial, 100e-9, &t);
    noisy = 27;
    launch(&trial, 120e-9, &t);
    noisy = 0;
    assert_float_equal(t.seconds * 1e9, (100.0 + 120.0 * 0.1) / 1.1, 1e-6);
    assert_float_equal(t.ci * 1e9, 10.0, 1e-6);
}

static void times_beside_others_are_unsure(void **state) {
    (void)state;
    sup_timing t = {.seconds = 1.0, .ci = 0.01, .batches = 100, .rejected = 5};
    sup_timing_widen(&t);
    assert_float_equal(t.ci, 0.01, 1e-12); /* no machine is idle */
    t.rejected = 60, t.disturbed = 10;
    assert_float_equal(sup_timing_beside(&t), 0.7, 1e-12);
    sup_timing_widen(&t);
    assert_float_equal(t.ci, 0.3, 1e-12);
    t.ci = 0.5;
    sup_timing_widen(&t);
    assert_float_equal(t.ci, 0.5, 1e-12);
    t = (sup_timing){.seconds = 1.0, .ci = 0.01}; /* a vote, or a made-up one */
    sup_timing_widen(&t);
    assert_float_equal(t.ci, 0.01, 1e-12);
}

static void second_run_in_a_launch(void **state) {
    (void)state;
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, 8);
    sup_lab lab = {.size = 4, .transport = "made up", .run = run};
    assert_int_equal(sup_launches_open(path, &lab.launches), SUP_OK);
    for (says = 3e-6; says > 0.5e-6; says -= 1e-6) assert_int_equal(sup_lab_run(&lab, &trial, NULL, &t), SUP_OK);
    assert_float_equal(t.seconds * 1e6, 1.0, 1e-6); /* not the mean of 3, 2 and 1 */
    says = 2e-6;
    assert_int_equal(sup_lab_run(&lab, &trial, NULL, &t), SUP_OK);
    assert_float_equal(t.seconds * 1e6, 1.0, 1e-6);
    sup_launches_free(lab.launches);
}

static void what_is_known(void **state) {
    (void)state;
    sup_timing t[2];
    size_t sizes[8];
    sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 2, 2, 4096), other = trial;
    launch(&trial, 2e-6, t);
    trial.bytes = 64;
    launch(&trial, 1e-6, t);
    sup_lab lab = {.size = 4, .transport = "made up", .run = run};
    assert_int_equal(sup_launches_open(path, &lab.launches), SUP_OK);
    int before = runs;
    trial.max_seconds = 7.0; /* how long it may take does not make it another one */
    assert_true(sup_lab_known(&lab, &trial, t));
    assert_float_equal(t[1].seconds * 1e6, 2.0, 1e-6); /* each group has its own */
    assert_int_equal(sup_lab_known_sizes(&lab, &trial, sizes, 8), 2);
    assert_int_equal(sizes[0], 64);
    assert_int_equal(sizes[1], 4096);
    assert_int_equal(sup_lab_known_sizes(&lab, &trial, sizes, 1), 1);
    other.bytes = 65;
    assert_false(sup_lab_known(&lab, &other, t));
    other.bytes = 64, other.cold = true;
    assert_false(sup_lab_known(&lab, &other, t));
    other.cold = false, other.ranks = pair + 2, other.groups = 1;
    assert_false(sup_lab_known(&lab, &other, t));
    assert_int_equal(runs, before);
    sup_launches_free(lab.launches);
    lab.launches = NULL;
    assert_false(sup_lab_known(&lab, &trial, t));
    assert_int_equal(sup_lab_known_sizes(&lab, &trial, sizes, 8), 0);
}

static void long_trials_are_not_repeated(void **state) {
    (void)state;
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_RING, pair, 1, 2, 64 << 20);
    takes = 0.5;
    launch(&trial, 20e-3, &t);
    int before = runs;
    launch(&trial, 30e-3, &t);
    takes = 0.0;
    assert_int_equal(runs, before);
    assert_float_equal(t.seconds * 1e3, 20.0, 1e-6);
    trial.bytes = 64;
    launch(&trial, 1e-6, &t);
    assert_int_equal(runs, before + 1);
}

static void votes_are_not_times(void **state) {
    (void)state;
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_EAGER, pair, 1, 2, 8);
    launch(&trial, 1.0, &t);
    launch(&trial, 0.0, &t);
    assert_float_equal(t.seconds, 0.0, 0.0);
}

static void files_that_are_none(void **state) {
    (void)state;
    static const char *const texts[] = {"", "superstep launches 1", "superstep launches 2 \1\1\1\1",
                                        "superstep launches 1 \1\0\0\0half an entry"};
    static const size_t lengths[] = {0, 20, 25, 38};
    sup_launches *l = NULL;
    for (int i = 0; i < 4; i++) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fwrite(texts[i], 1, lengths[i], file);
        fclose(file);
        assert_int_equal(sup_launches_open(path, &l), SUP_EPARSE);
        assert_null(l);
    }
    assert_int_equal(sup_launches_open("/tmp", &l), SUP_EPARSE); /* a folder opens, and gives nothing */
    assert_int_equal(sup_launches_open("/dev/null/x", &l), SUP_EIO);
    assert_null(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mean_of_launches, fresh, gone),
        cmocka_unit_test_setup_teardown(odd_launch_is_left_out, fresh, gone),
        cmocka_unit_test_setup_teardown(calm_launches_count_more, fresh, gone),
        cmocka_unit_test(times_beside_others_are_unsure),
        cmocka_unit_test_setup_teardown(second_run_in_a_launch, fresh, gone),
        cmocka_unit_test_setup_teardown(what_is_known, fresh, gone),
        cmocka_unit_test_setup_teardown(long_trials_are_not_repeated, fresh, gone),
        cmocka_unit_test_setup_teardown(votes_are_not_times, fresh, gone),
        cmocka_unit_test_setup_teardown(files_that_are_none, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
