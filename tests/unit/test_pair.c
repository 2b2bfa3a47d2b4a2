/* Pairs, barriers, g and l, measured on made-up machines whose O, L, B, jumps and odd processes are known. */
#include "../measure/sim.h"
#include "base/pattern/pattern.h"

#include "measure/campaign/sections.h"
#include "measure/lab/net.h"
#include "measure/pair/class.h"
#include "measure/pair/sizes.h"

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

static double deviation(const sim_model *m, int i, int j) {
    double factor = 1.0;
    if (m->slow_rank >= 0 && (i == m->slow_rank || j == m->slow_rank)) factor *= 3.0;
    if (m->bad_pair[0] != m->bad_pair[1] && (i == m->bad_pair[0] || i == m->bad_pair[1]) &&
        (j == m->bad_pair[0] || j == m->bad_pair[1]))
        factor *= 2.0;
    return factor;
}

/* Three times the latency at 279 B and half of it more at 4000 B: between the powers of two. */
static double jumpy(const sim_model *m, int i, int j, double bytes) {
    double latency = bytes < 279 ? 400e-9 : bytes < 4000 ? 1200e-9 : 1800e-9;
    return deviation(m, i, j) * (latency + 0.25e-9 * bytes);
}

static double straight(const sim_model *m, int i, int j, double bytes) {
    bool same_host = i / m->per_host == j / m->per_host;
    bool same_cache = same_host && i / m->per_cache == j / m->per_cache;
    double latency = same_cache ? 200e-9 : same_host ? 500e-9 : 8e-6;
    return deviation(m, i, j) * (latency + (same_host ? 0.1e-9 : 1e-9) * bytes);
}

static const sim_model two = {
    .size = 2, .per_host = 2, .per_cache = 1, .overhead_s = 100e-9, .time = jumpy, .noise = 0.01, .slow_rank = -1};

/* ---- sizes ---- */

static void fill_sizes(sup_sizes *s, const sim_model *m, double noise) {
    uint32_t seed = 1;
    for (size_t x; (x = sup_sizes_next(s)) > 0;) {
        seed = seed * 1664525u + 1013904223u;
        double y = m->time(m, 0, 1, (double)x) * (1.0 + noise * ((double)(seed >> 8) / (1 << 24) - 0.5));
        sup_timing t = {.seconds = y, .ci = noise * y / 2.0, .n = 25};
        sup_sizes_add(s, x, &t);
    }
}

static void held_out_error(const sup_sizes *s, const sim_model *m, double most) {
    sup_curve *c;
    assert_int_equal(sup_sizes_fit(s, NULL, &c), SUP_OK);
    double sum = 0.0;
    int n = 0;
    for (double x = 3.0; x < s->high; x *= 1.37, n++)
        sum += fabs(sup_curve_at(c, floor(x)) / m->time(m, 0, 1, floor(x)) - 1.0);
    sup_curve_free(c);
    if (sum / n > most) print_error("mean error %.2f %% with %zu points\n", 100.0 * sum / n, s->count);
    assert_true(sum / n <= most);
}

static void jumps_between_powers_of_two_are_found(void **state) {
    (void)state;
    for (int noise = 0; noise < 3; noise++) {
        sup_sizes s;
        sup_sizes_init(&s, 1, 1 << 20, 36, 2.0);
        fill_sizes(&s, &two, 0.01 * noise);
        assert_in_range(s.count, 20, 36);
        held_out_error(&s, &two, 0.02);
        bool first = false, second = false;
        for (size_t i = 0; i + 1 < s.count; i++) {
            first |= s.x[i] < 279 && s.x[i + 1] >= 279 && s.x[i + 1] / s.x[i] < 1.04;
            second |= s.x[i] < 4000 && s.x[i + 1] >= 4000 && s.x[i + 1] / s.x[i] < 1.04;
        }
        assert_true(first);
        assert_true(second);
    }
}

static void a_straight_line_needs_few_sizes(void **state) {
    (void)state;
    sim_model m = two;
    m.time = straight;
    m.per_cache = 2;
    sup_sizes s;
    sup_sizes_init(&s, 1, 1 << 20, 60, 2.0);
    fill_sizes(&s, &m, 0.0);
    assert_true(s.count <= 24);
    sup_line line;
    assert_int_equal(sup_sizes_line(&s, &line), SUP_OK);
    assert_near(line.intercept, 200e-9, 1e-6);
    assert_near(line.slope, 0.1e-9, 1e-6);
}

static size_t count_of(const sim_model *m, double noise, double claimed) {
    sup_sizes s;
    sup_sizes_init(&s, 1, 1 << 20, 60, 2.0);
    uint32_t seed = 7;
    for (size_t x; (x = sup_sizes_next(&s)) > 0;) {
        for (size_t i = 0; i < s.count; i++) assert_true(s.x[i] != (double)x);
        assert_int_equal(x, sup_sizes_next(&s));
        seed = seed * 1664525u + 1013904223u;
        double y = m->time(m, 0, 1, (double)x) * (1.0 + 2.0 * noise * ((double)(seed >> 8) / (1 << 24) - 0.5));
        sup_sizes_add(&s, x, &(sup_timing){.seconds = y, .ci = claimed * y, .n = 3});
    }
    return s.count;
}

/* First estimates are rough: sizes are not spent on what their intervals explain, whatever the points look like. */
static void noise_is_not_chased(void **state) {
    (void)state;
    sim_model m = two;
    m.time = straight;
    size_t calm = count_of(&m, 0.0, 0.001);
    assert_true(calm <= 24);
    for (double noise = 0.02; noise < 0.5; noise *= 2.0) assert_in_range(count_of(&m, noise, noise), calm, calm + 2);
    assert_in_range(count_of(&m, 0.0, NAN), calm, calm);
}

static void a_better_answer_replaces_the_first(void **state) {
    (void)state;
    sup_sizes s;
    sup_sizes_init(&s, 1, 64, 8, 2.0);
    for (size_t x = 1; x <= 64; x *= 4) sup_sizes_add(&s, x, &(sup_timing){.seconds = 2e-6, .ci = 1e-6, .n = 1});
    sup_sizes_add(&s, 16, &(sup_timing){.seconds = 3e-6, .ci = 1e-8, .n = 40});
    assert_int_equal(s.count, 4);
    assert_true(s.y[2] == 3e-6 && s.timing[2].n == 40);
    size_t left = 0;
    for (size_t x; (x = sup_sizes_next(&s)) > 0; left++)
        sup_sizes_add(&s, x, &(sup_timing){.seconds = x < 10 ? 1e-6 : 9e-6, .ci = 1e-9, .n = 1});
    assert_int_equal(s.count, 8); /* `most` bounds it */
    assert_int_equal(left, 4);
}

/* A disturbed first estimate with a wide interval hardly moves the curve; the well-known ones make it. */
static void points_count_by_their_intervals(void **state) {
    (void)state;
    sim_model m = two;
    m.time = straight;
    sup_sizes s;
    sup_sizes_init(&s, 1, 1 << 20, 36, 2.0);
    for (size_t x; (x = sup_sizes_next(&s)) > 0;) {
        bool rough = x == 4096 || x == 1;
        double y = m.time(&m, 0, 1, (double)x) * (rough ? 1.6 : 1.0);
        sup_sizes_add(&s, x, &(sup_timing){.seconds = y, .ci = (rough ? 0.6 : 0.01) * y, .n = 25});
    }
    held_out_error(&s, &m, 0.005);
}

/* ---- grouping ---- */

static void levels_follow_the_topology(void **state) {
    (void)state;
    sim_model m = {.size = 48, .per_host = 12, .per_cache = 4, .time = straight, .slow_rank = -1};
    sup_lab *lab = sim_lab_new(&m);
    sup_grouping *g;
    assert_int_equal(sup_grouping_make(lab->places, 48, NULL, &g), SUP_OK);
    assert_int_equal(g->levels, 4);
    assert_string_equal(g->name[1], "L2");
    assert_string_equal(g->name[3], "network");
    assert_int_equal(sup_grouping_level(g, 0, 3), 1);
    assert_int_equal(sup_grouping_level(g, 3, 4), 2);
    assert_int_equal(sup_grouping_level(g, 11, 12), 3);
    int64_t size, stride;
    assert_true(sup_grouping_rule(g, 1, &size, &stride));
    assert_int_equal(size, 4);
    assert_int_equal(stride, 1);
    for (int level = 1; level < 4; level++) {
        int pairs[50], seen[48] = {0}, count = sup_grouping_match(g, level, 0, pairs);
        assert_in_range(count, 12, 24);
        for (int k = 0; k < 2 * count; k++) assert_int_equal(seen[pairs[k]]++, 0);
        for (int k = 0; k < count; k++) assert_int_equal(sup_grouping_level(g, pairs[2 * k], pairs[2 * k + 1]), level);
    }
    sup_grouping_free(g);
    sim_lab_free(lab);
}

static void cyclic_placements_have_a_stride(void **state) {
    (void)state;
    sup_rank_place places[60];
    memset(places, 0xff, sizeof places);
    for (int i = 0; i < 60; i++) places[i].host = i % 8;
    sup_grouping *g;
    int64_t size, stride;
    assert_int_equal(sup_grouping_make(places, 60, NULL, &g), SUP_OK);
    assert_int_equal(g->levels, 3);
    assert_true(sup_grouping_rule(g, 1, &size, &stride));
    assert_int_equal(stride, 8);
    assert_int_equal(size, 8);
    sup_grouping_free(g);
    for (int i = 0; i < 60; i++) places[i].host = (i * i) % 7;
    assert_int_equal(sup_grouping_make(places, 60, NULL, &g), SUP_OK);
    assert_false(sup_grouping_rule(g, 1, &size, &stride));
    sup_grouping_free(g);
}

static void in_a_tournament_everybody_meets_everybody(void **state) {
    (void)state;
    for (int size = 2; size < 12; size++) {
        int met[12][12] = {{0}}, pairs[14];
        for (int turn = 0; turn < sup_tournament_rounds(size); turn++) {
            int busy[12] = {0}, count = sup_tournament(size, turn, pairs);
            assert_int_equal(count, size / 2);
            for (int k = 0; k < count; k++) {
                assert_int_equal(busy[pairs[2 * k]]++, 0);
                assert_int_equal(busy[pairs[2 * k + 1]]++, 0);
                met[pairs[2 * k]][pairs[2 * k + 1]]++;
                met[pairs[2 * k + 1]][pairs[2 * k]]++;
            }
        }
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) assert_int_equal(met[i][j], i != j);
    }
}

/* ---- labs ---- */

typedef struct measured {
    sup_profile *profile;
    sup_session *session;
    int64_t measurements;
} measured;

static int64_t no_time(void *context) { return *(int64_t *)context; }

static void begin(measured *m) {
    static int64_t still = 1;
    static const sup_clock clock = {no_time, &still, 1e-9, 0.0};
    sup_session_options o = sup_session_defaults();
    o.clock = &clock;
    assert_int_equal(sup_session_open(&o, NULL, &m->session), SUP_OK);
    assert_int_equal(sup_profile_new(0, NULL, &m->profile), SUP_OK);
}

static void end(measured *m) {
    sup_profile_free(m->profile);
    sup_session_close(m->session);
}

static void on_lab(const sim_model *model, const sup_sections_options *options, measured *m) {
    sup_diag diag = {0};
    begin(m);
    sup_lab *lab = sim_lab_new(model);
    assert_int_equal(sim_campaign(lab, options, 3, 3, m->session, m->profile, &diag), SUP_OK);
    m->measurements = sim_lab_measurements(lab);
    sim_lab_free(lab);
    assert_int_equal(sup_record_ready(sup_profile_file.record, m->profile, NULL), SUP_OK);
}

static const sup_pair_class *class_of(const measured *m, int i, int j) {
    const sup_pairs *p = sup_profile_pairs(m->profile, "sim");
    return &p->classes[sup_pairs_class(p, i, j)];
}

/* A second launch asks for the sizes that the first one chose for this curve, and for no others that were visited for
 * something else: the curve would end elsewhere, and a line through an empty message has no logarithm. A lab that
 * cannot visit makes the same curve of them. */
static void launches_share_their_sizes(void **state) {
    (void)state;
    static const int pair[] = {0, 1};
    double first[SUP_SIZES_MAX] = {0};
    size_t count = 0;
    sup_lab *lab = sim_lab_new(&two);
    for (int launch = 0; launch < 3; launch++) {
        measured m;
        sup_timing t;
        begin(&m);
        if (launch) sim_relaunch(lab);
        if (launch == 2) lab->visit = NULL;
        assert_int_equal(sup_measure_pairs(lab, m.session, NULL, m.profile, NULL), SUP_OK);
        for (size_t bytes = 0; bytes <= (size_t)1 << 26; bytes += (size_t)1 << 25) {
            sup_trial trial = sup_trial_of(SUP_TRIAL_ROUND_TRIP, pair, 1, 2, bytes);
            assert_int_equal(sup_lab_ask(lab, m.session, "", &trial, NULL, &t), SUP_OK);
        }
        for (size_t i = 0; i < sup_store_count(lab->store) && launch == 1; i++)
            assert_int_equal(sup_lab_visit(lab, m.session, sup_store_at(lab->store, i), NULL), SUP_OK);
        assert_int_equal(sup_record_ready(sup_profile_file.record, m.profile, NULL), SUP_OK);
        const sup_pair_class *c = class_of(&m, 0, 1);
        assert_true(c->latency_s && c->per_byte_s && c->time_s);
        const sup_points *p = c->time_s->points;
        assert_true(p->x_count >= 11 && p->x_count <= 15 && p->x[0] >= 1.0 && p->x[p->x_count - 1] <= 1 << 20);
        if (launch == 0) memcpy(first, p->x, (count = p->x_count) * sizeof *first);
        for (size_t i = 0, k = 0; i < count; i++) {
            while (k < p->x_count && p->x[k] < first[i]) k++;
            assert_true(k < p->x_count && p->x[k] == first[i]);
            if (launch == 2) assert_true(p->n[k] >= 8); /* batches of both */
        }
        if (launch == 2) assert_int_equal(c->overhead_s->launches, 2);
        end(&m);
    }
    sim_lab_free(lab);
}

static void classes_have_the_numbers_of_the_machine(void **state) {
    (void)state;
    sim_model model = {.size = 48, .per_host = 12, .per_cache = 4, .overhead_s = 150e-9, .time = straight};
    model.slow_rank = -1;
    model.noise = 0.02;
    measured m;
    on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS}, &m);
    assert_int_equal(sup_profile_pairs(m.profile, "sim")->classes_count, 4);
    assert_near(class_of(&m, 0, 1)->latency_s->value, 350e-9, 0.02);
    assert_near(class_of(&m, 0, 5)->latency_s->value, 650e-9, 0.02);
    assert_near(class_of(&m, 0, 40)->latency_s->value, 8.15e-6, 0.02);
    assert_near(class_of(&m, 0, 1)->per_byte_s->value, 0.1e-9, 0.02);
    assert_near(class_of(&m, 0, 40)->per_byte_s->value, 1e-9, 0.02);
    assert_near(class_of(&m, 0, 40)->overhead_s->value, 150e-9, 0.05);
    assert_near(class_of(&m, 7, 7)->overhead_s->value, 48e-9, 0.05);
    assert_true(class_of(&m, 0, 40)->latency_s->n >= 25);
    end(&m);
}

static void a_slow_process_gets_classes_of_its_own(void **state) {
    (void)state;
    sim_model model = {.size = 32, .per_host = 8, .per_cache = 4, .overhead_s = 1e-9, .time = straight};
    model.slow_rank = 13;
    model.noise = 0.01;
    measured m;
    on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS}, &m);
    for (int j = 0; j < 32; j++) {
        if (j == 13) continue;
        double wanted = model.time(&model, 13, j, 0.0);
        assert_near(class_of(&m, 13, j)->latency_s->value, wanted, 0.05);
        assert_near(class_of(&m, j, 13)->latency_s->value, wanted, 0.05);
        if (j != 12 && j > 0) assert_near(class_of(&m, 0, j)->latency_s->value, model.time(&model, 0, j, 0.0), 0.05);
    }
    end(&m);
}

static double alike(const sim_model *m, int i, int j, double bytes) {
    (void)m, (void)i, (void)j;
    return 400e-9 + 0.1e-9 * bytes;
}

/* Times are alike, but of one pair starting a message takes thrice as long: it has a class of its own, with the curve
 * of the others. Only who looks at all pairs can know. */
static void exhaustive_finds_a_pair_with_another_overhead(void **state) {
    (void)state;
    sim_model model = {.size = 6, .per_host = 6, .per_cache = 6, .overhead_s = 100e-9, .time = alike, .noise = 0.005};
    model.slow_rank = -1;
    model.bad_pair[0] = 1;
    model.bad_pair[1] = 4;
    model.bad_starts = 3.0;
    for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
        measured m;
        on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS, .pairs = {.exhaustive = exhaustive}}, &m);
        const sup_pair_class *usual = class_of(&m, 0, 2), *other = class_of(&m, 4, 1);
        assert_near(usual->overhead_s->value, 100e-9, 0.03);
        assert_int_equal(other == usual, !exhaustive);
        if (exhaustive) {
            assert_near(other->overhead_s->value, 300e-9, 0.03);
            assert_near(sup_curve_at(other->time_s->curve, 1e5), sup_curve_at(usual->time_s->curve, 1e5), 1e-9);
            assert_non_null(strstr(other->name, "deviating"));
            assert_ptr_equal(class_of(&m, 2, 5), usual);
            assert_int_equal(other->measured, 1);
        }
        end(&m);
    }
}

/* O and L of every ordered pair; a pair that is dear in one direction only is said so. */
static void exhaustive_knows_both_directions(void **state) {
    (void)state;
    sim_model model = {.size = 6, .per_host = 6, .per_cache = 6, .overhead_s = 100e-9, .time = alike, .noise = 0.005};
    model.slow_rank = -1;
    model.bad_pair[0] = 4;
    model.bad_pair[1] = 1;
    model.bad_starts = 3.0;
    model.one_way = true;
    measured m;
    on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS, .pairs = {.exhaustive = true}}, &m);
    const sup_pair_each *each = m.profile->pairs[0].each;
    assert_non_null(each);
    assert_int_equal(each->overhead_s_count, 36);
    assert_int_equal(each->latency_ci_count, 36);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            bool dear = i == 4 && j == 1;
            if (i == j) assert_true(each->overhead_s[7 * i] == 0.0 && each->latency_s[7 * i] == 0.0);
            if (i == j) continue;
            assert_near(each->overhead_s[6 * i + j], dear ? 300e-9 : 100e-9, 0.05);
            assert_near(each->latency_s[6 * i + j], 100e-9 + alike(&model, i, j, 8), 0.05);
        }
    sup_asymmetry a;
    assert_true(sup_pairs_asymmetry(&m.profile->pairs[0], SUP_PAIR_OVERHEAD, &a));
    assert_int_equal(a.i, 4);
    assert_int_equal(a.j, 1);
    assert_int_equal(a.differ, 1);
    assert_int_equal(a.pairs, 15);
    assert_near(a.there / a.back, 3.0, 0.1);
    assert_true(sup_pairs_asymmetry(&m.profile->pairs[0], SUP_PAIR_LATENCY, &a));
    assert_int_equal(a.differ, 0);
    end(&m);
    on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS}, &m);
    assert_null(m.profile->pairs[0].each);
    assert_false(sup_pairs_asymmetry(&m.profile->pairs[0], SUP_PAIR_OVERHEAD, &a));
    end(&m);
}

static void exhaustive_finds_a_single_bad_pair(void **state) {
    (void)state;
    sim_model model = {.size = 16, .per_host = 16, .per_cache = 16, .overhead_s = 1e-9, .time = straight};
    model.slow_rank = -1;
    model.bad_pair[0] = 3;
    model.bad_pair[1] = 10;
    measured m;
    on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS, .pairs = {.exhaustive = true}}, &m);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            if (i != j) assert_near(class_of(&m, i, j)->latency_s->value, model.time(&model, i, j, 0.0), 0.02);
    assert_true(m.measurements >= 120);
    end(&m);
}

static int64_t cost_of(int size, double crowd) {
    sim_model model = {.size = size, .per_host = 64, .per_cache = 8, .overhead_s = 150e-9, .time = straight};
    model.slow_rank = -1;
    model.noise = 0.01;
    model.crowd = crowd;
    measured m;
    begin(&m);
    sup_lab *lab = sim_lab_new(&model);
    assert_int_equal(sim_campaign(lab, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS}, 1, 0, m.session, m.profile,
                                  NULL),
                     SUP_OK);
    int64_t measurements = sim_lab_measurements(lab);
    sim_lab_free(lab);
    end(&m);
    return measurements;
}

static void cost_grows_like_p(void **state) {
    (void)state;
    for (int crowded = 0; crowded < 2; crowded++) {
        int64_t small = cost_of(256, crowded), large = cost_of(4096, crowded);
        assert_true(large < 20 * small); /* 16 times as many processes, 256 times as many pairs */
        assert_true(large < 64 * 4096);
    }
}

static void interference_is_seen_and_avoided(void **state) {
    (void)state;
    sim_model model = {.size = 16, .per_host = 16, .per_cache = 16, .overhead_s = 1e-9, .time = straight};
    model.slow_rank = -1;
    model.crowd = 0.5;
    measured m;
    on_lab(&model, &(sup_sections_options){.parts = SUP_MEASURE_PAIRS}, &m);
    assert_near(sup_profile_pairs(m.profile, "sim")->interference, 1.0 + 0.5 * 7, 0.01);
    assert_near(class_of(&m, 0, 9)->latency_s->value, 201e-9, 0.02);
    end(&m);
}

static bool stop_at_once(void *context, double fraction, const char *text, double left) {
    (void)fraction, (void)text, (void)left;
    return ++*(int *)context < 20;
}

static void interrupted_it_keeps_what_it_has(void **state) {
    (void)state;
    int asked = 0;
    sup_session_options o = sup_session_defaults();
    o.progress = stop_at_once;
    o.progress_context = &asked;
    int64_t ticking = 0;
    sup_clock clock = {no_time, &ticking, 1e-9, 0.0};
    o.clock = &clock;
    measured m = {0};
    sup_diag diag;
    assert_int_equal(sup_session_open(&o, NULL, &m.session), SUP_OK);
    assert_int_equal(sup_profile_new(0, NULL, &m.profile), SUP_OK);
    sup_lab *lab = sim_lab_new(&two);
    asked = 19; /* the next question is answered with no */
    assert_int_equal(sup_sections_ask(lab, &(sup_sections_options){0}, m.session, m.profile, &diag), SUP_EINTR);
    sim_lab_free(lab);
    assert_int_equal(sup_record_ready(sup_profile_file.record, m.profile, NULL), SUP_OK);
    end(&m);
}

/* ---- the whole over a net with virtual clocks ---- */

typedef struct stage {
    measured m;
    sup_sections_options options;
    sup_status status[16];
} stage;

static void measure_all(sup_net *net, const sup_clock *clock, void *context) {
    stage *s = context;
    sup_lab_options o = {.clock = clock, .no_watch = true};
    sup_diag diag = {0};
    sup_status status = SUP_OK;
    for (int k = 0; k < 2 && !status; k++) { /* twice on one net: signal values must go on where they were */
        sup_lab *lab;
        status = sup_lab_net_open(net, &o, &diag, &lab);
        if (status) break;
        if (net->rank) {
            status = sup_lab_net_serve(lab, &diag);
        } else {
            assert_int_equal(sup_store_new(k + 1, &lab->store), SUP_OK);
            status = sim_campaign(lab, &s->options, 2, 2, s->m.session, s->m.profile, &diag);
            sup_store_free(lab->store);
            if (!status) assert_int_equal(s->m.profile->pairs_count, 1);
        }
        sup_lab_net_close(lab);
    }
    if (status) print_error("%s\n", diag.text);
    s->status[net->rank] = status;
}

static void over_a_net_the_truth_is_recovered(void **state) {
    (void)state;
    stage s = {.options = {.parts = SUP_MEASURE_PAIRS | SUP_MEASURE_SYNC | SUP_MEASURE_CLASSIC}};
    begin(&s.m);
    sim_run(&two, measure_all, &s);
    for (int i = 0; i < two.size; i++) assert_int_equal(s.status[i], SUP_OK);
    assert_int_equal(sup_record_ready(sup_profile_file.record, s.m.profile, NULL), SUP_OK);
    const sup_pair_class *c = class_of(&s.m, 0, 1);
    double sum = 0.0;
    int n = 0;
    for (double x = 3.0; x < 1 << 20; x *= 1.37, n++)
        sum += fabs(sup_curve_at(c->time_s->curve, floor(x)) / (100e-9 + jumpy(&two, 0, 1, floor(x))) - 1.0);
    assert_true(sum / n < 0.03);
    assert_near(c->overhead_s->value, 100e-9, 0.03);
    assert_near(class_of(&s.m, 1, 1)->overhead_s->value, 20e-9, 0.05);
    size_t kinds = 0;
    while (sup_generator_word(kinds)) kinds++;
    assert_int_equal(s.m.profile->sync_count, kinds); /* between two processes radices make no difference */
    for (size_t i = 0; i < s.m.profile->sync_count; i++) assert_true(s.m.profile->sync[i].time_s->value >= 500e-9);
    assert_int_equal(s.m.profile->classic_count, 1);
    assert_true(s.m.profile->classic[0].word_s->value > 0.25e-9 * 8);
    end(&s.m);
}

static void four_processes_on_two_hosts(void **state) {
    (void)state;
    sim_model model = {.size = 4, .per_host = 2, .per_cache = 2, .overhead_s = 150e-9, .time = straight};
    model.slow_rank = -1;
    model.noise = 0.01;
    stage s = {.options = {.parts = SUP_MEASURE_PAIRS | SUP_MEASURE_SYNC}};
    begin(&s.m);
    sim_run(&model, measure_all, &s);
    for (int i = 0; i < 4; i++) assert_int_equal(s.status[i], SUP_OK);
    assert_int_equal(sup_record_ready(sup_profile_file.record, s.m.profile, NULL), SUP_OK);
    assert_near(class_of(&s.m, 2, 3)->latency_s->value, 350e-9, 0.03);
    assert_near(class_of(&s.m, 1, 2)->latency_s->value, 8.15e-6, 0.03);
    assert_near(class_of(&s.m, 1, 2)->per_byte_s->value, 1e-9, 0.03);
    end(&s.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_between_powers_of_two_are_found),
        cmocka_unit_test(a_straight_line_needs_few_sizes),
        cmocka_unit_test(noise_is_not_chased),
        cmocka_unit_test(a_better_answer_replaces_the_first),
        cmocka_unit_test(points_count_by_their_intervals),
        cmocka_unit_test(levels_follow_the_topology),
        cmocka_unit_test(cyclic_placements_have_a_stride),
        cmocka_unit_test(in_a_tournament_everybody_meets_everybody),
        cmocka_unit_test(launches_share_their_sizes),
        cmocka_unit_test(classes_have_the_numbers_of_the_machine),
        cmocka_unit_test(a_slow_process_gets_classes_of_its_own),
        cmocka_unit_test(exhaustive_finds_a_pair_with_another_overhead),
        cmocka_unit_test(exhaustive_finds_a_single_bad_pair),
        cmocka_unit_test(exhaustive_knows_both_directions),
        cmocka_unit_test(cost_grows_like_p),
        cmocka_unit_test(interference_is_seen_and_avoided),
        cmocka_unit_test(interrupted_it_keeps_what_it_has),
        cmocka_unit_test(over_a_net_the_truth_is_recovered),
        cmocka_unit_test(four_processes_on_two_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
