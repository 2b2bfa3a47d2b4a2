/* Sections that are made of supersteps (exchanges, overlap, first times), and copies, on a made-up lab: what is true is
 * known. */
#include "measure/exchange/copy.h"
#include "measure/exchange/exchanges.h"
#include "measure/exchange/first.h"
#include "measure/exchange/overlap.h"
#include "measure/exchange/plan.h"

#include "base/number/student.h"

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
    bool deep;
    double slower;               /* of this launch */
    double share;                /* of a transfer that computation hides */
    int64_t visits, most_visits; /* so many, then there is no time left; 0: no end */
} world;

static double calls_of(const sup_trial *t) {
    double bytes = (double)t->bytes;
    return 20e-9 + t->records * (15e-9 * (1 + t->shape) + bytes * (bytes > 100000 ? 0.2e-9 : 0.05e-9));
}

static double sync_of(const sup_trial *t) {
    if (!t->bytes) return 250e-9;
    return 300e-9 + (1 + t->move) * (80e-9 + t->records * (10e-9 + 0.1e-9 * (double)t->bytes));
}

/* New pages cost a process 0.4 ns a byte; who comes 12 ms late wakes others in 60 us; empty caches take 2 us, half of
 * it before everybody is there, and 0.1 ns a byte in the sync. */
static double first_of(const sup_trial *t, int value) {
    double bytes = (double)t->bytes, again = value % 2 ? sync_of(t) : 30e-9 + 0.05e-9 * bytes;
    if (value == SUP_AGAIN_CALLS || value == SUP_AGAIN_SYNC) return again;
    if (t->number == SUP_FIRST_MEMORY) return again + (value == SUP_FIRST_SYNC ? 0.4e-9 * bytes : 0.0);
    if (t->number == SUP_FIRST_WAKING && t->stride == 4000 && value == SUP_FIRST_SYNC)
        return again + 1e-3; /* disturbed */
    if (t->number == SUP_FIRST_WAKING) return again + (value == SUP_FIRST_SYNC && t->stride > 12000 ? 60e-6 : 0.0);
    return again + 1e-6 + (value == SUP_FIRST_SYNC ? 0.1e-9 * bytes : 0.0);
}

static double value_of(const world *w, const sup_trial *t, int value) {
    double transfer = 1e-6 + 0.1e-9 * (double)t->bytes, work = 1.1 * transfer;
    if (t->kind == SUP_TRIAL_COPY) return 10e-9 + 0.05e-9 * (double)t->bytes;
    if (t->kind == SUP_TRIAL_STEP) return value ? sync_of(t) : calls_of(t);
    if (t->kind == SUP_TRIAL_FIRST) return first_of(t, value);
    return value == 0 ? transfer : value == 1 ? work : transfer + work - w->share * transfer;
}

static sup_status visit(sup_lab *lab, sup_point *point, sup_diag *diag) {
    world *w = (world *)lab;
    (void)diag;
    if (w->most_visits && w->visits == w->most_visits) return SUP_ETIMEOUT;
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

/* ---- which exchanges ---- */

enum { ROWS = 64 };

static void plans_are_within_their_limits(void **state) {
    (void)state;
    for (int p = 2; p < 70; p++)
        for (int far = 0; far < 2; far++) {
            sup_exchange_plan plan;
            int points[2] = {1, 1}, curves[2] = {0};
            for (int k = 0; k < 2 * ROWS; k++) {
                const sup_exchange_who who = {.processes = p, .far = far, .shared = p % 2, .deep = k / ROWS};
                if (!sup_exchange_plan_at(k % ROWS, &who, &plan)) continue;
                const sup_exchange *x = sup_exchange_at(plan.shape);
                bool none = plan.shape == SUP_EXCHANGE_SWAP || plan.shape == SUP_EXCHANGE_COUPLES;
                assert_true(!plan.count == (p < x->least || (x->far && !far) || (none && !who.deep)));
                int64_t out = sup_exchange_most_out(plan.shape, p), in = sup_exchange_most_in(plan.shape, p);
                size_t most = (size_t)(out > in ? out : in) * (size_t)plan.records;
                for (int i = 0; i < plan.count; i++) {
                    assert_true(plan.bytes[i] > (i ? plan.bytes[i - 1] : 0));
                    assert_true(plan.bytes[i] * most <= SUP_EXCHANGE_BYTES_MAX);
                }
                assert_true(!plan.count || plan.count >= 3);
                points[who.deep] += plan.count;
                curves[who.deep] += plan.count > 0;
            }
            assert_true(points[0] <= (p == 2 ? 65 : far ? 126 : 114));
            assert_true(points[1] <= (p == 2 || far ? 175 : 160));
            assert_int_equal(curves[0], p == 2 ? 10 : p == 3 ? 17 : far ? 20 : 18);
            assert_int_equal(curves[1], p == 2 ? 10 : p == 3 ? 18 : far ? 22 : 20);
        }
}

/* No curve has a point where supersteps are compared with predictions. */
static void others_are_not_fitted_to(void **state) {
    (void)state;
    sup_exchange_plan plan;
    const sup_exchange_who who = {.processes = 16, .far = true, .deep = true};
    for (int k = 0; sup_exchange_plan_at(k, &who, &plan); k++)
        for (int i = 0; i < plan.count; i++)
            for (int o = 0; sup_step_others[o]; o++) assert_true(plan.bytes[i] != sup_step_others[o]);
    for (int i = 0; sup_step_other_shapes[i] >= 0; i++) assert_true(sup_step_other_shapes[i] < SUP_EXCHANGE_SHAPES);
}

/* ---- exchanges ---- */

static sup_status measure(world *w) { return sup_measure_exchanges(&w->lab, w->session, w->profile, &w->diag); }

static const sup_exchange_time *find_exchange(const world *w, int shape, int move, int64_t records) {
    const sup_exchange_time *found = NULL;
    for (size_t i = 0; i < w->profile->exchanges_count; i++) {
        const sup_exchange_time *x = &w->profile->exchanges[i];
        if (x->shape != shape || x->move != move || x->records != records) continue;
        if (x->processes != w->lab.size || strcmp(x->transport, w->lab.transport) != 0) continue;
        assert_null(found); /* one of each */
        found = x;
    }
    return found;
}

static void check_exchange(const world *w, const sup_exchange_plan *plan) {
    const sup_exchange_time *x = find_exchange(w, plan->shape, plan->move, plan->records);
    assert_true(!x == !plan->count);
    if (!x) return;
    assert_int_equal(sup_record_check(&sup_exchange_record, x, NULL), SUP_OK);
    assert_int_equal(x->calls_s->points->x_count, plan->count);
    for (int i = 0; i < plan->count; i++) {
        sup_trial t = {.shape = plan->shape, .move = plan->move, .records = plan->records, .bytes = plan->bytes[i]};
        assert_true(is_near(x->calls_s->points->y[i], calls_of(&t), 0.04));
        assert_true(is_near(x->sync_s->points->y[i], sync_of(&t), 0.04));
        assert_true(is_near(sup_curve_at(x->sync_s->curve, (double)plan->bytes[i]), sync_of(&t), 0.06));
    }
}

static void check_all(const world *w, bool far) {
    sup_exchange_plan plan;
    const sup_exchange_who who = {.processes = w->lab.size,
                                  .far = far,
                                  .shared = !strcmp(w->lab.transport, "shm"),
                                  .deep = w->deep};
    for (int k = 0; sup_exchange_plan_at(k, &who, &plan); k++) check_exchange(w, &plan);
    const sup_sync_time *s = w->profile->sync;
    assert_int_equal(w->profile->sync_count, 1);
    assert_string_equal(s->algorithm, SUP_SYNC_EMPTY);
    assert_string_equal(s->transport, w->lab.transport);
    assert_int_equal(s->processes, w->lab.size);
    assert_true(is_near(s->time_s->value, 250e-9, 0.04));
}

static void exchanges_are_curves_of_calls_and_syncs(void **state) {
    (void)state;
    static const int sizes[] = {2, 3, 4, 7, 16};
    static const char *const transports[] = {"shm", "openmpi"};
    for (size_t i = 0; i < 5; i++) {
        world *w = open_world(sizes[i], transports[i % 2]);
        w->deep = i > 2;
        w->lab.budget.deep = w->deep ? SUP_MEASURE_ALL : 0;
        w->lab.oversubscribed = i == 3; /* as programs are then */
        assert_int_equal(measure(w), SUP_OK);
        check_all(w, false);
        int64_t visits = w->visits;
        sup_profile_free(w->profile);
        assert_int_equal(sup_profile_new(-1, &w->diag, &w->profile), SUP_OK);
        only_know(w);
        assert_int_equal(measure(w), SUP_OK);
        assert_int_equal(measure(w), SUP_OK); /* in their place */
        check_all(w, false);
        assert_int_equal(w->visits, visits);
        close_world(w);
    }
}

static void far_ones_are_for_processes_that_are_apart(void **state) {
    (void)state;
    sup_rank_place places[4] = {{.host = 0}, {.host = 0}, {.host = 2}, {.host = 2}};
    static const struct {
        int where[4];
        bool far;
    } cases[] = {{{0, 0, 1, 1}, true}, {{0, 0, 0, 0}, false}, {{0, 1, 1, 0}, false}};
    for (int k = 0; k < 9; k++) {
        world *w = open_world(4, "mpich");
        for (int i = 0; i < 4; i++) {
            int at = cases[k % 3].where[i];
            places[i] = (sup_rank_place){.host = k < 3 ? at : 0, .numa = k / 3 == 1 ? at : 0, .package = 0};
            places[i].cache[2] = k / 3 == 2 ? at : 0;
        }
        w->lab.places = places;
        assert_int_equal(measure(w), SUP_OK);
        check_all(w, cases[k % 3].far);
        close_world(w);
    }
}

static void exchanges_are_one_entry_for_all_launches(void **state) {
    (void)state;
    world *w = open_world(4, "shm"), *other = open_world(2, "shm");
    const double slower[] = {1.0, 1.03, 0.98, 1.01};
    assert_int_equal(measure(other), SUP_OK);
    sup_profile_free(w->profile); /* of other processes: they stay */
    w->profile = other->profile;
    assert_int_equal(sup_profile_new(-1, &other->diag, &other->profile), SUP_OK);
    for (int k = 0; k < 4; k++) {
        if (k) relaunch(w, slower[k]);
        assert_int_equal(measure(w), SUP_OK);
        visit_all(w);
    }
    only_know(w);
    assert_int_equal(measure(w), SUP_OK);
    assert_int_equal(w->profile->exchanges_count, 10 + 18);
    assert_int_equal(w->profile->sync_count, 2);
    assert_int_equal(w->profile->sync[1].time_s->launches, 4);
    const sup_exchange_time *x = find_exchange(w, SUP_EXCHANGE_ALL, SUP_MOVE_PUT, 1);
    assert_non_null(x);
    sup_trial t = {.shape = x->shape, .records = 1, .bytes = 512};
    assert_true(x->sync_s->points->ci[2] > 0.005 * sync_of(&t) && x->sync_s->points->ci[2] < 0.15 * sync_of(&t));
    close_world(w);
    close_world(other);
}

/* Whoever stops it, what predictions need most is there. */
static void a_short_time_leaves_whole_curves(void **state) {
    (void)state;
    world *w = open_world(4, "shm");
    w->most_visits = 1 + 9 + 3; /* empty, a shift, and too few for another */
    assert_int_equal(measure(w), SUP_ETIMEOUT);
    assert_int_equal(w->profile->exchanges_count, 1);
    assert_non_null(find_exchange(w, SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, 1));
    assert_int_equal(w->profile->sync_count, 1);
    relaunch(w, 1.0);
    w->most_visits = 0;
    assert_int_equal(measure(w), SUP_OK);
    check_all(w, false);
    close_world(w);
}

static void one_process_exchanges_nothing(void **state) {
    (void)state;
    world *alone = open_world(1, "shm");
    assert_int_equal(measure(alone), SUP_OK);
    assert_int_equal(sup_measure_memcpy(&alone->lab, alone->session, alone->profile, &alone->diag), SUP_OK);
    assert_int_equal(sup_measure_overlap(&alone->lab, alone->session, NULL, alone->profile, &alone->diag), SUP_OK);
    assert_int_equal(alone->visits, 0);
    assert_int_equal(alone->profile->exchanges_count + alone->profile->sync_count, 0);
    close_world(alone);
}

/* ---- copies ---- */

static void memcpy_is_a_curve(void **state) {
    (void)state;
    world *w = open_world(4, "shm"), *apart = open_world(4, "openmpi");
    assert_int_equal(sup_measure_memcpy(&w->lab, w->session, w->profile, &w->diag), SUP_OK);
    assert_int_equal(sup_measure_memcpy(&w->lab, w->session, w->profile, &w->diag), SUP_OK); /* in its place */
    assert_int_equal(w->profile->copies_count, 1);
    const sup_copy_time *own = w->profile->copies;
    assert_string_equal(own->method, "memcpy");
    assert_int_equal(own->processes, 4);
    assert_true(is_near(sup_curve_at(own->time_s->curve, 3000), 10e-9 + 150e-9, 0.03));
    assert_int_equal(sup_measure_memcpy(&apart->lab, apart->session, apart->profile, &apart->diag), SUP_OK);
    assert_int_equal(apart->profile->copies_count, 0);
    close_world(w);
    close_world(apart);
}

/* ---- first times ---- */

static sup_status measure_first(world *w) { return sup_measure_first(&w->lab, w->session, w->profile, &w->diag); }

static void first_times_are_what_they_take_more(void **state) {
    (void)state;
    world *w = open_world(2, "openmpi");
    for (int launch = 0; launch < 4; launch++) {
        if (launch) relaunch(w, 1.0 + 0.01 * launch);
        assert_int_equal(measure_first(w), SUP_OK);
        visit_all(w);
    }
    only_know(w);
    assert_int_equal(measure_first(w), SUP_OK);
    assert_int_equal(w->profile->first_count, 1);
    const sup_first_time *f = w->profile->first;
    assert_int_equal(sup_record_check(&sup_first_time_record, f, NULL), SUP_OK);
    assert_int_equal(f->processes, 2);
    assert_true(is_near(sup_curve_at(f->memory_s->curve, 400000), 0.4e-9 * 400000, 0.1));
    assert_true(is_near(sup_curve_at(f->use_calls_s->curve, 400000), 1e-6, 0.1));
    assert_true(is_near(sup_curve_at(f->use_sync_s->curve, 1048576), 1e-6 + 0.1e-9 * 1048576, 0.1));
    assert_int_equal(f->late_s_count, 3);
    assert_true(f->waking_s[0] < 1e-8 && is_near(f->waking_s[2], 60e-6, 0.1) && f->late_s[2] > 12e-3);
    assert_true(f->waking_s[1] <= f->waking_s[2]); /* who waited for less is woken no later */
    for (size_t i = 0; i < f->late_s_count; i++) assert_true(f->ci[i] >= 0.0 && f->typical[i] >= f->waking_s[i]);
    close_world(w);
}

static void more_first_times_where_all_is_wanted(void **state) {
    (void)state;
    world *w = open_world(4, "shm"), *alone = open_world(1, "shm");
    w->lab.budget.deep = SUP_MEASURE_FIRST;
    assert_int_equal(measure_first(w), SUP_OK);
    assert_int_equal(w->profile->first[0].late_s_count, 5);
    assert_int_equal(w->profile->first[0].memory_s->points->x_count, 4);
    assert_int_equal(measure_first(alone), SUP_OK); /* nobody to exchange anything with */
    assert_int_equal(alone->visits + (int64_t)alone->profile->first_count, 0);
    close_world(w);
    close_world(alone);
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
        assert_int_equal(w->profile->overlap_count, 6);
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
    assert_int_equal(measure(w), SUP_OK);
    size_t known = w->profile->exchanges_count;
    sup_store_free(w->lab.store);
    assert_int_equal(sup_store_new(1, &w->lab.store), SUP_OK);
    w->lab.visit = NULL;
    assert_int_equal(measure(w), SUP_ETIMEOUT);
    assert_int_equal(sup_measure_memcpy(&w->lab, w->session, w->profile, &w->diag), SUP_ETIMEOUT);
    assert_int_equal(sup_measure_overlap(&w->lab, w->session, NULL, w->profile, &w->diag), SUP_ETIMEOUT);
    assert_int_equal(measure_first(w), SUP_ETIMEOUT);
    assert_int_equal(w->profile->copies_count + w->profile->overlap_count + w->profile->first_count, 0);
    assert_int_equal(w->profile->exchanges_count, known); /* what was there stays */
    assert_int_equal(w->profile->sync_count, 1);
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
        cmocka_unit_test(plans_are_within_their_limits),
        cmocka_unit_test(others_are_not_fitted_to),
        cmocka_unit_test(exchanges_are_curves_of_calls_and_syncs),
        cmocka_unit_test(far_ones_are_for_processes_that_are_apart),
        cmocka_unit_test(exchanges_are_one_entry_for_all_launches),
        cmocka_unit_test(a_short_time_leaves_whole_curves),
        cmocka_unit_test(one_process_exchanges_nothing),
        cmocka_unit_test(memcpy_is_a_curve),
        cmocka_unit_test(first_times_are_what_they_take_more),
        cmocka_unit_test(more_first_times_where_all_is_wanted),
        cmocka_unit_test(shares_are_found),
        cmocka_unit_test(nothing_known_fills_nothing),
        cmocka_unit_test(numbers_say_how_launches_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
