/* Status codes and diagnostics: every code has a text of its own, and a diag prints the parts it has. */
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_code_has_its_own_text(void **state) {
    (void)state;
    for (int a = SUP_ETRUNC; a <= 0; a++) {
        assert_string_not_equal(sup_status_text(a), "unknown status");
        for (int b = SUP_ETRUNC; b < a; b++) assert_string_not_equal(sup_status_text(a), sup_status_text(b));
    }
    assert_string_equal(sup_status_text(-999), "unknown status");
    assert_string_equal(sup_status_text(1), "unknown status");
}

static void diag_formats_what_it_has(void **state) {
    (void)state;
    sup_diag d;
    char buf[1024];
    assert_int_equal(sup_diag_set(&d, SUP_EPARSE, "a.json", 7, "bad %s", "key"), SUP_EPARSE);
    sup_diag_format(&d, buf, sizeof buf);
    assert_string_equal(buf, "a.json:7: bad key");
    sup_diag_set(&d, SUP_EIO, "a.json", 0, "short");
    sup_diag_format(&d, buf, sizeof buf);
    assert_string_equal(buf, "a.json: short");
    sup_diag_set(&d, SUP_EINVAL, NULL, 0, "P is 0");
    sup_diag_format(&d, buf, sizeof buf);
    assert_string_equal(buf, "P is 0");
    sup_diag_format(&d, buf, 4);
    assert_string_equal(buf, "P i");
    assert_int_equal(sup_diag_set(NULL, SUP_ENOMEM, NULL, 0, "x"), SUP_ENOMEM);
}

static void long_texts_are_cut_not_overrun(void **state) {
    (void)state;
    sup_diag d;
    char name[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    sup_diag_set(&d, SUP_EIO, name, 1, "%s", name);
    assert_int_equal(strlen(d.file), sizeof d.file - 1);
    assert_int_equal(strlen(d.text), sizeof d.text - 1);
}

static void nothing_reaches_the_terminal_but_text(void **state) {
    (void)state;
    sup_diag d;
    sup_diag_set(&d, SUP_EPARSE, "a\033[2J", 1, "'%s' is no host name", "b\033]0;c\a\r\n\x7f");
    assert_string_equal(d.file, "a?[2J");
    assert_string_equal(d.text, "'b?]0;c?\?\?\?' is no host name");
    sup_diag_set(&d, SUP_EPARSE, "ä", 1, "%s", "ö …"); /* other languages stay */
    assert_string_equal(d.file, "ä");
    assert_string_equal(d.text, "ö …");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_own_text),
        cmocka_unit_test(diag_formats_what_it_has),
        cmocka_unit_test(long_texts_are_cut_not_overrun),
        cmocka_unit_test(nothing_reaches_the_terminal_but_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
