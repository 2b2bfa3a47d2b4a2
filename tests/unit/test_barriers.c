/* Measured barriers (measure/launch/cases.h): how patterns travel to other processes, lists that are none, orders
 * that make no sense; and launches with a made-up tool. */
#include "measure/launch/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_pattern read_word(const char *word, int64_t processes) {
    sup_pattern p;
    assert_int_equal(sup_pattern_read(word, processes, &p), SUP_OK);
    return p;
}

static void there_and_back(void **state) {
    (void)state;
    static const char *const words[] = {"linear", "tree:3", "dissemination:4", "2 flags, dissemination"};
    sup_pattern in[4], *out;
    int64_t *list;
    size_t length, count;
    for (size_t i = 0; i < 4; i++) in[i] = read_word(words[i], 6);
    assert_int_equal(sup_barriers_pack(in, 4, &list, &length), SUP_OK);
    assert_int_equal(sup_barriers_unpack(list, length, &out, &count), SUP_OK);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++) assert_true(sup_pattern_same(&in[i], &out[i]));
    for (size_t i = 0; i < 4; i++) sup_pattern_free(&out[i]);
    free(out);
    /* every list that ends too early, and every number that is out of range */
    for (size_t cut = 1; cut < length; cut++) {
        sup_status status = sup_barriers_unpack(list, cut, &out, &count);
        if (status) continue;
        assert_true(cut % 5 == 0 && count < 4);
        for (size_t i = 0; i < count; i++) sup_pattern_free(&out[i]);
        free(out);
    }
    for (size_t at = 0; at < length; at++) {
        int64_t was = list[at];
        static const int64_t bad[] = {-2, INT64_MAX, INT64_MIN};
        for (size_t k = 0; k < 3; k++) {
            list[at] = bad[k];
            sup_status status = sup_barriers_unpack(list, length, &out, &count);
            if (status) assert_int_equal(status, SUP_EPARSE);
            for (size_t i = 0; !status && i < count; i++) sup_pattern_free(&out[i]);
            if (!status) free(out);
        }
        list[at] = was;
    }
    free(list);
    for (size_t i = 0; i < 4; i++) sup_pattern_free(&in[i]);
}

static void orders_refused(void **state) {
    (void)state;
    sup_timing found[2];
    sup_diag diag = {0};
    sup_pattern p[2] = {read_word("tree", 4), read_word("tree", 3)};
    sup_cases_order o = {.at = {.tool = "/bin/false", .processes = 4}, .transport = "shm", .patterns = p, .count = 2};
    assert_int_equal(sup_measure_cases(&o, &diag, found), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "barrier 2 is of 3 processes"));
    o.at.processes = 1;
    assert_int_equal(sup_measure_cases(&o, &diag, found), SUP_EINVAL);
    o.at.processes = 4;
    o.count = 0;
    assert_int_equal(sup_measure_cases(&o, &diag, found), SUP_EINVAL);
    /* 0 hears of 1 alone */
    sup_pattern_edge *edges = calloc(1, sizeof *edges);
    assert_non_null(edges);
    edges[0] = (sup_pattern_edge){.from = 1, .to = 0};
    assert_int_equal(sup_pattern_from_edges(4, 1, edges, 1, &p[1]), SUP_OK);
    o.count = 2;
    assert_int_equal(sup_measure_cases(&o, &diag, found), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "barrier 2 does not synchronise"));
    /* processes that do not come */
    o.count = 1;
    assert_int_equal(sup_measure_cases(&o, &diag, found), SUP_ENOTSUP);
    assert_non_null(strstr(diag.text, "--net shm"));
    sup_pattern_free(&p[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(orders_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
