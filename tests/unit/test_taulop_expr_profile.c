/* What τ-Lop takes from a profile: tables of channels, γ, times of single messages between the sizes of a table. */
#include "taulop_price.h"

/* ---- profiles ---- */

typedef struct made_profile {
    double bytes[3], seconds[4][3];
    sup_tau_row rows[4];
    sup_transfer tables[2];
    sup_gamma gammas[2];
    sup_channel channels[5];
    sup_segment flat;
    sup_curve *o, *fold1, *fold4;
    sup_file_curve file_o, file_1, file_4;
    sup_profile profile;
} made_profile;

static char shm[] = "shm", ring[] = "ring", ping[] = "ping", buffered[] = "buffered", tcp[] = "tcp", rdma[] = "rdma",
            single[] = "single-copy", sum_name[] = "sum", double_name[] = "double";

static sup_curve *line(double intercept, double slope) {
    sup_segment s = {0, 1e6, intercept, slope, 0, 2};
    sup_curve *c;
    assert_int_equal(sup_curve_make(&s, 1, 0, NULL, &c), SUP_OK);
    return c;
}

static void make_profile(made_profile *p) {
    *p =
        (made_profile){.bytes = {64, 1024, 65536},
                       .seconds = {{1e-7, 2e-7, 8e-6}, {1e-7, 3e-7, 1.2e-5}, {2e-6, 3e-6, 1e-4}, {2e-6, 4e-6, 1.5e-4}}};
    for (int i = 0; i < 4; i++)
        p->rows[i] = (sup_tau_row){.tau = i % 2 + 1, .seconds = p->seconds[i], .seconds_count = 3};
    for (int i = 0; i < 2; i++)
        p->tables[i] = (sup_transfer){.bytes = p->bytes, .bytes_count = 3, .rows = &p->rows[2 * i], .rows_count = 2};
    p->o = line(1e-6, 0);
    p->fold1 = line(0, 1e-9);
    p->fold4 = line(0, 2e-9);
    p->file_o = (sup_file_curve){.curve = p->o};
    p->file_1 = (sup_file_curve){.curve = p->fold1};
    p->file_4 = (sup_file_curve){.curve = p->fold4};
    p->gammas[0] = (sup_gamma){.operation = sum_name, .type = double_name, .tau = 1, .time_s = &p->file_1};
    p->gammas[1] = (sup_gamma){.operation = sum_name, .type = double_name, .tau = 4, .time_s = &p->file_4};
    sup_channel like = {.transport = shm,
                        .setup = ring,
                        .mechanism = buffered,
                        .threshold_bytes = -1,
                        .segment_bytes = -1,
                        .overhead_s = &p->file_o,
                        .transfer = &p->tables[0]};
    for (int i = 0; i < 5; i++) p->channels[i] = like;
    p->channels[0].setup = ping; /* less wanted than the next one */
    p->channels[0].transfer = &p->tables[1];
    p->channels[1].gammas = p->gammas;
    p->channels[1].gammas_count = 2;
    p->channels[2].number = 2;
    p->channels[2].mechanism = rdma;
    p->channels[3].number = 1;
    p->channels[3].mechanism = tcp;
    p->channels[3].transfer = &p->tables[1];
    p->channels[4].number = 7;
    p->channels[4].transfer = NULL; /* not measured */
    p->profile.channels = p->channels;
    p->profile.channels_count = 5;
}

static void of_profile(void **state) {
    (void)state;
    made_profile p;
    make_profile(&p);
    sup_diag diag = {0};
    sup_taulop_costs *costs = NULL;
    assert_int_equal(sup_taulop_open(&p.profile, "openmpi", &diag, &costs), SUP_ENOENT);
    assert_non_null(strstr(diag.text, "openmpi"));
    assert_int_equal(sup_taulop_open(&p.profile, "shm", &diag, &costs), SUP_OK);
    assert_int_equal(costs->channels_count, 3);
    BOTH(costs, 1e-6 + 2 * 2e-7, "T0(1K)");
    BOTH(costs, 1e-6 + 2 * 3e-7, "2 || T0(1K)");
    BOTH(costs, 1e-6 + 2 * 2e-7 + 3e-6, "T1(1K)"); /* TCP: o¹ + 2L⁰ + L¹ */
    BOTH(costs, 1e-6 + 2 * 3e-7 + 4e-6, "2 || T1(1K)");
    BOTH(costs, 1e-6 + 8e-6, "T2(64K)"); /* RDMA: o¹ + L¹ */
    BOTH(costs, 4e-6, "L1(1K, 2)");
    BOTH(costs, 1e-6, "G(1000)");
    BOTH(costs, 1e-6 * (1 + 1.0 / 3), "G(1000, 2)");
    BOTH(costs, 2e-6, "4 || G(1000)");
    BOTH(costs, 2e-6 * (1 + 1.0 / 6), "5 || G(1000)"); /* the line goes on */
    for (int k = 0; k < 2; k++) {
        sup_exprs *x = sup_exprs_new();
        const sup_expr *e;
        double seconds = 7;
        assert_int_equal(sup_expr_read(x, "T0(1) + (T1(1) || T7(1))", &diag, &e), SUP_OK);
        assert_int_equal(sup_taulop_cost(costs, sup_evaluators[k], e, &diag, &seconds), SUP_ENOENT);
        assert_string_equal(diag.text, "channel 7 is not known; known: 0, 1, 2");
        assert_true(seconds == 7);
        sup_exprs_free(x);
    }
    sup_taulop_close(costs);
    p.channels[1].mechanism = single;
    p.channels[1].threshold_bytes = 512;
    p.channels[1].gammas_count = 0;
    assert_int_equal(sup_taulop_open(&p.profile, "shm", &diag, &costs), SUP_OK);
    BOTH(costs, 1e-6 + 2e-7, "T0(1K)");
    BOTH(costs, 1e-6 + 2 * 1e-7, "T0(64)");
    sup_exprs *x = sup_exprs_new();
    double seconds;
    assert_int_equal(sup_taulop_cost(costs, NULL, sup_expr_fold(x, 1, 1), &diag, &seconds), SUP_ENOENT);
    assert_non_null(strstr(diag.text, "γ"));
    sup_exprs_free(x);
    sup_taulop_close(costs);
    sup_curve_free(p.o);
    sup_curve_free(p.fold1);
    sup_curve_free(p.fold4);
}

/* Between 1 KB and 64 KB the table has nothing; messages of the pair were measured at 8 KB too, and took `middle`. */
static double at_8k(double middle, double scale, const char *text) {
    made_profile p;
    make_profile(&p);
    double y[3] = {1.2e-6 * scale, middle * scale, 1.7e-5 * scale}, x[3] = {64, 8192, 65536};
    sup_file_segment segments[2];
    sup_segment same[2];
    for (int k = 0; k < 2; k++) {
        double slope = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
        segments[k] = (sup_file_segment){x[k], x[k + 1], y[k] - slope * x[k], slope, 0, 2, NULL};
        same[k] = (sup_segment){x[k], x[k + 1], y[k] - slope * x[k], slope, 0, 2};
    }
    sup_curve *curve;
    assert_int_equal(sup_curve_make(same, 2, 0, NULL, &curve), SUP_OK);
    sup_file_curve times = {.segments = segments, .segments_count = 2, .curve = curve};
    sup_pair_class class = {.time_s = &times};
    int64_t first = 0;
    sup_pair_level level = {.stride = 1, .classes = &first, .classes_count = 1};
    sup_pairs pairs = {
        .transport = shm, .processes = 2, .levels = &level, .levels_count = 1, .classes = &class, .classes_count = 1};
    p.profile.pairs = &pairs;
    p.profile.pairs_count = 1;
    sup_taulop_costs *costs;
    assert_int_equal(sup_taulop_open(&p.profile, "shm", NULL, &costs), SUP_OK);
    double seconds = price(costs, &sup_evaluator_paper, "%s", text);
    sup_taulop_close(costs);
    sup_curve_free(curve);
    sup_curve_free(p.o);
    sup_curve_free(p.fold1);
    sup_curve_free(p.fold4);
    return seconds;
}

static void between_sizes(void **state) {
    (void)state;
    double share = (8192.0 - 1024) / (65536 - 1024), one = 2e-7 + share * 7.8e-6, two = 3e-7 + share * 1.17e-5;
    assert_near(at_8k(2.4e-6, 1, "T0(8K)"), 2.4e-6);
    assert_near(at_8k(2.4e-6, 1, "2 || T0(8K)"), 1e-6 + 2 * two * 0.7e-6 / one);
    assert_near(at_8k(2.4e-6, 1, "T0(1K)"), 1.4e-6); /* there the table knows */
    assert_near(at_8k(2.4e-6, 1, "T0(64K)"), 1.7e-5);
    assert_near(at_8k(2.4e-6, 1, "T0(128K)"), at_8k(9e-6, 1, "T0(128K)"));
    assert_near(at_8k(2.4e-6, 5, "T0(8K)"), 1e-6 + 2 * one); /* of another pair */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_profile), cmocka_unit_test(between_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
