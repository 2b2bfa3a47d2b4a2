/* Synchronisation and the baseline models by hand: empty supersteps as measured and carried to other machines, LogGP,
 * rule 2, map and tree of the document, which channel a pair uses, matrices that do not fit. Microseconds in comments.
 */
#include "base/number/student.h"
#include "model/equation/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b) + 1e-18)
#define PROGRAM(steps) "{\"kind\":\"superstep-program\",\"schema\":1,\"supersteps\":[" steps "]}"
#define EMPTY PROGRAM("{}")
#define GETS PROGRAM("{\"communicate\":[{\"pattern\":\"ring\",\"kind\":\"get\",\"bytes\":0}]}")

/* ---- profiles ---- */

static sup_profile *parsed(const char *text) {
    sup_json *doc = NULL;
    sup_diag diag = {0};
    sup_profile *p = NULL;
    if (sup_json_parse("profile", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, true, &diag, &p)) fail_msg("%s", diag.text);
    sup_json_free(doc);
    return p;
}

/* Two hosts of two: O 0.2, L 1, B 0.001 a byte inside; O 1, L 10, B 0.01 between; O_ii 0.1. */
static sup_profile *four(void) {
    char path[512];
    sup_diag diag = {0};
    sup_profile *p = NULL;
    snprintf(path, sizeof path, "%s/model/four.json", SUP_TEST_DATA);
    if (sup_profile_read(path, true, &diag, &p)) fail_msg("%s", diag.text);
    return p;
}

static sup_number *number(double value, double ci) {
    sup_number *n = sup_record_make(&sup_number_record);
    assert_non_null(n);
    n->value = value;
    n->ci = ci;
    n->n = 1;
    return n;
}

static sup_number *add_sync(sup_profile *p, const char *transport, const char *algorithm, int64_t processes,
                            double seconds) {
    sup_sync_time *s = SUP_APPEND(&sup_sync_record, p->sync, p->sync_count);
    assert_non_null(s);
    assert_int_equal(sup_record_set_string(&s->transport, transport), SUP_OK);
    assert_int_equal(sup_record_set_string(&s->algorithm, algorithm), SUP_OK);
    s->processes = processes;
    return s->time_s = number(seconds, 0.01 * seconds);
}

/* ---- predictions ---- */

static sup_platform *open_platform(const sup_profile *p, sup_platform_options o) {
    sup_diag diag = {0};
    sup_platform *m = NULL;
    if (sup_platform_open(p, &o, &diag, &m)) fail_msg("%s", diag.text);
    return m;
}

static sup_prediction predict(const sup_profile *profile, const char *model, const char *text, sup_platform_options o) {
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_program *program = NULL;
    sup_program_cost c;
    sup_platform *m = open_platform(profile, o);
    if (sup_json_parse("p", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_program_parse(doc, "p", &diag, &program)) fail_msg("%s", diag.text);
    if (sup_program_fit(program, m->processes, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find(model), m, program, &diag, &c)) fail_msg("%s", diag.text);
    sup_prediction total = c.total;
    sup_program_cost_free(&c);
    sup_program_free(program);
    sup_platform_free(m);
    sup_json_free(doc);
    return total;
}

static double seconds(const sup_profile *profile, const char *model, const char *text, sup_platform_options o) {
    return predict(profile, model, text, o).value;
}

static double barrier(const sup_profile *profile, const char *name, sup_platform_options o) {
    sup_platform *m = open_platform(profile, o);
    sup_pattern p = sup_pattern_make(sup_generator_find(name), m->processes);
    sup_prediction r;
    assert_int_equal(sup_barrier_cost(m, &p, false, NULL, &r), SUP_OK);
    sup_platform_free(m);
    return r.value;
}

/* ---- empty supersteps ---- */

static void as_measured(void **state) {
    (void)state;
    sup_profile *p = four();
    add_sync(p, "openmpi", SUP_SYNC_EMPTY, 4, 1);
    add_sync(p, "shm", SUP_SYNC_EMPTY, 4, 7e-6)->typical = 9e-6;
    add_sync(p, "shm", "dissemination", 4, 5e-6);
    sup_prediction r = predict(p, "flow", EMPTY, (sup_platform_options){0});
    NEAR(r.value, 7e-6);
    NEAR(r.high, 7e-6 + 0.07e-6 * sup_student_two_sided(0.9, INFINITY) / sup_student_two_sided(0.95, INFINITY));
    NEAR(seconds(p, "pair", EMPTY, (sup_platform_options){0}), 7e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.typical = true}), 9e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.what_if = "sync/2"}), 3.5e-6);
    /* a barrier by name is that barrier alone */
    NEAR(seconds(p, "flow", PROGRAM("{\"sync\":\"dissemination\"}"), (sup_platform_options){0}), 5e-6);
    sup_profile_free(p);
}

/* From 4 processes to 2, and to a machine with half the latency: in proportion to paths. */
static void carried(void **state) {
    (void)state;
    sup_profile *p = four();
    add_sync(p, "shm", "dissemination", 4, 5e-6);
    double two = barrier(p, "dissemination", (sup_platform_options){.processes = 2});
    double quick = barrier(p, "dissemination", (sup_platform_options){.what_if = "L*0.5,O*0.5"});
    NEAR(quick, 2.5e-6);
    add_sync(p, "shm", SUP_SYNC_EMPTY, 4, 7e-6);
    sup_prediction r = predict(p, "flow", EMPTY, (sup_platform_options){.processes = 2});
    NEAR(r.value, 7e-6 * two / 5e-6);
    /* 20 % with the doubling between, beside 1 % of the measurement itself */
    double one = sup_student_two_sided(0.9, INFINITY) / sup_student_two_sided(0.95, INFINITY);
    assert_true(fabs(r.high / r.value - 1 - 0.01 * one - 0.2) < 1e-3);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.what_if = "L*0.5,O*0.5"}), 3.5e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.what_if = "L[*,*]*0.5,O[*,*]*0.5"}), 3.5e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.what_if = "L*0.5,O*0.5,sync/2"}), 1.75e-6);
    add_sync(p, "shm", SUP_SYNC_EMPTY, 2, 2e-6); /* now that is the nearest */
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.processes = 2}), 2e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.processes = 4}), 7e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.processes = 3}),
         7e-6 / 5e-6 * barrier(p, "dissemination", (sup_platform_options){.processes = 3}));
    sup_profile_free(p);
}

static void other_barriers(void **state) {
    (void)state;
    sup_profile *p = four();
    add_sync(p, "shm", "dissemination", 4, 5e-6);
    add_sync(p, "shm", "linear", 4, 9e-6);
    add_sync(p, "shm", SUP_SYNC_EMPTY, 4, 7e-6);
    sup_pattern linear = sup_pattern_make(&sup_generator_linear, 4), usual = linear;
    usual = sup_pattern_make(&sup_generator_dissemination, 4);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.barrier = &linear}), 7e-6 + 9e-6 - 5e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.barrier = &usual}), 7e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.barrier = &linear, .what_if = "sync*3"}), 33e-6);
    sup_profile_free(p);
}

/* A step that gets has a second barrier; exchanges of gets were measured with it. */
static void gets(void **state) {
    (void)state;
    sup_profile *p = four();
    add_sync(p, "shm", "dissemination", 4, 5e-6);
    add_sync(p, "shm", SUP_SYNC_EMPTY, 4, 7e-6);
    double free_of = seconds(p, "pair", PROGRAM("{\"communicate\":[{\"pattern\":\"ring\",\"bytes\":0}]}"),
                             (sup_platform_options){0});
    NEAR(seconds(p, "pair", GETS, (sup_platform_options){0}) - free_of, 5e-6);
    sup_exchange_time *x = SUP_APPEND(&sup_exchange_record, p->exchanges, p->exchanges_count);
    assert_non_null(x);
    assert_int_equal(sup_record_set_string(&x->transport, "shm"), SUP_OK);
    x->processes = 4;
    x->move = SUP_MOVE_GET;
    x->shape = SUP_EXCHANGE_RING;
    x->records = 1;
    x->sync_s = sup_record_make(&sup_file_curve_record);
    assert_non_null(x->sync_s);
    NEAR(seconds(p, "pair", GETS, (sup_platform_options){0}) - free_of, 5e-6); /* does not price by exchanges */
    sup_platform *m = open_platform(p, (sup_platform_options){0});
    sup_terms t;
    sup_edge edge = {0, 1, 1, 8, 0, SUP_MOVE_GET};
    sup_flow flow = {.kind = SUP_FLOW_EDGES, .edges = &edge, .edge_count = 1};
    sup_step step = {.flows = &flow, .flow_count = 1, .repeat = 1};
    assert_int_equal(sup_terms_open(4, NULL, &t), SUP_OK);
    sup_terms_clear(&t);
    assert_int_equal(sup_sync_flow(m, &step, &t, NULL), SUP_OK);
    for (int i = 0; i < 4; i++) NEAR(t.sync[i], 7e-6);
    sup_terms_close(&t);
    sup_platform_free(m);
    sup_profile_free(p);
}

/* Over messages: four processes count directly, O to three others and t(72 bytes) of the farthest. 0.2 + 1 + 1 + 10 +
 * 0.72 = 12.92. */
static void over_messages(void **state) {
    (void)state;
    sup_profile *p = four();
    assert_int_equal(sup_record_set_string(&p->pairs[0].transport, "openmpi"), SUP_OK);
    assert_int_equal(sup_record_set_string(&p->signature.transport, "openmpi"), SUP_OK);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){0}), 12.92e-6);
    double map = seconds(p, "flow", EMPTY, (sup_platform_options){.counts = "map"});
    add_sync(p, "openmpi", SUP_SYNC_EMPTY, 4, 20e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){0}), 20e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.counts = "direct"}), 20e-6);
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.counts = "map"}), 20e-6 + map - 12.92e-6);
    /* two processes of a host: 0.2 + 1 + 0.072 = 1.272 */
    NEAR(seconds(p, "flow", EMPTY, (sup_platform_options){.processes = 2}), 20e-6 * 1.272 / 12.92);
    sup_profile_free(p);
}

/* One launch to the next: what a barrier's own number says of it, (1 + 1/n) of the variance. */
static void again(void **state) {
    (void)state;
    sup_profile *p = four();
    sup_number *n = add_sync(p, "shm", "dissemination", 4, 5e-6);
    n->launches = 5;
    n->ci = 0.2e-6;
    sup_platform *m = open_platform(p, (sup_platform_options){0});
    NEAR(m->again_spread, sup_number_scatter(n) * sqrt(1 + 1 / 5.0) * sup_student_two_sided(0.9, 4));
    sup_platform_free(m);
    n->launches = 1;
    m = open_platform(p, (sup_platform_options){0});
    assert_true(isnan(m->again_spread));
    sup_platform_free(m);
    sup_profile_free(p);
}

/* ---- LogGP ---- */

/* Two processes of a host: o = 0.1, g = 0.2, L = 1 − 2·0.1 = 0.8, G = 0.001. One message of 1001 bytes: 0.1 + 1 + 0.8 +
 * 0.1 = 2; three of 1001: two gaps and 2 µs of bytes more: 4.4. Who receives them is as long at it. */
static void loggp(void **state) {
    (void)state;
#define SPARSE(edges) PROGRAM("{\"sync\":\"none\",\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[" edges "]}]}")
    sup_profile *p = four();
    sup_platform_options two = {.processes = 2};
    NEAR(seconds(p, "loggp", SPARSE("[0,1,1,1001]"), two), 2e-6);
    NEAR(seconds(p, "loggp", SPARSE("[0,1,1,1]"), two), 1e-6);
    NEAR(seconds(p, "loggp", SPARSE("[0,1,3,3003]"), two), 4.4e-6);
    NEAR(seconds(p, "loggp", SPARSE("[0,1,3,3003],[1,0,1,1]"), two), 4.4e-6);
    /* a stage of one signal: o + L + o */
    NEAR(seconds(p, "loggp", PROGRAM("{\"sync\":\"dissemination\"}"), two), 1e-6);
    NEAR(seconds(p, "loggp", PROGRAM("{\"sync\":\"linear\"}"), two), 2e-6);
    /* four: average O = (4·0.2 + 8·1)/12, L = 7, so g = 0.7333, L = 6.8. In: 0.1 + 6.8, root takes three, 0.1 each;
     * out: 0.1, two gaps, 6.8, 0.1 */
    NEAR(seconds(p, "loggp", PROGRAM("{\"sync\":\"linear\"}"), (sup_platform_options){0}),
         (0.1 + 6.8 + 3 * 0.1 + 0.1 + 2 * 8.8 / 12 + 6.8 + 0.1) * 1e-6);
    sup_profile_free(p);
}

/* ---- the document's barriers, processes that are not alike ---- */

#define HEAD(hosts, processes, transport, placement)                                                                  \
    "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"t\",\"signature\":" \
    "{\"topology\":\"x\",\"cpu\":\"x\",\"cores\":2,\"hosts\":" hosts ",\"processes\":" processes                      \
    ",\"transport\":\"" transport "\",\"placement\":[" placement "]},"
#define VALUE(v) "{\"value\":" v ",\"n\":9}"
#define SELF(o) "{\"name\":\"self\",\"overhead_s\":" VALUE(o) "}"
#define CLASS(name, o, l, b) \
    "{\"name\":\"" name "\",\"overhead_s\":" VALUE(o) ",\"latency_s\":" VALUE(l) ",\"per_byte_s\":" VALUE(b) "}"

/* O_ii = 0.1, 0.5, 0.3, 0.7; pairs O 1, L 10. Tree: 1→0 and 3→2 take 2·10 + 1 = 21; 2→0 21: 42; 0→2 21: 63, because 2
 * has only just signalled. 0→1 and 2→3 are for receivers that have waited: 20 + max(O_00, O_11) = 20.5, and 20 +
 * max(O_22, O_33) = 20.7: 83.7. With O_00 in place of O_jj it were 83.3. */
static void rule_two(void **state) {
    (void)state;
    sup_profile *p = parsed(
        HEAD("1", "4", "shm",
             "{\"host\":0,\"hosts\":1,\"cores\":[0,1,2,3]}") "\"pairs\":[{\"transport\":\"shm\",\"processes\":4,"
                                                             "\"matrix\":[1,0,4,4,1,1,4,4,1,2,4,4,1,3],"
                                                             "\"classes\":[" SELF("1e-7") "," SELF("5e-7") "," SELF(
                                                                 "3e-7") "," SELF("7e-7") "," CLASS("host", "1e-6",
                                                                                                    "1e-5",
                                                                                                    "0") "]}]}");
    NEAR(seconds(p, "meyer", PROGRAM("{\"sync\":\"tree\"}"), (sup_platform_options){0}), 83.7e-6);
    /* a what-if of one process's own, O_11 = 3: 1→0 takes 23, which nobody notices, 0→1 takes 20 + 3: 86 */
    NEAR(seconds(p, "meyer", PROGRAM("{\"sync\":\"tree\"}"), (sup_platform_options){.what_if = "O[1,1]*6"}), 86e-6);
    sup_profile_free(p);
}

/* Three processes, O_ii = 0.1, 0.1, 5; pairs O 1, L 10, no bytes.
 *
 * Map: a stage takes 40 + max(O_rr, 1): 41, 41, 45. Stage 1 ends at 45 (from 2), 41, 45; stage 2 at 86, 90 (from 2),
 * 90; then O_rr: 86.1, 90.1, 95. Tree: 1→0 ends at 21, 21, 5 (idle); 2→0 with O_22 = 5: 30, 21.1, 30; 0→2: 51, 21.2,
 * 51; 0→1, who has waited: 71.1, 71.1, 56. The sum of the maxima is 166.1. The maximum of the sums is 161.2, of
 * process 1. */
static void map_and_tree(void **state) {
    (void)state;
    sup_profile *p = parsed(
        HEAD("1", "3", "shm",
             "{\"host\":0,\"hosts\":1,\"cores\":[0,1,2]}") "\"pairs\":[{\"transport\":\"shm\",\"processes\":3,"
                                                           "\"matrix\":[1,0,3,2,1,0,3,2,1,1],"
                                                           "\"classes\":[" SELF("1e-7") "," SELF(
                                                               "5e-6") "," CLASS("host", "1e-6", "1e-5", "0") "]}]}");
    NEAR(seconds(p, "meyer", EMPTY, (sup_platform_options){0}), 166.1e-6);
    /* computation ends with the slowest before anybody's map is complete */
    NEAR(seconds(p, "meyer", PROGRAM("{\"compute\":[{\"seconds\":[0,0,1e-3]}]}"), (sup_platform_options){0}),
         1166.1e-6);
    sup_profile_free(p);
}

/* ---- channels ---- */

#define CHANNEL(number, mechanism, o, l)                                                                            \
    "{\"name\":\"c\",\"number\":" number ",\"transport\":\"openmpi\",\"setup\":\"ring\",\"mechanism\":\"" mechanism \
    "\",\"overhead_s\":{\"segments\":[{\"x_lo\":0,\"x_hi\":1e6,\"intercept\":" o                                    \
    ",\"slope\":0,\"residual\":0.01,\"n\":9}]},\"transfer\":{\"bytes\":[1,1000],\"rows\":[{\"tau\":1,\"seconds\":"  \
    "[" l "," l "]},{\"tau\":2,\"seconds\":[" l "," l "]}]}}"
#define NEAR_CHANNEL CHANNEL("0", "buffered", "1e-6", "30e-6")
#define FAR_CHANNEL CHANNEL("1", "tcp", "50e-6", "6e-3")
#define TWO_HOSTS(order, channels)                                                                                     \
    HEAD("2", "4", "openmpi", "{\"host\":0,\"hosts\":2,\"cores\":[0,1],\"order\":\"" order "\"}")                      \
    "\"pairs\":[{\"transport\":\"openmpi\",\"processes\":4,\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]}" \
    ","                                                                                                                \
    "{\"name\":\"all\",\"size\":0,\"classes\":[1]}],\"exceptions\":[0,1,1,2,1,0,0,2,2,3,3,2,3,2,2,2],\"classes\":"     \
    "[" SELF("1e-7") "," CLASS("network", "1e-6", "1e-5", "1e-8") "," CLASS("host", "1e-6", "1e-5",                    \
                                                                            "1e-8") "]}],"                             \
                                                                                    "\"channels\":[" channels "]}"

/* Inside a host 1 + 2·30 = 61, between hosts 50 + 6000 = 6050, however they are listed. */
static void channels(void **state) {
    (void)state;
    static const char *const files[] = {TWO_HOSTS("block", NEAR_CHANNEL "," FAR_CHANNEL),
                                        TWO_HOSTS("block", FAR_CHANNEL "," NEAR_CHANNEL),
                                        /* measured by other means as well */
                                        TWO_HOSTS("block",
                                                  CHANNEL("2", "rdma", "1", "1") "," FAR_CHANNEL "," NEAR_CHANNEL)};
    for (int k = 0; k < 3; k++) {
        sup_profile *p = parsed(files[k]);
        NEAR(seconds(p, "lognp", SPARSE("[0,1,1,100]"), (sup_platform_options){0}), 61e-6);
        NEAR(seconds(p, "lognp", SPARSE("[0,2,1,100]"), (sup_platform_options){0}), 6050e-6);
        NEAR(seconds(p, "lognp", SPARSE("[3,2,2,100]"), (sup_platform_options){0}), 122e-6);
        /* 0→1 and 2→3 inside; 1→2 and 3→0 between, then all between */
        NEAR(seconds(p, "lognp", PROGRAM("{\"sync\":\"dissemination\"}"), (sup_platform_options){0}), 12100e-6);
        NEAR(seconds(p, "lognp", PROGRAM("{\"sync\":\"dissemination\"}"), (sup_platform_options){.processes = 2}),
             61e-6);
        for (size_t i = 0; sup_models[i]; i++) {
            if (!strcmp(sup_models[i]->name, "bsp")) continue;
            sup_profile *first = parsed(files[0]);
            const char *text = PROGRAM("{\"communicate\":[{\"pattern\":\"all-to-all\",\"bytes\":5000}]}");
            NEAR(seconds(p, sup_models[i]->name, text, (sup_platform_options){0}),
                 seconds(first, sup_models[i]->name, text, (sup_platform_options){0}));
            sup_profile_free(first);
        }
        sup_profile_free(p);
    }
}

static void channel_is_missing(void **state) {
    (void)state;
    sup_profile *p = parsed(TWO_HOSTS("block", NEAR_CHANNEL));
    sup_platform *m = open_platform(p, (sup_platform_options){0});
    sup_diag diag = {0};
    sup_step step = {.repeat = 1};
    assert_int_equal(sup_model_find("lognp")->check(m, &step, &diag), SUP_ENOENT);
    assert_true(strstr(diag.text, "between hosts") && strstr(diag.text, "measure --net openmpi"));
    sup_platform_free(m);
    m = open_platform(p, (sup_platform_options){.processes = 2});
    assert_int_equal(sup_model_find("lognp")->check(m, &step, &diag), SUP_OK);
    sup_platform_free(m);
    sup_profile_free(p);
}

/* ---- matrices that do not fit ---- */

static void refused_profile(const char *text, const char *because) {
    sup_json *doc = NULL;
    sup_diag diag = {0};
    sup_profile *p = NULL;
    assert_int_equal(sup_json_parse("profile", text, strlen(text), &diag, &doc), SUP_OK);
    assert_int_equal(sup_profile_parse(doc, true, &diag, &p), SUP_EPARSE);
    if (!strstr(diag.text, because)) fail_msg("%s", diag.text);
    sup_json_free(doc);
}

static void refused_program(const char *text, int64_t processes, const char *because) {
    sup_json *doc = NULL;
    sup_diag diag = {0};
    sup_program *p = NULL;
    assert_int_equal(sup_json_parse("p", text, strlen(text), &diag, &doc), SUP_OK);
    assert_int_equal(sup_program_parse(doc, "p", &diag, &p), SUP_OK);
    assert_int_equal(sup_program_fit(p, processes, &diag), SUP_EINVAL);
    if (!strstr(diag.text, because)) fail_msg("%s", diag.text);
    sup_program_free(p);
    sup_json_free(doc);
}

#define MATRIX(processes, of, runs)                                             \
    HEAD("1", processes, "shm", "{\"host\":0,\"hosts\":1,\"cores\":[0,1,2,3]}") \
    "\"pairs\":[{\"transport\":\"shm\",\"processes\":" of ",\"matrix\":[" runs  \
    "],\"classes\":[" SELF("1e-7") "," CLASS("host", "1e-6", "1e-5", "0") "]}]}"
#define TWO_BY_TWO "1,0,2,1,1,0"

static void matrices(void **state) {
    (void)state;
    refused_profile(MATRIX("4", "4", TWO_BY_TWO), "fewer");
    refused_profile(MATRIX("4", "2", TWO_BY_TWO), "pairs of 2 processes in a profile of 4");
    refused_profile(MATRIX("4", "4", "17,0"), "more");
    refused_profile(MATRIX("4", "4", "16,2"), "class 2");
    refused_profile(MATRIX("4", "4", "16"), "pairs of count and class");
    sup_profile *p = parsed(MATRIX("4", "4", "16,1"));
    uint16_t classes[4] = {0, 1, 1, 0};
    sup_diag diag = {0};
    sup_platform *m = NULL;
    sup_platform_options o = {.processes = 4};
    assert_int_equal(sup_pairs_set_matrix(&p->pairs[0], 2, classes), SUP_OK); /* made by a program */
    assert_int_equal(sup_platform_open(p, &o, &diag, &m), SUP_EINVAL);
    assert_true(strstr(diag.text, "of 2 processes, not of 4") != NULL);
    sup_profile_free(p);
    /* what a program sends, as a matrix, is of so many processes and no others */
    const char *dense = PROGRAM("{\"communicate\":[{\"pattern\":\"dense\",\"messages\":[[0,1],[1,0]],\"bytes\":"
                                "[[0,8],[8,0]]}]}");
    refused_program(dense, 4, "2 x 2");
    refused_program(dense, 3, "2 x 2");
    refused_program(dense, 1, "2 x 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_measured), cmocka_unit_test(carried),  cmocka_unit_test(other_barriers),
        cmocka_unit_test(gets),        cmocka_unit_test(again),    cmocka_unit_test(over_messages),
        cmocka_unit_test(loggp),       cmocka_unit_test(rule_two), cmocka_unit_test(map_and_tree),
        cmocka_unit_test(channels),    cmocka_unit_test(matrices), cmocka_unit_test(channel_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
