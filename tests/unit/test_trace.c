/* Traces: tables that contradict each other are refused with line and reason; folding loses nothing and finds loops
 * inside loops; the cursor unrolls what was folded; totals of a class are those of its parts. */
#include "../sanitized.h"
#include "../trace_walk.h"
#include "base/number/random.h"

#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                           \
    "{\"kind\": \"superstep-trace\", \"schema\": 1, \"created\": \"2026-01-31T12:00:00Z\", \"tool\": \"superstep 0\"," \
    "\n\"signature\": {\"topology\": \"abc\", \"cpu\": \"x\", \"cores\": 2, \"hosts\": 1, \"processes\": 2,"           \
    " \"transport\": \"shm\"}, \"program\": \"prog\", \"engine\": \"eager\",\n"
#define TIME(m) "{\"mean\": " m ", \"sd\": 0, \"min\": 0, \"max\": 9, \"median\": 1}"
#define TIMES(c, w, s) "\"compute_s\": " TIME(c) ", \"wait_s\": " TIME(w) ", \"sync_s\": " TIME(s)
#define SITES "\"sites\": [{\"place\": \"prog+0x10\", \"symbol\": \"main\"}, {\"place\": \"prog+0x20\"}],\n"
#define FIRST                                                                                                   \
    "\"sync_new_bytes\": 8192, \"first\": {\"superstep\": 0, \"compute_s\": 1, \"calls_s\": 0, \"wait_s\": 2, " \
    "\"sync_s\": 9, \"sync_new_bytes\": 4096}, "
/* Process 0 puts and sends, process 1 gets; then an empty superstep of both. */
#define P0                                                                                                      \
    "{\"wall_s\": 1, \"steps\": [\n"                                                                            \
    "{\"site\": 0, \"count\": 3, \"puts\": [0, 3, 24, 1, 6, 48], \"hpputs\": [1, 3, 3000], "                    \
    "\"sends\": [1, 3, 30], \"early_bytes\": 3000, " FIRST TIMES("1", "2", "3") "},\n{\"site\": 1, \"count\": " \
                                                                                "2, " TIMES("1", "1", "1") "}]}"
#define P1                                                                                     \
    "{\"wall_s\": 1, \"steps\": [\n{\"site\": 0, \"count\": 3, \"gets\": [0, 3, 300], " TIMES( \
        "2", "1", "4") "},"                                                                    \
                       "\n{\"site\": 1, \"count\": 2, " TIMES("1", "1", "1") "}]}"
#define PROCESSES "\"processes\": [" P0 ",\n" P1 "],\n"
#define CLASSES "\"classes\": [{\"count\": 3, \"steps\": [0, 0]}, {\"count\": 2, \"steps\": [1, 1]}],\n"
#define SEQUENCE "\"sequence\": [{\"repeat\": 2, \"classes\": [0, 1]},\n{\"classes\": [0]}]}\n"
#define GOOD HEAD "\"supersteps\": 5,\n" SITES PROCESSES CLASSES SEQUENCE

static sup_status parse_text(const char *text, bool strict, sup_diag *diag, sup_trace **out) {
    sup_json *doc = NULL;
    sup_status status = sup_json_parse("trace.json", text, strlen(text), diag, &doc);
    if (status) return status;
    status = sup_trace_parse(doc, strict, diag, out);
    sup_json_free(doc);
    return status;
}

static sup_trace *good_trace(void) {
    sup_trace *t = NULL;
    sup_diag d = {0};
    if (parse_text(GOOD, true, &d, &t)) fail_msg("%d: %s", d.line, d.text);
    return t;
}

/* The good trace with the first `from` replaced by `to` must be refused, at that line, with these words. */
static void refuse(const char *from, const char *to, int line, const char *part) {
    char text[8192];
    const char *at = strstr(GOOD, from);
    if (!at) fail_msg("no %s in the good trace", from);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - GOOD), GOOD, to, at + strlen(from));
    sup_trace *t = NULL;
    sup_diag d = {0};
    sup_status status = parse_text(text, true, &d, &t);
    if (status != SUP_EPARSE || d.line != line || !strstr(d.text, part))
        fail_msg("%s: status %d line %d: %s", to, status, d.line, d.text);
    assert_null(t);
}

static void contradictions_are_refused(void **state) {
    (void)state;
    refuse("\"supersteps\": 5", "\"supersteps\": 6", 5, "the steps have 5 of the 6");
    refuse("\"supersteps\": 5", "\"supersteps\": 4", 7, "more than the 4");
    refuse("\"site\": 1", "\"site\": 2", 7, "site 2, but there are 2");
    refuse("[0, 3, 24, 1, 6, 48]", "[0, 3, 24, 2, 6, 48]", 6, "process 2, but there are 2");
    refuse("[0, 3, 24, 1, 6, 48]", "[1, 3, 24, 0, 6, 48]", 6, "must ascend");
    refuse("[0, 3, 24, 1, 6, 48]", "[0, 3, 24, 1, 6]", 6, "groups of peer, messages, bytes");
    refuse("[0, 3, 24, 1, 6, 48]", "[0, 0, 24, 1, 6, 48]", 6, "without messages");
    refuse("[0, 3, 24, 1, 6, 48]", "[0, 3, 24, 1, 6, 47]", 6, "47 is no multiple");
    refuse("[0, 3, 24, 1, 6, 48]", "[0, 3, -3, 1, 6, 48]", 6, "outside 0");
    refuse("\"mean\": 3", "\"mean\": 10", 6, "\"mean\" is not between");
    refuse("\"min\": 0", "\"min\": 10", 6, "\"min\" is above");
    refuse("\"count\": 3, \"steps\": [0, 0]", "\"count\": 3, \"steps\": [0]", 11, "1 values for 2 processes");
    refuse("\"count\": 3, \"steps\": [0, 0]", "\"count\": 3, \"steps\": [0, 2]", 11, "step 2, but process 1 has 2");
    refuse("\"count\": 3, \"steps\": [0, 0]", "\"count\": 4, \"steps\": [0, 0]", 11, "more than the 5");
    refuse("\"repeat\": 2", "\"repeat\": 3", 12, "class 1 comes more often than its 2");
    refuse("\"repeat\": 2", "\"repeat\": 9007199254740992", 12, "more often");
    refuse("\"repeat\": 2", "\"repeat\": 0", 12, "outside 1");
    refuse("\"classes\": [0]}]", "\"classes\": [2]}]", 13, "class 2, but there are 2");
    refuse("{\"classes\": [0]}]", "{}]", 13, "neither");
    refuse("{\"classes\": [0]}]", "{\"classes\": [0], \"body\": [{\"classes\": [0]}]}]", 13, "exclude");
    refuse("\"processes\": 2,", "\"processes\": 3,", 5, "2 \"processes\" in a trace of 3");
    refuse("\"wall_s\"", "\"wal_s\"", 5, "wal_s");
    refuse("\"sync_new_bytes\": 4096", "\"sync_new_bytes\": 8193", 6, "more new memory than all of them");
    refuse("\"sync_new_bytes\": 4096", "\"calls_new_bytes\": 1", 6, "more new memory than all of them");
    refuse("\"superstep\": 0", "\"superstep\": 5", 6, "superstep 5 of 5");
    refuse("\"superstep\": 0, ", "", 6, "superstep");
}

/* "[{"body": [{"body": … {"classes": [0]} …" with so many bodies. */
static sup_status parse_nested(int depth, sup_diag *d) {
    char text[8192];
    const char *at = strstr(GOOD, "{\"repeat\": 2");
    size_t n = (size_t)(at - GOOD);
    memcpy(text, GOOD, n);
    for (int i = 1; i < depth; i++) n += (size_t)snprintf(text + n, sizeof text - n, "{\"body\": [");
    n += (size_t)snprintf(text + n, sizeof text - n, "{\"classes\": [0]}");
    for (int i = 1; i < depth; i++) n += (size_t)snprintf(text + n, sizeof text - n, "]}");
    snprintf(text + n, sizeof text - n, "]}\n");
    sup_trace *t = NULL;
    sup_status status = parse_text(text, true, d, &t);
    size_t which = 9;
    if (t) {
        trace_walk c = trace_begin(t);
        assert_true(trace_next(&c, &which));
        assert_int_equal(which, 0);
        assert_false(trace_next(&c, &which));
    }
    sup_trace_free(t);
    return status;
}

/* What was new is read, and files of earlier versions know nothing of it. */
static void first_supersteps_are_known(void **state) {
    (void)state;
    sup_trace *t = good_trace();
    const sup_trace_step *s = &t->processes[0].steps[0];
    assert_int_equal(s->sync_new_bytes, 8192);
    assert_int_equal(s->calls_new_bytes, 0);
    assert_non_null(s->first);
    assert_int_equal(s->first->sync_new_bytes, 4096);
    assert_true(s->first->sync_s == 9.0);
    assert_null(t->processes[1].steps[0].first);
    sup_trace_free(t);
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    sup_diag d = {0};
    assert_int_equal(parse_nested(SUP_TRACE_DEPTH, &d), SUP_OK);
    assert_int_equal(parse_nested(SUP_TRACE_DEPTH + 1, &d), SUP_EPARSE);
    assert_non_null(strstr(d.text, "nested deeper than"));
}

static void text_survives(void **state) {
    (void)state;
    sup_trace *t = good_trace(), *again = NULL;
    sup_diag d = {0};
    char *first = NULL, *second = NULL;
    assert_int_equal(sup_record_file_text(&sup_trace_file, t, &d, &first, NULL), SUP_OK);
    assert_int_equal(parse_text(first, true, &d, &again), SUP_OK);
    assert_int_equal(sup_record_file_text(&sup_trace_file, again, &d, &second, NULL), SUP_OK);
    assert_string_equal(first, second);
    assert_int_equal(again->sequence_length, 5);
    free(second);
    free(first);
    sup_trace_free(again);
    sup_trace_free(t);
}

static void requirements_of_a_class(void **state) {
    (void)state;
    sup_trace *t = good_trace();
    const sup_trace_step *s = sup_trace_step_of(t, 0, 0);
    assert_int_equal(s->items_count, 4);
    assert_int_equal(s->items[0].peer, 0);
    assert_true(s->items[1].peer == 1 && s->items[1].kind == SUP_TRACE_PUT && !s->items[1].overlappable);
    assert_true(s->items[1].messages == 2 && s->items[1].bytes == 16);
    assert_true(s->items[2].kind == SUP_TRACE_HPPUT && s->items[2].overlappable && s->items[2].bytes == 1000);
    assert_true(sup_trace_step_of(t, 0, 1)->items[0].incoming);
    assert_int_equal(sup_trace_step_of(t, 1, 1)->items_count, 0);
    assert_null(sup_trace_step_of(t, 2, 0));
    assert_null(sup_trace_step_of(t, 0, 2));
    assert_null(sup_trace_step_of(t, 0, -1));
    sup_trace_free(t);
}

/* ---- folding ---- */

typedef struct folded {
    sup_trace_run *runs;
    size_t count, kept;
} folded;

static folded fold(const uint32_t *sequence, size_t count, size_t most) {
    folded f = {0};
    uint32_t *copy = malloc((count + 1) * sizeof *copy), classes = 0;
    assert_non_null(copy);
    for (size_t i = 0; i < count; i++) copy[i] = sequence[i];
    for (size_t i = 0; i < count; i++)
        if (sequence[i] >= classes) classes = sequence[i] + 1;
    assert_int_equal(sup_trace_fold(copy, count, classes, most, &f.runs, &f.count, &f.kept), SUP_OK);
    free(copy);
    return f;
}

/* The unrolled runs must be the beginning of the sequence. */
static void unrolls_to(const folded *f, const uint32_t *sequence) {
    sup_trace t = {.sequence = f->runs, .sequence_count = f->count};
    size_t n = 0, which;
    for (trace_walk c = trace_begin(&t); trace_next(&c, &which); n++) {
        assert_true(n < f->kept);
        assert_int_equal(which, sequence[n]);
    }
    assert_int_equal(n, f->kept);
}

static void drop(folded *f) {
    for (size_t i = 0; i < f->count; i++) sup_record_clear(&sup_trace_run_record, &f->runs[i]);
    free(f->runs);
    *f = (folded){0};
}

static void loops_are_found(void **state) {
    (void)state;
    enum { TIMES_OUT = 50, TIMES_IN = 100 };
    static uint32_t s[TIMES_OUT * (TIMES_IN * 3 + 2) + 2];
    size_t n = 0;
    s[n++] = 7;
    for (int i = 0; i < TIMES_OUT; i++) {
        s[n++] = 0;
        for (int k = 0; k < TIMES_IN; k++) {
            s[n++] = 1;
            s[n++] = 2;
            s[n++] = 2;
        }
        s[n++] = 3;
    }
    s[n++] = 8;
    folded f = fold(s, n, SIZE_MAX);
    assert_int_equal(f.kept, n);
    unrolls_to(&f, s);
    assert_int_equal(f.count, 3);
    assert_int_equal(f.runs[1].repeat, TIMES_OUT);
    assert_int_equal(f.runs[1].body_count, 3);
    assert_int_equal(f.runs[1].body[1].repeat, TIMES_IN);
    assert_int_equal(f.runs[1].body[1].classes_count, 3);
    drop(&f);
    f = fold(s, 0, SIZE_MAX);
    assert_true(f.count == 0 && f.kept == 0);
    drop(&f);
}

/* Random programs: loops of random bodies, random nesting, random repetitions. */
static size_t generate(sup_random *r, uint32_t *s, size_t room, int depth) {
    size_t n = 0, parts = 1 + sup_random_below(r, 4);
    for (size_t p = 0; p < parts; p++) {
        if (depth == 0 || sup_random_below(r, 3) == 0) {
            if (n < room) s[n++] = (uint32_t)sup_random_below(r, 5);
            continue;
        }
        size_t one = generate(r, s + n, (room - n) / 4, depth - 1), times = 1 + sup_random_below(r, 12), from = n;
        n += one;
        for (size_t k = 1; k < times && n + one <= room; k++, n += one) memcpy(s + n, s + from, one * sizeof *s);
    }
    return n;
}

static void folding_loses_nothing(void **state) {
    (void)state;
    enum { ROOM = SANITIZED ? 5000 : 20000 };
    uint32_t *s = malloc(ROOM * sizeof *s);
    assert_non_null(s);
    sup_random r = {20260131};
    for (int round = 0; round < (SANITIZED ? 60 : 300); round++) {
        size_t n = generate(&r, s, ROOM, round % 6);
        folded f = fold(s, n, SIZE_MAX);
        assert_int_equal(f.kept, n);
        unrolls_to(&f, s);
        drop(&f);
        f = fold(s, n, 7); /* a beginning of it */
        assert_true(f.kept <= n);
        unrolls_to(&f, s);
        drop(&f);
    }
    for (size_t i = 0; i < ROOM; i++) s[i] = (uint32_t)sup_random_below(&r, 3);
    folded f = fold(s, ROOM, SIZE_MAX);
    assert_int_equal(f.kept, ROOM);
    unrolls_to(&f, s);
    drop(&f);
    for (size_t i = 0; i < ROOM; i++) s[i] = (uint32_t)i;
    f = fold(s, ROOM, 100);
    assert_int_equal(f.kept, 100);
    drop(&f);
    free(s);
}

/* Doubling on every level nests deeper than a file may; folding must stop before. */
static void deep_loops_stay_writable(void **state) {
    (void)state;
    enum { LEVELS = 17 };
    size_t n = 0, room = (size_t)4 << LEVELS;
    uint32_t *s = malloc(room * sizeof *s);
    assert_non_null(s);
    for (uint32_t level = 0; level < LEVELS; level++) { /* X → X level X level */
        s[n++] = level;
        memcpy(s + n, s, n * sizeof *s);
        n *= 2;
        if (2 * n + 2 > room) break;
    }
    folded f = fold(s, n, SIZE_MAX);
    assert_int_equal(f.kept, n);
    unrolls_to(&f, s);
    drop(&f);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradictions_are_refused), cmocka_unit_test(first_supersteps_are_known),
        cmocka_unit_test(nesting_has_a_limit),        cmocka_unit_test(text_survives),
        cmocka_unit_test(requirements_of_a_class),    cmocka_unit_test(loops_are_found),
        cmocka_unit_test(folding_loses_nothing),      cmocka_unit_test(deep_loops_stay_writable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
