/* Barriers priced by measured signals, on profiles made by hand whose best barrier is known; barriers that nobody
 * measured; words of barriers. Microseconds in comments. */
#include "model/equation/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b) + 1e-18)

#define VALUE(v) "{\"value\":" v ",\"ci\":0,\"n\":9}"
#define HEAD(hosts, processes, placement)                                                                             \
    "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"t\",\"signature\":" \
    "{\"topology\":\"x\",\"cpu\":\"x\",\"cores\":8,\"hosts\":" hosts ",\"processes\":" processes                      \
    ",\"transport\":\"openmpi\",\"placement\":[" placement "]},"
#define CLASS(name, o, l) \
    "{\"name\":\"" name "\",\"overhead_s\":" VALUE(o) ",\"latency_s\":" VALUE(l) ",\"per_byte_s\":" VALUE("1e-9") "}"
#define SELF "{\"name\":\"self\",\"overhead_s\":" VALUE("1e-7") "}"
#define SIGNAL(class, s, t, r, words)                                                                 \
    "{\"transport\":\"openmpi\",\"class\":\"" class "\",\"send_s\":" VALUE(s) ",\"travel_s\":" VALUE( \
        t) ",\"receive_s\":" VALUE(r) words "}"

/* One host of so many: a signal takes 1 + 5 + 2; two read a word in 4, three in 5, seven in 6. */
#define ONE(processes, cores)                                                                                      \
    HEAD("1", processes, "{\"host\":0,\"cores\":[" cores "]}")                                                     \
    "\"pairs\":[{\"transport\":\"openmpi\",\"processes\":" processes                                               \
    ",\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]},{\"name\":\"host\",\"size\":0,\"classes\":[1]}]," \
    "\"classes\":[" SELF                                                                                           \
    "," CLASS("host", "2e-6",                                                                                      \
              "7e-6") "]}],\"signals\":[" SIGNAL("host", "1e-6", "5e-6", "2e-6",                                   \
                                                 ",\"readers\":[2,3,7],\"publish_s\":[4e-6,5e-6,6e-6]") "]}"

/* Two hosts of two: 0.1 + 0.5 + 0.2 inside, 1 + 8 + 2 between. */
#define HOSTS                                                                                                          \
    HEAD("2", "4", "{\"host\":0,\"hosts\":2,\"cores\":[0,1],\"order\":\"block\"}")                                     \
    "\"pairs\":[{\"transport\":\"openmpi\",\"processes\":4,\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]}" \
    ","                                                                                                                \
    "{\"name\":\"host\",\"size\":2,\"classes\":[1]},{\"name\":\"network\",\"size\":0,\"classes\":[2]}],\"classes\":"   \
    "[" SELF "," CLASS("host", "2e-7", "1e-6") "," CLASS("network", "1e-6", "1e-5") "]}],\"signals\":[" SIGNAL(        \
        "host", "1e-7", "5e-7", "2e-7", "") "," SIGNAL("network", "1e-6", "8e-6", "2e-6", "") "]}"

static sup_profile *parsed(const char *text) {
    sup_json *doc = NULL;
    sup_diag diag = {0};
    sup_profile *p = NULL;
    if (sup_json_parse("profile", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, true, &diag, &p)) fail_msg("%s", diag.text);
    sup_json_free(doc);
    return p;
}

static sup_platform *platform_of(const sup_profile *p) {
    sup_platform *m = NULL;
    sup_diag diag = {0};
    if (sup_platform_open(p, &(sup_platform_options){0}, &diag, &m)) fail_msg("%s", diag.text);
    return m;
}

static sup_prediction cost_of(const sup_platform *m, const char *word) {
    sup_pattern p;
    sup_prediction cost;
    assert_int_equal(sup_pattern_read(word, m->processes, &p), SUP_OK);
    assert_int_equal(sup_barrier_cost(m, &p, false, NULL, &cost), SUP_OK);
    sup_pattern_free(&p);
    return cost;
}

static double cost(const sup_profile *p, const char *word) {
    sup_platform *m = platform_of(p);
    double value = cost_of(m, word).value;
    sup_platform_free(m);
    return value;
}

static void add_sync(sup_profile *p, const char *algorithm, double seconds) {
    sup_sync_time *s = SUP_APPEND(&sup_sync_record, p->sync, p->sync_count);
    assert_non_null(s);
    assert_int_equal(sup_record_set_string(&s->transport, "openmpi"), SUP_OK);
    assert_int_equal(sup_record_set_string(&s->algorithm, algorithm), SUP_OK);
    s->processes = p->signature.processes;
    s->time_s = sup_record_make(&sup_number_record);
    assert_non_null(s->time_s);
    s->time_s->value = seconds;
    s->time_s->ci = 0;
    s->time_s->n = 9;
}

static const char *best_of(const sup_profile *p, const char *const *words, size_t count) {
    sup_platform *m = platform_of(p);
    const char *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double c = cost_of(m, words[i]).value;
        if (c >= least) continue;
        least = c;
        best = words[i];
    }
    sup_platform_free(m);
    return best;
}

/* ---- by hand ---- */

static void one_host(void **state) {
    (void)state;
    static const char *const words[] = {"linear", "flags", "dissemination", "dissemination:4", "tree", "ring"};
    sup_profile *p = parsed(ONE("4", "0,1,2,3"));
    /* in: 1 + 5, then three times 2: 12; out: three times 1, then 5 + 2 */
    NEAR(cost(p, "linear"), 22e-6);
    /* the same in; three read one word in 5 */
    NEAR(cost(p, "flags"), 17e-6);
    NEAR(cost(p, "dissemination"), 16e-6);
    /* 3 signals sent, the last arrives at 3 + 5; of the three that come in, each takes 2: all wait for that at 8 */
    NEAR(cost(p, "dissemination:4"), 12e-6);
    assert_string_equal(best_of(p, words, 6), "dissemination:4");
    /* signals that travel long, words that do not: 20.4 in, 5 out, against two stages of 20.2 */
    p->signals[0].send_s->value = 0.1e-6;
    p->signals[0].travel_s->value = 20e-6;
    p->signals[0].receive_s->value = 0.1e-6;
    NEAR(cost(p, "flags"), 25.4e-6);
    assert_string_equal(best_of(p, words, 3), "flags");
    /* … unless many readers are in each other's way */
    p->signals[0].publish_s[1] = 200e-6;
    assert_string_equal(best_of(p, words, 3), "dissemination");
    sup_profile_free(p);
}

/* Between two measured numbers of readers along their logarithm; a word for one is a signal. */
static void readers_between(void **state) {
    (void)state;
    sup_profile *p = parsed(ONE("6", "0,1,2,3,4,5"));
    double in = 1 + 5 + 5 * 2, word = 5 + 1 * log(5.0 / 3) / log(7.0 / 3);
    NEAR(cost(p, "flags"), (in + word) * 1e-6);
    sup_profile_free(p);
    p = parsed(ONE("2", "0,1"));
    NEAR(cost(p, "flags"), 16e-6);
    sup_profile_free(p);
}

static void two_hosts(void **state) {
    (void)state;
    static const char *const words[] = {"linear",        "flags", "tree", "2 linear, linear", "2 linear, dissemination",
                                        "dissemination", "ring"};
    sup_profile *p = parsed(HOSTS);
    NEAR(cost(p, "2 linear, dissemination"), (0.8 + 11 + 0.8) * 1e-6);
    NEAR(cost(p, "2 flags, dissemination"), (0.8 + 11 + 0.8) * 1e-6); /* nobody measured words: they are signals */
    NEAR(cost(p, "linear"), (13 + 0.1 + 2 * 1 + 8 + 2) * 1e-6);
    assert_string_equal(best_of(p, words, 7), "2 linear, dissemination");
    sup_profile_free(p);
}

/* ---- measured barriers ---- */

static void as_measured(void **state) {
    (void)state;
    sup_profile *p = parsed(HOSTS);
    add_sync(p, "dissemination", 24e-6);
    add_sync(p, "dissemination:4", 19e-6);
    add_sync(p, "tree", 30e-6);
    add_sync(p, "2 linear, dissemination", 14e-6);
    add_sync(p, "no such barrier", 1e-6);
    sup_platform *m = platform_of(p);
    assert_int_equal(m->ratio_count, 4);
    NEAR(cost_of(m, "dissemination").value, 24e-6);
    NEAR(cost_of(m, "dissemination:4").value, 19e-6);
    NEAR(cost_of(m, "tree").value, 30e-6);
    NEAR(cost_of(m, "2 linear, dissemination").value, 14e-6);
    /* what nobody measured is less certain than what somebody did */
    sup_prediction known = cost_of(m, "tree"), other = cost_of(m, "2 linear, linear");
    assert_true(other.high / other.value >= known.high / known.value);
    sup_platform_free(m);
    sup_profile_free(p);
}

/* Signals that were measured too cheap; the barriers have the truth. Those that nobody measured come close to it. */
static void unlike_ones(void **state) {
    (void)state;
    static const char *const measured[] = {"linear", "tree", "dissemination", "dissemination:4", "flags", "ring"};
    static const char *const others[] = {"tree:4", "dissemination:3", "4 flags, dissemination", "2 linear, flags"};
    sup_profile *truth = parsed(ONE("8", "0,1,2,3,4,5,6,7")), *p = parsed(ONE("8", "0,1,2,3,4,5,6,7"));
    double sum = 0;
    for (size_t i = 0; i < 6; i++) add_sync(p, measured[i], 1.1 * cost(truth, measured[i]));
    p->signals[0].send_s->value *= 0.6;
    p->signals[0].receive_s->value *= 0.7;
    p->signals[0].travel_s->value *= 0.8;
    for (size_t i = 0; i < 6; i++) NEAR(cost(p, measured[i]), 1.1 * cost(truth, measured[i]));
    for (size_t i = 0; i < 4; i++) sum += fabs(cost(p, others[i]) / (1.1 * cost(truth, others[i])) - 1) / 4;
    assert_true(sum < 0.06);
    sup_profile_free(truth);
    sup_profile_free(p);
}

/* Classes without a row: the nearest latency's, in proportion. */
static void other_classes(void **state) {
    (void)state;
    sup_profile *p = parsed(ONE("2", "0,1"));
    assert_int_equal(sup_record_set_string(&p->signals[0].class, "L3"), SUP_OK);
    sup_platform *m = platform_of(p); /* no row for its only class: a signal is a message, 2 + 7 */
    NEAR(cost_of(m, "dissemination").value, 9e-6);
    assert_true(m->note_count > 0);
    sup_platform_free(m);
    assert_int_equal(sup_record_set_string(&p->signals[0].class, "host"), SUP_OK);
    assert_int_equal(sup_record_set_string(&p->pairs[0].classes[1].name, "host deviating 1"), SUP_OK);
    NEAR(cost(p, "dissemination"), 8e-6);
    sup_profile_free(p);
}

/* ---- words ---- */

static void words(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "linea",
                                      "2 linear",
                                      "2 linear,dissemination",
                                      "linear, tree",
                                      "1 linear, tree",
                                      "2linear, tree",
                                      "-2 linear, tree",
                                      "2 linear, ",
                                      "tree:1",
                                      "2 halving, tree",
                                      "2 tree, 2 tree, 2 tree, 2 tree, tree"};
    sup_pattern p, q;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(sup_pattern_read(bad[i], 8, &p), SUP_EINVAL);
    assert_int_equal(sup_pattern_read("tree:4", 8, &p), SUP_OK);
    assert_ptr_equal(p.generator, &sup_generator_tree);
    assert_int_equal(p.radix, 4);
    assert_int_equal(sup_pattern_read("4 flags, 2 linear, dissemination", 16, &p), SUP_OK);
    assert_int_equal(sup_pattern_read("4 flags, 2 linear, dissemination", 16, &q), SUP_OK);
    bool covers;
    int64_t deaf, unheard;
    assert_int_equal(sup_pattern_covers(&p, &covers, &deaf, &unheard), SUP_OK);
    assert_true(covers);
    assert_true(sup_pattern_same(&p, &q));
    sup_pattern_free(&q);
    assert_int_equal(sup_pattern_read("4 linear, 2 linear, dissemination", 16, &q), SUP_OK);
    assert_false(sup_pattern_same(&p, &q)); /* words in the place of signals */
    sup_pattern_free(&q);
    sup_pattern_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_host),    cmocka_unit_test(readers_between), cmocka_unit_test(two_hosts),
        cmocka_unit_test(as_measured), cmocka_unit_test(unlike_ones),     cmocka_unit_test(other_classes),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
