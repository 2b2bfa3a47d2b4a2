/* Rates of computation: what is asked for and what comes of it, on made-up labs; the session that all share. */
#include "../sanitized.h"
#include "comp_machine.h"
#include "measure/campaign/rounds.h"

static const sup_comp_kernel three[] = {{&sup_kernel_daxpy, NULL},
                                        {&sup_kernel_dot, "./dot.so"},
                                        {&sup_kernel_copy, NULL}};

static void machine_set(machine *m, sup_session *session) {
    sup_comp_options o = options_for(m, three, 3);
    assert_int_equal(sup_comp_set_make(session, &o, NULL, &m->set), SUP_OK);
}

/* ---- a lab that answers from a formula ---- */

typedef struct fake_lab {
    sup_lab lab;
    double launch;      /* all that this launch finds is so many times slower */
    size_t refuse_from; /* bytes; 0: nothing is refused */
    int visits, stop_after;
    bool stop;
    sup_trial first;
} fake_lab;

static sup_status fake_visit(sup_lab *lab, sup_point *p, sup_diag *diag) {
    fake_lab *f = (fake_lab *)lab;
    const sup_trial *t = &p->trial;
    (void)diag;
    if (f->visits++ == 0) f->first = *t;
    if (f->visits == f->stop_after) f->stop = true;
    now_ns += 2000000;
    p->visit_s = 0.002;
    if (f->refuse_from && t->bytes >= f->refuse_from) {
        p->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    p->footprint = (double)(t->bytes / 64 * 64);
    double seconds = truth(p->footprint, t->group) * f->launch;
    if (t->kind == SUP_TRIAL_LONG_RUN && t->records == 1) seconds *= 1.01;
    for (int i = 0; i < 6; i++) { /* disturbances only add */
        double late = fabs(0.02 * sup_random_normal(&chance));
        bool held = sup_random_next(&chance) % 8 == 0;
        lab->batches++;
        lab->dropped += held;
        assert_int_equal(sup_point_add(p, 0, held ? -seconds * 1.7 : seconds * (1.0 + late)), SUP_OK);
    }
    return SUP_OK;
}

typedef struct found {
    sup_visited *list;
    size_t count;
} found;

static void found_free(found *f) {
    for (size_t i = 0; i < f->count; i++) sup_record_clear(&sup_visited_record, &f->list[i]);
    free(f->list);
    *f = (found){0};
}

static sup_status ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag) {
    return sup_comp_ask(lab, &((machine *)context)->set, session, diag);
}

/* One launch of a made-up machine, after those that found `all`. */
static sup_status launch(machine *m, int number, double budget, fake_lab *f, found *all, bool *complete) {
    sup_session *s = session_with(budget, &f->stop);
    sup_rounds_result done;
    sup_status status = SUP_OK;
    if (!m->set.count) machine_set(m, s);
    f->lab = (sup_lab){.size = 1, .visit = fake_visit, .budget = {.deep = SUP_MEASURE_KERNELS}};
    f->launch = 1.0 + 0.004 * sup_random_normal(&chance);
    assert_int_equal(sup_store_new(number, &f->lab.store), SUP_OK);
    assert_int_equal(sup_store_read(f->lab.store, NULL, all->list, all->count), SUP_OK);
    status = sup_rounds_run(&f->lab, s, ask, m, NULL, NULL, &done);
    if (complete) *complete = done.complete;
    found_free(all);
    assert_int_equal(sup_store_write(f->lab.store, NULL, false, &all->list, &all->count), SUP_OK);
    sup_store_free(f->lab.store);
    sup_session_close(s);
    return status;
}

/* The tool's part: a lab that cannot visit. */
static sup_status fill(machine *m, const found *all, sup_session *s) {
    sup_lab lab = {.size = 1};
    assert_int_equal(sup_store_new(0, &lab.store), SUP_OK);
    assert_int_equal(sup_store_read(lab.store, NULL, all->list, all->count), SUP_OK);
    sup_store_settle(lab.store);
    sup_status status = sup_comp_fill(&lab, &m->set, m->topology, s, m->profile, NULL);
    sup_store_free(lab.store);
    return status;
}

/* ---- the section ---- */

/* What one of the active cores has of a cache. */
static double cache_share(const sup_topology *t, const char *name, int active) {
    const sup_level *level = t->levels;
    while (level && strcmp(level->name, name) != 0) level = level->child;
    assert_non_null(level);
    return (double)level->size_bytes / (active < level->sharing ? active : level->sharing);
}

static void check_rate(const machine *m, const sup_kernel_rate *rate) {
    static const char *const caches[] = {"L1", "L2", "L3"};
    const sup_points *points = rate->unit_s->points;
    double bytes[3];
    int active = (int)rate->active;
    for (size_t i = 0; i < 3; i++) { /* a step is located: measured close to it on both sides */
        bytes[i] = cache_share(m->topology, caches[i], active);
        bool below = false, above = false;
        for (size_t k = 0; k < points->x_count; k++) {
            below |= points->x[k] <= bytes[i] && points->x[k] > bytes[i] / 1.7;
            above |= points->x[k] > bytes[i] && points->x[k] < bytes[i] * 1.7;
        }
        assert_true(below && above);
    }
    assert_true(points->x_count <= 24 && points->ci_count == points->x_count && points->n[0] >= 6);
    for (size_t k = 0; k < points->x_count; k++) {
        NEAR(points->y[k] / truth(points->x[k], active), 1.0, 0.02);
        assert_true(points->typical[k] >= points->y[k] && points->bad[k] >= points->typical[k]);
    }
    for (double x = 9000; x < 6e7; x *= 1.37) {
        bool step = false;
        for (size_t i = 0; i < 3; i++) step |= fabs(log(x / bytes[i])) < 0.55;
        if (!step) NEAR(sup_curve_at(rate->unit_s->curve, x) / truth(x, active), 1.0, 0.04);
    }
    assert_true(rate->prediction_error < 0.05 && rate->prediction_length > 50.0);
    NEAR(rate->long_run_error, 0.01, 0.01);
}

static void finds_the_caches(void **state) {
    (void)state;
    if (SANITIZED) skip(); /* 24 launches through the code that grows_with_launches goes through in seven */
    machine m;
    found all = {0};
    machine_make(&m, TWO_CORES);
    for (int number = 1; number <= 24; number++) {
        fake_lab f = {0};
        bool complete = false;
        assert_int_equal(launch(&m, number, 4.0, &f, &all, &complete), SUP_OK);
        assert_true(complete);
        if (number > 1) continue;
        assert_int_equal(f.first.bytes, 64 << 20); /* memory bandwidth of all cores comes first */
        assert_int_equal(f.first.group, 2);
    }
    sup_session *s = session_with(0.0, NULL);
    assert_int_equal(fill(&m, &all, s), SUP_OK);
    assert_int_equal(m.profile->kernels_count, 3);
    assert_string_equal(m.profile->kernels[1].source, "./dot.so");
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(m.profile->kernels[k].rates_count, 2);
        for (size_t r = 0; r < 2; r++) {
            assert_int_equal(m.profile->kernels[k].rates[r].active, r + 1);
            check_rate(&m, &m.profile->kernels[k].rates[r]);
        }
    }
    assert_int_equal(m.profile->classic_count, 1);
    NEAR(m.profile->classic[0].flops_per_s->value, 2e9, 4e7);
    assert_true(m.profile->classic[0].flops_per_s->typical <= m.profile->classic[0].flops_per_s->value);
    assert_int_equal(m.profile->classic[0].flops_per_s->launches, 24);
    assert_null(warning_of(s, "rates-missing"));
    assert_int_equal(fill(&m, &all, s), SUP_OK); /* again, over what is there */
    assert_int_equal(m.profile->kernels_count, 3);
    assert_int_equal(m.profile->classic_count, 1);
    assert_int_equal(sup_record_check(sup_profile_file.record, m.profile, NULL), SUP_OK);
    sup_session_close(s);
    found_free(&all);
    machine_free(&m);
}

/* The first launch has whole curves, of few points; others add some. */
static void grows_with_launches(void **state) {
    (void)state;
    machine m;
    found all = {0};
    size_t before = 0;
    machine_make(&m, EIGHT_CORES);
    for (int number = 1; number <= 7; number++) {
        fake_lab f = {0};
        assert_int_equal(launch(&m, number, 5.0, &f, &all, NULL), SUP_OK);
        assert_int_equal(m.set.count, 3 * 4); /* 1, 2, 4, 8 active */
        size_t grid = 0;
        for (size_t i = 0; i < m.set.count; i++) grid += (size_t)m.set.jobs[i].grid_count;
        if (number == 1) assert_int_equal(all.count, grid);
        assert_true(number < 6 || all.count > before);
        assert_true(all.count <= before + grid);
        before = all.count;
        sup_session *s = session_with(0.0, NULL);
        assert_int_equal(fill(&m, &all, s), SUP_OK);
        for (size_t r = 0; r < 4; r++) {
            const sup_points *points = m.profile->kernels[0].rates[r].unit_s->points;
            assert_true(points->x[points->x_count - 1] > 1.5 * 33554432.0 / ldexp(1.0, (int)r));
        }
        sup_session_close(s);
    }
    found_free(&all);
    machine_free(&m);
}

/* Whatever ends a launch early: what was found is there, and the next one goes on. */
static void ends_early(void **state) {
    (void)state;
    machine m;
    found all = {0};
    bool complete = true;
    machine_make(&m, TWO_CORES);
    fake_lab late = {0};
    assert_int_equal(launch(&m, 1, 0.001, &late, &all, &complete), SUP_OK);
    assert_false(complete);
    assert_int_equal(late.visits, 1);
    sup_session *s = session_with(0.0, NULL);
    assert_int_equal(fill(&m, &all, s), SUP_OK);
    assert_non_null(warning_of(s, "rates-missing"));
    assert_int_equal(sup_record_check(sup_profile_file.record, m.profile, NULL), SUP_OK);

    fake_lab stopped = {.stop_after = 12};
    assert_int_equal(launch(&m, 2, 0.0, &stopped, &all, &complete), SUP_EINTR);
    fake_lab whole = {0};
    assert_int_equal(launch(&m, 3, 2.0, &whole, &all, &complete), SUP_OK);
    assert_true(complete);
    sup_session_close(s);
    s = session_with(0.0, NULL);
    assert_string_equal(m.profile->kernels[0].name, "copy"); /* of which something was known first */
    assert_int_equal(fill(&m, &all, s), SUP_OK);
    assert_null(warning_of(s, "rates-missing"));
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(m.profile->kernels[k].name, three[k].kernel->name);
        for (int64_t r = 0; r < 2; r++) assert_int_equal(m.profile->kernels[k].rates[r].active, r + 1);
    }
    sup_session_close(s);

    found nothing = {0};
    s = session_with(0.0, NULL);
    assert_int_equal(fill(&m, &nothing, s), SUP_ETIMEOUT);
    sup_session_close(s);
    found_free(&all);
    machine_free(&m);
}

static void sizes_that_are_refused(void **state) {
    (void)state;
    machine m;
    found all = {0};
    machine_make(&m, TWO_CORES);
    for (int number = 1; number <= 4; number++) {
        fake_lab f = {.refuse_from = 3 << 20};
        bool complete = false;
        assert_int_equal(launch(&m, number, 2.0, &f, &all, &complete), SUP_OK);
        assert_true(complete);
    }
    sup_session *s = session_with(0.0, NULL);
    assert_int_equal(fill(&m, &all, s), SUP_OK);
    const sup_points *points = m.profile->kernels[0].rates[0].unit_s->points;
    assert_true(points->x_count >= 3 && points->x[points->x_count - 1] < 3 << 20);
    sup_session_close(s);
    found_free(&all);
    machine_free(&m);
}

static int never(void) { return 1; }

static void which_kernels(void **state) {
    (void)state;
    machine m;
    sup_kernel absent = sup_kernel_dot, mine = sup_kernel_daxpy;
    sup_session *s = session_with(0.0, NULL);
    sup_diag diag;
    machine_make(&m, ONE_CORE);
    absent.unavailable = never;
    const sup_comp_kernel kernels[] = {{&sup_kernel_daxpy, NULL}, {&absent, NULL}, {&mine, "./mine.so"}};
    sup_comp_options o = options_for(&m, kernels, 3);
    assert_int_equal(sup_comp_set_make(s, &o, &diag, &m.set), SUP_OK);
    assert_int_equal(m.set.count, 1); /* one core; the user's kernel takes the place of ours of that name */
    assert_ptr_equal(m.set.jobs[0].kernel.kernel, &mine);
    assert_true(m.set.jobs[0].all && m.set.jobs[0].end && m.set.jobs[0].setting.active == 1);
    const sup_warning *warning = warning_of(s, "kernel-not-available");
    assert_non_null(warning);
    assert_string_equal(warning->scope->kernel, "dot");
    sup_comp_set none;
    o = options_for(&m, kernels + 1, 1);
    assert_int_equal(sup_comp_set_make(s, &o, &diag, &none), SUP_ENOTSUP);
    sup_trial trial = sup_comp_trial(&m.set.jobs[0], SUP_TRIAL_RATE, 4096);
    assert_ptr_equal(sup_comp_set_find(&m.set, &trial), &m.set.jobs[0]);
    trial.kernel = "other";
    assert_null(sup_comp_set_find(&m.set, &trial));
    machine_free(&m);
    sup_session_close(s);
}

/* ---- the session ---- */

static void session_keeps_time_and_warnings(void **state) {
    (void)state;
    bool stop = false;
    size_t count;
    sup_session *s = session_with(10.0, &stop), *other = NULL;
    sup_session_count(s, 100, 5);
    sup_session_count(s, 100, 50);
    assert_true(sup_session_batches(s) == 200 && sup_session_dropped(s) == 55);
    now_ns += 3000000000;
    NEAR(sup_session_left(s), 7.0, 0.01);
    sup_session_warn(s, SUP_WARNING_ONE_PROCESS, NULL);
    sup_session_warn(s, SUP_WARNING_ONE_PROCESS, NULL);
    sup_session_warnings(s, &count);
    assert_int_equal(count, 1);
    assert_int_equal(sup_session_tick(s, 0.5, "something"), SUP_OK);
    assert_false(sup_session_stopped(s));
    stop = true;
    now_ns += 1000000000;
    assert_int_equal(sup_session_tick(s, 0.6, "something"), SUP_EINTR);
    assert_true(sup_session_stopped(s));
    sup_session_close(s);
    sup_session_options bad = sup_session_defaults();
    bad.budget_s = -1.0;
    assert_int_equal(sup_session_open(&bad, NULL, &other), SUP_EINVAL);
    bad.budget_s = NAN;
    assert_int_equal(sup_session_open(&bad, NULL, &other), SUP_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_caches), cmocka_unit_test(grows_with_launches),
        cmocka_unit_test(ends_early),       cmocka_unit_test(sizes_that_are_refused),
        cmocka_unit_test(which_kernels),    cmocka_unit_test(session_keeps_time_and_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
