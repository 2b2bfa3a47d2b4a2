/* Measuring computation, without a clock: made-up machines for the choice of points, a made-up clock for the method, a
 * made-up user for what users do. The real kernels run once, for their results only. */
#include "../random_real.h"
#include "kernels/kernels.h"
#include "measure/comp.h"
#include "measure/comp_curve.h"
#include "measure/comp_team.h"
#include "measure/comp_user.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

/* ---- a machine of our own: time passes when a fake kernel or a fake point takes it ---- */

static int64_t now_ns;
static sup_random chance;
static double kernel_noise;
static int busy_every, batches; /* the watch's verdict */

static int64_t fake_now(void *context) {
    (void)context;
    return now_ns;
}

static const sup_clock fake_clock = {fake_now, NULL, 1e-9, 0.0};

static void watch_begin(void *context) { (void)context; }

static bool watch_disturbed(void *context) {
    (void)context;
    return busy_every && ++batches % busy_every == 0;
}

static double spin_s = 1e-4;
static double fake_spin(void *context) {
    (void)context;
    return spin_s;
}

typedef struct progress {
    int calls, stop_after;
    double last;
} progress;

static bool on_progress(void *context, double fraction, const char *text, double left) {
    progress *p = context;
    assert_non_null(text);
    assert_true(fraction >= 0.0 && fraction <= 1.0 && fraction >= p->last - 1e-9);
    (void)left;
    p->last = fraction;
    return ++p->calls != p->stop_after;
}

static sup_session *session_with(double budget, progress *p) {
    now_ns = 1000;
    chance = (sup_random){7};
    kernel_noise = 0.0;
    busy_every = batches = 0;
    spin_s = 1e-4;
    sup_session_options o = sup_session_defaults();
    o.budget_s = budget;
    o.clock = &fake_clock;
    o.watch = (sup_watch){watch_begin, watch_disturbed, NULL};
    o.spin = fake_spin;
    o.root = "/nonexistent";
    if (p) {
        o.progress = on_progress;
        o.progress_context = p;
    }
    sup_session *s = NULL;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    return s;
}

/* L1 64 KB, L2 1 MB, L3 32 MB shared by two cores. */
static double truth(double bytes, int active) {
    double kb = bytes / 1024.0, t = 1e-9;
    if (kb > 64) t = 1.5e-9;
    if (kb > 1024) t = 2.5e-9;
    if (kb > 32768.0 / active) t = 5e-9 * active;
    return t;
}

static int asked_points, fail_above_kb;

static sup_status fake_point(void *context, sup_session *session, const sup_comp_setting *setting, size_t bytes,
                             const sup_comp_effort *effort, sup_diag *diag, sup_comp_point *out) {
    (void)context;
    if (fail_above_kb && bytes > (size_t)fail_above_kb * 1024)
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "cannot map %zu bytes", bytes);
    asked_points++;
    now_ns += (int64_t)(effort->seconds * 1e9);
    double noise = 0.003 * sup_random_normal(&chance);
    *out = (sup_comp_point){.bytes = (double)bytes, .n = 30, .reruns = 1, .ci_s = NAN, .length = 4096};
    out->unit_s = truth(out->bytes, setting->active) * (1.0 + noise);
    if (!effort->longer) out->ci_s = 0.006 * out->unit_s;
    out->said_s = effort->longer ? 1.01 * out->unit_s : NAN;
    sup_session_count(session, 30, 1);
    return SUP_OK;
}

static const sup_comp_bench fake_bench = {fake_point, NULL};

typedef struct machine {
    sup_topology *topology;
    sup_usable usable;
    sup_profile *profile;
} machine;

static void machine_make(machine *m, const char *synthetic) {
    asked_points = fail_above_kb = 0;
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

static void machine_free(machine *m) {
    sup_profile_free(m->profile);
    sup_usable_free(&m->usable);
    sup_topology_free(m->topology);
}

#define TWO_CORES "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1:1(size=65536) core:1 pu:1"

static const sup_comp_kernel two_kernels[] = {{&sup_kernel_daxpy, NULL}, {&sup_kernel_dot, "./dot.so"}};

static sup_measure_comp_options options_for(const machine *m, sup_comp_summary *summary) {
    return (sup_measure_comp_options){.topology = m->topology,
                                      .usable = &m->usable,
                                      .kernels = two_kernels,
                                      .kernel_count = 2,
                                      .bench = &fake_bench,
                                      .summary = summary};
}

/* ---- the whole measurement ---- */

/* What one of the active cores has of a cache. */
static double cache_share(const sup_topology *t, const char *name, int active) {
    const sup_level *level = t->levels;
    while (level && strcmp(level->name, name) != 0) level = level->child;
    assert_non_null(level);
    return (double)level->size_bytes / (active < level->sharing ? active : level->sharing);
}

static void finds_the_caches(void **state) {
    (void)state;
    machine m;
    machine_make(&m, TWO_CORES);
    progress p = {0};
    sup_session *s = session_with(0.0, &p);
    sup_comp_summary summary;
    sup_measure_comp_options o = options_for(&m, &summary);
    assert_int_equal(sup_measure_comp(s, &o, m.profile, NULL), SUP_OK);
    assert_int_equal(summary.curves, 4); /* two kernels, 1 and 2 active */
    assert_int_equal(summary.certain, 4);
    assert_false(summary.out_of_time);
    assert_true(summary.worst_prediction < 0.05);
    assert_true(p.calls > 1 && p.last == 1.0);
    assert_int_equal(m.profile->kernels_count, 2);
    assert_string_equal(m.profile->kernels[1].source, "./dot.so");
    const sup_kernel_profile *k = sup_profile_kernel(m.profile, "daxpy");
    assert_int_equal(k->rates_count, 2);
    for (size_t r = 0; r < 2; r++) {
        const sup_kernel_rate *rate = &k->rates[r];
        assert_int_equal(rate->active, r + 1);
        assert_true(rate->prediction_error < 0.05 && rate->prediction_length == 4096);
        NEAR(rate->long_run_error, 0.01, 1e-6);
        const char *wanted[] = {"L1", "L2", "L3"};
        double cache_bytes[3];
        sup_break steps[8];
        assert_int_equal(sup_curve_breaks(rate->unit_s->curve, 0.05, steps, 8), 3);
        for (size_t i = 0; i < 3; i++) {
            cache_bytes[i] = cache_share(m.topology, wanted[i], (int)rate->active);
            assert_true(fabs(sup_curve_break(steps[i].low, steps[i].high) / cache_bytes[i] - 1.0) < 0.15);
            assert_true(steps[i].after > 1.3 * steps[i].before);
        }
        const sup_points *points = rate->unit_s->points;
        assert_true(points->x_count < 60 && points->ci_count == points->x_count && points->n[0] >= 30);
        for (double x = 9000; x < 1e8; x *= 1.37) {
            bool step = false;
            for (size_t i = 0; i < 3; i++) step |= fabs(log(x / cache_bytes[i])) < 0.15;
            if (!step && x < 1.2e8 / (double)rate->active)
                NEAR(sup_curve_at(rate->unit_s->curve, x) / truth(x, (int)rate->active), 1.0, 0.02);
        }
    }
    assert_int_equal(m.profile->classic_count, 1);
    NEAR(m.profile->classic[0].flops_per_s->value, 2e9, 2e7);
    assert_int_equal(m.profile->classic[0].processes, 2);
    assert_int_equal(sup_session_quality(s, true, m.profile, NULL), SUP_OK);
    assert_int_equal(sup_record_check(sup_profile_file.record, m.profile, NULL), SUP_OK);
    assert_true(m.profile->quality->rejection_rate > 0.02 && m.profile->quality->complete && !m.profile->quality->busy);
    sup_session_close(s);
    machine_free(&m);
}

static void stops_when_told_and_resumes(void **state) {
    (void)state;
    machine m;
    machine_make(&m, TWO_CORES);
    progress p = {.stop_after = 9};
    sup_session *s = session_with(0.0, &p);
    sup_measure_comp_options o = options_for(&m, NULL);
    sup_diag diag;
    /* a tick every 50 ms only, and a point takes 10: the ninth answer is given after some 40 points */
    assert_int_equal(sup_measure_comp(s, &o, m.profile, &diag), SUP_EINTR);
    int before = asked_points;
    assert_true(before > 8 && m.profile->kernels_count == 2);
    size_t known = m.profile->kernels[0].rates[0].unit_s->points->x_count;
    assert_true(known >= 4);
    assert_int_equal(sup_record_check(sup_profile_file.record, m.profile, NULL), SUP_OK);
    sup_session_close(s);

    s = session_with(0.0, NULL);
    sup_comp_summary summary;
    o.summary = &summary;
    asked_points = 0;
    assert_int_equal(sup_measure_comp(s, &o, m.profile, NULL), SUP_OK);
    assert_int_equal(summary.certain, 4);
    assert_true(m.profile->kernels[0].rates[0].unit_s->points->x_count >= known);
    assert_int_equal(m.profile->kernels_count, 2);
    assert_int_equal(m.profile->classic_count, 1);
    int whole = asked_points;

    /* nothing is left to do but the check */
    asked_points = 0;
    o.no_check = true;
    assert_int_equal(sup_measure_comp(s, &o, m.profile, NULL), SUP_OK);
    assert_int_equal(asked_points, 0);
    assert_true(whole > 0);
    sup_session_close(s);
    machine_free(&m);
}

static const sup_warning *warning_of(const sup_session *s, const char *code) {
    size_t count;
    const sup_warning *list = sup_session_warnings(s, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].code, code)) return &list[i];
    return NULL;
}

static void keeps_to_its_budget(void **state) {
    (void)state;
    machine m;
    machine_make(&m, TWO_CORES);
    sup_session *s = session_with(0.1, NULL);
    sup_comp_summary summary;
    sup_measure_comp_options o = options_for(&m, &summary);
    o.wanted_relative = 1e-6;
    assert_int_equal(sup_measure_comp(s, &o, m.profile, NULL), SUP_OK);
    assert_true(summary.out_of_time);
    assert_true(summary.curves == 4 && summary.certain == 0);
    assert_true(sup_session_spent(s) < 0.15);
    assert_non_null(warning_of(s, "rates-uncertain"));
    sup_session_close(s);

    s = session_with(1e-9, NULL); /* too small to measure anything */
    now_ns += 1000;
    sup_diag diag;
    machine other;
    machine_make(&other, TWO_CORES);
    o = options_for(&other, NULL);
    assert_int_equal(sup_measure_comp(s, &o, other.profile, &diag), SUP_ETIMEOUT);
    assert_non_null(strstr(diag.text, "too short"));
    assert_int_equal(other.profile->kernels_count, 0);
    sup_session_close(s);
    machine_free(&other);
    machine_free(&m);
}

static void memory_that_is_not_there_is_a_warning(void **state) {
    (void)state;
    machine m;
    machine_make(&m, TWO_CORES);
    fail_above_kb = 9000;
    sup_session *s = session_with(0.0, NULL);
    sup_measure_comp_options o = options_for(&m, NULL);
    assert_int_equal(sup_measure_comp(s, &o, m.profile, NULL), SUP_OK);
    const sup_points *points = m.profile->kernels[0].rates[0].unit_s->points;
    assert_true(points->x[points->x_count - 1] <= 9000.0 * 1024 && points->x_count > 8);
    const sup_warning *warning = warning_of(s, "kernel-not-measured");
    assert_non_null(warning);
    assert_string_equal(warning->scope->kernel, m.profile->kernels[0].name);
    assert_string_equal(warning->numbers[0].name, "bytes");
    assert_true(warning->numbers[0].value > 9000.0 * 1024);
    assert_non_null(strstr(warning->text, "cannot map"));
    sup_session_close(s);
    machine_free(&m);
}

static void one_core_is_enough(void **state) {
    (void)state;
    machine m;
    machine_make(&m, "pack:1 l2:1(size=524288) l1:1(size=32768) core:1 pu:2");
    sup_session *s = session_with(0.0, NULL);
    sup_measure_comp_options o = options_for(&m, NULL);
    assert_int_equal(sup_measure_comp(s, &o, m.profile, NULL), SUP_OK);
    assert_int_equal(m.profile->kernels[0].rates_count, 1);
    assert_int_equal(m.profile->kernels[0].rates[0].active, 1);
    sup_session_close(s);
    machine_free(&m);
}

/* ---- the method, on a fake kernel that takes made-up time ---- */

typedef struct fake_state {
    double unit_s;
} fake_state;

static int fake_setup(void *memory, size_t bytes, sup_kernel_work *work) {
    fake_state *f = memory;
    f->unit_s = truth((double)bytes, 1);
    *work = (sup_kernel_work){f, bytes / 8, 1 + bytes / 65536, bytes};
    return 0;
}

static uint64_t fake_run(void *state, uint64_t iterations) {
    const fake_state *f = state;
    uint64_t units = iterations * 100;
    double t = 200e-9 + f->unit_s * (double)units * exp(kernel_noise * sup_random_normal(&chance));
    now_ns += (int64_t)llround(t * 1e9);
    return units;
}

static int fake_verify(void *state) { return state != NULL; }

static const sup_kernel fake_kernel = {SUP_KERNEL_ABI, sizeof(sup_kernel), "fake",   "unit",      8.0, 1.0, 64,
                                       NULL,           fake_setup,         fake_run, fake_verify, NULL};

/* The constant cost of a call is not part of the rate: that is what the line is for. */
static void slope_is_the_rate(void **state) {
    (void)state;
    sup_session *s = session_with(0.0, NULL);
    sup_comp_setting setting = {&fake_kernel, NULL, 1, 1};
    sup_comp_effort effort = {.seconds = 0.05, .batch_s = 0.0005, .samples = 10};
    sup_comp_point p;
    assert_int_equal(sup_comp_measure(NULL, s, &setting, 8192, &effort, NULL, &p), SUP_OK);
    NEAR(p.unit_s, 1e-9, 2e-12);
    assert_true(p.n >= 30 && p.ci_s < 1e-11 && p.bytes == 8192);
    assert_true(sup_session_rejection_rate(s) == 0.0);

    kernel_noise = 0.05;
    busy_every = 3;
    assert_int_equal(sup_comp_measure(NULL, s, &setting, 1 << 20, &effort, NULL, &p), SUP_OK);
    NEAR(p.unit_s, 1.5e-9, 6e-11);
    assert_true(p.ci_s > 1e-12 && fabs(p.unit_s - 1.5e-9) < 3.0 * p.ci_s);
    assert_true(sup_session_rejection_rate(s) > 0.1);

    effort.longer = true;
    effort.seconds = 100.0;
    assert_int_equal(sup_comp_measure(NULL, s, &setting, 8192, &effort, NULL, &p), SUP_OK);
    NEAR(p.length, 4096.0, 64.0);
    NEAR(p.unit_s, 1e-9, 1e-11);
    sup_session_close(s);
}

static void broken_kernels_do_not_hang(void **state) {
    (void)state;
    sup_session *s = session_with(0.0, NULL);
    sup_kernel refuses = sup_kernel_daxpy;
    sup_comp_setting setting = {&refuses, NULL, 1, 1};
    sup_comp_effort effort = {.seconds = 0.001, .batch_s = 0.0001, .samples = 5};
    sup_comp_point p;
    sup_diag diag;
    assert_int_equal(sup_comp_measure(NULL, s, &setting, 64, &effort, &diag, &p), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "daxpy"));
    /* real work that the clock does not see at all: it stands still */
    assert_int_equal(sup_comp_measure(NULL, s, &setting, 4096, &effort, &diag, &p), SUP_EBUSY);
    sup_session_close(s);
}

/* Real threads, real kernels: several at once do what each alone does. No look at the time. */
static void teams_work_together(void **state) {
    (void)state;
    for (int count = 1; count <= 3; count++) {
        sup_team_options o = {.kernel = &sup_kernel_triad, .bytes = 100000, .count = count};
        sup_team *t = NULL;
        assert_int_equal(sup_team_open(&o, NULL, &t), SUP_OK);
        for (int i = 1; i <= 20; i++) {
            double seconds = -1.0;
            sup_status status = sup_team_run(t, (uint64_t)i, &seconds);
            assert_true((status == SUP_OK || status == SUP_EBUSY) && seconds > 0.0);
        }
        assert_true(sup_kernel_triad.verify(sup_team_work(t)->state));
        sup_team_close(t);
    }
    sup_team_options bad = {.kernel = &sup_kernel_triad, .bytes = 64, .count = 2};
    sup_team *t = NULL;
    assert_int_equal(sup_team_open(&bad, NULL, &t), SUP_EINVAL);
    bad.bytes = SIZE_MAX / 2 + 1;
    assert_int_equal(sup_team_open(&bad, NULL, &t), SUP_ENOMEM);
    bad.count = 0;
    assert_int_equal(sup_team_open(&bad, NULL, &t), SUP_EINVAL);
}

/* ---- the session ---- */

static void session_knows_the_machine(void **state) {
    (void)state;
    sup_session *s = session_with(10.0, NULL);
    assert_false(sup_session_busy(s));
    sup_session_count(s, 100, 5);
    assert_false(sup_session_busy(s));
    sup_session_count(s, 100, 50);
    assert_true(sup_session_busy(s));
    spin_s = 1.2e-4;
    sup_session_look(s); /* within a second: nothing */
    now_ns += 3000000000;
    sup_session_look(s);
    sup_session_warn(s, SUP_WARNING_ONE_PROCESS, NULL);
    sup_session_warn(s, SUP_WARNING_ONE_PROCESS, NULL);
    NEAR(sup_session_left(s), 7.0, 0.01);
    sup_session_stage(s, 0.0, 0.5, 2.0);
    NEAR(sup_session_left(s), 2.0, 0.01);
    sup_session_stage(s, 0.5, 1.0, INFINITY);
    NEAR(sup_session_left(s), 7.0, 0.01);
    machine m;
    machine_make(&m, TWO_CORES);
    assert_int_equal(sup_session_quality(s, true, m.profile, NULL), SUP_OK);
    const sup_quality *q = m.profile->quality;
    assert_true(q->busy && q->complete && q->warnings_count == 3);
    assert_string_equal(q->warnings[0].code, "one-process");
    assert_string_equal(q->warnings[1].code, "machine-disturbed");
    assert_non_null(strstr(q->warnings[1].text, "28 %"));
    assert_string_equal(q->warnings[2].code, "frequency-changed");
    assert_non_null(strstr(q->warnings[2].text, "between 100 and 120 us"));
    sup_session_forget(s, SUP_WARNING_ONE_PROCESS);
    assert_null(warning_of(s, "one-process"));
    assert_non_null(warning_of(s, "machine-disturbed"));
    NEAR(q->rejection_rate, 55.0 / 200.0, 1e-12);
    assert_int_equal(sup_session_quality(s, false, m.profile, NULL), SUP_OK); /* again: resumed */
    assert_int_equal(m.profile->quality->warnings_count, 3);
    assert_false(m.profile->quality->complete);
    machine_free(&m);
    sup_session_close(s);
    sup_session_options bad = sup_session_defaults();
    bad.budget_s = -1.0;
    assert_int_equal(sup_session_open(&bad, NULL, &s), SUP_EINVAL);
    bad.budget_s = NAN;
    assert_int_equal(sup_session_open(&bad, NULL, &s), SUP_EINVAL);
}

static void write_file(const char *folder, const char *name, const char *format, ...) {
    char path[256];
    va_list args;
    snprintf(path, sizeof path, "%s/proc/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    va_start(args, format);
    vfprintf(file, format, args);
    va_end(args);
    fclose(file);
}

/* A host that gives a virtual machine's time to others leaves no other trace in it. */
static void session_sees_stolen_time(void **state) {
    (void)state;
    char root[] = "/tmp/superstep-session-XXXXXX", path[64];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/proc", root);
    assert_int_equal(mkdir(path, 0700), 0);
    long ticks = sysconf(_SC_CLK_TCK), cores = sysconf(_SC_NPROCESSORS_ONLN);
    write_file(root, "loadavg", "0.10 0.10 0.10 1/100 1000\n");
    for (int percent = 0; percent <= 30; percent += 30) {
        now_ns = 1000;
        write_file(root, "stat", "cpu  7 0 9 4 1 0 2 500 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
        sup_session_options o = sup_session_defaults();
        o.clock = &fake_clock;
        o.spin = fake_spin;
        o.root = root;
        sup_session *s = NULL;
        assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
        now_ns += 10000000000;
        write_file(root, "stat", "cpu  7 0 9 4 1 0 2 %ld 0 0\n", 500 + 10 * ticks * cores * percent / 100);
        sup_session_look(s);
        assert_int_equal(sup_session_busy(s), percent > 0);
        machine m;
        machine_make(&m, TWO_CORES);
        assert_int_equal(sup_session_quality(s, true, m.profile, NULL), SUP_OK);
        assert_int_equal(m.profile->quality->warnings_count, percent > 0);
        if (percent) assert_non_null(strstr(m.profile->quality->warnings[0].text, "30 % of its time to others"));
        machine_free(&m);
        sup_session_close(s);
    }
    snprintf(path, sizeof path, "%s/proc/stat", root);
    unlink(path);
    snprintf(path, sizeof path, "%s/proc/loadavg", root);
    unlink(path);
    snprintf(path, sizeof path, "%s/proc", root);
    rmdir(path);
    rmdir(root);
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
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_caches),
        cmocka_unit_test(stops_when_told_and_resumes),
        cmocka_unit_test(keeps_to_its_budget),
        cmocka_unit_test(memory_that_is_not_there_is_a_warning),
        cmocka_unit_test(one_core_is_enough),
        cmocka_unit_test(slope_is_the_rate),
        cmocka_unit_test(broken_kernels_do_not_hang),
        cmocka_unit_test(teams_work_together),
        cmocka_unit_test(session_knows_the_machine),
        cmocka_unit_test(session_sees_stolen_time),
        cmocka_unit_test(users_kernels_are_tried_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
