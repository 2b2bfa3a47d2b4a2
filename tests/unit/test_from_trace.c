/* A trace as a program: it says what was asked for, and computation without calls; prices are the profile's. */
#include "model/equation/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b) + 1e-18)
#define HEAD                                                                                                           \
    "{\"kind\": \"superstep-trace\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"superstep 0\"," \
    "\"signature\": {\"topology\": \"abc\", \"cpu\": \"x\", \"cores\": 2, \"hosts\": 1, \"processes\": 2,"             \
    " \"transport\": \"shm\"}, \"program\": \"prog\", \"engine\": \"bulk\", \"supersteps\": 2, \"sites\": "            \
    "[{\"place\": "                                                                                                    \
    "\"prog+0x10\"}],"
#define TIME(m) "{\"mean\": " m ", \"sd\": 0, \"min\": " m ", \"max\": " m ", \"median\": " m "}"
#define TAIL "\"classes\": [{\"count\": 2, \"steps\": [0, 0]}], \"sequence\": [{\"repeat\": 2, \"classes\": [0]}]}"
#define STEP(traffic, compute, sync, more)                             \
    "{\"wall_s\": 1, \"steps\": [{\"site\": 0, \"count\": 2, " traffic \
    ", \"compute_s\": " TIME(compute) ", \"wait_s\": " TIME("0") ", \"sync_s\": " TIME(sync) more "}]}"
#define CALLS(calls, behind) ", \"calls_s\": " TIME(calls) ", \"behind_s\": " TIME(behind)
/* Process 0 puts without a buffer, process 1 with one. */
#define TRACE(c0, c1)                                                          \
    HEAD "\"processes\": [" STEP("\"hpputs\": [1, 2, 200000]", "4e-6", "1e-6", \
                                 c0) "," STEP("\"puts\": [0, 4, 64]", "3e-6", "2e-6", c1) "]," TAIL
#define NEW TRACE(CALLS("1e-6", "3e-6"), CALLS("5e-7", "0"))
#define OLD TRACE("", "")

typedef struct recorded {
    sup_trace *trace;
    sup_program *program;
} recorded;

static recorded open_trace(const char *text) {
    recorded r = {0};
    sup_json *doc = NULL;
    sup_diag d = {0};
    if (sup_json_parse("trace", text, strlen(text), &d, &doc) || sup_trace_parse(doc, true, &d, &r.trace) ||
        sup_program_from_trace(r.trace, &d, &r.program))
        fail_msg("%d: %s", d.line, d.text);
    sup_json_free(doc);
    return r;
}

static void close_trace(recorded *r) {
    sup_program_free(r->program);
    sup_trace_free(r->trace);
}

static void requirements(void **state) {
    (void)state;
    recorded r = open_trace(NEW);
    const sup_step *s = &r.program->steps[0];
    assert_int_equal(r.program->step_count, 1);
    assert_int_equal(s->repeat, 2);
    assert_string_equal(r.program->engine, "bulk");
    assert_true(s->recorded && !s->calls_inside);
    NEAR(s->works[0].units.each[0], 4e-6);
    NEAR(s->works[0].units.each[1], 3e-6);
    NEAR(s->works[0].overlap, 0.75); /* of the process that asked for something unbuffered */
    assert_int_equal(s->flows[0].edge_count, 2);
    const sup_edge *e = s->flows[0].edges;
    assert_int_equal(e[0].kind, SUP_MOVE_HPPUT);
    NEAR(e[0].bytes, 100000.0);
    NEAR(e[0].overlap, 1.0);
    assert_int_equal(e[1].kind, SUP_MOVE_PUT);
    NEAR(e[1].messages, 2.0);
    NEAR(e[1].overlap, 0.0);
    NEAR(s->measured_compute_s, 4e-6);
    NEAR(s->measured_calls_s, 1e-6);
    NEAR(s->measured_sync_s, 2e-6);
    NEAR(s->measured_s, 7e-6);
    close_trace(&r);
}

/* Of files that do not tell calls apart nothing else is known. */
static void earlier_files(void **state) {
    (void)state;
    recorded r = open_trace(OLD);
    const sup_step *s = &r.program->steps[0];
    assert_true(s->recorded && s->calls_inside);
    NEAR(s->works[0].overlap, 0.0);
    NEAR(s->measured_calls_s, 0.0);
    NEAR(s->measured_s, 6e-6);
    close_trace(&r);
}

static double bandwidth(const sup_program *program, const char *transport, const char *what_if) {
    char path[512];
    sup_profile *profile = NULL;
    sup_platform *m = NULL;
    sup_program_cost c;
    sup_diag d = {0};
    snprintf(path, sizeof path, "%s/model/four.json", SUP_TEST_DATA);
    if (sup_profile_read(path, true, &d, &profile)) fail_msg("%s", d.text);
    if (transport) { /* the same numbers, over messages */
        strcpy(profile->pairs[0].transport, transport);
        strcpy(profile->signature.transport, transport);
    }
    sup_platform_options o = {.transport = transport, .processes = 2, .what_if = what_if};
    if (sup_platform_open(profile, &o, &d, &m)) fail_msg("%s", d.text);
    if (sup_program_fit((sup_program *)(uintptr_t)program, 2, &d)) fail_msg("%s", d.text);
    if (sup_model_program(sup_model_find("flow"), m, program, &d, &c)) fail_msg("%s", d.text);
    double seconds = c.part_s[SUP_BOUND_BANDWIDTH];
    sup_program_cost_free(&c);
    sup_platform_free(m);
    sup_profile_free(profile);
    return seconds;
}

/* What was recorded over shared memory costs what the target's transport costs: every byte of an unbuffered put, too.
 */
static void prices_are_the_profiles(void **state) {
    (void)state;
    recorded r = open_trace(NEW);
    for (size_t p = 0; p < 2; p++) r.program->steps[0].works[0].units.each[p] = 0; /* nothing hides anything */
    double once = bandwidth(r.program, "mpi", NULL), hundred = bandwidth(r.program, "mpi", "B*100");
    assert_true(once >= 1e-9 * 100000 / 2);
    assert_true(hundred > 50 * once && hundred < 150 * once);
    once = bandwidth(r.program, NULL, NULL);
    hundred = bandwidth(r.program, NULL, "B*100");
    assert_true(once > 0 && hundred > 50 * once && hundred < 150 * once);
    close_trace(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements),
        cmocka_unit_test(earlier_files),
        cmocka_unit_test(prices_are_the_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
