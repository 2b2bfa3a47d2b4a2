/* Points, estimates and rounds, on made-up machines: what launches found becomes calm, typical and bad values, whose
 * intervals hold; files carry it on; rounds visit everything. */
#include "../random_real.h"

#include "base/exchange.h"
#include "base/number/random.h"
#include "measure/campaign/rounds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int pair[] = {0, 1};

static sup_store *new_store(int launch) {
    sup_store *s;
    assert_int_equal(sup_store_new(launch, &s), SUP_OK);
    return s;
}

/* The next launch, which knows what the earlier ones found. */
static sup_store *relaunch(sup_store *old, int launch) {
    sup_visited *list = NULL;
    size_t count = 0;
    sup_store *s = new_store(launch);
    assert_int_equal(sup_store_write(old, "shm", false, &list, &count), SUP_OK);
    for (size_t i = 0; i < count; i++) assert_int_equal(sup_record_check(&sup_visited_record, &list[i], NULL), SUP_OK);
    assert_int_equal(sup_store_read(s, "shm", list, count), SUP_OK);
    assert_int_equal(sup_store_read(s, "openmpi", list, count), SUP_OK); /* which has none of them */
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
    sup_store_free(old);
    return s;
}

static sup_trial trial_of(size_t bytes) { return sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, bytes); }

static void a_point_is_what_its_trial_says(void **state) {
    (void)state;
    static const int other[] = {1, 0};
    sup_store *s = new_store(1);
    sup_trial t = trial_of(64), u = t;
    sup_point *p = sup_store_get(s, &t);
    assert_non_null(p);
    assert_false(sup_point_known(p));
    assert_int_equal(sup_point_add(p, 0, 1e-6), SUP_OK);
    assert_true(sup_point_known(p));
    u.use = 5.0;
    u.records = 0; /* which means 1 */
    assert_ptr_equal(sup_store_get(s, &u), p);
    u = t, u.ranks = other;
    assert_null(sup_store_find(s, &u));
    u = t, u.bytes = 65;
    assert_null(sup_store_find(s, &u));
    u = t, u.kernel = "daxpy";
    assert_null(sup_store_find(s, &u));
    u = t, u.cold = true;
    assert_null(sup_store_find(s, &u));
    u = t, u.shape = SUP_EXCHANGE_RING;
    assert_null(sup_store_find(s, &u));
    u = t, u.move = SUP_MOVE_GET;
    assert_null(sup_store_find(s, &u));
    for (size_t bytes = 100; bytes < 3100; bytes++) { /* the table grows */
        t.bytes = bytes;
        assert_non_null(sup_store_get(s, &t));
    }
    assert_int_equal(sup_store_count(s), 3001);
    t.bytes = 1234;
    assert_int_equal(sup_store_find(s, &t)->trial.bytes, 1234);
    sup_store_free(s);
}

static void quantiles_of_one_launch(void **state) {
    (void)state;
    sup_store *s = new_store(1);
    sup_trial trial = trial_of(8);
    sup_point *p = sup_store_get(s, &trial);
    for (int i = 100; i >= 0; i--) assert_int_equal(sup_point_add(p, 0, 1e-6 + 1e-8 * i), SUP_OK);
    assert_int_equal(sup_point_add(p, 0, -9e-6), SUP_OK);
    assert_int_equal(sup_point_add(p, 0, NAN), SUP_OK);
    sup_timing t;
    sup_store_say(s, p, 0, &t);
    assert_true(fabs(t.seconds - 1.25e-6) < 1e-11);
    assert_true(fabs(t.typical - 1.5e-6) < 1e-11);
    assert_true(fabs(t.bad - 1.9e-6) < 1e-11);
    assert_int_equal(t.n, 101);
    assert_int_equal(t.dropped, 2);
    assert_int_equal(t.launches, 1);
    assert_true(t.ci > 0.0);
    sup_store_free(s);
}

/* Batches that do not count are better than nothing, and worse than anything. */
static void a_batch_that_does_not_count_stands_in(void **state) {
    (void)state;
    sup_store *s = new_store(1);
    sup_trial trial = trial_of(8);
    sup_point *p = sup_store_get(s, &trial);
    sup_timing t;
    assert_int_equal(sup_point_add(p, 0, NAN), SUP_OK);
    assert_false(sup_point_known(p));
    assert_int_equal(sup_point_add(p, 0, -3e-6), SUP_OK);
    assert_int_equal(sup_point_add(p, 0, -2e-6), SUP_OK);
    assert_true(sup_point_known(p));
    sup_store_say(s, p, 0, &t);
    assert_true(t.seconds == 2e-6 && t.dropped == 3);
    assert_int_equal(sup_point_add(p, 0, 2.5e-6), SUP_OK);
    sup_store_say(s, p, 0, &t);
    assert_true(t.seconds == 2.5e-6 && t.n == 1);
    sup_store_free(s);
}

static void launches_add_up_in_files(void **state) {
    (void)state;
    sup_store *s = new_store(1);
    sup_timing t;
    sup_trial trial = trial_of(8);
    static const int many[] = {3, 4, 5, 9, 10, 0};
    sup_trial wide = sup_trial_of(SUP_TRIAL_ROUND_TRIP, many, 3, 2, 8);
    for (int launch = 1; launch <= 4; launch++) {
        if (launch > 1) s = relaunch(s, launch);
        sup_point *p = sup_store_get(s, &trial), *w = sup_store_get(s, &wide);
        for (int i = 0; i < 9; i++) {
            assert_int_equal(sup_point_add(p, 0, 1e-6 + 1e-8 * launch), SUP_OK);
            for (int g = 0; g < 3; g++) assert_int_equal(sup_point_add(w, g, 1e-6 * (g + 1)), SUP_OK);
        }
    }
    s = relaunch(s, 5);
    assert_int_equal(sup_store_count(s), 2);
    sup_point *p = sup_store_find(s, &trial), *w = sup_store_find(s, &wide);
    assert_true(p && w);
    sup_store_say(s, p, 0, &t);
    assert_int_equal(t.launches, 4);
    assert_int_equal(t.n, 36);
    assert_true(t.seconds >= 1e-6 + 1e-8 && t.seconds <= 1.02e-6 && t.typical <= 1.03e-6 && t.bad <= 1.04e-6);
    sup_store_say(s, w, 2, &t);
    assert_true(fabs(t.seconds - 3e-6) < 1e-12);
    /* the same launch again replaces what it found */
    sup_visited *list = NULL;
    size_t count = 0;
    assert_int_equal(sup_store_write(s, "shm", false, &list, &count), SUP_OK);
    assert_int_equal(sup_store_read(s, "shm", list, count), SUP_OK);
    sup_store_say(s, p, 0, &t);
    assert_int_equal(t.launches, 4);
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
    sup_store_free(s);
}

/* A core that the host has moved in one of five launches does not move the number. */
/* Exchanges are known by name in files; what another version called something else is left out. */
static void exchanges_go_through_files(void **state) {
    (void)state;
    sup_store *s = new_store(1);
    sup_visited *list = NULL;
    size_t count = 0;
    sup_trial t = sup_trial_of(SUP_TRIAL_STEP, NULL, 1, 4, 512);
    for (t.shape = 0; t.shape < SUP_EXCHANGE_SHAPES; t.shape++)
        for (t.move = 0; t.move < SUP_MOVES; t.move++)
            for (int v = 0; v < 2; v++)
                assert_int_equal(sup_point_add(sup_store_get(s, &t), v, 1e-6 * (1 + t.shape + 100 * t.move)), SUP_OK);
    s = relaunch(s, 2);
    assert_int_equal(sup_store_count(s), SUP_EXCHANGE_SHAPES * SUP_MOVES);
    for (t.shape = 0; t.shape < SUP_EXCHANGE_SHAPES; t.shape++)
        for (t.move = 0; t.move < SUP_MOVES; t.move++) {
            sup_timing said;
            assert_non_null(sup_store_find(s, &t));
            sup_store_say(s, sup_store_find(s, &t), 1, &said);
            assert_true(fabs(said.seconds - 1e-6 * (1 + t.shape + 100 * t.move)) < 1e-12);
        }
    assert_int_equal(sup_store_write(s, "shm", false, &list, &count), SUP_OK);
    assert_int_equal(sup_record_set_string(&list[0].shape, "spiral"), SUP_OK);
    assert_int_equal(sup_record_set_string(&list[1].move, "throw"), SUP_OK);
    assert_int_equal(sup_record_set_string(&list[2].kind, "superstep"), SUP_OK);
    sup_store *other = new_store(3);
    assert_int_equal(sup_store_read(other, "shm", list, count), SUP_OK);
    assert_int_equal(sup_store_count(other), count - 3);
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
    sup_store_free(other);
    sup_store_free(s);
}

static void the_frequent_level_counts(void **state) {
    (void)state;
    sup_store *s = new_store(1);
    sup_trial trial = trial_of(8);
    sup_timing t;
    for (int launch = 1; launch <= 5; launch++) {
        if (launch > 1) s = relaunch(s, launch);
        sup_point *p = sup_store_get(s, &trial);
        for (int i = 0; i < 20; i++)
            assert_int_equal(sup_point_add(p, 0, (launch == 2 ? 0.045e-6 : 0.2e-6) * (1.0 + 0.002 * i)), SUP_OK);
    }
    sup_store_say(s, sup_store_find(s, &trial), 0, &t);
    assert_true(t.seconds > 0.19e-6 && t.seconds < 0.21e-6);
    assert_true(t.ci < 0.05 * t.seconds);
    sup_store_free(s);
}

/* ---- intervals ---- */

/* A profile of many points on a machine that differs a little from one minute to the next, whose launches differ more,
 * with disturbances that only add. */
static sup_store *profile_of(sup_random *random, int points, int launches, double scatter, double disturbed) {
    sup_store *s = new_store(1);
    double *minute = calloc((size_t)points, sizeof *minute);
    assert_non_null(minute);
    for (int k = 0; k < points; k++) minute[k] = 1.0 + 0.006 * sup_random_normal(random);
    for (int launch = 1; launch <= launches; launch++) {
        if (launch > 1) s = relaunch(s, launch);
        for (int k = 0; k < points; k++) {
            sup_trial trial = trial_of((size_t)k + 1);
            sup_point *p = sup_store_get(s, &trial);
            double level = 1e-6 * minute[k] * (1.0 + scatter * sup_random_normal(random));
            for (int b = 0; b < 12; b++) {
                double more = sup_random_uniform(random) < disturbed ? 3.0 * sup_random_uniform(random) : 0.0;
                assert_int_equal(sup_point_add(p, 0, level * (1.0 + 0.01 * fabs(sup_random_normal(random)) + more)),
                                 SUP_OK);
            }
        }
    }
    sup_store_settle(s);
    free(minute);
    return s;
}

/* Nine of ten intervals of 90 % hold the number of another profile, whatever the machine does. */
static void intervals_hold_the_other_profile(void **state) {
    (void)state;
    static const double scatters[] = {0.01, 0.05, 0.15}, disturbances[] = {0.0, 0.3};
    enum { POINTS = 300 };
    bool good = true;
    sup_random random = {.state = 5};
    for (int launches = 3; launches <= 7; launches += 2)
        for (int k = 0; k < 6; k++) {
            sup_store *a = profile_of(&random, POINTS, launches, scatters[k / 2], disturbances[k % 2]);
            sup_store *b = profile_of(&random, POINTS, launches, scatters[k / 2], disturbances[k % 2]);
            int held = 0;
            for (size_t i = 0; i < POINTS; i++) {
                sup_timing x, y;
                sup_store_say(a, sup_store_at(a, i), 0, &x);
                sup_store_say(b, sup_store_at(b, i), 0, &y);
                held += fabs(x.seconds - y.seconds) <= x.ci * 1.645 / 1.96;
                held += fabs(x.seconds - y.seconds) <= y.ci * 1.645 / 1.96;
            }
            double share = held / (2.0 * POINTS);
            bool right = share >= 0.85 && share <= 0.97;
            if (!right)
                print_error("%d launches, scatter %g, disturbed %g: %.1f %%\n", launches, scatters[k / 2],
                            disturbances[k % 2], 100.0 * share);
            good &= right;
            sup_store_free(a);
            sup_store_free(b);
        }
    assert_true(good);
}

/* ---- rounds ---- */

typedef struct made_up {
    sup_lab lab;
    int64_t now_ns;
    int64_t visits[64];
    int asked;
    bool watches; /* is there a point that watches for rare things? */
    double watched_s;
} made_up;

static int64_t now_of(void *context) { return ((made_up *)context)->now_ns; }

static sup_status visit(sup_lab *lab, sup_point *p, sup_diag *diag) {
    made_up *m = (made_up *)lab;
    (void)diag;
    bool watching = p->trial.kind == SUP_TRIAL_INTERRUPTIONS;
    double takes = watching ? 0.01 : p->trial.bytes == 63 ? 0.5 : 1e-3;
    m->now_ns += (int64_t)(takes * 1e9);
    m->visits[p->trial.bytes] += !watching;
    m->watched_s += watching ? takes : 0.0;
    p->visit_s = takes;
    lab->batches++;
    return sup_point_add(p, 0, 1e-6);
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    made_up *m = context;
    m->asked++;
    sup_status status = SUP_OK;
    sup_trial watch = sup_trial_of(SUP_TRIAL_INTERRUPTIONS, pair, 1, 2, 0);
    sup_timing seen;
    if (m->watches) status = sup_lab_ask(lab, session, "x", &watch, diag, &seen);
    for (size_t bytes = 0; bytes < (m->asked > 1 ? 64u : 60u) && !status; bytes++) {
        sup_timing t;
        sup_trial trial = trial_of(bytes == 60 ? 63 : bytes);
        status = sup_lab_ask(lab, session, "x", &trial, diag, &t);
    }
    return status;
}

static void rounds_visit_everything(void **state) {
    (void)state;
    made_up m = {.lab = {.size = 2, .transport = "shm", .visit = visit}};
    sup_clock clock = {.now_ns = now_of, .context = &m, .resolution_s = 1e-9};
    sup_session_options o = sup_session_defaults();
    sup_session *session;
    sup_rounds_result r;
    o.budget_s = 10.0;
    o.clock = &clock;
    assert_int_equal(sup_session_open(&o, NULL, &session), SUP_OK);
    m.lab.store = new_store(1);
    assert_int_equal(sup_rounds_run(&m.lab, session, ask, &m, NULL, NULL, &r), SUP_OK);
    assert_true(r.complete && r.rounds > 20 && m.asked > 2);
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < 60; i++) {
        if (m.visits[i] < least) least = m.visits[i];
        if (m.visits[i] > most) most = m.visits[i];
    }
    assert_true(least >= r.rounds - 1 && most <= 2 * least); /* everything, in turn */
    /* what takes 500 times as long comes in later, and is visited less often, but it is */
    assert_in_range(m.visits[63], 2, r.rounds / 5);
    assert_true(sup_session_left(session) < 0.6);
    sup_session_close(session);
    /* no time at all: nothing is complete, and that is no error */
    m.asked = 0;
    o.budget_s = 1e-3;
    sup_store_free(m.lab.store);
    m.lab.store = new_store(2);
    assert_int_equal(sup_session_open(&o, NULL, &session), SUP_OK);
    assert_int_equal(sup_rounds_run(&m.lab, session, ask, &m, NULL, NULL, &r), SUP_OK);
    assert_false(r.complete);
    assert_in_range(sup_store_count(m.lab.store), 1, 3);
    sup_session_close(session);
    sup_store_free(m.lab.store);
}

/* It has its share, however many points there are and however long a round takes. */
static void rare_things_are_watched_for(void **state) {
    (void)state;
    made_up m = {.lab = {.size = 2, .transport = "shm", .visit = visit}, .watches = true};
    sup_clock clock = {.now_ns = now_of, .context = &m, .resolution_s = 1e-9};
    sup_session_options o = sup_session_defaults();
    sup_session *session;
    sup_rounds_result r;
    o.budget_s = 10.0;
    o.clock = &clock;
    assert_int_equal(sup_session_open(&o, NULL, &session), SUP_OK);
    m.lab.store = new_store(1);
    assert_int_equal(sup_rounds_run(&m.lab, session, ask, &m, NULL, NULL, &r), SUP_OK);
    assert_true(m.watched_s > 0.06 * 10.0 && m.watched_s < 0.1 * 10.0);
    assert_true(r.rounds > 10 && m.visits[1] >= r.rounds - 1);
    sup_session_close(session);
    sup_store_free(m.lab.store);
}

static void a_lab_without_visits_answers_from_its_store(void **state) {
    (void)state;
    made_up m = {.lab = {.size = 2, .transport = "shm", .visit = visit}};
    sup_session_options o = sup_session_defaults();
    sup_session *session;
    sup_timing t;
    size_t sizes[8];
    sup_trial known = trial_of(5), unknown = trial_of(6);
    assert_int_equal(sup_session_open(&o, NULL, &session), SUP_OK);
    m.lab.store = new_store(1);
    assert_int_equal(sup_lab_ask(&m.lab, session, "", &known, NULL, &t), SUP_OK);
    m.lab.visit = NULL;
    assert_int_equal(sup_lab_ask(&m.lab, session, "", &known, NULL, &t), SUP_OK);
    assert_true(t.seconds == 1e-6);
    assert_int_equal(sup_lab_ask(&m.lab, session, "", &unknown, NULL, &t), SUP_ETIMEOUT);
    assert_int_equal(sup_lab_known_sizes(&m.lab, &unknown, sizes, 8), 1);
    assert_int_equal(sizes[0], 5);
    sup_session_close(session);
    sup_store_free(m.lab.store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_what_its_trial_says),
        cmocka_unit_test(quantiles_of_one_launch),
        cmocka_unit_test(a_batch_that_does_not_count_stands_in),
        cmocka_unit_test(launches_add_up_in_files),
        cmocka_unit_test(exchanges_go_through_files),
        cmocka_unit_test(the_frequent_level_counts),
        cmocka_unit_test(intervals_hold_the_other_profile),
        cmocka_unit_test(rounds_visit_everything),
        cmocka_unit_test(rare_things_are_watched_for),
        cmocka_unit_test(a_lab_without_visits_answers_from_its_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
