/* τ-Lop parameters, measured on made-up machines whose o, H and L are known. */
#include "../measure/sim.h"

#include "measure/sections.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double got, double wanted, double relative) {
    if (fabs(got - wanted) > relative * fabs(wanted)) {
        print_error("got %g, wanted %g within %g %%\n", got, wanted, 100.0 * relative);
        fail();
    }
}

/* A message takes 300 ns and two copies of 0.2 ns a byte; on the network 10 µs and 2 ns a byte more. */
static double copies(const sim_model *m, int i, int j, double bytes) {
    bool same_host = i / m->per_host == j / m->per_host;
    return 300e-9 + 2.0 * 0.2e-9 * bytes + (same_host ? 0.0 : 10e-6 + 2e-9 * bytes);
}

static int64_t no_time(void *context) {
    (void)context;
    return 1;
}
static const sup_clock still = {no_time, NULL, 1e-9, 0.0};

typedef struct stage {
    sup_session *session;
    sup_profile *profile;
    sup_measure_net_options options;
    sup_status status[16];
} stage;

static void begin(stage *s) {
    sup_session_options o = sup_session_defaults();
    o.clock = &still;
    s->options.parts = SUP_MEASURE_TAULOP;
    assert_int_equal(sup_session_open(&o, NULL, &s->session), SUP_OK);
    assert_int_equal(sup_profile_new(0, NULL, &s->profile), SUP_OK);
}

static void end(stage *s) {
    assert_int_equal(sup_record_ready(sup_profile_file.record, s->profile, NULL), SUP_OK);
    sup_profile_free(s->profile);
    sup_session_close(s->session);
}

static void measure(sup_net *net, const sup_clock *clock, void *context) {
    stage *s = context;
    sup_diag diag = {0};
    sup_measure_net_options o = s->options;
    o.lab.clock = clock;
    o.lab.no_watch = true;
    bool first = net->rank == 0;
    s->status[net->rank] = sup_measure_net(net, &o, first ? s->session : NULL, first ? s->profile : NULL, &diag);
    if (s->status[net->rank]) print_error("%s\n", diag.text);
}

static const sup_channel *channel(const stage *s, int64_t number, const char *setup) {
    for (size_t i = 0; i < s->profile->channels_count; i++)
        if (s->profile->channels[i].number == number && !strcmp(s->profile->channels[i].setup, setup))
            return &s->profile->channels[i];
    fail_msg("no channel %d %s", (int)number, setup);
    return NULL;
}

static double transfer_at(const sup_channel *c, int64_t tau, double bytes) {
    for (size_t r = 0; r < c->transfer->rows_count; r++)
        for (size_t i = 0; i < c->transfer->bytes_count; i++)
            if (c->transfer->rows[r].tau == tau && c->transfer->bytes[i] == bytes)
                return c->transfer->rows[r].seconds[i];
    fail_msg("no L(%g, %d)", bytes, (int)tau);
    return 0.0;
}

static void shared_memory_over_a_net(void **state) {
    (void)state;
    sim_model model = {.size = 4, .per_host = 4, .per_cache = 4, .overhead_s = 100e-9, .time = copies};
    model.slow_rank = -1;
    model.threshold = 4097;
    stage s = {.options = {.taulop = {.max_bytes = 1 << 20, .setups = SUP_SETUP_RING | SUP_SETUP_PING}}};
    begin(&s);
    sim_run(&model, measure, &s);
    for (int i = 0; i < 4; i++) assert_int_equal(s.status[i], SUP_OK);
    const sup_channel *c = channel(&s, 0, "ring");
    assert_string_equal(c->name, "shm");
    assert_int_equal(c->threshold_bytes, 4097);
    assert_near(sup_curve_at(c->overhead_s->curve, 64.0), 400e-9, 0.01);
    for (int64_t tau = 1; tau <= 4; tau++)
        for (double bytes = 1024; bytes <= 1 << 20; bytes *= 4)
            assert_near(transfer_at(c, tau, bytes), 0.2e-9 * bytes, 0.03);
    assert_int_equal(c->violations, 0);
    assert_int_equal(c->gammas_count, 2);
    assert_int_equal(channel(&s, 0, "ping")->transfer->rows_count, 3); /* 1, 2, 4: couples */
    end(&s);
}

static void networks_by_the_formulas(void **state) {
    (void)state;
    sim_model model = {.size = 4, .per_host = 2, .per_cache = 2, .overhead_s = 100e-9, .time = copies};
    model.slow_rank = -1;
    model.threshold = 65536;
    stage s = {.options = {.taulop = {.max_bytes = 1 << 20}}};
    begin(&s);
    sim_run(&model, measure, &s);
    for (int i = 0; i < 4; i++) assert_int_equal(s.status[i], SUP_OK);
    const sup_channel *c = channel(&s, 1, "ring");
    assert_string_equal(c->name, "network");
    assert_int_equal(c->threshold_bytes, 65536);
    assert_near(sup_curve_at(c->overhead_s->curve, 1.0), 10.4e-6, 0.01);      /* RTT(0) / 2 */
    assert_near(sup_curve_at(c->overhead_s->curve, 100000.0), 20.8e-6, 0.01); /* there and back */
    /* Ring/2 − o − 2·L⁰ = 2 ns a byte while o is the eager one */
    assert_near(transfer_at(c, 1, 16384), 2e-9 * 16384, 0.03);
    assert_near(transfer_at(c, 2, 16384), 2e-9 * 16384, 0.03);
    end(&s);
}

static void a_message_that_is_always_eager_has_no_threshold(void **state) {
    (void)state;
    sim_model model = {.size = 2, .per_host = 2, .per_cache = 2, .overhead_s = 100e-9, .time = copies};
    model.slow_rank = -1;
    stage s = {.options = {.taulop = {.max_bytes = 65536, .setups = SUP_SETUP_RING | SUP_SETUP_BROADCAST}}};
    begin(&s);
    sim_run(&model, measure, &s);
    assert_int_equal(channel(&s, 0, "ring")->threshold_bytes, -1);
    assert_int_equal(s.profile->channels_count, 1); /* no memory is shared here: no broadcast setup, but a warning */
    size_t count;
    const sup_warning *warnings = sup_session_warnings(s.session, &count);
    assert_true(count > 0);
    assert_string_equal(warnings[count - 1].code, "no-broadcast");
    assert_true(sup_warning_over(&warnings[count - 1], s.profile->channels[0].transport));
    end(&s);
}

static void taus_are_a_grid(void **state) {
    (void)state;
    int taus[64];
    assert_int_equal(sup_taulop_taus(1, taus), 1);
    assert_int_equal(sup_taulop_taus(4, taus), 4);
    const int wanted[] = {1, 2, 3, 4, 6, 8, 10};
    assert_int_equal(sup_taulop_taus(10, taus), 7);
    assert_memory_equal(taus, wanted, sizeof wanted);
    assert_true(sup_taulop_taus(1000000, taus) <= 64);
}

static void violations_are_counted_beyond_chance(void **state) {
    (void)state;
    double bytes[] = {64}, one[] = {1.0}, two[] = {0.9}, four[] = {4.5}, ci[] = {0.02};
    int64_t n[] = {30};
    sup_tau_row rows[3] = {
        {.tau = 1, .seconds = one, .ci = ci, .n = n, .seconds_count = 1, .ci_count = 1, .n_count = 1},
        {.tau = 2, .seconds = two, .ci = ci, .n = n, .seconds_count = 1, .ci_count = 1, .n_count = 1},
        {.tau = 4, .seconds = four, .ci = ci, .n = n, .seconds_count = 1, .ci_count = 1, .n_count = 1}};
    sup_transfer t = {.bytes = bytes, .bytes_count = 1, .rows = rows, .rows_count = 3};
    assert_int_equal(sup_taulop_violations(&t), 3); /* 2 below 1; 4 above 4·1; 4 above 2·2 */
    two[0] = 0.97;
    four[0] = 2.0;
    assert_int_equal(sup_taulop_violations(&t), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_over_a_net),
        cmocka_unit_test(networks_by_the_formulas),
        cmocka_unit_test(a_message_that_is_always_eager_has_no_threshold),
        cmocka_unit_test(taus_are_a_grid),
        cmocka_unit_test(violations_are_counted_beyond_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
