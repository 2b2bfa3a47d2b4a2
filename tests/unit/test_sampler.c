/* The sampler, with a made-up clock, work and watch: every run is the same, so every count can be checked. */
#include "../random_real.h"
#include "base/random.h"
#include "base/sampler.h"
#include "base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

/* A machine: time goes on when work is done or the clock is read, and never otherwise. */
typedef struct world {
    sup_clock clock;
    int64_t now;
    int64_t read_ns, tick_ns;
    double unit_s, noise; /* of one repetition */
    sup_random random;
    uint64_t calls, repetitions;
    int fail_at;                        /* this call fails with SUP_EPEER; 0: none */
    int busy_every, spike_every;        /* every so many calls: EBUSY; ten times slower */
    int disturbed_every, disturbed_for; /* the watch's verdict */
    bool own_time, slow_if_disturbed;
    size_t stop_after, progress_calls;
    sup_sampler_progress last;
} world;

static int64_t world_now(void *context) {
    world *w = context;
    w->now += w->read_ns;
    return w->now / w->tick_ns * w->tick_ns;
}

static void watch_begin(void *context) { (void)context; }

static bool watch_disturbed(void *context) {
    const world *w = context;
    return w->disturbed_every && w->calls % (uint64_t)w->disturbed_every < (uint64_t)w->disturbed_for;
}

static sup_status world_run(void *context, uint64_t repetitions, double *elapsed) {
    world *w = context;
    w->calls++;
    w->repetitions += repetitions;
    if (w->fail_at && w->calls == (uint64_t)w->fail_at) return SUP_EPEER;
    double t = w->unit_s * (double)repetitions * exp(w->noise * sup_random_normal(&w->random));
    if (w->spike_every && w->calls % (uint64_t)w->spike_every == 0) t *= 10;
    if (w->slow_if_disturbed && watch_disturbed(w)) t *= 10;
    w->now += (int64_t)llround(t * 1e9);
    if (w->own_time) *elapsed = t / 2;
    return w->busy_every && w->calls % (uint64_t)w->busy_every == 0 ? SUP_EBUSY : SUP_OK;
}

static bool world_progress(void *context, const sup_sampler_progress *p) {
    world *w = context;
    w->progress_calls++;
    w->last = *p;
    return w->stop_after == 0 || p->n + 1 < w->stop_after;
}

static sup_sampler_config setup(world *w) {
    memset(w, 0, sizeof *w);
    *w = (world){.read_ns = 30, .tick_ns = 10, .unit_s = 1e-6, .noise = 0.01, .random = {.state = 42}};
    w->clock = (sup_clock){.now_ns = world_now, .context = w, .resolution_s = 10e-9, .overhead_s = 30e-9};
    sup_sampler_config c = sup_sampler_defaults();
    c.run = world_run;
    c.context = w;
    c.clock = &w->clock;
    c.watch = (sup_watch){watch_begin, watch_disturbed, w};
    return c;
}

static void stops_when_precise(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.stop, SUP_STOP_PRECISE);
    assert_true(r.n >= 30 && r.n < 300);
    NEAR(r.median, 1e-6, 5e-9);
    NEAR(r.mean, 1e-6, 5e-9);
    assert_true(r.ci_low <= r.median && r.median <= r.ci_high);
    assert_true(fmax(r.ci_high - r.median, r.median - r.ci_low) <= 0.01 * r.median);
    assert_true(r.ci_confidence >= 0.95);
    assert_true(r.least <= r.ci_low && r.ci_high <= r.greatest);
    assert_true(r.batch >= 40 && r.batch <= 60); /* 1000 × (10 + 30) ns of 1 µs each */
    assert_true(r.rejected == 0 && r.disturbed == 0 && !r.unusual);
    NEAR(r.seconds, (double)w.now * 1e-9, 1e-6);
    assert_int_equal(r.stop, SUP_STOP_PRECISE);
}

static void is_deterministic(void **state) {
    (void)state;
    sup_sampler_result r[2];
    double samples[2][300];
    for (int i = 0; i < 2; i++) {
        world w;
        sup_sampler_config c = setup(&w);
        c.samples = samples[i];
        w.spike_every = 17;
        assert_int_equal(sup_sampler_run(&c, NULL, &r[i]), SUP_OK);
    }
    assert_true(r[0].n == r[1].n && r[0].median == r[1].median && r[0].reruns == r[1].reruns);
    assert_memory_equal(samples[0], samples[1], r[0].n * sizeof(double));
    assert_true(r[0].median == sup_stats_median(samples[0], r[0].n));
}

static void noisy_work_ends_at_the_sample_limit(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.noise = 0.5;
    c.max_samples = 50;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.stop, SUP_STOP_SAMPLES);
    assert_int_equal(r.n, 50);
}

static void more_noise_takes_more_samples(void **state) {
    (void)state;
    size_t n[3];
    for (int i = 0; i < 3; i++) {
        world w;
        sup_sampler_config c = setup(&w);
        w.noise = 0.01 * pow(3, i);
        c.max_samples = 3000;
        c.outlier_confidence = 0;
        sup_sampler_result r;
        assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
        assert_int_equal(r.stop, SUP_STOP_PRECISE);
        assert_int_equal(r.reruns, 0);
        n[i] = r.n;
    }
    assert_true(n[0] < n[1] && n[1] < n[2] && n[2] > 5 * n[0]);
}

static void time_limit_holds(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.unit_s = 1e-3;
    w.noise = 0.3;
    c.max_seconds = 0.02;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.stop, SUP_STOP_SECONDS);
    assert_true(r.n >= 10 && r.n < 30);
    assert_true(r.seconds >= 0.02 && r.seconds < 0.025);
    c = setup(&w); /* one sample even if it alone is too long */
    w.unit_s = 5;
    c.max_seconds = 1;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.stop, SUP_STOP_SECONDS);
    assert_true(r.sd == 0 && r.ci_high == INFINITY && r.ci_confidence == 0);
    NEAR(r.median, 5, 0.5);
}

static void outliers_are_measured_again(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.spike_every = 20; /* one of twenty is ten times too slow */
    c.centre = SUP_CENTRE_MEAN;
    double samples[300];
    c.samples = samples;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.reruns >= 2);
    NEAR(r.mean, 1e-6, 1e-8);
    assert_true(r.greatest < 1.1e-6);
    assert_int_equal(sup_stats_outlier(samples, r.n, 0.95), r.n);
    c = setup(&w);
    w.spike_every = 20;
    c.outlier_confidence = 0;
    c.centre = SUP_CENTRE_MEAN;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.reruns == 0 && r.mean > 1.2e-6);
}

/* BSP §4.1: about 1.5 re-runs in 30 are usual (a few more, because a re-run may be one itself); many are reported. */
static void unusual_reruns_are_reported(void **state) {
    (void)state;
    size_t reruns = 0, unusual = 0, runs = 200;
    for (size_t i = 0; i < runs; i++) {
        world w;
        sup_sampler_config c = setup(&w);
        w.random.state = i;
        c.min_samples = c.max_samples = 30;
        sup_sampler_result r;
        assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
        reruns += r.reruns;
        unusual += r.unusual;
    }
    double mean = (double)reruns / (double)runs;
    if (!(mean > 1.0 && mean < 6.0)) fail_msg("%g re-runs", mean);
    assert_true(unusual < runs / 3);
    world w;
    sup_sampler_config c = setup(&w);
    w.spike_every = 3; /* two states: nothing that re-running could settle */
    w.noise = 0.2;
    c.max_reruns = 40;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.unusual && r.reruns <= 40);
}

static void disturbed_batches_do_not_count(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.disturbed_every = 4;
    w.disturbed_for = 1;
    w.spike_every = 4; /* the disturbed ones are also slow */
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.rejected >= r.n / 4 && r.rejected <= r.n / 2);
    assert_int_equal(r.disturbed, 0);
    assert_true(r.greatest < 1.1e-6);
    c = setup(&w); /* the same, said by the work itself */
    w.busy_every = w.spike_every = 4;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.rejected >= r.n / 4 && r.greatest < 1.1e-6);
}

static void never_quiet_machine_ends_and_says_so(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.disturbed_every = w.disturbed_for = 1;
    c.patience = 3;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.disturbed, r.n);
    assert_true(r.rejected > r.n && r.rejected <= 2 * (r.n + r.reruns) + 12); /* it does not wait for quiet for ever */
    c.no_watch = true;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.rejected == 0 && r.disturbed == 0);
}

/* Most batches are disturbed and ten times slower: what had to be kept of them counts until there is enough else. */
static void rarely_quiet_machine(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.disturbed_every = 3, w.disturbed_for = 2, w.slow_if_disturbed = true;
    c.patience = 1; /* every third batch is quiet: one sample of two */
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.disturbed, 0);
    assert_true(r.n >= 5 && r.rejected > r.n && r.greatest < 1.1e-6);
}

/* Where every fourth batch is seen to be disturbed, some are without being seen: they are far above the others, and do
 * not count. On a machine that is quiet otherwise, the same ones do. */
static void what_nobody_noticed(void **state) {
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        world w;
        sup_sampler_config c = setup(&w);
        sup_sampler_result r;
        c.outlier_confidence = 0; /* which would measure them again, one by one */
        c.wanted_relative = 0;
        c.max_samples = 60;
        w.spike_every = 3;
        w.busy_every = noisy ? 4 : 0;
        assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
        if (noisy)
            assert_true(r.greatest < 1.2e-6 && r.mean < 1.05e-6 && r.n < 50);
        else
            assert_true(r.greatest > 5e-6 && r.mean > 2e-6 && r.n == 60);
    }
}

static void batches_rise_above_the_clock(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.unit_s = 2e-9;
    w.tick_ns = 1000000; /* a clock of 1 ms: batches of a second */
    w.clock.resolution_s = 1e-3;
    c.max_seconds = 0;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true((double)r.batch * 2e-9 >= 0.95);
    assert_true((double)r.batch * 2e-9 < 3);
    NEAR(r.median, 2e-9, 2e-11);
    c = setup(&w);
    c.batch = 7;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.batch, 7);
    c = setup(&w);
    c.max_batch = 5;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.batch, 5);
    c = setup(&w); /* work too quick to see: the limit of growth ends it */
    w.unit_s = 0;
    c.max_batch = 1000;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_int_equal(r.batch, 1000);
    c = setup(&w);
    c.min_batch_s = 1e-3;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.batch >= 950);
}

static void work_may_time_itself(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    w.own_time = true;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    NEAR(r.median, 0.5e-6, 5e-9);
}

static void callback_stops_it_and_keeps_what_there_is(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    c.progress = world_progress;
    c.progress_context = &w;
    w.stop_after = 12;
    sup_sampler_result r;
    sup_diag d;
    assert_int_equal(sup_sampler_run(&c, &d, &r), SUP_EINTR);
    assert_int_equal(r.stop, SUP_STOP_REQUESTED);
    assert_int_equal(r.n, 12);
    assert_string_equal(d.text, "stopped after 12 samples");
    NEAR(r.median, 1e-6, 1e-8);
    w.stop_after = 0;
    w.progress_calls = 0;
    assert_int_equal(sup_sampler_run(&c, &d, &r), SUP_OK);
    assert_int_equal(w.progress_calls, r.n + r.reruns);
    assert_true(w.last.max_samples == 300 && w.last.wanted_relative == 0.01 && w.last.seconds <= r.seconds);
}

static void failing_work_ends_it(void **state) {
    (void)state;
    for (int at = 1; at < 40; at += 3) {
        world w;
        sup_sampler_config c = setup(&w);
        w.fail_at = at;
        sup_sampler_result r = {.n = 77};
        assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_EPEER);
        assert_int_equal(r.n, 77);
        assert_int_equal(w.calls, (uint64_t)at);
    }
}

static void bad_configurations(void **state) {
    (void)state;
    world w;
    sup_sampler_result r;
    sup_diag d;
    sup_sampler_config good = setup(&w), c;
#define REFUSED(change) \
    c = good;           \
    change;             \
    assert_int_equal(sup_sampler_run(&c, &d, &r), SUP_EINVAL)
    REFUSED(c.run = NULL);
    assert_string_equal(d.text, "sampler: there is no work to run");
    REFUSED(c.max_samples = 0);
    REFUSED(c.min_samples = 301);
    REFUSED(c.max_samples = SIZE_MAX);
    REFUSED(c.confidence = 1.0);
    REFUSED(c.confidence = NAN);
    REFUSED(c.outlier_confidence = 1.0);
    REFUSED(c.wanted_relative = -1);
    REFUSED(c.max_seconds = NAN);
    REFUSED(c.min_batch_s = -1);
    REFUSED(c.max_batch = 0);
    REFUSED(c.watch.disturbed = NULL);
#undef REFUSED
    assert_int_equal(w.calls, 0);
}

static void few_samples_are_honest(void **state) {
    (void)state;
    world w;
    sup_sampler_config c = setup(&w);
    c.min_samples = 1;
    c.max_samples = 4;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.n == 4 && r.stop == SUP_STOP_SAMPLES && r.ci_confidence < 0.95);
}

static sup_status spin(void *context, uint64_t repetitions, double *elapsed) {
    (void)elapsed;
    volatile double *x = context;
    for (uint64_t i = 0; i < repetitions; i++) *x = *x * 0.5 + 1;
    return SUP_OK;
}

/* On the real machine, where only what must hold is asked for. */
static void real_clock_and_watch(void **state) {
    (void)state;
    double x = 1;
    sup_sampler_config c = sup_sampler_defaults();
    c.run = spin;
    c.context = &x;
    c.spinning = true;
    c.max_seconds = 0.3;
    c.patience = 2;
    sup_sampler_result r;
    assert_int_equal(sup_sampler_run(&c, NULL, &r), SUP_OK);
    assert_true(r.n >= 1 && r.median > 0 && r.median < 1e-3 && r.batch > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_when_precise),
        cmocka_unit_test(is_deterministic),
        cmocka_unit_test(noisy_work_ends_at_the_sample_limit),
        cmocka_unit_test(more_noise_takes_more_samples),
        cmocka_unit_test(time_limit_holds),
        cmocka_unit_test(outliers_are_measured_again),
        cmocka_unit_test(unusual_reruns_are_reported),
        cmocka_unit_test(disturbed_batches_do_not_count),
        cmocka_unit_test(never_quiet_machine_ends_and_says_so),
        cmocka_unit_test(rarely_quiet_machine),
        cmocka_unit_test(what_nobody_noticed),
        cmocka_unit_test(batches_rise_above_the_clock),
        cmocka_unit_test(work_may_time_itself),
        cmocka_unit_test(callback_stops_it_and_keeps_what_there_is),
        cmocka_unit_test(failing_work_ends_it),
        cmocka_unit_test(bad_configurations),
        cmocka_unit_test(few_samples_are_honest),
        cmocka_unit_test(real_clock_and_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
