/* The equation, its terms, what-ifs, extensions and the public calls, on a machine of round numbers (four.json): two
 * hosts of two; O 0.2, L 1 us, B 1 ns inside a host; O 1, L 10 us, B 10 ns between them; O_ii 0.1 us. */
#include "model/equation/model.h"

#include <superstep/model.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b) + 1e-18)

typedef struct world {
    sup_profile *profile;
    sup_platform *m;
    sup_program *program;
} world;

static const char *data(const char *file) {
    static char path[512];
    snprintf(path, sizeof path, "%s/model/%s", SUP_TEST_DATA, file);
    return path;
}

static world open_world(const char *profile, const char *program, sup_platform_options o) {
    world w = {0};
    sup_diag diag = {0};
    sup_json *doc = NULL;
    if (sup_profile_read(data(profile), true, &diag, &w.profile)) fail_msg("%s", diag.text);
    if (sup_platform_open(w.profile, &o, &diag, &w.m)) fail_msg("%s", diag.text);
    if (sup_json_parse("p", program, strlen(program), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_program_parse(doc, "p", &diag, &w.program)) fail_msg("%d: %s", diag.line, diag.text);
    if (sup_program_fit(w.program, w.m->processes, &diag)) fail_msg("%s", diag.text);
    sup_json_free(doc);
    return w;
}

static void close_world(world *w) {
    sup_program_free(w->program);
    sup_platform_free(w->m);
    sup_profile_free(w->profile);
}

#define PROGRAM(steps) "{\"kind\":\"superstep-program\",\"schema\":1,\"supersteps\":[" steps "]}"

static sup_program_cost cost_of(const world *w, const char *model) {
    sup_program_cost c;
    sup_diag diag = {0};
    if (sup_model_program(sup_model_find(model), w->m, w->program, &diag, &c)) fail_msg("%s", diag.text);
    return c;
}

/* T = (Tcomp − T'comp) + (Tcomm − T'comm) + max(T'comp, T'comm): 10 us, 60 % of it beside a message of fig. 8.9:
 * 2L + (16 + 984)·B/2 + O = 20 + 5 + 1 = 26 us, all of it overlappable. */
static void equation(void **state) {
    (void)state;
    world w =
        open_world("four.json",
                   PROGRAM("{\"sync\":\"none\",\"compute\":[{\"seconds\":1e-5,\"overlap\":0.6}],"
                           "\"communicate\":[{\"pattern\":\"sparse\",\"kind\":\"hpput\",\"edges\":[[0,2,1,984]]}]}"),
                   (sup_platform_options){0});
    sup_program_cost c = cost_of(&w, "meyer");
    NEAR(c.total.value, 4e-6 + 26e-6);
    NEAR(c.hidden_s, 6e-6);
    assert_int_equal(c.steps[0].cost.critical, 0);
    NEAR(c.part_s[SUP_BOUND_COMPUTATION], 4e-6);
    NEAR(c.part_s[SUP_BOUND_LATENCY], 21e-6);
    NEAR(c.part_s[SUP_BOUND_BANDWIDTH], 5e-6);
    assert_int_equal(c.bound, SUP_BOUND_LATENCY);
    NEAR(c.imbalance, 1.0);
    sup_program_cost_free(&c);
    close_world(&w);
}

/* R⊗C: the curve of footprints and of active cores; imbalance is longest over average. */
static void computation(void **state) {
    (void)state;
    world w =
        open_world("four.json",
                   PROGRAM("{\"sync\":\"none\",\"compute\":[{\"kernel\":\"dot\",\"units\":[1000,2000,3000,1000000]}]}"),
                   (sup_platform_options){0});
    sup_program_cost c = cost_of(&w, "flow");
    NEAR(c.total.value, 1e6 * 4e-9); /* 16 MB: out of cache, two cores of a host active */
    NEAR(c.imbalance, 4e-3 * 4 / (1e-6 + 2e-6 + 3e-6 + 4e-3));
    assert_int_equal(c.steps[0].cost.critical, 3);
    assert_true(c.total.low < c.total.value && c.total.high > c.total.value);
    sup_program_cost_free(&c);
    close_world(&w);
    w = open_world("four.json", PROGRAM("{\"sync\":\"none\",\"compute\":[{\"kernel\":\"dot\",\"units\":1000}]}"),
                   (sup_platform_options){0});
    c = cost_of(&w, "flow");
    NEAR(c.total.value, 1e3 * 1e-9); /* in cache */
    sup_program_cost_free(&c);
    close_world(&w);
}

/* Heterogeneous Hockney: the sender's messages one after the other. */
static void pairs(void **state) {
    (void)state;
    world w =
        open_world("four.json",
                   PROGRAM("{\"sync\":\"none\",\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[[0,1,2,2000],[0,3,1,"
                           "100]]}]}"),
                   (sup_platform_options){0});
    sup_program_cost c = cost_of(&w, "pair");
    NEAR(c.total.value, 2 * (0.2e-6 + 1e-6 + 1e-6) + 1e-6 + 10e-6 + 1e-6);
    sup_program_cost_free(&c);
    c = cost_of(&w, "bsp"); /* h = 2100 bytes, g = 8 ns a word of 8 bytes */
    NEAR(c.total.value, 2100 / 8 * 8e-9 + 0.5 * 8e-9);
    sup_program_cost_free(&c);
    close_world(&w);
}

/* Fig. 6.2 on two processes of a host, by hand: one stage of (2 − 1)·2 integers, O_rr behind it; tree by eq. 5.4. */
static void map_barrier(void **state) {
    (void)state;
    world w = open_world("four.json", PROGRAM("{}"), (sup_platform_options){.processes = 2});
    sup_program_cost c = cost_of(&w, "meyer");
    double map = 0.2e-6 + 2e-6 + 2e-6 + 16 * 2e-9 + 4 * 2 * 4 * 1e-9 + 2 * 2 * 4 * 1e-9 + 0.1e-6;
    double tree = 2 * (2e-6 + 0.2e-6); /* two stages, no stage between: nobody has waited for long */
    NEAR(c.total.value, map + tree);
    sup_program_cost_free(&c);
    close_world(&w);
}

static void what_if(void **state) {
    (void)state;
    const char *program = PROGRAM("{\"sync\":\"none\",\"compute\":[{\"seconds\":1e-5}],\"communicate\":[{\"pattern\":"
                                  "\"sparse\",\"edges\":[[3,0,1,1000]]}]}");
    double base = 10e-6 + 1e-6 + 10e-6 + 10e-6;
    static const struct {
        const char *text;
        double saved;
    } cases[] = {{"L*0.5", 5e-6},
                 {"B/2", 5e-6},
                 {"O*0.5", 0.5e-6},
                 {"rate[3]*2", 5e-6},
                 {"L[0:1,*]*0.5", 0},
                 {"B[3,0]/2", 5e-6},
                 {"B[ 2:3 , 0:1 ]*0.5", 5e-6},
                 {"rate*2,L*0.5", 10e-6},
                 {"B[2:3,0:1]*2", -10e-6},
                 {"sync*9", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w = open_world("four.json", program, (sup_platform_options){.what_if = cases[i].text});
        sup_program_cost c = cost_of(&w, "pair");
        NEAR(c.total.value, base - cases[i].saved);
        sup_program_cost_free(&c);
        close_world(&w);
    }
}

static void what_if_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",           "L",          "L*",        "L*0",    "L*-1",
                                      "L*nan",      "L*1e99",     "X*2",       "L[0]*2", "L[0,4]*2",
                                      "L[1:0,0]*2", "rate[9]*2",  "sync[0]*2", "L*2,",   "L*2 B*2",
                                      "L[0,0*2",    "rate[-1]*2", "L[0:,1]*2", "B[,]*2", "L*2;"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sup_edit *list = NULL;
        size_t n = 0;
        sup_diag diag = {0};
        assert_int_equal(sup_edits_parse(bad[i], 4, &diag, &list, &n), SUP_EINVAL);
        assert_string_equal(diag.file, "what-if");
        assert_null(list);
    }
}

static void extension(void **state) {
    (void)state;
    world w = open_world("two-hosts.json", PROGRAM("{}"), (sup_platform_options){.extend = "nodes=1024"});
    assert_int_equal(w.m->processes, 4096);
    assert_int_equal(sup_platform_class(w.m, 0, 3), 1);
    assert_int_equal(sup_platform_class(w.m, 4092, 4095), 1);
    assert_int_equal(sup_platform_class(w.m, 3, 4), 2);
    sup_program_cost c = cost_of(&w, "flow");
    assert_true(c.total.value > 3e-6 && c.total.value < 100e-6); /* 12 stages instead of 3 */
    sup_program_cost_free(&c);
    sup_platform *m = NULL;
    sup_diag diag = {0};
    sup_platform_options bad = {.extend = "nodes=0"};
    assert_int_equal(sup_platform_open(w.profile, &bad, &diag, &m), SUP_EINVAL);
    bad.extend = "nodes=4294967296";
    assert_int_equal(sup_platform_open(w.profile, &bad, &diag, &m), SUP_EINVAL);
    w.profile->signature.hosts = 1;
    bad.extend = "nodes=4";
    assert_int_equal(sup_platform_open(w.profile, &bad, &diag, &m), SUP_EINVAL);
    assert_true(strstr(diag.text, "one host") != NULL);
    w.profile->signature.hosts = 2;
    close_world(&w);
}

/* Barriers that were measured are predicted as they were measured, in their order. */
static void calibration(void **state) {
    (void)state;
    world w = open_world("two-hosts.json", PROGRAM("{}"), (sup_platform_options){0});
    static const double seconds[] = {6e-6, 5e-6, 3e-6};
    const char *const names[] = {"linear", "tree", "dissemination"};
    for (int k = 0; k < 3; k++) {
        sup_pattern p = sup_pattern_make(sup_generator_find(names[k]), 8);
        sup_prediction r;
        assert_int_equal(sup_barrier_cost(w.m, &p, false, NULL, &r), SUP_OK);
        NEAR(r.value, seconds[k]);
        assert_true(r.low < r.value && r.value < r.high);
    }
    close_world(&w);
}

/* Every model of the table answers or names what it lacks; more work never takes less time. */
static void all_models(void **state) {
    (void)state;
    const char *less =
                   PROGRAM("{\"compute\":[{\"kernel\":\"dot\",\"units\":1000}],\"communicate\":[{\"pattern\":\"ring\","
                           "\"bytes\":1000}]}"),
               *more =
                   PROGRAM("{\"compute\":[{\"kernel\":\"dot\",\"units\":2000}],\"communicate\":[{\"pattern\":\"ring\","
                           "\"bytes\":100000}]}");
    for (size_t i = 0; sup_models[i]; i++) {
        world a = open_world("two-hosts.json", less, (sup_platform_options){0});
        world b = open_world("two-hosts.json", more, (sup_platform_options){0});
        sup_program_cost x, y;
        sup_diag diag = {0};
        sup_status st = sup_model_program(sup_models[i], a.m, a.program, &diag, &x);
        if (!strcmp(sup_models[i]->name, "lognp") || !strcmp(sup_models[i]->name, "taulop")) {
            assert_int_equal(st, SUP_ENOENT);
            assert_true(strstr(diag.text, "superstep measure") != NULL);
        } else {
            assert_int_equal(st, SUP_OK);
            y = cost_of(&b, sup_models[i]->name);
            assert_true(x.total.value > 0 && y.total.value > x.total.value);
            assert_true(x.total.low <= x.total.value && x.total.value <= x.total.high);
            sup_program_cost_free(&x);
            sup_program_cost_free(&y);
        }
        close_world(&a);
        a = open_world("two-hosts.json", less, (sup_platform_options){.processes = 1}); /* nobody to send to */
        x = cost_of(&a, sup_models[i]->name);
        assert_true(x.total.value > 0);
        sup_program_cost_free(&x);
        close_world(&a);
        close_world(&b);
    }
    assert_null(sup_model_find("nonsense"));
}

static void missing_measurements(void **state) {
    (void)state;
    world w = open_world("two-hosts.json", PROGRAM("{\"compute\":[{\"kernel\":\"frob\",\"units\":1}]}"),
                         (sup_platform_options){0});
    sup_program_cost c;
    sup_diag diag = {0};
    sup_platform *m = NULL;
    assert_int_equal(sup_model_program(sup_model_find("flow"), w.m, w.program, &diag, &c), SUP_ENOENT);
    assert_true(strstr(diag.text, "frob") && strstr(diag.text, "superstep measure"));
    sup_platform_options o = {.transport = "mpich"};
    assert_int_equal(sup_platform_open(w.profile, &o, &diag, &m), SUP_ENOENT);
    assert_true(strstr(diag.text, "measure --net mpich") != NULL);
    o = (sup_platform_options){.processes = 9};
    assert_int_equal(sup_platform_open(w.profile, &o, &diag, &m), SUP_EINVAL);
    close_world(&w);
}

/* ---- reading programs ---- */

static void bad_programs(void **state) {
    (void)state;
    static const char *const bad[] = {
        "{}",
        "{\"kind\":\"superstep-program\",\"schema\":1}",
        PROGRAM(""),
        PROGRAM("{\"repeat\":0}"),
        PROGRAM("{\"frob\":1}"),
        PROGRAM("{\"sync\":\"frob\"}"),
        PROGRAM("{\"compute\":[{}]}"),
        PROGRAM("{\"compute\":[{\"seconds\":-1}]}"),
        PROGRAM("{\"compute\":[{\"seconds\":1e999}]}"),
        PROGRAM("{\"compute\":[{\"seconds\":\"NaN\"}]}"),
        PROGRAM("{\"compute\":[{\"seconds\":[1,-1]}]}"),
        PROGRAM("{\"compute\":[{\"units\":1}]}"),
        PROGRAM("{\"compute\":[{\"kernel\":\"dot\",\"units\":1,\"overlap\":1.5}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"frob\",\"bytes\":1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"ring\"}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"ring\",\"bytes\":-1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"ring\",\"bytes\":1,\"root\":1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[[0,1,1]]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[[0,-1,1,1]]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[[0,1,0,1]]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"dense\",\"messages\":[[0,1],[0,0]],\"bytes\":[[0,1]]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"dense\",\"messages\":[[0,1],[0]],\"bytes\":[[0,1],[0,0]]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"stencil-2d\",\"cells\":[1],\"depth\":1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"stencil-2d\",\"cells\":[8,8],\"bytes\":1}]}"),
        PROGRAM("{\"communicate\":[7]}"),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sup_json *doc = NULL;
        sup_diag diag = {0};
        sup_program *p = NULL;
        sup_status st = sup_json_parse("p", bad[i], strlen(bad[i]), &diag, &doc);
        if (!st) st = sup_program_parse(doc, "p", &diag, &p);
        if (st != SUP_EPARSE) fail_msg("accepted: %s", bad[i]);
        assert_true(diag.text[0] && !strchr(diag.text, '\n'));
        sup_json_free(doc);
    }
}

static void does_not_fit(void **state) {
    (void)state;
    static const char *const bad[] = {
        PROGRAM("{\"compute\":[{\"seconds\":[1,2,3]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[[0,4,1,1]]}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"stencil-2d\",\"grid\":[3,2],\"bytes\":1}]}"),
        PROGRAM(
            "{\"communicate\":[{\"pattern\":\"stencil-3d\",\"grid\":[1073741824,1073741824,1073741824],\"bytes\":1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"broadcast\",\"root\":4,\"bytes\":1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"random\",\"degree\":4,\"bytes\":1}]}"),
        PROGRAM("{\"communicate\":[{\"pattern\":\"summa\",\"bytes\":1},{\"pattern\":\"ring\",\"bytes\":1}]}"),
        "{\"kind\":\"superstep-program\",\"schema\":1,\"processes\":3,\"supersteps\":[{}]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sup_json *doc = NULL;
        sup_diag diag = {0};
        sup_program *p = NULL;
        assert_int_equal(sup_json_parse("p", bad[i], strlen(bad[i]), &diag, &doc), SUP_OK);
        if (sup_program_parse(doc, "p", &diag, &p)) fail_msg("%s: %s", bad[i], diag.text);
        if (sup_program_fit(p, 4, &diag) != SUP_EINVAL) fail_msg("fits: %s", bad[i]);
        sup_program_free(p);
        sup_json_free(doc);
    }
}

/* Dense, sparse and generated forms of one matrix are one requirement. */
static void forms_agree(void **state) {
    (void)state;
    static const char *const forms[] = {
        PROGRAM("{\"communicate\":[{\"pattern\":\"ring\",\"both_ways\":false,\"bytes\":100}]}"),
        PROGRAM(
            "{\"communicate\":[{\"pattern\":\"sparse\",\"edges\":[[3,0,1,100],[0,1,1,100],[2,3,1,100],[1,2,1,100]]}]}"),
        PROGRAM(
            "{\"communicate\":[{\"pattern\":\"dense\",\"messages\":[[0,1,0,0],[0,0,1,0],[0,0,0,1],[1,0,0,0]],\"bytes\":"
            "[[0,100,0,0],[0,0,100,0],[0,0,0,100],[100,0,0,0]]}]}"),
    };
    double first = 0;
    for (int i = 0; i < 3; i++) {
        world w = open_world("four.json", forms[i], (sup_platform_options){0});
        sup_program_cost c = cost_of(&w, "flow");
        if (!i) first = c.total.value;
        NEAR(c.total.value, first);
        sup_program_cost_free(&c);
        close_world(&w);
    }
}

/* ---- public calls ---- */

static void running_program(void **state) {
    (void)state;
    sup_costs *c = NULL;
    sup_diag diag = {0};
    sup_cost near, far, sync, all;
    assert_int_equal(sup_costs_load(data("nothing.json"), 4, &diag, &c), SUP_ENOENT);
    assert_int_equal(sup_costs_load(data("four.json"), 0, &diag, &c), SUP_EINVAL);
    assert_int_equal(sup_costs_load(data("four.json"), 5, &diag, &c), SUP_EINVAL);
    assert_int_equal(sup_costs_load(data("four.json"), 4, &diag, &c), SUP_OK);
    assert_int_equal(sup_cost_put(c, 0, 1, 1000, &near), SUP_OK);
    assert_int_equal(sup_cost_put(c, 0, 2, 1000, &far), SUP_OK);
    NEAR(near.seconds, 0.2e-6 + 1e-6);
    NEAR(far.seconds, 1e-6 + 10e-6);
    assert_int_equal(sup_cost_put(c, 0, 4, 8, &far), SUP_EINVAL);
    assert_int_equal(sup_cost_sync(c, &sync), SUP_OK);
    assert_true(sync.low <= sync.seconds && sync.seconds <= sync.high && sync.seconds > 0);
    double compute[4] = {1e-3, 0, 0, 0};
    sup_cost_message m = {0, 2, 1, 1000}, bad = {0, 9, 1, 1};
    assert_int_equal(sup_cost_superstep(c, compute, &m, 1, &all), SUP_OK);
    assert_true(all.seconds > 1e-3 + sync.seconds);
    assert_int_equal(sup_cost_superstep(c, NULL, NULL, 0, &all), SUP_OK);
    NEAR(all.seconds, sync.seconds);
    assert_int_equal(sup_cost_superstep(c, NULL, &bad, 1, &all), SUP_EINVAL);
    compute[1] = NAN;
    assert_int_equal(sup_cost_superstep(c, compute, &m, 1, &all), SUP_EINVAL);
    sup_costs_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equation),     cmocka_unit_test(computation),
        cmocka_unit_test(pairs),        cmocka_unit_test(map_barrier),
        cmocka_unit_test(what_if),      cmocka_unit_test(what_if_refused),
        cmocka_unit_test(extension),    cmocka_unit_test(calibration),
        cmocka_unit_test(all_models),   cmocka_unit_test(missing_measurements),
        cmocka_unit_test(bad_programs), cmocka_unit_test(does_not_fit),
        cmocka_unit_test(forms_agree),  cmocka_unit_test(running_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
