/* Noise: what processes that watch the clock count, ratios to calm time, and what the model makes of both, held against
 * a simulation of runs. */
#include "measure/noise/gaps.h"
#include "measure/noise/noise.h"
#include "measure/noise/tally.h"
#include "model/equation/noise.h"

#include "base/number/random.h"
#include "base/number/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- watching ---- */

typedef struct script {
    const int64_t *at;
    size_t count, next;
} script;

static int64_t read_script(void *context) {
    script *s = context;
    int64_t now = s->at[s->next];
    if (s->next + 1 < s->count) s->next++;
    return now;
}

static void gaps_are_counted_by_class(void **state) {
    (void)state;
    /* 30 ns a look; held up for 3 µs, 60 µs and 2 ms */
    const int64_t at[] = {1000, 1030, 1060, 4090, 4120, 64150, 64180, 2064210, 2064240, 2100000000};
    script s = {at, sizeof at / sizeof *at, 0};
    sup_clock clock = {.now_ns = read_script, .context = &s, .overhead_s = 30e-9};
    sup_gaps d = {0};
    double share = sup_gaps_watch(&clock, 0.002, &d);
    const double expected[SUP_GAP_CLASSES] = {3, 2, 2, 1, 1, 0, 0};
    for (int k = 0; k < SUP_GAP_CLASSES; k++) assert_true(d.count[k] == expected[k]);
    assert_true(fabs(d.watched_s - 2063.21e-6) < 1e-9);
    assert_true(fabs(d.lost_s - 2063e-6) < 1e-9);
    assert_true(share > 0.99 && share <= 1.0);

    sup_interruptions out;
    sup_record_init(&sup_interruptions_record, &out);
    sup_gaps_add(&d, &d);
    assert_int_equal(sup_gaps_record(&d, "shm", 2, &out), SUP_OK);
    assert_int_equal(sup_record_check(&sup_interruptions_record, &out, NULL), SUP_OK);
    assert_true(fabs(out.per_s[0] - 3 / 2063.21e-6) < 1e-3);
    sup_record_clear(&sup_interruptions_record, &out);
}

static void clocks_that_stop_or_go_back_end_the_watch(void **state) {
    (void)state;
    const int64_t still[] = {5, 5}, back[] = {1000, 1040, 10, 50};
    script a = {still, 2, 0}, b = {back, 4, 0};
    sup_clock clock = {.now_ns = read_script, .context = &a};
    sup_gaps d = {0};
    assert_true(sup_gaps_watch(&clock, 1.0, &d) == 0.0);
    assert_true(d.watched_s == 0.0);
    clock.context = &b;
    assert_true(sup_gaps_watch(&clock, 1.0, &d) == 0.0);
    assert_true(fabs(d.watched_s - 40e-9) < 1e-15);
    sup_interruptions out;
    sup_record_init(&sup_interruptions_record, &out);
    assert_int_equal(sup_gaps_record(&(sup_gaps){0}, NULL, 1, &out), SUP_EINVAL);
}

/* A watch of real time is a watch of so long, whatever it sees. */
static void real_clock_is_watched(void **state) {
    (void)state;
    sup_gaps d = {0};
    double share = sup_gaps_watch(sup_clock_system(), 0.002, &d);
    assert_true(d.watched_s >= 0.002);
    assert_true(share >= 0.0 && share <= 1.0);
    for (int k = 1; k < SUP_GAP_CLASSES; k++) assert_true(d.count[k] <= d.count[k - 1]);
}

/* ---- ratios ---- */

static sup_profile *new_profile(void) {
    sup_profile *p = NULL;
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    return p;
}

static void ratios_are_medians_of_points(void **state) {
    (void)state;
    sup_noise_tally *tally = NULL;
    sup_profile *p = new_profile();
    for (int i = 0; i < 5; i++) /* 1.1 … 1.5, 2 … 6 */
        assert_int_equal(sup_noise_tally_add(&tally, 'm', "shm", 1e-6, (1.1 + 0.1 * i) * 1e-6, (2 + i) * 1e-6), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 'c', NULL, 2.0, 1.9, 1.8), SUP_OK); /* below calm: 1 */
    assert_int_equal(sup_noise_tally_add(&tally, 's', "shm", 1.0, 1.2, 1.5), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 's', "openmpi", 1.0, 1.4, 3.0), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 0, "shm", 1.0, 9.0, 9.0), SUP_OK); /* no term: says nothing */
    assert_int_equal(sup_noise_tally_add(&tally, 's', "shm", 0.0, 9.0, 9.0), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 's', "shm", 1.0, NAN, 9.0), SUP_OK);
    for (int twice = 0; twice < 2; twice++) { /* the section is replaced */
        assert_int_equal(sup_noise_tally_fill(tally, p), SUP_OK);
        assert_int_equal(p->noise_count, 4);
    }
    assert_string_equal(p->noise[0].term, "comm");
    assert_true(fabs(p->noise[0].typical - 1.3) < 1e-12 && fabs(p->noise[0].bad - 4) < 1e-12);
    assert_int_equal(p->noise[0].points, 5);
    assert_null(p->noise[1].transport);
    assert_true(p->noise[1].typical == 1.0 && p->noise[1].bad == 1.0);
    for (size_t i = 0; i < p->noise_count; i++)
        assert_int_equal(sup_record_check(&sup_noise_record, &p->noise[i], NULL), SUP_OK);
    sup_noise_tally_free(tally);
    sup_profile_free(p);
}

/* Batches of a point: half at calm time, some longer, one in ten much longer. */
static void visit(sup_store *store, const sup_trial *trial, double calm, double typical, double bad, int batches) {
    sup_point *point = sup_store_get(store, trial);
    assert_non_null(point);
    for (int i = 0; i < batches; i++) {
        double share = (i + 0.5) / batches;
        double s = share < 0.3 ? calm : share < 0.7 ? typical : bad;
        for (int v = 0; v < point->values; v++) assert_int_equal(sup_point_add(point, v, s), SUP_OK);
    }
}

static void stores_make_the_section(void **state) {
    (void)state;
    const int pair[2] = {0, 1};
    sup_store *net = NULL, *steps = NULL;
    sup_profile *p = new_profile();
    assert_int_equal(sup_store_new(1, &net), SUP_OK);
    assert_int_equal(sup_store_new(2, &steps), SUP_OK);
    for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
        sup_trial trip = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, bytes);
        visit(net, &trip, 1e-6, 1.2e-6, 3e-6, 40);
    }
    sup_trial barrier = sup_trial_of(SUP_TRIAL_SYNC, NULL, 1, 2, 0),
              eager = sup_trial_of(SUP_TRIAL_EAGER, pair, 1, 2, 8);
    sup_trial step = sup_trial_of(SUP_TRIAL_STEP, NULL, 1, 2, 64),
              few = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, 32);
    visit(net, &barrier, 1e-6, 1.5e-6, 2e-6, 40);
    visit(net, &eager, 1, 9, 9, 40);                           /* of no term */
    visit(net, &few, 1e-6, 9e-6, 9e-6, SUP_NOISE_BATCHES - 1); /* says nothing yet */
    visit(steps, &step, 1e-6, 1.4e-6, 4e-6, 40);               /* two quantities */
    assert_int_equal(sup_noise_fill((const sup_store *const[]){net, steps}, (const char *const[]){"shm", "shm"}, 2, p),
                     SUP_OK);
    assert_int_equal(p->noise_count, 2);
    for (size_t i = 0; i < 2; i++) {
        bool comm = !strcmp(p->noise[i].term, "comm");
        assert_string_equal(p->noise[i].transport, "shm");
        assert_int_equal(p->noise[i].points, comm ? 7 : 1);
        assert_true(fabs(p->noise[i].typical - (comm ? 1.2 : 1.5)) < 1e-3);
        assert_true(fabs(p->noise[i].bad - (comm ? 3.0 : 2.0)) < 1e-3);
    }
    sup_store_free(steps);
    sup_store_free(net);
    sup_profile_free(p);
}

static void launches_add_up(void **state) {
    (void)state;
    sup_profile *p = new_profile();
    sup_gaps d = {.watched_s = 2.0, .count = {8, 2, 2, 1, 0, 0, 0}};
    for (int launch = 0; launch < 3; launch++) {
        sup_interruptions one;
        sup_record_init(&sup_interruptions_record, &one);
        assert_int_equal(sup_gaps_record(&d, launch < 2 ? "shm" : NULL, 2, &one), SUP_OK);
        assert_int_equal(sup_interruptions_merge(&one, p), SUP_OK);
        sup_record_clear(&sup_interruptions_record, &one);
        d = (sup_gaps){.watched_s = 6.0, .count = {8, 2, 2, 1, 0, 0, 0}};
    }
    assert_int_equal(p->interruptions_count, 2);
    assert_true(p->interruptions[0].watched_s == 8.0);
    assert_true(fabs(p->interruptions[0].per_s[0] - 2.0) < 1e-12); /* 16 in 8 s */
    assert_true(fabs(p->interruptions[0].per_s[3] - 0.25) < 1e-12);
    assert_null(p->interruptions[1].transport);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(sup_record_check(&sup_interruptions_record, &p->interruptions[i], NULL), SUP_OK);
    sup_profile_free(p);
}

/* ---- the model ---- */

enum { CLASSES = 5 };
static double classes[CLASSES], rates[CLASSES];

/* rate(x) = `often` (x / 100 µs)^−power in a second of work, down to 100 µs and up to 25 ms. */
static sup_interruptions made_up(double often, double power) {
    static const double least_s[CLASSES] = {SUP_NOISE_BATCH_S, 2.5e-4, 1e-3, 5e-3, 2.5e-2};
    double shortest = least_s[0], longest = least_s[CLASSES - 1];
    double mean = power == 1.0 ? shortest * (1.0 + log(longest / shortest))
                               : shortest * (1.0 + (pow(longest / shortest, 1.0 - power) - 1.0) / (1.0 - power));
    for (int k = 0; k < CLASSES; k++) { /* who watches sees the time of interruptions as well */
        classes[k] = least_s[k];
        rates[k] = often * pow(classes[k] / shortest, -power) / (1.0 + often * mean);
    }
    return (sup_interruptions){.processes = 2,
                               .watched_s = 100,
                               .least_s = classes,
                               .per_s = rates,
                               .least_s_count = CLASSES,
                               .per_s_count = CLASSES};
}

static double uniform(sup_random *r) { return ((double)(sup_random_next(r) >> 11) + 0.5) * 0x1p-53; }

/* What holds one process up in so many seconds: each interruption in its turn, until the time is over. */
static double held_up(sup_random *r, double often, double power, double seconds) {
    double sum = 0, longest = 2.5e-2;
    for (double t = -log(uniform(r)) / often; t < seconds; t -= log(uniform(r)) / often)
        sum += fmin(longest, SUP_NOISE_BATCH_S * pow(uniform(r), -1.0 / power));
    return sum;
}

typedef struct run {
    double often, power, step_s;
    int steps, processes;
} run;

/* Quantiles of simulated runs. */
static sup_seen simulate(const run *x, uint64_t seed) {
    enum { RUNS = 4000 };
    static double total[RUNS];
    sup_random r = {.state = seed};
    for (int i = 0; i < RUNS; i++) {
        total[i] = x->steps * x->step_s;
        for (int s = 0; s < x->steps; s++) {
            double slowest = 0;
            for (int p = 0; p < x->processes; p++) slowest = fmax(slowest, held_up(&r, x->often, x->power, x->step_s));
            total[i] += slowest;
        }
    }
    return (sup_seen){sup_stats_quantile(total, RUNS, 0.5), sup_stats_quantile(total, RUNS, 0.9)};
}

static void the_formula_says_what_runs_see(void **state) {
    (void)state;
    static const run runs[] = {
        {10, 1.2, 1e-4, 1, 2},    {10, 1.2, 1e-2, 1, 2},   {10, 1.2, 1e-2, 1, 16},   {100, 1.2, 1e-2, 1, 16},
        {100, 2.0, 1e-3, 1, 64},  {10, 1.2, 1e-3, 30, 2},  {10, 1.2, 1e-3, 300, 2},  {100, 1.2, 1e-3, 100, 16},
        {1, 0.8, 1e-3, 100, 2},   {100, 1.2, 0.3, 1, 2},   {100, 1.2, 0.3, 1, 16},   {10, 1.5, 1.0, 1, 16},
        {100, 1.2, 1e-1, 10, 16}, {0.1, 1.2, 1e-4, 10, 2}, {1000, 2.0, 1e-2, 10, 8}, {1000, 1.0, 1e-2, 10, 4},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const run *x = &runs[i];
        sup_interruptions held = made_up(x->often, x->power);
        sup_noise_model noise;
        sup_noise_steps steps = {.times = x->steps, .comp_s = x->step_s};
        sup_noise_hold_up(&held, x->processes, &noise);
        sup_seen says = sup_noise_see(&noise, &steps, 1), is = simulate(x, 42 + i);
        double calm = x->steps * x->step_s;
        /* of the delay, with some room for what is a rounding of the whole */
        double off_typical = fabs(says.typical_s - is.typical_s) / (is.typical_s - calm + 0.05 * is.typical_s);
        double off_bad = fabs(says.bad_s - is.bad_s) / (is.bad_s - calm + 0.05 * is.bad_s);
        if (off_typical < 0.2 && off_bad < 0.2) continue;
        print_error("%g/s ^-%g, %d x %g s on %d: typical %.4g is %.4g, bad %.4g is %.4g\n", x->often, x->power,
                    x->steps, x->step_s, x->processes, says.typical_s, is.typical_s, says.bad_s, is.bad_s);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void ratios_and_rates_are_looked_up(void **state) {
    (void)state;
    sup_profile *p = new_profile();
    sup_noise_tally *tally = NULL;
    sup_noise_model noise;
    assert_false(sup_noise_open(p, "shm", 2, &noise));
    assert_int_equal(sup_noise_tally_add(&tally, 'c', NULL, 1, 1.1, 1.5), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 'm', "shm", 1, 1.2, 2.0), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 'm', "mpich", 1, 1.3, 2.5), SUP_OK);
    assert_int_equal(sup_noise_tally_add(&tally, 's', "shm", 1, 1.4, 3.0), SUP_OK);
    assert_int_equal(sup_noise_tally_fill(tally, p), SUP_OK);
    sup_noise_tally_free(tally);
    assert_true(sup_noise_open(p, "shm", 2, &noise));
    assert_false(noise.held_up);
    sup_noise_steps steps[] = {{.times = 10, .comp_s = 1, .comm_s = 2, .sync_s = 3}, {.times = 1, .recorded_s = 7}};
    sup_seen seen = sup_noise_see(&noise, steps, 2);
    assert_true(fabs(seen.typical_s - (10 * (1.1 + 2.4 + 4.2) + 7)) < 1e-9);
    assert_true(fabs(seen.bad_s - (10 * (1.5 + 4.0 + 9.0) + 7)) < 1e-9);
    assert_true(sup_noise_open(p, "mpich", 2, &noise)); /* barriers as its messages */
    assert_true(noise.typical[1] == 1.3 && noise.bad[2] == 2.5);

    const int64_t of[] = {2, 16, 4};
    const char *const over[] = {"shm", "shm", NULL};
    for (int i = 0; i < 3; i++) {
        sup_interruptions one = made_up(10, 1);
        one.processes = of[i];
        one.transport = (char *)over[i];
        rates[0] = 50.0 * pow(3, i); /* to tell them apart */
        assert_int_equal(sup_interruptions_merge(&one, p), SUP_OK);
    }
    const struct {
        const char *transport;
        int64_t processes;
        int is;
    } asked[] = {{"shm", 12, 1}, {"shm", 4, 0}, {"mpich", 3, 2}}; /* mpich: nobody watched, some other's */
    for (int i = 0; i < 3; i++) {
        assert_true(sup_noise_open(p, asked[i].transport, asked[i].processes, &noise));
        assert_true(noise.held_up);
        double runs = p->interruptions[asked[i].is].per_s[0] / noise.rate[0];
        assert_true(runs > 0.5 && runs < 1.0);
    }
    sup_profile_free(p);
}

static void rates_lie_between_classes(void **state) {
    (void)state;
    sup_interruptions held = made_up(10, 1.2);
    assert_true(fabs(sup_noise_rate(&held, 1e-4) - rates[0]) < 1e-12);
    assert_true(fabs(sup_noise_rate(&held, 4e-4) - rates[0] * pow(4, -1.2)) < 1e-9);
    assert_true(sup_noise_rate(&held, 1e-7) == rates[0]);
    assert_true(sup_noise_rate(&held, 0.1) == 0.0); /* nobody saw one */
    for (int k = 2; k < CLASSES; k++) rates[k] = 0;
    assert_true(sup_noise_rate(&held, 1e-3) == 0.0);
    double half = sup_noise_rate(&held, 5e-4);
    assert_true(half > 0.0 && half < rates[1]);
    for (int k = 0; k < CLASSES; k++) rates[k] = 0;
    sup_noise_model noise;
    sup_noise_hold_up(&held, 16, &noise);
    assert_true(noise.held_up);
    sup_seen seen = sup_noise_see(&noise, &(sup_noise_steps){.times = 3, .sync_s = 2}, 1);
    assert_true(seen.typical_s == 6.0 && seen.bad_s == 6.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_counted_by_class),
        cmocka_unit_test(clocks_that_stop_or_go_back_end_the_watch),
        cmocka_unit_test(real_clock_is_watched),
        cmocka_unit_test(ratios_are_medians_of_points),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(stores_make_the_section),
        cmocka_unit_test(the_formula_says_what_runs_see),
        cmocka_unit_test(ratios_and_rates_are_looked_up),
        cmocka_unit_test(rates_lie_between_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
