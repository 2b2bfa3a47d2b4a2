/* Warnings as data: each row of the table makes a text without gaps, and what is decided by code and scope is. */
#include "profile/profile.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct list {
    sup_warning *at;
    size_t count;
} list;

static const sup_warning *add(list *l, sup_warning_code code, const sup_about *about) {
    assert_int_equal(sup_warning_add(&l->at, &l->count, code, about), SUP_OK);
    return &l->at[l->count - 1];
}

static void clear(list *l) {
    while (l->count) sup_warning_drop(l->at, &l->count, l->count - 1);
    free(l->at);
    *l = (list){0};
}

/* Is every number of the row in its text? */
static bool says_numbers(const sup_warning_kind *k) {
    for (const char *at = k->numbers; at && *at; at += strcspn(at, " ") + (strchr(at, ' ') != NULL)) {
        char name[64];
        snprintf(name, sizeof name, "{%.*s", (int)strcspn(at, " "), at);
        if (!strstr(k->text, name)) return false;
    }
    return true;
}

static void every_row_makes_a_text(void **state) {
    (void)state;
    const sup_about about = {.transport = "shm",
                             .kernel = "daxpy",
                             .class = "L3",
                             .channel = "network",
                             .setup = "ring",
                             .reason = "because",
                             .number = {1, 2, 3, 4, 5, 6}};
    for (int k = 0; k < SUP_WARNING_KINDS; k++) {
        const sup_warning_kind *kind = &sup_warning_kinds[k];
        list l = {0};
        assert_non_null(kind->code);
        for (const char *c = kind->code; *c; c++) assert_true(islower((unsigned char)*c) || *c == '-');
        for (int other = 0; other < k; other++) assert_string_not_equal(kind->code, sup_warning_kinds[other].code);
        const sup_warning *w = add(&l, (sup_warning_code)k, &about);
        if (strpbrk(w->text, "{}?") || !says_numbers(kind)) fail_msg("%s: %s", kind->code, w->text);
        assert_ptr_equal(sup_warning_kind_of(w), kind);
        assert_int_equal(sup_record_check(&sup_warning_record, w, NULL), SUP_OK);
        clear(&l);
    }
}

static void texts_are_those_of_the_data(void **state) {
    (void)state;
    list l = {0};
    const sup_warning *w =
        add(&l, SUP_WARNING_PAIRS_DIFFER, &(sup_about){.transport = "shm", .class = "L3", .number = {0.17}});
    assert_string_equal(w->text, "shm: pairs of class \"L3\" differ by 17 %");
    assert_string_equal(w->numbers[0].name, "share");
    assert_true(w->numbers[0].value == 0.17);
    assert_true(sup_warning_in(w, "pairs") && sup_warning_over(w, "shm"));
    assert_false(sup_warning_in(w, "pair") || sup_warning_over(w, "sh"));
    w = add(&l, SUP_WARNING_PROCESSES_TAKE_TURNS, &(sup_about){.number = {4, 1}});
    assert_string_equal(w->text, "4 processes on 1 core: they take turns, and times of communication contain that");
    w = add(&l, SUP_WARNING_TRANSFERS_OUT_OF_BOUNDS,
            &(sup_about){.transport = "shm", .channel = "shm", .setup = "ring", .number = {2}});
    assert_string_equal(w->text, "shm: L(m,tau) leaves its bounds 2 times (shm, ring)");
    w = add(&l, SUP_WARNING_RATES_UNCERTAIN, &(sup_about){.kernel = "dot", .number = {9, 10, 0.02, 6144, 1, 0.302}});
    assert_string_equal(w->text,
                        "computation: 9 of 10 rates are less certain than 2 %; worst: dot at 6 KB, 1 active: +-30 %");
    w = add(&l, SUP_WARNING_FREQUENCY_CHANGED, &(sup_about){.number = {131e-6, 142.4e-6}});
    assert_string_equal(w->text, "clock frequency changed: the same loop took between 131 and 142 us");
    w = add(&l, SUP_WARNING_MACHINE_LOAD, &(sup_about){.number = {4.26}});
    assert_string_equal(w->text, "machine busy: load 4.3");
    clear(&l);
}

/* A reason comes from anywhere, and must not spoil the file. */
static void a_reason_cannot_spoil_a_file(void **state) {
    (void)state;
    list l = {0};
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    const char *const reasons[] = {"no \x1b[31mcolour\n",
                                   "bad \xff\xfe bytes",
                                   "gut, schön",
                                   longest,
                                   "{reason}",
                                   "no \xc2\x9b"
                                   "31mcolour, no \u202eway back"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const sup_warning *w =
            add(&l, SUP_WARNING_NOT_MEASURED, &(sup_about){.transport = "shm", .reason = reasons[i]});
        json_t *json = NULL;
        assert_int_equal(sup_record_check(&sup_warning_record, w, NULL), SUP_OK);
        assert_int_equal(sup_record_write(&sup_warning_record, w, NULL, &json), SUP_OK);
        json_decref(json);
    }
    assert_string_equal(l.at[2].text, "shm was not measured: gut, schön");
    assert_int_equal(l.count, 6);
    assert_string_equal(l.at[5].text, "shm was not measured: no ?31mcolour, no ?way back");
    clear(&l);
}

static void the_same_is_kept_once(void **state) {
    (void)state;
    list l = {0}, copy = {0};
    const sup_about shm = {.transport = "shm"}, mpich = {.transport = "mpich"};
    for (int i = 0; i < 3; i++) {
        add(&l, SUP_WARNING_INTERRUPTED, &shm);
        add(&l, SUP_WARNING_INTERRUPTED, &mpich);
        add(&l, SUP_WARNING_ONE_PROCESS_A_HOST, &shm);
        add(&l, SUP_WARNING_MACHINE_LOAD, &(sup_about){.number = {3}});
    }
    assert_int_equal(l.count, 4);
    assert_int_equal(sup_warning_age(&l.at[3]), SUP_OK);
    assert_int_equal(sup_warning_age(&l.at[3]), SUP_OK); /* once */
    assert_string_equal(l.at[3].text, "earlier: machine busy: load 3.0");
    for (size_t i = 0; i < 2 * l.count; i++)
        assert_int_equal(sup_warning_add_copy(&copy.at, &copy.count, &l.at[i % l.count]), SUP_OK);
    assert_int_equal(copy.count, 4);
    sup_warning_drop(l.at, &l.count, 1);
    assert_int_equal(l.count, 3);
    assert_string_equal(l.at[1].code, "one-process-a-host");
    clear(&l);
    assert_true(copy.at[3].earlier && copy.at[3].numbers[0].value == 3);
    assert_true(sup_warning_over(&copy.at[1], "mpich") && sup_warning_kind_of(&copy.at[1])->unfinished);
    clear(&copy);
}

/* The quality section of a profile with these warnings. */
static sup_status read(const char *warnings, sup_diag *diag, sup_quality *out) {
    char text[1000];
    sup_json *doc = NULL;
    snprintf(text, sizeof text, "{\"rejection_rate\": 0,\n\"warnings\": %s}", warnings);
    assert_int_equal(sup_json_parse("p.json", text, strlen(text), diag, &doc), SUP_OK);
    sup_status status = sup_record_read(&sup_quality_record, doc, sup_json_root(doc), true, diag, out);
    sup_json_free(doc);
    return status;
}

static void a_file_may_have_kinds_that_nobody_knows(void **state) {
    (void)state;
    sup_quality q;
    sup_diag d = {0};
    json_t *json = NULL;
    if (read("[{\"code\": \"pairs-differ\", \"scope\": {\"section\": \"pairs\", "
             "\"transport\": \"shm\"}, \"numbers\": {\"share\": 0.5, \"more\": 2}, \"text\": \"they differ\"}, "
             "{\"code\": \"of-tomorrow\", \"text\": \"new\"}]",
             &d, &q))
        fail_msg("%d: %s", d.line, d.text);
    assert_int_equal(q.warnings_count, 2);
    const sup_warning *w = q.warnings;
    assert_true(sup_warning_over(&w[0], "shm") && !sup_warning_over(&w[1], "shm"));
    assert_int_equal(w[0].numbers_count, 2);
    assert_true(w[0].numbers[1].value == 2);
    assert_null(sup_warning_kind_of(&w[1]));
    assert_int_equal(sup_record_write(&sup_quality_record, &q, NULL, &json), SUP_OK);
    json_t *written = json_array_get(json_object_get(json, "warnings"), 0);
    assert_true(json_real_value(json_object_get(json_object_get(written, "numbers"), "share")) == 0.5);
    json_decref(json);
    sup_record_clear(&sup_quality_record, &q);
}

static void what_is_wrong_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *list, *part;
    } bad[] = {{"[1]", "must be an object"},
               {"[\"a\"]", "must be an object"},
               {"[{\"code\": \"a\", \"text\": \"\"}]", "is empty"},
               {"[{\"code\": \"a\", \"text\": \"a\\tb\"}]", "control character"},
               {"[{\"text\": \"a\"}]", "\"code\" is missing"},
               {"[{\"code\": \"a\"}]", "\"text\" is missing"},
               {"[{\"code\": \"A b\", \"text\": \"a\"}]", "no word"},
               {"[{\"code\": \"a\", \"text\": \"a\", \"scope\": 1}]", "must be an object"},
               {"[{\"code\": \"a\", \"text\": \"a\", \"numbers\": [1]}]", "an object of numbers"},
               {"[{\"code\": \"a\", \"text\": \"a\", \"numbers\": {\"x\": \"1\"}}]", "an object of numbers"},
               {"[{\"code\": \"a\", \"text\": \"a\", \"numbers\": {\"\": 1}}]", "is empty"},
               {"[{\"code\": \"a\", \"text\": \"a\", \"color\": 1}]", "color"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sup_quality q;
        sup_diag d = {0};
        assert_int_equal(read(bad[i].list, &d, &q), SUP_EPARSE);
        if (d.line != 2 || !strstr(d.text, bad[i].part)) fail_msg("%s: line %d: %s", bad[i].list, d.line, d.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_makes_a_text),
        cmocka_unit_test(texts_are_those_of_the_data),
        cmocka_unit_test(a_reason_cannot_spoil_a_file),
        cmocka_unit_test(the_same_is_kept_once),
        cmocka_unit_test(a_file_may_have_kinds_that_nobody_knows),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
