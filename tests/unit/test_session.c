/* A measuring session (measure/campaign/session.h), and what goes on around a campaign (measure/noise/conditions.h),
 * with made-up clocks and a made-up /proc. */
#include "measure/campaign/session.h"
#include "measure/noise/conditions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NEAR(x, y, by) assert_true(fabs((x) - (y)) <= (by))

static char root[] = "/tmp/test-session-XXXXXX";

static int64_t now_ns;
static int64_t fake_now(void *context) {
    (void)context;
    return now_ns;
}
static const sup_clock fake_clock = {.now_ns = fake_now, .resolution_s = 1e-9, .overhead_s = 1e-9};

/* ---- the session ---- */

typedef struct shown {
    int calls, stop_after;
    double last;
} shown;

static bool show(void *context, double fraction, const char *text, double left) {
    shown *s = context;
    assert_true(fraction >= 0.0 && fraction <= 1.0 && text && (isnan(left) || left >= 0.0));
    s->last = fraction;
    return ++s->calls != s->stop_after;
}

static void time_is_kept(void **state) {
    (void)state;
    shown seen = {.stop_after = 3};
    sup_session *s;
    sup_session_options o = {.budget_s = 10.0, .clock = &fake_clock, .progress = show, .progress_context = &seen};
    now_ns = 5;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    now_ns += 3000000000;
    NEAR(sup_session_spent(s), 3.0, 1e-9);
    NEAR(sup_session_left(s), 7.0, 1e-9);
    assert_int_equal(sup_session_tick(s, 0.3, "a"), SUP_OK);
    assert_int_equal(sup_session_tick(s, 0.3, "a"), SUP_OK); /* within 50 ms: nobody is asked */
    assert_int_equal(seen.calls, 1);
    now_ns += 60000000;
    assert_int_equal(sup_session_tick(s, 7.0, "b"), SUP_OK);
    NEAR(seen.last, 1.0, 0.0);
    assert_false(sup_session_stopped(s));
    assert_int_equal(sup_session_tick(s, 1.0, "end"), SUP_EINTR);
    assert_true(sup_session_stopped(s));
    assert_int_equal(sup_session_tick(s, 1.0, "end"), SUP_EINTR);
    assert_int_equal(seen.calls, 3);
    now_ns += 20000000000;
    NEAR(sup_session_left(s), 0.0, 0.0);
    sup_session_close(s);
    o.budget_s = 0.0;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    assert_true(isinf(sup_session_left(s)));
    sup_session_close(s);
    o.budget_s = -1.0;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_EINVAL);
    o.budget_s = NAN;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_EINVAL);
}

/* What a session waits for its turn is no part of its time; without another turn it has none left. */
static void time_between_turns_is_not_its_own(void **state) {
    (void)state;
    sup_turns given, turns;
    sup_session *s;
    char request[128], path[160];
    snprintf(request, sizeof request, "%s/request", root);
    sup_session_options o = {.budget_s = 10.0, .clock = &fake_clock, .turns = &turns};
    assert_int_equal(sup_turns_open(request, NULL, &given), SUP_OK);
    sup_turns_join(request, &turns);
    assert_int_equal(sup_turns_give(&given, 2.0), SUP_OK);
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    assert_true(sup_session_turns(s) == &turns && sup_session_turn_over(s));
    sup_session_take_turn(s);
    assert_false(sup_session_turn_over(s));
    now_ns += 1900000000;
    assert_false(sup_session_turn_over(s));
    now_ns += 200000000;
    assert_true(sup_session_turn_over(s));
    NEAR(sup_session_left(s), 7.9, 1e-9);
    sup_turns_end(&given);
    sup_session_take_turn(s);
    NEAR(sup_session_left(s), 0.0, 0.0);
    NEAR(sup_session_spent(s), 2.1, 1e-9);
    assert_false(sup_session_turn_over(s)); /* nobody waits again */
    sup_session_close(s);
    sup_turns_leave(&turns);
    snprintf(path, sizeof path, "%s." SUP_TURNS_FILE, request);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s." SUP_TURNS_TOLD, request);
    assert_int_equal(unlink(path), 0);
}

static void warnings_are_kept_once(void **state) {
    (void)state;
    sup_session *s;
    sup_session_options o = sup_session_defaults();
    size_t count;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    sup_session_count(s, 100, 5);
    sup_session_count(s, 100, 50);
    assert_int_equal(sup_session_batches(s), 200);
    assert_int_equal(sup_session_dropped(s), 55);
    for (int i = 0; i < 2; i++) sup_session_warn(s, SUP_WARNING_ONE_PROCESS, NULL);
    sup_session_warn(s, SUP_WARNING_MACHINE_LOAD, &(sup_about){.number = {3.0}});
    sup_warning *another = NULL;
    size_t others = 0;
    assert_int_equal(sup_warning_add(&another, &others, SUP_WARNING_ONE_PROCESS, NULL), SUP_OK);
    sup_session_pass_on(s, &another[0]);
    sup_warning_drop(another, &others, 0);
    free(another);
    const sup_warning *list = sup_session_warnings(s, &count);
    assert_int_equal(count, 2);
    sup_session_forget(s, SUP_WARNING_MACHINE_LOAD);
    list = sup_session_warnings(s, &count);
    assert_int_equal(count, 1);
    assert_string_equal(list[0].code, "one-process");
    for (int i = 0; i < 100; i++) sup_session_warn(s, SUP_WARNING_MACHINE_LOAD, &(sup_about){.number = {i}});
    sup_session_warnings(s, &count);
    assert_int_equal(count, 64);
    sup_session_close(s);
}

/* ---- around ---- */

static double mono_s, day_s, spin_s, own_s;
static int cpus;
static double get_mono(void *context) { return *(double *)context * 0.0 + mono_s; }
static double get_day(void *context) { return *(double *)context * 0.0 + day_s; }
static double get_spin(void *context) { return *(double *)context * 0.0 + spin_s; }
static double get_own(void *context) { return *(double *)context * 0.0 + own_s; }
static int get_cpus(void *context) { return (int)(*(double *)context * 0.0) + cpus; }

static void write_proc(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/proc/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Seconds of all cores. */
static void write_stat(double user, double stolen) {
    char text[200];
    double tick = (double)sysconf(_SC_CLK_TCK);
    snprintf(text, sizeof text, "cpu  %.0f 0 0 1000 0 0 0 %.0f 0 0\ncpu0 1 2 3\n", user * tick, stolen * tick);
    write_proc("stat", text);
}

static sup_conditions begin(void) {
    static double one = 1.0;
    sup_conditions a;
    mono_s = 100.0, day_s = 1e9, spin_s = 1e-4, own_s = 2.0, cpus = 2;
    write_proc("loadavg", "0.10 0.10 0.10 1/100 1\n");
    write_stat(50.0, 1.0);
    sup_conditions_options o = {root, get_mono, get_day, get_spin, get_own, get_cpus, &one};
    sup_conditions_begin(&o, &a);
    return a;
}

static size_t said(const sup_conditions *a, const char *code, const char *text) {
    sup_warning *list = NULL;
    size_t count = 0, found = 0;
    assert_int_equal(sup_conditions_warn(a, &list, &count), SUP_OK);
    for (size_t i = 0; i < count; i++) found += !strcmp(list[i].code, code) && strstr(list[i].text, text);
    size_t all = count;
    while (count) sup_warning_drop(list, &count, count - 1);
    free(list);
    return found == 1 ? all : 0;
}

static size_t warnings_of(const sup_conditions *a) {
    sup_warning *list = NULL;
    size_t count = 0;
    assert_int_equal(sup_conditions_warn(a, &list, &count), SUP_OK);
    size_t all = count;
    while (count) sup_warning_drop(list, &count, count - 1);
    free(list);
    return all;
}

static void nothing_happened(void **state) {
    (void)state;
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    sup_conditions a = begin();
    mono_s += 10.0, day_s += 10.0, own_s += 10.0 * cores;
    write_stat(50.0 + 10.0 * cores, 1.0); /* all of it ours */
    sup_conditions_look(&a);
    NEAR(sup_conditions_others(&a), 0.0, 1e-3);
    NEAR(sup_conditions_stolen(&a), 0.0, 1e-3);
    assert_false(sup_conditions_busy(&a));
    assert_int_equal(warnings_of(&a), 0);
}

static void others_and_the_host(void **state) {
    (void)state;
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    sup_conditions a = begin();
    mono_s += 10.0, day_s += 10.0, own_s += 4.0 * cores;
    write_stat(50.0 + 7.0 * cores, 1.0 + 1.0 * cores);
    sup_conditions_look(&a);
    NEAR(sup_conditions_others(&a), 0.3, 1e-3);
    NEAR(sup_conditions_stolen(&a), 0.1, 1e-3);
    assert_true(sup_conditions_busy(&a));
    assert_int_equal(said(&a, "machine-others", "30 %"), 2);
    assert_int_equal(said(&a, "machine-stolen", "10 %"), 2);
    write_proc("loadavg", "99999.5 0.10 0.10 1/100 1\n");
    spin_s = 1.2e-4;
    sup_conditions_look(&a);
    assert_int_equal(said(&a, "machine-load", "99999.5"), 4);
    assert_int_equal(said(&a, "frequency-changed", "between 100 and 120 us"), 4);
}

/* Of the time of day only steps are noted, whichever way; and it is remembered if it is set right again. */
static void clocks_that_are_set(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        sup_conditions a = begin();
        mono_s += 1.0, day_s += 1.5;
        sup_conditions_glance(&a);
        assert_int_equal(warnings_of(&a), 0);
        day_s += sign * 3600.0;
        sup_conditions_glance(&a);
        day_s -= sign * 3600.0;
        sup_conditions_glance(&a);
        assert_int_equal(said(&a, "clock-set", "moved by 3600 s") + said(&a, "clock-set", "moved by 3601 s"), 1);
    }
}

static void cpus_that_are_taken(void **state) {
    (void)state;
    sup_conditions a = begin();
    sup_conditions_glance(&a);
    assert_false(sup_conditions_cpus_taken(&a));
    cpus = 1;
    sup_conditions_glance(&a);
    cpus = 2;
    sup_conditions_glance(&a);
    assert_true(sup_conditions_cpus_taken(&a));
    assert_int_equal(said(&a, "cores-taken", "1 of 2 are left"), 1);
}

/* Where the kernel says nothing, nothing is known; and the real machine can be looked at. */
static void absent_and_real(void **state) {
    (void)state;
    sup_conditions a = begin();
    a.options.root = "/nonexistent";
    mono_s += 1.0, day_s += 1.0;
    sup_conditions_look(&a);
    assert_false(sup_conditions_busy(&a));
    assert_int_equal(warnings_of(&a), 0);
    sup_conditions_begin(NULL, &a);
    sup_conditions_look(&a);
    assert_true(a.cpus > 0 && a.spin_least_s > 0.0 && !sup_conditions_cpus_taken(&a));
}

static int make_root(void **state) {
    char path[128];
    (void)state;
    if (!mkdtemp(root)) return -1;
    snprintf(path, sizeof path, "%s/proc", root);
    return mkdir(path, 0700);
}

static int remove_root(void **state) {
    static const char *const names[] = {"/proc/stat", "/proc/loadavg", "/proc", ""};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", root, names[i]);
        remove(path);
    }
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_kept),           cmocka_unit_test(time_between_turns_is_not_its_own),
        cmocka_unit_test(warnings_are_kept_once), cmocka_unit_test(nothing_happened),
        cmocka_unit_test(others_and_the_host),    cmocka_unit_test(clocks_that_are_set),
        cmocka_unit_test(cpus_that_are_taken),    cmocka_unit_test(absent_and_real),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
