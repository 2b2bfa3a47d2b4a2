/* Measuring computation, without a clock: made-up labs for what is asked for and what comes of it, a made-up clock for
 * visits, a made-up user for what users do. */
#include "../random_real.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "measure/comp.h"
#include "measure/comp_lab.h"
#include "measure/comp_user.h"
#include "measure/rounds.h"
#include "measure/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

/* ---- a machine of our own: time passes when a fake kernel or a fake visit takes it ---- */

static int64_t now_ns;
static sup_random chance;

static int64_t fake_now(void *context) {
    (void)context;
    return now_ns;
}

static const sup_clock fake_clock = {fake_now, NULL, 1e-9, 0.0};

static bool stop_when_told(void *context, double fraction, const char *text, double left) {
    assert_non_null(text);
    assert_true(fraction >= 0.0 && fraction <= 1.0);
    (void)left;
    return !*(bool *)context;
}

static sup_session *session_with(double budget, bool *stop) {
    now_ns = 1000;
    sup_session_options o = sup_session_defaults();
    o.budget_s = budget;
    o.clock = &fake_clock;
    if (stop) {
        o.progress = stop_when_told;
        o.progress_context = stop;
    }
    sup_session *s = NULL;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    return s;
}

static const sup_warning *warning_of(const sup_session *s, const char *code) {
    size_t count;
    const sup_warning *list = sup_session_warnings(s, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].code, code)) return &list[i];
    return NULL;
}

/* L1 64 KB, L2 1 MB, L3 32 MB shared by two cores. */
static double truth(double bytes, int active) {
    double kb = bytes / 1024.0, t = 1e-9;
    if (kb > 64) t = 1.5e-9;
    if (kb > 1024) t = 2.5e-9;
    if (kb > 32768.0 / active) t = 5e-9 * active;
    return t;
}

typedef struct machine {
    sup_topology *topology;
    sup_usable usable;
    sup_profile *profile;
    sup_comp_set set;
} machine;

#define TWO_CORES "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1:1(size=65536) core:1 pu:1"
#define EIGHT_CORES "pack:1 l3:1(size=33554432) l2:8(size=1048576) l1:1(size=65536) core:1 pu:1"
#define ONE_CORE "pack:1 l2:1(size=524288) l1:1(size=32768) core:1 pu:2"

static const sup_comp_kernel three[] = {{&sup_kernel_daxpy, NULL},
                                        {&sup_kernel_dot, "./dot.so"},
                                        {&sup_kernel_copy, NULL}};

static sup_comp_options options_for(const machine *m, const sup_comp_kernel *kernels, size_t count) {
    return (sup_comp_options){.topology = m->topology, .usable = &m->usable, .kernels = kernels, .kernel_count = count};
}

static void machine_make(machine *m, const char *synthetic) {
    *m = (machine){0};
    chance = (sup_random){7};
    assert_int_equal(sup_topology_from_synthetic(synthetic, NULL, &m->topology), SUP_OK);
    assert_int_equal(sup_usable_make(m->topology, NULL, NULL, &m->usable), SUP_OK);
    assert_int_equal(sup_profile_new(0, NULL, &m->profile), SUP_OK);
    sup_origin *o = &m->profile->signature;
    assert_int_equal(sup_record_set_string(&o->topology, "t"), SUP_OK);
    assert_int_equal(sup_record_set_string(&o->cpu, "c"), SUP_OK);
    assert_int_equal(sup_record_set_string(&o->transport, "shm"), SUP_OK);
    o->cores = m->topology->core_count;
    o->hosts = 1;
    int host[2] = {0, 0}, core[2] = {0, 1};
    assert_int_equal(sup_origin_set_placement(o, 2, host, core), SUP_OK);
}

static void machine_set(machine *m, sup_session *session) {
    sup_comp_options o = options_for(m, three, 3);
    assert_int_equal(sup_comp_set_make(session, &o, NULL, &m->set), SUP_OK);
}

static void machine_free(machine *m) {
    sup_comp_set_free(&m->set);
    sup_profile_free(m->profile);
    sup_usable_free(&m->usable);
    sup_topology_free(m->topology);
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
    f->lab = (sup_lab){.size = 1, .visit = fake_visit};
    f->launch = 1.0 + 0.004 * sup_random_normal(&chance);
    assert_int_equal(sup_store_new(number, &f->lab.store), SUP_OK);
    assert_int_equal(sup_store_read(f->lab.store, NULL, all->list, all->count), SUP_OK);
    status = sup_rounds_run(&f->lab, s, ask, m, 0.0, NULL, &done);
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
    machine m;
    found all = {0};
    machine_make(&m, TWO_CORES);
    for (int number = 1; number <= 12; number++) {
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
    assert_int_equal(m.profile->classic[0].flops_per_s->launches, 12);
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
    for (int number = 1; number <= 3; number++) {
        fake_lab f = {0};
        assert_int_equal(launch(&m, number, 5.0, &f, &all, NULL), SUP_OK);
        assert_int_equal(m.set.count, 3 * 4); /* 1, 2, 4, 8 active */
        if (number == 1) assert_int_equal(all.count, 3 * (5 + 3 + 3 + 5));
        assert_true(all.count > before && all.count <= before + 3 * (5 + 3 + 3 + 5));
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
    assert_int_equal(launch(&m, 1, 0.005, &late, &all, &complete), SUP_OK);
    assert_false(complete);
    assert_true(late.visits >= 2 && late.visits < 10);
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
    assert_int_equal(fill(&m, &all, s), SUP_OK);
    assert_null(warning_of(s, "rates-missing"));
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
    assert_int_equal(ask_once(&v, SUP_TRIAL_RATE, 1, 4096, &t), SUP_OK);
    assert_true(t.seconds == 0.0);
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
    o.budget_s = 60.0;
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
        cmocka_unit_test(finds_the_caches),
        cmocka_unit_test(grows_with_launches),
        cmocka_unit_test(ends_early),
        cmocka_unit_test(sizes_that_are_refused),
        cmocka_unit_test(which_kernels),
        cmocka_unit_test(visits_find_the_rate),
        cmocka_unit_test(visits_that_cannot_be),
        cmocka_unit_test(target_runs_and_fills),
        cmocka_unit_test(session_keeps_time_and_warnings),
        cmocka_unit_test(users_kernels_are_tried_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
