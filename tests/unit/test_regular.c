/* Ranks that are alike are priced once: every term of every process must be what pricing all edges gives, for every
 * generator, every number of processes up to 64 and some above, and every model, on a machine with groups of 4, 32 and
 * 64 ranks. */
#include "../sanitized.h"
#include "model/equation/model.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_profile *profile;
/* Of so many processes, with ranks that are alike and without: opening them takes longest. */
static sup_platform *by_class, *by_edge;

static int open_profile(void **state) {
    (void)state;
    sup_diag diag = {0};
    if (sup_profile_read(SUP_TEST_DATA "/model/regular.json", true, &diag, &profile)) fail_msg("%s", diag.text);
    return 0;
}

static void open_platforms(int64_t processes) {
    sup_platform_options alike = {.processes = processes, .regular_from = 1};
    sup_platform_options apart = {.processes = processes, .regular_from = INT64_MAX};
    sup_diag diag = {0};
    if (by_class && by_class->processes == processes) return;
    sup_platform_free(by_class);
    sup_platform_free(by_edge);
    by_class = by_edge = NULL;
    if (sup_platform_open(profile, &alike, &diag, &by_class) || sup_platform_open(profile, &apart, &diag, &by_edge))
        fail_msg("%s", diag.text);
}

static int close_profile(void **state) {
    (void)state;
    sup_platform_free(by_class);
    sup_platform_free(by_edge);
    sup_profile_free(profile);
    return 0;
}

static sup_program *program_of(const char *flows) {
    char text[600];
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_program *p = NULL;
    snprintf(text, sizeof text, "{\"kind\":\"superstep-program\",\"schema\":1,\"supersteps\":[{\"communicate\":[%s]}]}",
             flows);
    if (sup_json_parse("p", text, strlen(text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_program_parse(doc, "p", &diag, &p)) fail_msg("%s: %s", flows, diag.text);
    sup_json_free(doc);
    return p;
}

static void price(const sup_platform *m, const sup_model *model, const sup_step *step, int64_t round, bool must,
                  sup_terms *t) {
    sup_diag diag = {0};
    sup_regular *r = NULL;
    if (sup_terms_open(m->processes, &diag, t)) fail_msg("%s", diag.text);
    sup_terms_clear(t);
    if (sup_regular_open(m, step, round, &diag, &r)) fail_msg("%s", diag.text);
    assert_true(must == (r != NULL));
    *m->alike = r;
    model->comm(m, step, round, t);
    if (r) sup_regular_spread(r, t);
    *m->alike = NULL;
    sup_regular_close(r);
}

static void same_terms(const sup_terms *a, const sup_terms *b, const char *flows, const char *model, int64_t round) {
    const double *x[] = {a->latency, a->bytes, a->comm_over, a->late_latency, a->late_bytes, a->d_comm, a->d_late};
    const double *y[] = {b->latency, b->bytes, b->comm_over, b->late_latency, b->late_bytes, b->d_comm, b->d_late};
    double near = strcmp(model, "flow") ? 1e-9 : 1e-5; /* which adds up in single precision, in another order */
    for (int v = 0; v < 7; v++)
        for (int64_t p = 0; p < a->processes; p++)
            if (!(fabs(x[v][p] - y[v][p]) <= near * fabs(y[v][p])))
                fail_msg("%s, model %s, %" PRId64 " processes, round %" PRId64 ": term %d of %" PRId64 " is %g, not %g",
                         flows, model, a->processes, round, v, p, x[v][p], y[v][p]);
}

static void compare(const char *flows, int64_t processes, const char *name) {
    sup_diag diag = {0};
    const sup_model *model = sup_model_find(name);
    sup_program *program = program_of(flows);
    const sup_step *step = program->steps;
    open_platforms(processes);
    if (!sup_program_fit(program, processes, &diag)) /* a root beyond the last: not for so few */
        for (int64_t r = 0; r < sup_step_rounds(step, processes); r++) {
            sup_terms x, y;
            price(by_class, model, step, r, true, &x);
            price(by_edge, model, step, r, false, &y);
            same_terms(&x, &y, flows, name, r);
            sup_terms_close(&x);
            sup_terms_close(&y);
        }
    sup_program_free(program);
}

static const char *const patterns[] = {
    "{\"pattern\":\"ring\",\"bytes\":100}",
    "{\"pattern\":\"ring\",\"bytes\":100,\"periodic\":false}",
    "{\"pattern\":\"ring\",\"bytes\":100,\"both_ways\":false,\"kind\":\"get\"}",
    "{\"pattern\":\"shift\",\"bytes\":5000}",
    "{\"pattern\":\"shift\",\"bytes\":5000,\"offset\":-3,\"periodic\":false}",
    "{\"pattern\":\"shift\",\"bytes\":5000,\"offset\":37,\"kind\":\"hpput\"}",
    "{\"pattern\":\"shift\",\"bytes\":8,\"offset\":0}",
    "{\"pattern\":\"doubling\",\"bytes\":64}",
    "{\"pattern\":\"all-to-all\",\"bytes\":1000}",
    "{\"pattern\":\"all-to-all\",\"bytes\":1000,\"kind\":\"get\",\"messages\":3}",
    "{\"pattern\":\"gather\",\"bytes\":1000}",
    "{\"pattern\":\"gather\",\"bytes\":1000,\"root\":5}",
    "{\"pattern\":\"broadcast\",\"bytes\":1000}",
    "{\"pattern\":\"broadcast\",\"bytes\":1000,\"root\":37}",
    "{\"pattern\":\"broadcast\",\"bytes\":1000,\"algorithm\":\"binomial\"}",
    "{\"pattern\":\"broadcast\",\"bytes\":1000,\"algorithm\":\"binomial\",\"root\":6}",
    "{\"pattern\":\"broadcast\",\"bytes\":1000,\"algorithm\":\"two-phase\",\"root\":1}",
    "{\"pattern\":\"stencil-2d\",\"bytes\":800}",
    "{\"pattern\":\"stencil-2d\",\"cells\":[100,70],\"periodic\":true}",
    "{\"pattern\":\"stencil-2d\",\"cells\":[100,70],\"corners\":true,\"depth\":2}",
    "{\"pattern\":\"stencil-2d\",\"cells\":[9,17],\"corners\":true,\"depth\":3,\"kind\":\"hpget\"}",
    "{\"pattern\":\"stencil-2d\",\"bytes\":800,\"axis\":1}",
    "{\"pattern\":\"stencil-3d\",\"cells\":[20,30,41]}",
    "{\"pattern\":\"stencil-3d\",\"bytes\":64,\"periodic\":true,\"corners\":true}",
    "{\"pattern\":\"stencil-2d\",\"bytes\":800,\"axis\":0},{\"pattern\":\"stencil-2d\",\"bytes\":80,\"axis\":1}",
    "{\"pattern\":\"ring\",\"bytes\":100},{\"pattern\":\"gather\",\"bytes\":8,\"root\":2}",
    "{\"pattern\":\"stencil-2d\",\"cells\":[64,64]},{\"pattern\":\"ring\",\"bytes\":9}",
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static void every_number(void **state) {
    (void)state;
    for (int64_t p = 2; p <= (SANITIZED ? 33 : 64); p += SANITIZED ? p - 1 : p < 20 ? 1 : 5)
        for (size_t k = 0; k < PATTERNS; k++) compare(patterns[k], p, "flow");
}

static void larger_numbers(void **state) {
    (void)state;
    static const int64_t counts[] = {65, 130, 200};
    for (size_t i = 0; i < (SANITIZED ? 1 : sizeof counts / sizeof *counts); i++)
        for (size_t k = 0; k < PATTERNS; k++) compare(patterns[k], counts[i], "flow");
}

static void every_model(void **state) {
    (void)state;
    static const char *const models[] = {"pair", "meyer", "hockney", "bsp"};
    for (int64_t p = 40; p <= (SANITIZED ? 40 : 131); p += 91)
        for (size_t k = 0; k < PATTERNS; k++)
            for (size_t i = 0; i < sizeof models / sizeof *models; i++) compare(patterns[k], p, models[i]);
}

/* What is random, or listed, has no ranks that are alike; more than can be priced so is refused. */
static void irregular(void **state) {
    (void)state;
    sup_platform_options o = {.processes = 100, .regular_from = 1};
    sup_diag diag = {0};
    sup_platform *m;
    sup_regular *r = NULL;
    if (sup_platform_open(profile, &o, &diag, &m)) fail_msg("%s", diag.text);
    sup_program *random = program_of("{\"pattern\":\"random\",\"degree\":3,\"bytes\":8}");
    assert_int_equal(sup_regular_open(m, random->steps, 0, &diag, &r), SUP_OK);
    assert_null(r);
    sup_program_free(random);
    sup_platform_free(m);
    o.processes = 100000;
    o.what_if = "L[0:3,4:7]*2";
    if (sup_platform_open(profile, &o, &diag, &m)) fail_msg("%s", diag.text);
    sup_program *all = program_of("{\"pattern\":\"all-to-all\",\"bytes\":8}");
    assert_int_equal(sup_regular_open(m, all->steps, 0, &diag, &r), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "32768"));
    sup_program_free(all);
    sup_platform_free(m);
}

/* A million processes, all to all, is the same as on paper: each starts and takes in one message for each other one. */
static void million(void **state) {
    (void)state;
    sup_platform_options o = {.processes = 1000000};
    sup_diag diag = {0};
    sup_platform *m;
    sup_program_cost small, large;
    sup_program *all = program_of("{\"pattern\":\"all-to-all\",\"bytes\":8}");
    if (sup_platform_open(profile, &o, &diag, &m)) fail_msg("%s", diag.text);
    if (sup_program_fit(all, 1000000, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find("pair"), m, all, &diag, &large)) fail_msg("%s", diag.text);
    sup_platform_free(m);
    o.processes = 10000;
    if (sup_platform_open(profile, &o, &diag, &m)) fail_msg("%s", diag.text);
    if (sup_program_fit(all, 10000, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find("pair"), m, all, &diag, &small)) fail_msg("%s", diag.text);
    sup_platform_free(m);
    double each = (large.part_s[SUP_BOUND_BANDWIDTH] - small.part_s[SUP_BOUND_BANDWIDTH]) / 990000;
    assert_true(fabs(each - 8 * 1.5e-10) < 1e-3 * 8 * 1.5e-10); /* of the network's curve */
    sup_program_cost_free(&small);
    sup_program_cost_free(&large);
    sup_program_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number), cmocka_unit_test(larger_numbers),
                                       cmocka_unit_test(every_model), cmocka_unit_test(irregular),
                                       cmocka_unit_test(million)};
    return cmocka_run_group_tests(tests, open_profile, close_profile);
}
