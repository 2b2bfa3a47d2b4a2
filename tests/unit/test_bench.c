/* The harness of the benchmarks: a contender that fails is a row that misses its floor, a peer that is missing makes no
 * floor hold, and what is not to be had here makes no row. */
#include "../../bench/harness.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool works(void *context, long reps, double *seconds, bool *disturbed) {
    *seconds = (double)reps * *(const double *)context;
    *disturbed = false;
    return true;
}

static bool fails(void *context, long reps, double *seconds, bool *disturbed) {
    (void)context, (void)reps, (void)seconds, (void)disturbed;
    return false;
}

/* Works while it is warmed up. */
static bool fails_late(void *context, long reps, double *seconds, bool *disturbed) {
    static double each = 1e-3;
    int *left = context;
    return (*left)-- > 0 && works(&each, reps, seconds, disturbed);
}

/* What bench_end prints. */
static json_t *printed(bench *b) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int out = dup(STDOUT_FILENO);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    int code = bench_end(b);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    assert_int_equal(code, 0);
    rewind(file);
    json_t *all = json_loadf(file, 0, NULL);
    fclose(file);
    assert_non_null(all);
    return all;
}

static const json_t *member(const json_t *all, size_t row, const char *key) {
    return json_object_get(json_array_get(json_object_get(all, "rows"), row), key);
}

static void begin(bench *b) {
    char name[] = "bench", json[] = "--json", quick[] = "--quick";
    char *argv[] = {name, json, quick, NULL};
    assert_true(bench_begin(b, "test", 3, argv) < 0);
}

static void rows_that_failed_miss_their_floor(void **state) {
    (void)state;
    bench b;
    begin(&b);
    double each = 2e-3;
    int left = 1;
    bench_contender c[] = {{.name = "good", .batch = works, .context = &each},
                           {.name = "bad", .batch = fails},
                           {.name = "late", .batch = fails_late, .context = &left}};
    bench_race(&b, c, 3);
    assert_true(c[0].time_s.low > 1.9e-3 && c[0].time_s.median < 2.1e-3);
    assert_true(!bench_there(c[1].time_s) && !bench_there(c[2].time_s));
    bench_row(&b, "bad", bench_scaled(c[1].time_s, 1e6), "us", bench_scaled(c[0].time_s, 1e6), "good", "<= 9.0");
    bench_row(&b, "bad rate", bench_rate(100, c[1].time_s), "M/s", bench_rate(100, c[0].time_s), "good", ">= 0.1");
    bench_row(&b, "late", c[2].time_s, "s", BENCH_ABSENT, NULL, NULL);
    bench_row(&b, "no number", bench_exact(0.0 / 0.0), "s", bench_exact(1), "good", "<= 1.0");
    json_t *all = printed(&b);
    assert_int_equal(json_array_size(json_object_get(all, "rows")), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(json_is_true(member(all, i, "failed")));
        assert_true(json_is_null(member(all, i, "value")) && json_is_null(member(all, i, "ratio")));
        assert_true(i == 2 ? json_is_null(member(all, i, "holds")) : json_is_false(member(all, i, "holds")));
    }
    json_decref(all);
}

static void a_missing_peer_is_no_pass(void **state) {
    (void)state;
    bench b;
    begin(&b);
    bench_row(&b, "ours", bench_exact(1), "us", BENCH_ABSENT, "an MPI", "<= 1.0");
    bench_row(&b, "ours", bench_exact(1), "us", BENCH_FAILED, "an MPI", "<= 1.0");
    bench_row(&b, "over what is not here", BENCH_ABSENT, "us", bench_exact(1), "an MPI", "<= 1.0");
    bench_row(&b, "alone", bench_exact(1), "us", BENCH_ABSENT, NULL, NULL);
    bench_row(&b, "holds", bench_exact(1), "us", bench_exact(2), "an MPI", "<= 1.0");
    bench_row(&b, "misses", bench_exact(3), "us", bench_exact(2), "an MPI", "<= 1.0");
    json_t *all = printed(&b);
    assert_int_equal(json_array_size(json_object_get(all, "rows")), 5);
    for (size_t i = 0; i < 2; i++) {
        assert_true(json_is_null(member(all, i, "holds")) && json_is_null(member(all, i, "reference")));
        assert_string_equal(json_string_value(member(all, i, "reference_name")), "an MPI");
        assert_string_equal(json_string_value(member(all, i, "floor")), "<= 1.0");
        assert_true(json_is_false(member(all, i, "failed")));
    }
    assert_true(json_is_null(member(all, 2, "reference_name")) && json_is_null(member(all, 2, "holds")));
    assert_true(json_is_true(member(all, 3, "holds")) && json_is_false(member(all, 4, "holds")));
    json_decref(all);
}

/* A contender whose batches take 1, 2, … 15 ms in turn; every third is one in which the kernel took the core away, and
 * those take a hundred times as long. */
typedef struct uneven {
    int at;
    bool all;
} uneven;

static bool takes_turns(void *context, long reps, double *seconds, bool *disturbed) {
    uneven *u = context;
    (void)reps;
    int at = u->at++;
    *disturbed = u->all || at % 3 == 2;
    *seconds = *disturbed ? 0.1 : 1e-3 * (1 + at % 15);
    return true;
}

static void what_the_kernel_reports_does_not_count(void **state) {
    (void)state;
    bench b;
    begin(&b);
    uneven u = {0}, never = {.all = true};
    double each = 2e-3;
    bench_contender c[] = {{.name = "uneven", .batch = takes_turns, .context = &u, .max_reps = 1},
                           {.name = "even", .batch = works, .context = &each, .max_reps = 1}};
    bench_race(&b, c, 2);
    assert_int_equal(c[0].clean, b.rounds); /* rounds were added for those that were lost … */
    assert_true(c[0].disturbed > 0 && c[1].clean == c[0].clean + c[0].disturbed); /* … and all ran in each of them */
    assert_true(c[0].time_s.low >= 1e-3 && c[0].time_s.low <= 3e-3);
    assert_true(c[0].time_s.median > c[0].time_s.low && c[0].time_s.median <= 10e-3);
    bench_row(&b, "uneven", c[0].time_s, "s", c[1].time_s, "even", "<= 1.5");
    c[0].context = &never;
    bench_race(&b, c, 1);
    assert_true(c[0].clean == 0 && c[0].disturbed == 2 * b.rounds);
    bench_row(&b, "never its own", c[0].time_s, "s", c[1].time_s, "even", "<= 1.5");
    json_t *all = printed(&b);
    assert_true(json_is_true(member(all, 0, "holds")) && json_is_false(member(all, 0, "median_holds")));
    assert_true(json_real_value(member(all, 0, "ratio")) < json_real_value(member(all, 0, "ratio_median")));
    assert_true(json_is_false(member(all, 0, "disturbed")) && json_is_true(member(all, 1, "disturbed")));
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_failed_miss_their_floor),
        cmocka_unit_test(a_missing_peer_is_no_pass),
        cmocka_unit_test(what_the_kernel_reports_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
