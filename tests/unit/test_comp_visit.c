/* Visits of rates: on a made-up clock, as a child runs them, and with kernels of users. */
#include "../sanitized.h"
#include "comp_machine.h"
#include "measure/comp/lab.h"
#include "measure/comp/user.h"
#include "measure/launch/target.h"

#include <stdio.h>

/* ---- visits, on a fake kernel that takes made-up time ---- */

static double kernel_noise, iteration_units = 100.0;
static int busy_every, batches; /* the judge's verdict */

static bool judge(void *context) {
    (void)context;
    return busy_every && ++batches % busy_every == 0;
}

typedef struct fake_state {
    double unit_s;
} fake_state;

static int fake_setup(void *memory, size_t bytes, sup_kernel_work *work) {
    fake_state *f = memory;
    if (f->unit_s != 0.0) return 1; /* memory is promised to be zero */
    f->unit_s = truth((double)bytes, 1);
    uint64_t iterations = 1 + bytes / 65536;
    *work = (sup_kernel_work){f, (uint64_t)iteration_units * iterations, iterations, bytes};
    return 0;
}

static uint64_t fake_run(void *state, uint64_t iterations) {
    const fake_state *f = state;
    uint64_t units = iterations * (uint64_t)iteration_units;
    double t = 200e-9 + f->unit_s * (double)units * exp(kernel_noise * sup_random_normal(&chance));
    now_ns += (int64_t)llround(t * 1e9);
    return units;
}

static int fake_verify(void *state) { return state != NULL; }

static const sup_kernel fake_kernel = {SUP_KERNEL_ABI, sizeof(sup_kernel), "fake",   "unit",      8.0, 1.0, 64,
                                       NULL,           fake_setup,         fake_run, fake_verify, NULL};

typedef struct visiting {
    machine m;
    sup_session *session;
    sup_store *store;
    sup_lab *lab;
} visiting;

static void visiting_open(visiting *v, const sup_kernel *kernel) {
    const sup_comp_kernel kernels[] = {{kernel, NULL}};
    const sup_team_options team = {.clock = &fake_clock, .disturbed = judge};
    kernel_noise = 0.0;
    iteration_units = 100.0;
    busy_every = batches = 0;
    machine_make(&v->m, ONE_CORE);
    v->session = session_with(0.0, NULL);
    sup_comp_options o = options_for(&v->m, kernels, 1);
    assert_int_equal(sup_comp_set_make(v->session, &o, NULL, &v->m.set), SUP_OK);
    assert_int_equal(sup_store_new(1, &v->store), SUP_OK);
    assert_int_equal(sup_lab_comp_open(&v->m.set, v->store, v->session, &team, NULL, &v->lab), SUP_OK);
}

static void visiting_close(visiting *v) {
    sup_lab_comp_close(v->lab);
    sup_store_free(v->store);
    sup_session_close(v->session);
    machine_free(&v->m);
}

static sup_status ask_once(visiting *v, sup_trial_kind kind, int records, size_t bytes, sup_timing *t) {
    sup_trial trial = sup_comp_trial(&v->m.set.jobs[0], kind, bytes);
    trial.records = records;
    return sup_lab_ask(v->lab, v->session, "test", &trial, NULL, t);
}

/* What a call costs once is not part of the rate. */
static void visits_find_the_rate(void **state) {
    (void)state;
    visiting v;
    sup_timing t;
    visiting_open(&v, &fake_kernel);
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 8192, &t), SUP_OK);
    NEAR(t.seconds, 1e-9, 5e-12);
    assert_true(t.n >= 4 && t.dropped == 0 && t.footprint == 8192.0);
    const sup_point *p = sup_store_at(v.store, 0);
    assert_true(p->repetitions > 1000 && p->visit_s > 0.001 && p->visit_s < 0.05);
    assert_int_equal(ask_once(&v, SUP_TRIAL_LONG_RUN, 1, 8192, &t), SUP_OK);
    NEAR(t.seconds, 1e-9, 2e-11);
    assert_int_equal(ask_once(&v, SUP_TRIAL_LONG_RUN, SUP_COMP_LONGER, 8192, &t), SUP_OK);
    NEAR(t.seconds, 1e-9, 5e-12);
    assert_true(sup_store_at(v.store, 2)->visit_s < 0.04);

    kernel_noise = 0.05;
    busy_every = 3;
    uint64_t dropped = v.lab->dropped;
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 1 << 20, &t), SUP_OK);
    sup_trial trial = sup_comp_trial(&v.m.set.jobs[0], SUP_TRIAL_RATE, 1 << 20);
    for (int i = 0; i < 20; i++)
        assert_int_equal(sup_lab_visit(v.lab, v.session, sup_store_find(v.store, &trial), NULL), SUP_OK);
    sup_store_say(v.store, sup_store_find(v.store, &trial), 0, &t);
    NEAR(t.typical, 1.5e-9, 5e-11);
    assert_true(t.seconds < t.typical && t.seconds > 1.3e-9 && t.dropped > 20);
    assert_true(v.lab->dropped - dropped == (uint64_t)t.dropped);
    busy_every = 1; /* nothing is left alone: the least of what there is */
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 2 << 20, &t), SUP_OK);
    assert_true(t.seconds > 0.0);
    visiting_close(&v);
}

static void visits_that_cannot_be(void **state) {
    (void)state;
    visiting v;
    sup_timing t;
    visiting_open(&v, &fake_kernel);
    iteration_units = 1e7; /* an iteration of 10 ms: no run is longer than a batch */
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 8192, &t), SUP_OK);
    assert_int_equal(ask_once(&v, SUP_TRIAL_LONG_RUN, 1, 8192, &t), SUP_ENOTSUP);
    assert_int_equal(ask_once(&v, SUP_TRIAL_LONG_RUN, SUP_COMP_LONGER, 8192, &t), SUP_ENOTSUP);
    sup_trial other = sup_comp_trial(&v.m.set.jobs[0], SUP_TRIAL_RATE, 8192);
    other.kernel = "another";
    assert_int_equal(sup_lab_ask(v.lab, v.session, "test", &other, NULL, &t), SUP_ENOTSUP);
    visiting_close(&v);

    visiting_open(&v, &sup_kernel_daxpy);
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 64, &t), SUP_ENOTSUP);
    const sup_warning *warning = warning_of(v.session, "kernel-not-measured");
    assert_non_null(warning);
    assert_string_equal(warning->scope->kernel, "daxpy");
    assert_string_equal(warning->numbers[0].name, "bytes");
    assert_true(warning->numbers[0].value == 64.0);
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, SIZE_MAX / 2 + 1, &t), SUP_ENOTSUP);
    /* real work that the clock does not see at all: it stands still, and that is no rate */
    if (!SANITIZED) { /* it does as much as it ever would, which takes ten times as long there */
        assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 4096, &t), SUP_OK);
        assert_true(t.seconds == 0.0);
    }
    visiting_close(&v);
}

/* The target as a child runs it, on this machine: no number is looked at, only that all of them are there. */
static void target_runs_and_fills(void **state) {
    (void)state;
    machine m;
    char daxpy[] = "daxpy", copy[] = "copy", *names[] = {daxpy, copy};
    sup_request q = {.launch = 1, .until = NAN, .kernels = names, .kernels_count = 2};
    sup_result result = {0};
    sup_store *store = NULL;
    sup_session *s = NULL;
    sup_session_options o = sup_session_defaults();
    sup_diag diag = {0};
    o.budget_s = 600.0; /* all of its points, also beside other work */
    bool stop = false;
    o.progress = stop_when_told;
    o.progress_context = &stop;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    assert_int_equal(sup_store_new(1, &store), SUP_OK);
    q.until = 100.0; /* the first look is enough */
    if (sup_target_rates.run(&q, s, store, &diag, &result)) fail_msg("%s", diag.text);
    assert_true(result.complete && result.rounds > 0);
    machine_make(&m, TWO_CORES);
    sup_lab lab = {.size = 2, .store = store};
    assert_int_equal(sup_target_rates.fill(&lab, &q, s, m.profile, &diag), SUP_OK);
    assert_int_equal(m.profile->kernels_count, 2);
    for (size_t k = 0; k < 2; k++)
        for (size_t r = 0; r < m.profile->kernels[k].rates_count; r++)
            assert_true(m.profile->kernels[k].rates[r].unit_s->points->x_count >= 2);
    names[1] = daxpy + 1; /* there is no such kernel */
    assert_int_equal(sup_target_rates.fill(&lab, &q, s, m.profile, &diag), SUP_EINVAL);
    machine_free(&m);
    sup_store_free(store);
    sup_session_close(s);
}

/* ---- users' kernels ---- */

static void check_user(const char *name, double limit_s, sup_status wanted, const char *words) {
    char path[512];
    snprintf(path, sizeof path, "%s/libuser_%s.so", SUP_TEST_KERNELS, name);
    sup_user_options o = {.limit_s = limit_s, .most_bytes = 300000};
    sup_user_kernel k = {0};
    sup_diag diag = {0};
    sup_status status = sup_user_kernel_load(path, &o, &diag, &k);
    if (status != wanted || (words && !strstr(diag.text, words)))
        fail_msg("%s: status %d, %s", name, status, diag.text);
    if (!status) {
        assert_string_equal(k.kernel->name, "mysum");
        assert_string_equal(k.path, path);
        sup_user_kernel_unload(&k);
    }
}

static void users_kernels_are_tried_first(void **state) {
    (void)state;
    check_user("good", 20.0, SUP_OK, NULL);
    check_user("crash", 20.0, SUP_EINVAL, "crashed in run with 1024 bytes");
    check_user("overrun", 20.0, SUP_EINVAL, "in setup with 1024 bytes");
    check_user("exit", 20.0, SUP_EINVAL, "ended the process in run with 1024 bytes with status 3");
    check_user("hang", 0.3, SUP_ETIMEOUT, "hangs in run");
    check_user("result", 20.0, SUP_EINVAL, "wrong results after 1 pass over 1024 bytes");
    check_user("work", 20.0, SUP_EINVAL, "impossible work");
    check_user("units", 20.0, SUP_EINVAL, "setup said");
    check_user("abi", 20.0, SUP_EVERSION, "version 2 of the kernel interface; this is version 1");
    check_user("name", 20.0, SUP_EINVAL, "letters");
    check_user("export", 20.0, SUP_EPARSE, "exports no sup_kernel_plugin");
    check_user("missing", 20.0, SUP_ENOENT, "No such file");
    sup_user_kernel k;
    sup_diag diag;
    assert_int_equal(sup_user_kernel_load("/etc/passwd", NULL, &diag, &k), SUP_EPARSE);
    sup_user_options tried = {.tried = true};
    assert_int_equal(sup_user_kernel_load("/etc/passwd", &tried, &diag, &k), SUP_EPARSE);
    assert_int_equal(sup_user_kernel_load(SUP_TEST_KERNELS "/libuser_crash.so", &tried, &diag, &k), SUP_OK);
    sup_user_kernel_unload(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_find_the_rate),
        cmocka_unit_test(visits_that_cannot_be),
        cmocka_unit_test(target_runs_and_fills),
        cmocka_unit_test(users_kernels_are_tried_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
