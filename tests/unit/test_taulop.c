/* τ-Lop parameters, measured on made-up machines whose o, H and L are known. */
#include "../measure/sim.h"
#include "../sanitized.h"

#include "measure/campaign/sections.h"
#include "measure/lab/net.h"
#include "profile/channel.h"

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

enum { LARGEST = SANITIZED ? 1 << 17 : 1 << 20 };

typedef struct stage {
    sup_session *session;
    sup_profile *profile;
    sup_sections_options options;
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
    sup_profile_free(s->profile);
    sup_session_close(s->session);
}

/* Over the net of a made-up machine. */
static void measure(sup_net *net, const sup_clock *clock, void *context) {
    stage *s = context;
    sup_diag diag = {0};
    sup_lab *lab;
    sup_lab_options o = {.clock = clock, .no_watch = true};
    sup_status status = sup_lab_net_open(net, &o, &diag, &lab);
    if (!status && net->rank > 0) status = sup_lab_net_serve(lab, &diag);
    if (!status && net->rank == 0) {
        assert_int_equal(sup_store_new(1, &lab->store), SUP_OK);
        /* all sizes, but where it is instrumented: there reductions take long */
        lab->budget.deep = SANITIZED ? 0 : SUP_MEASURE_TAULOP;
        status = sim_campaign(lab, &s->options, 1, 1, s->session, s->profile, &diag);
        sup_store_free(lab->store);
    }
    if (!status) sup_lab_net_close(lab);
    if (status) print_error("%s\n", diag.text);
    s->status[net->rank] = status;
}

static void on_net(const sim_model *model, stage *s) {
    begin(s);
    sim_run(model, measure, s);
    for (int i = 0; i < model->size; i++) assert_int_equal(s->status[i], SUP_OK);
    assert_int_equal(sup_record_ready(sup_profile_file.record, s->profile, NULL), SUP_OK);
}

/* From the model alone: the profile that the tool makes of six launches. Of two, which say little of how far others
 * lie, two copies are not told from something between one and two. */
static void on_lab(const sim_model *model, stage *s) {
    sup_lab *lab = sim_lab_new(model);
    lab->budget.deep = SUP_MEASURE_TAULOP;
    begin(s);
    assert_int_equal(sim_campaign(lab, &s->options, 6, 2, s->session, s->profile, NULL), SUP_OK);
    sup_lab tool = *lab;
    tool.visit = NULL;
    assert_int_equal(sup_sections_ask(&tool, &s->options, s->session, s->profile, NULL), SUP_OK);
    assert_int_equal(sup_record_ready(sup_profile_file.record, s->profile, NULL), SUP_OK);
    sim_lab_free(lab);
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

static bool has_size(const sup_channel *c, double bytes) {
    for (size_t i = 0; i < c->transfer->bytes_count; i++)
        if (c->transfer->bytes[i] == bytes) return true;
    return false;
}

static void shared_memory_over_a_net(void **state) {
    (void)state;
    sim_model model = {.size = 4, .per_host = 4, .per_cache = 4, .overhead_s = 100e-9, .time = copies};
    model.slow_rank = -1;
    model.threshold = 4097;
    stage s = {.options = {.taulop = {.max_bytes = LARGEST, .setups = SUP_SETUP_RING | SUP_SETUP_PING}}};
    on_net(&model, &s);
    const sup_channel *c = channel(&s, 0, "ring");
    assert_string_equal(c->name, "shm");
    assert_int_equal(c->threshold_bytes, 4097);
    assert_int_equal(c->segment_bytes, -1);
    assert_near(sup_curve_at(c->overhead_s->curve, 64.0), 400e-9, 0.01);
    for (int64_t tau = 1; tau <= 4; tau++)
        for (double bytes = 1024; bytes <= LARGEST; bytes *= 4)
            assert_near(sup_channel_transfers(c, bytes) * transfer_at(c, tau, bytes), 0.4e-9 * bytes, 0.03);
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
    stage s = {.options = {.taulop = {.max_bytes = LARGEST}}};
    on_net(&model, &s);
    const sup_channel *c = channel(&s, 1, "ring");
    assert_string_equal(c->name, "network");
    assert_string_equal(c->mechanism, "tcp");
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
    on_net(&model, &s);
    assert_int_equal(channel(&s, 0, "ring")->threshold_bytes, -1);
    assert_string_equal(channel(&s, 0, "ring")->mechanism, "buffered"); /* it is kept somewhere */
    assert_int_equal(s.profile->channels_count, 1); /* no memory is shared here: no broadcast setup, but a warning */
    size_t count;
    const sup_warning *warnings = sup_session_warnings(s.session, &count);
    assert_true(count > 0);
    assert_string_equal(warnings[count - 1].code, "no-broadcast");
    assert_true(sup_warning_over(&warnings[count - 1], s.profile->channels[0].transport));
    end(&s);
}

/* ---- S, mechanism, grid ---- */

static const sim_model pair = {.size = 2,
                               .per_host = 2,
                               .per_cache = 2,
                               .overhead_s = 100e-9,
                               .time = copies,
                               .slow_rank = -1,
                               .threshold = 3000,
                               .copy_byte = 0.2e-9};

static void segments_go_through_a_buffer(void **state) {
    (void)state;
    sim_model model = pair;
    model.segment = 24000;
    stage s = {0};
    on_lab(&model, &s);
    const sup_channel *c = channel(&s, 0, "ring");
    assert_int_equal(c->segment_bytes, 24000);
    assert_string_equal(c->mechanism, "buffered");
    const double wanted[] = {64, 65536, 1499, 2999, 3000, 5998, 12000, 24000, 48000};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) assert_true(has_size(c, wanted[i]));
    /* T(m) = o + 2·L(m,1) */
    assert_near(transfer_at(c, 1, 24000), 0.2e-9 * 24000, 0.03);
    assert_near(sup_curve_at(c->packing_s->curve, 65536.0), 5e-9 + 4e-10 * 2.0 * 65536, 0.03);
    end(&s);
}

static void what_comes_without_its_sender_is_copied_once(void **state) {
    (void)state;
    sim_model model = pair;
    model.fetched = 0.5;     /* half by each end */
    model.copy_byte = 1e-12; /* the kernel's copy takes much longer than one's own */
    stage s = {0};
    on_lab(&model, &s);
    const sup_channel *c = channel(&s, 0, "ring");
    assert_string_equal(c->mechanism, "single-copy");
    assert_int_equal(c->segment_bytes, -1);
    assert_int_equal(sup_channel_transfers(c, 2999), 2);
    assert_int_equal(sup_channel_transfers(c, 3000), 1);
    assert_near(transfer_at(c, 1, 1024), 0.2e-9 * 1024, 0.03);     /* o + 2·L */
    assert_near(transfer_at(c, 2, 262144), 0.4e-9 * 262144, 0.03); /* o + L */
    end(&s);
}

/* It comes whole and needs its sender: 0.4 ns a byte are one copy, two, or something between. */
static void of_the_rest_the_time_decides(void **state) {
    (void)state;
    static const struct {
        double copy_byte;
        const char *mechanism;
    } cases[] = {{0.4e-9, "single-copy"}, {0.2e-9, "buffered"}, {0.23e-9, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_model model = pair;
        model.copy_byte = cases[i].copy_byte;
        stage s = {0};
        on_lab(&model, &s);
        const char *found = channel(&s, 0, "ring")->mechanism;
        assert_true(cases[i].mechanism ? found && !strcmp(found, cases[i].mechanism) : !found);
        end(&s);
    }
}

static double crawling(const sim_model *m, int i, int j, double bytes) {
    (void)m, (void)i, (void)j;
    return 1e-6 + 5e-9 * bytes;
}

/* 512 KiB take 2.6 ms, 1 MiB with two at a time would take 10: the table ends before, in every launch and in the tool.
 */
static void sizes_end_where_visits_would_take_too_long(void **state) {
    (void)state;
    sim_model model = pair;
    model.time = crawling;
    stage s = {0};
    on_lab(&model, &s);
    const sup_channel *c = channel(&s, 0, "ring");
    assert_true(c->transfer->bytes[c->transfer->bytes_count - 1] == 524288);
    assert_int_equal(c->transfer->rows_count, 2);
    for (size_t r = 0; r < 2; r++) {
        const sup_tau_row *row = &c->transfer->rows[r];
        assert_int_equal(row->seconds_count, c->transfer->bytes_count);
        assert_int_equal(row->typical_count, c->transfer->bytes_count);
        for (size_t i = 0; i < row->seconds_count; i++)
            assert_true(row->seconds[i] <= row->typical[i] && row->typical[i] <= row->bad[i]);
    }
    end(&s);
}

/* A store that lacks one cell: that row is left out, the others are whole. */
static void a_row_is_whole_or_absent(void **state) {
    (void)state;
    sim_model model = pair;
    model.size = model.per_host = model.per_cache = 4;
    stage s = {0};
    sup_lab *lab = sim_lab_new(&model);
    begin(&s);
    assert_int_equal(sim_campaign(lab, &s.options, 1, 0, s.session, s.profile, NULL), SUP_OK);
    sup_lab tool = *lab;
    tool.visit = NULL;
    assert_int_equal(sup_store_new(2, &tool.store), SUP_OK);
    sup_visited *list = NULL;
    size_t count = 0, kept = 0;
    assert_int_equal(sup_store_write(lab->store, "sim", false, &list, &count), SUP_OK);
    for (size_t i = 0; i < count; i++) {
        bool lost = !strcmp(list[i].kind, "ring") && list[i].group == 3 && list[i].bytes == 1024;
        if (!lost) assert_int_equal(sup_store_read(tool.store, "sim", &list[i], 1), SUP_OK);
        kept += !lost;
        sup_record_clear(&sup_visited_record, &list[i]);
    }
    free(list);
    assert_int_equal(kept, count - 1);
    assert_int_equal(sup_sections_ask(&tool, &s.options, s.session, s.profile, NULL), SUP_ETIMEOUT);
    const sup_transfer *t = channel(&s, 0, "ring")->transfer;
    assert_int_equal(t->rows_count, 3); /* 1, 2, 4 */
    for (size_t r = 0; r < 3; r++) {
        assert_int_not_equal(t->rows[r].tau, 3);
        assert_int_equal(t->rows[r].seconds_count, t->bytes_count);
    }
    sup_store_free(tool.store);
    sim_lab_free(lab);
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
        cmocka_unit_test(segments_go_through_a_buffer),
        cmocka_unit_test(what_comes_without_its_sender_is_copied_once),
        cmocka_unit_test(of_the_rest_the_time_decides),
        cmocka_unit_test(sizes_end_where_visits_would_take_too_long),
        cmocka_unit_test(a_row_is_whole_or_absent),
        cmocka_unit_test(taus_are_a_grid),
        cmocka_unit_test(violations_are_counted_beyond_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
