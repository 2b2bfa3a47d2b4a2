/* Patterns as text: each mistake is named with its line; every barrier is read back as it was written. */
#include "base/pattern/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refuse_n(const char *text, size_t length, int line, const char *part) {
    sup_diag d = {0};
    sup_pattern p;
    sup_status st = sup_pattern_read_text(text, length, "barrier.txt", &d, &p);
    if (st != SUP_EPARSE || d.line != line || !strstr(d.text, part) || strcmp(d.file, "barrier.txt") != 0)
        fail_msg("%.60s: status %d, line %d: %s", text, st, d.line, d.text);
}

static void refuse(const char *text, int line, const char *part) { refuse_n(text, strlen(text), line, part); }

static void mistakes(void **state) {
    (void)state;
    refuse("", 1, "no signals");
    refuse("# only words\n\n", 2, "no signals");
    refuse("processes 4\n0: 1>0 2>0\n1: 0>4\n", 3, "there is no process 4: they are 0 to 3");
    refuse("0: 1>0 4096>0", 1, "at most 4096 processes");
    refuse("0: 18446744073709551617>0", 1, "at most 4096 processes");
    refuse("\n# first\n0: 1>0 2>2\n", 3, "process 2 signals itself");
    refuse("0: 1>0\n1: 0>1 1>0 0>1\n", 2, "the signal 0>1 is repeated");
    refuse("0: 1>0\n1: 0>1 0>>1\n", 2, "the signal 0>1 is repeated");
    refuse("0: 1>0\n2: 0>1\n", 2, "this is stage 1, not 2");
    refuse("0: 1>0\n0: 0>1\n", 2, "this is stage 1, not 0");
    refuse("first: 1>0\n", 1, "number of a stage before ':', not \"first:\"");
    refuse("0: 1>0 and 2>0\n", 1, "FROM>TO, not \"and\"");
    refuse("0: -1>0\n", 1, "FROM>TO, not \"-1>0\"");
    refuse("0: 1>0,2>0\n", 1, "FROM>TO, not \"1>0,2>0\"");
    refuse("0: 1>>>0\n", 1, "FROM>TO");
    refuse("0: 1 > 0\n", 1, "FROM>TO, not \"1\"");
    refuse("processes 0\n", 1, "a number from 1 to 4096");
    refuse("processes four\n", 1, "a number from 1 to 4096");
    refuse("processes 5000\n", 1, "a number from 1 to 4096");
    refuse("processes 4 hosts\n", 1, "nothing may follow");
    refuse("0: 1>0\nprocesses 4\n", 2, "before the stages");
    refuse("processes 4\nprocesses 4\n", 2, "said once");
    refuse_n("0: 1>0\0", 7, 1, "FROM>TO");
}

static void too_many_stages(void **state) {
    (void)state;
    char *text = malloc(4 * (SUP_PATTERN_TEXT_STAGES + 1) + 1);
    for (int s = 0; s <= SUP_PATTERN_TEXT_STAGES; s++) memcpy(text + 4 * s, s % 2 ? "0>1\n" : "1>0\n", 4);
    refuse_n(text, (size_t)4 * (SUP_PATTERN_TEXT_STAGES + 1), SUP_PATTERN_TEXT_STAGES + 1, "more than 16384 stages");
    sup_pattern p;
    assert_int_equal(sup_pattern_read_text(text, (size_t)4 * SUP_PATTERN_TEXT_STAGES, "t", NULL, &p), SUP_OK);
    assert_int_equal(p.stages, SUP_PATTERN_TEXT_STAGES);
    sup_pattern_free(&p);
    free(text);
}

static char *written(const sup_pattern *p, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    assert_int_equal(sup_pattern_write_text(p, f), SUP_OK);
    fclose(f);
    return text;
}

static void forms(void **state) {
    (void)state;
    static const char text[] = "\t# flags, and somebody who is not there\r\n\n1>0 2>0 # arrival\r\n 1:0>>2 0>>1\n2:\n";
    sup_pattern p;
    size_t length;
    assert_int_equal(sup_pattern_read_text(text, strlen(text), "t", NULL, &p), SUP_OK);
    char *again = written(&p, &length);
    assert_string_equal(again, "processes 3\n0: 1>0 2>0\n1: 0>>1 0>>2\n2:\n");
    assert_int_equal(length, strlen(again));
    free(again);
    sup_pattern_free(&p);
}

static void barriers_come_back(void **state) {
    (void)state;
    for (size_t g = 0; sup_generators[g]; g++)
        for (int64_t n = 1; n <= 21; n += 4) {
            sup_pattern p = sup_pattern_make(sup_generators[g], n), q;
            size_t length, same;
            char *first = written(&p, &length);
            assert_int_equal(sup_pattern_read_text(first, length, "t", NULL, &q), SUP_OK);
            assert_int_equal(q.processes, n);
            assert_int_equal(q.stages, p.stages);
            char *second = written(&q, &same);
            assert_string_equal(first, second);
            free(second);
            free(first);
            sup_pattern_free(&q);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes), cmocka_unit_test(too_many_stages),
                                       cmocka_unit_test(forms), cmocka_unit_test(barriers_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
