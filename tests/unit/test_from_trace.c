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

/* ---- what is new ---- */

/* Four supersteps; the first of them met 100000 bytes of new memory in its sync, waited for 20 ms, and took longer. */
#define FIRST                                                                                                          \
    ", \"sync_new_bytes\": 130000, \"first\": {\"superstep\": 0, \"compute_s\": 4e-6, \"calls_s\": 1e-6, \"wait_s\": " \
    "2e-2, \"sync_s\": 9e-5, \"sync_new_bytes\": 100000}"
#define SECOND                                                                                                        \
    ", \"calls_new_bytes\": 6000, \"first\": {\"superstep\": 0, \"compute_s\": 4e-6, \"calls_s\": 3e-6, \"wait_s\": " \
    "0, "                                                                                                             \
    "\"sync_s\": 1e-6}"
#define ONE(traffic, count, more)                                                                        \
    "{\"wall_s\": 1, \"steps\": [{\"site\": 0, \"count\": " count ", " traffic ", \"compute_s\": " TIME( \
        "0") ", \"wait_s\": " TIME("0") ", \"sync_s\": " TIME("2e-6") ", \"calls_s\": " TIME("1e-6") more "}]}"
#define NEW_OF(count, first, second)                                                                                   \
    "{\"kind\": \"superstep-trace\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"superstep 0\"," \
    "\"signature\": {\"topology\": \"abc\", \"cpu\": \"x\", \"cores\": 2, \"hosts\": 1, \"processes\": 2,"             \
    " \"transport\": \"shm\"}, \"program\": \"prog\", \"engine\": \"eager\", \"supersteps\": " count                   \
    ", \"sites\": [{\"place\": \"prog+0x10\"}], \"processes\": [" ONE("\"gets\": []", count, first) "," ONE(           \
        "\"puts\": [0, " count ", 0]", count, second) "], \"classes\": [{\"count\": " count                            \
                                                      ", \"steps\": [0, 0]}], \"sequence\": []}"

static void what_is_new_is_known(void **state) {
    (void)state;
    recorded r = open_trace(NEW_OF("4", FIRST, SECOND));
    const sup_step *s = &r.program->steps[0];
    assert_true(s->has_first);
    NEAR(s->usual.sync[0], 10000.0); /* of the three behind the first */
    NEAR(s->usual.calls[1], 2000.0);
    assert_true(s->usual.used == 0.0 && s->first.used == 1.0);
    NEAR(s->first.sync[0], 100000.0);
    assert_null(s->first.calls);
    NEAR(s->first.wait_s, 2e-2);
    NEAR(s->measured_more_s, 3e-6 + 9e-5 - 3e-6);
    close_trace(&r);
    r = open_trace(NEW_OF("2", FIRST, SECOND)); /* half of what is usual */
    s = &r.program->steps[0];
    assert_false(s->has_first);
    NEAR(s->usual.used, 0.5);
    NEAR(s->usual.sync[0], 65000.0);
    assert_true(isnan(s->measured_more_s));
    close_trace(&r);
    r = open_trace(NEW_OF("1", "", "")); /* a file of an earlier version */
    s = &r.program->steps[0];
    assert_true(!s->has_first && s->usual.used == 0.0 && !s->usual.calls && !s->usual.sync);
    close_trace(&r);
}

static sup_file_curve *line(double intercept, double slope) {
    const double x[] = {8, 65536, 1048576};
    double y[3];
    sup_curve *c = NULL;
    for (int i = 0; i < 3; i++) y[i] = intercept + slope * x[i];
    sup_file_curve *out = sup_record_make(&sup_file_curve_record);
    if (!out || sup_curve_fit(x, y, 3, NULL, NULL, &c) || sup_file_curve_set(out, c)) fail_msg("no curve");
    sup_curve_free(c);
    return out;
}

/* Memory 0.5 ns a byte; waking 50 us from 10 ms on; first use 2 us before everybody is there, 3 us in the sync. */
static void add_first_times(sup_profile *p) {
    sup_first_time *f = SUP_APPEND(&sup_first_time_record, p->first, p->first_count);
    const double late[] = {1e-3, 10e-3}, waking[] = {0, 50e-6}, ci[] = {0, 0};
    f->processes = 2;
    f->memory_s = line(0, 0.5e-9);
    f->use_calls_s = line(2e-6, 0);
    f->use_sync_s = line(3e-6, 0);
    if (sup_record_set_string(&f->transport, "shm") || sup_record_set_reals(&f->late_s, &f->late_s_count, late, 2) ||
        sup_record_set_reals(&f->waking_s, &f->waking_s_count, waking, 2) ||
        sup_record_set_reals(&f->ci, &f->ci_count, ci, 2))
        fail_msg("out of memory");
}

static sup_program_cost cost_of(const recorded *r, bool known, const char *model) {
    char path[512];
    sup_profile *profile = NULL;
    sup_platform *m = NULL;
    sup_program_cost c;
    sup_diag d = {0};
    snprintf(path, sizeof path, "%s/model/four.json", SUP_TEST_DATA);
    if (sup_profile_read(path, true, &d, &profile)) fail_msg("%s", d.text);
    if (known) add_first_times(profile);
    sup_platform_options o = {.transport = "shm", .processes = 2};
    if (sup_profile_check(profile, &d) || sup_platform_open(profile, &o, &d, &m)) fail_msg("%s", d.text);
    if (sup_program_fit(r->program, 2, &d)) fail_msg("%s", d.text);
    if (sup_model_program(sup_model_find(model), m, r->program, &d, &c)) fail_msg("%s", d.text);
    sup_platform_free(m);
    sup_profile_free(profile);
    return c;
}

#define ABOUT(a, b) assert_true(fabs((a) - (b)) <= 0.01 * fabs(b))

static void first_times_are_priced(void **state) {
    (void)state;
    recorded r = open_trace(NEW_OF("4", FIRST, SECOND));
    sup_program_cost with = cost_of(&r, true, "flow"), without = cost_of(&r, false, "flow");
    /* Before the barrier process 1 touches 2000 bytes, 3 times; behind it process 0 10000, and once 100000. */
    double memory = 0.5e-9 * (3 * (2000 + 10000) + 100000);
    ABOUT(with.first_s[SUP_FIRST_TOUCH], memory);
    ABOUT(with.first_s[SUP_FIRST_WAKE], 50e-6);
    ABOUT(with.first_s[SUP_FIRST_USED], 5e-6);
    ABOUT(with.total.value - without.total.value, memory + 55e-6);
    assert_true(with.steps[0].has_first && with.steps[0].first.total.value > 50e-6);
    r.program->steps[0].first.wait_s = 5.5e-3; /* in the middle between what was measured */
    sup_program_cost half = cost_of(&r, true, "flow");
    ABOUT(half.first_s[SUP_FIRST_WAKE], 25e-6);
    sup_program_cost_free(&half);
    r.program->steps[0].first.wait_s = 0.9e-3; /* nobody sleeps yet */
    half = cost_of(&r, true, "flow");
    assert_true(half.first_s[SUP_FIRST_WAKE] == 0.0);
    sup_program_cost_free(&half);
    assert_true(with.total.low <= with.total.value && with.total.value <= with.total.high);
    assert_true(without.first_s[0] + without.first_s[1] + without.first_s[2] == 0.0 && !without.steps[0].has_first);
    sup_program_cost_free(&with);
    sup_program_cost_free(&without);
    with = cost_of(&r, true, "pair"); /* knows nothing of it */
    without = cost_of(&r, false, "pair");
    NEAR(with.total.value, without.total.value);
    sup_program_cost_free(&with);
    sup_program_cost_free(&without);
    close_trace(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements),
        cmocka_unit_test(earlier_files),
        cmocka_unit_test(prices_are_the_profiles),
        cmocka_unit_test(what_is_new_is_known),
        cmocka_unit_test(first_times_are_priced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
