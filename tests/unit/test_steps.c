/* Sections that are made of supersteps (copies, calibration, overlap) on a made-up lab: what is true is known. */
#include "measure/calibration.h"
#include "measure/copy.h"
#include "measure/overlap.h"

#include "base/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the lab ---- */

typedef struct world {
    sup_lab lab;
    sup_session *session;
    sup_profile *profile;
    sup_diag diag;
    double slower; /* of this launch */
    double share;  /* of a transfer that computation hides */
    int64_t visits;
} world;

static double calls_of(const sup_trial *t) {
    double puts = (double)t->number * t->records, bytes = (double)t->bytes;
    return 20e-9 + puts * (15e-9 + bytes * (bytes > 100000 ? 0.2e-9 : 0.05e-9));
}

static double sync_of(const sup_trial *t) {
    return 300e-9 + (double)t->number * (80e-9 + t->records * (10e-9 + 0.1e-9 * (double)t->bytes));
}

static double value_of(const world *w, const sup_trial *t, int value) {
    double transfer = 1e-6 + 0.1e-9 * (double)t->bytes, work = 1.1 * transfer;
    if (t->kind == SUP_TRIAL_COPY) return 10e-9 + 0.05e-9 * (double)t->bytes;
    if (t->kind == SUP_TRIAL_STEP) return value ? sync_of(t) : calls_of(t);
    return value == 0 ? transfer : value == 1 ? work : transfer + work - w->share * transfer;
}

static sup_status visit(sup_lab *lab, sup_point *point, sup_diag *diag) {
    world *w = (world *)lab;
    (void)diag;
    w->visits++;
    for (int v = 0; v < point->values; v++)
        for (int b = 0; b < 4; b++) {
            double seconds = w->slower * value_of(w, &point->trial, v);
            if (sup_point_add(point, v, seconds * (1.0 + 0.002 * b))) return SUP_ENOMEM;
        }
    lab->batches += 4;
    return SUP_OK;
}

static world *open_world(int size, const char *transport) {
    world *w = calloc(1, sizeof *w);
    sup_session_options o = sup_session_defaults();
    assert_non_null(w);
    w->lab = (sup_lab){.size = size, .transport = transport, .visit = visit};
    w->slower = 1.0;
    assert_int_equal(sup_store_new(1, &w->lab.store), SUP_OK);
    assert_int_equal(sup_session_open(&o, &w->diag, &w->session), SUP_OK);
    assert_int_equal(sup_profile_new(-1, &w->diag, &w->profile), SUP_OK);
    return w;
}

static void close_world(world *w) {
    sup_store_free(w->lab.store);
    sup_session_close(w->session);
    sup_profile_free(w->profile);
    free(w);
}

static void relaunch(world *w, double slower) {
    sup_visited *list = NULL;
    size_t count = 0;
    sup_store *next;
    assert_int_equal(sup_store_new(sup_store_launch(w->lab.store) + 1, &next), SUP_OK);
    assert_int_equal(sup_store_write(w->lab.store, w->lab.transport, false, &list, &count), SUP_OK);
    assert_int_equal(sup_store_read(next, w->lab.transport, list, count), SUP_OK);
    for (size_t i = 0; i < count; i++) sup_record_clear(&sup_visited_record, &list[i]);
    free(list);
    sup_store_free(w->lab.store);
    w->lab.store = next;
    w->slower = slower;
}

static void visit_all(world *w) {
    for (size_t i = 0; i < sup_store_count(w->lab.store); i++)
        assert_int_equal(sup_lab_visit(&w->lab, w->session, sup_store_at(w->lab.store, i), &w->diag), SUP_OK);
}

/* As the tool sees it: what was found, and no way to find more. */
static void only_know(world *w) {
    relaunch(w, NAN);
    w->lab.visit = NULL;
    sup_store_settle(w->lab.store);
}

static bool is_near(double a, double b, double relative) { return fabs(a - b) <= relative * fabs(b); }

/* ---- copies ---- */

static const sup_copy_time *find_copy(const sup_profile *p, const char *method, int64_t messages, int64_t records) {
    for (size_t i = 0; i < p->copies_count; i++)
        if (!strcmp(p->copies[i].method, method) && p->copies[i].messages == messages &&
            p->copies[i].records == records)
            return &p->copies[i];
    return NULL;
}

static void check_curves(const world *w, int messages, int records, size_t high) {
    const sup_copy_time *log = find_copy(w->profile, "log", messages, records),
                        *deliver = find_copy(w->profile, "deliver", messages, records);
    assert_non_null(log);
    assert_non_null(deliver);
    for (size_t bytes = 11; bytes < high; bytes = bytes * 5 / 3) {
        if (bytes > 60000 && bytes < 170000) continue; /* around the jump */
        sup_trial t = {.kind = SUP_TRIAL_STEP, .number = messages, .records = records, .bytes = bytes};
        assert_true(is_near(sup_curve_at(log->time_s->curve, (double)bytes), calls_of(&t), 0.06));
        assert_true(is_near(sup_curve_at(deliver->time_s->curve, (double)bytes), sync_of(&t), 0.06));
    }
}

static void copies_are_curves_of_calls_and_syncs(void **state) {
    (void)state;
    static const struct {
        int size, count, fans[4];
    } cases[] = {{2, 1, {1}}, {3, 2, {1, 2}}, {4, 3, {1, 2, 3}}, {7, 4, {1, 2, 4, 6}}, {16, 4, {1, 2, 4, 15}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world *w = open_world(cases[i].size, "shm");
        assert_int_equal(sup_measure_copies(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
        assert_int_equal(w->profile->copies_count, 2 * cases[i].count + 2);
        for (int k = 0; k < cases[i].count; k++)
            check_curves(w, cases[i].fans[k], 1, ((size_t)4 << 20) / (size_t)cases[i].fans[k]);
        check_curves(w, 1, 16, 512);
        int64_t visits = w->visits;
        sup_profile_free(w->profile);
        assert_int_equal(sup_profile_new(-1, &w->diag, &w->profile), SUP_OK);
        only_know(w);
        assert_int_equal(sup_measure_copies(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
        assert_int_equal(sup_measure_copies(&w->lab, w->session, w->profile, &w->diag), SUP_OK); /* in their place */
        assert_int_equal(w->profile->copies_count, 2 * cases[i].count + 2);
        assert_int_equal(w->visits, visits);
        close_world(w);
    }
}

static void copies_need_shared_memory(void **state) {
    (void)state;
    world *w = open_world(4, "openmpi"), *alone = open_world(1, "shm");
    assert_int_equal(sup_measure_copies(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    assert_int_equal(sup_measure_calibration(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    assert_int_equal(sup_measure_copies(&alone->lab, alone->session, alone->profile, &alone->diag), SUP_OK);
    assert_int_equal(sup_measure_overlap(&alone->lab, alone->session, NULL, alone->profile, &alone->diag), SUP_OK);
    assert_int_equal(w->visits + alone->visits, 0);
    assert_int_equal(w->profile->copies_count + w->profile->calibration_count, 0);
    close_world(w);
    close_world(alone);
}

/* Sizes that calibrate are not those that curves are made of, though they are points of the same kind. */
static void calibration_stays_out_of_curves(void **state) {
    (void)state;
    world *w = open_world(4, "shm");
    assert_int_equal(sup_measure_calibration(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    assert_int_equal(sup_measure_copies(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    const sup_copy_time *log = find_copy(w->profile, "log", 2, 1);
    assert_non_null(log);
    for (size_t i = 0; i < log->time_s->points->x_count; i++)
        assert_false(sup_step_calibrates((size_t)log->time_s->points->x[i]));
    close_world(w);
}

static void memcpy_is_a_curve(void **state) {
    (void)state;
    world *w = open_world(4, "shm");
    assert_int_equal(sup_measure_memcpy(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    const sup_copy_time *own = find_copy(w->profile, "memcpy", 1, 1);
    assert_int_equal(w->profile->copies_count, 1);
    assert_non_null(own);
    assert_true(is_near(sup_curve_at(own->time_s->curve, 3000), 10e-9 + 150e-9, 0.03));
    close_world(w);
}

/* ---- calibration ---- */

static void add_other(sup_profile *p, const char *transport, int64_t processes) {
    sup_calibration *c = SUP_APPEND(&sup_calibration_record, p->calibration, p->calibration_count);
    assert_non_null(c);
    assert_int_equal(sup_record_set_string(&c->transport, transport), SUP_OK);
    c->processes = processes;
    c->time_s = sup_record_make(&sup_number_record);
    assert_non_null(c->time_s);
    c->time_s->value = 1.0;
    c->time_s->n = 1;
}

static void calibration_is_one_entry_for_all_launches(void **state) {
    (void)state;
    world *w = open_world(4, "shm");
    add_other(w->profile, "shm", 2);
    add_other(w->profile, "mpich", 4);
    add_other(w->profile, "shm", 4); /* of an earlier version */
    const double slower[] = {1.0, 1.03, 0.98, 1.01};
    for (int k = 0; k < 4; k++) {
        if (k) relaunch(w, slower[k]);
        assert_int_equal(sup_measure_calibration(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
        visit_all(w);
    }
    only_know(w);
    assert_int_equal(sup_measure_calibration(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    int steps = 0, barriers = 0, others = 0;
    for (size_t i = 0; i < w->profile->calibration_count; i++) {
        const sup_calibration *c = &w->profile->calibration[i];
        if (c->processes == 2 || strcmp(c->transport, "shm") != 0) {
            others++;
            continue;
        }
        sup_trial t = {.number = (int)c->messages, .records = (int)c->records, .bytes = (size_t)c->bytes};
        steps += !c->algorithm;
        barriers += c->algorithm && !strcmp(c->algorithm, "dissemination");
        double whole = sync_of(&t) + (c->algorithm ? 0.0 : calls_of(&t));
        assert_true(is_near(c->time_s->value, whole, 0.04));
        assert_int_equal(c->time_s->launches, 4);
        assert_true(c->time_s->ci > 0.005 * whole && c->time_s->ci < 0.15 * whole);
        if (c->calls_s) assert_true(is_near(c->calls_s->value, calls_of(&t), 0.04));
        assert_true(c->algorithm || c->calls_s);
        assert_int_equal(sup_record_check(&sup_calibration_record, c, NULL), SUP_OK);
    }
    assert_int_equal(steps, 22 + 22 + 22); /* two partners, twice to each, all three */
    assert_int_equal(barriers, 1);
    assert_int_equal(others, 2);
    close_world(w);
}

static void crowded_processes_are_not_calibrated(void **state) {
    (void)state;
    world *w = open_world(4, "shm");
    w->lab.oversubscribed = true;
    assert_int_equal(sup_measure_calibration(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    assert_int_equal(w->visits, 0);
    close_world(w);
}

static void supersteps_to_all_are_short(void **state) {
    (void)state;
    sup_step_pattern p[SUP_STEP_PATTERNS_MAX];
    assert_int_equal(sup_step_patterns(2, p), 2);
    assert_true(p[0].partners == 1 && p[1].records == 2);
    assert_int_equal(sup_step_patterns(16, p), 4);
    assert_true(p[2].partners == 4 && p[3].partners == 15);
    assert_true(sup_step_allowed(&p[2], 800000) && !sup_step_allowed(&p[3], 6000) && sup_step_allowed(&p[3], 100));
    for (int i = 0; sup_step_others[i]; i++) assert_false(sup_step_calibrates(sup_step_others[i]));
}

/* ---- overlap ---- */

static void shares_are_found(void **state) {
    (void)state;
    static const double shares[] = {0.0, 0.35, 1.0};
    for (int k = 0; k < 3; k++) {
        world *w = open_world(2, "mpich");
        for (int launch = 0; launch < 4; launch++) {
            if (launch) relaunch(w, 1.0 + 0.2 * launch); /* in all three times alike */
            w->share = shares[k];
            assert_int_equal(sup_measure_overlap(&w->lab, w->session, NULL, w->profile, &w->diag), SUP_OK);
            visit_all(w);
        }
        w->share = fmax(0.0, shares[k] - 0.3);
        assert_int_equal(sup_measure_overlap(&w->lab, w->session, "bulk", w->profile, &w->diag), SUP_OK);
        only_know(w);
        assert_int_equal(sup_measure_overlap(&w->lab, w->session, NULL, w->profile, &w->diag), SUP_OK);
        assert_int_equal(sup_measure_overlap(&w->lab, w->session, "bulk", w->profile, &w->diag), SUP_OK);
        assert_int_equal(sup_measure_overlap(&w->lab, w->session, "eager", w->profile, &w->diag), SUP_ETIMEOUT);
        assert_int_equal(w->profile->overlap_count, 10);
        for (size_t i = 0; i < w->profile->overlap_count; i++) {
            const sup_overlap *o = &w->profile->overlap[i];
            bool bulk = !strcmp(o->engine, "bulk");
            assert_true(bulk || !strcmp(o->engine, "eager"));
            assert_true(fabs(o->share->value - (bulk ? fmax(0.0, shares[k] - 0.3) : shares[k])) < 0.02);
            assert_true(o->share->ci <= 1.0);
            if (!bulk) assert_true(o->share->ci < 0.1 && o->share->launches == 4);
            assert_int_equal(sup_record_check(&sup_overlap_record, o, NULL), SUP_OK);
        }
        close_world(w);
    }
}

/* ---- nothing known, and what is said of launches ---- */

static void nothing_known_fills_nothing(void **state) {
    (void)state;
    world *w = open_world(4, "shm");
    add_other(w->profile, "shm", 4);
    w->lab.visit = NULL;
    assert_int_equal(sup_measure_copies(&w->lab, w->session, w->profile, &w->diag), SUP_ETIMEOUT);
    assert_int_equal(sup_measure_memcpy(&w->lab, w->session, w->profile, &w->diag), SUP_ETIMEOUT);
    assert_int_equal(sup_measure_calibration(&w->lab, w->session, w->profile, &w->diag), SUP_ETIMEOUT);
    assert_int_equal(sup_measure_overlap(&w->lab, w->session, NULL, w->profile, &w->diag), SUP_ETIMEOUT);
    assert_int_equal(w->profile->copies_count + w->profile->overlap_count, 0);
    assert_int_equal(w->profile->calibration_count, 1); /* what was there stays */
    close_world(w);
}

static void numbers_say_how_launches_differ(void **state) {
    (void)state;
    sup_number n = {.value = 2e-6, .launches = 5, .n = 50};
    n.ci = n.value * sup_student_two_sided(0.95, 7) * sqrt(2.0 * 0.03 * 0.03 / 5);
    assert_true(is_near(sup_number_scatter(&n), 0.03, 1e-9));
    n.launches = 1;
    assert_true(sup_number_scatter(&n) == 0.0);
    n.launches = 5;
    n.ci = NAN;
    assert_true(sup_number_scatter(&n) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_curves_of_calls_and_syncs),
        cmocka_unit_test(copies_need_shared_memory),
        cmocka_unit_test(calibration_stays_out_of_curves),
        cmocka_unit_test(memcpy_is_a_curve),
        cmocka_unit_test(calibration_is_one_entry_for_all_launches),
        cmocka_unit_test(crowded_processes_are_not_calibrated),
        cmocka_unit_test(supersteps_to_all_are_short),
        cmocka_unit_test(shares_are_found),
        cmocka_unit_test(nothing_known_fills_nothing),
        cmocka_unit_test(numbers_say_how_launches_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
