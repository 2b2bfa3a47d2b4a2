/* The tool's frame: numbers are read whole or not at all, and every status has an exit code that superstep(1) lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/frame/cli.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void reads_whole_numbers(void **state) {
    (void)state;
    long value = 7;
    assert_true(sup_cli_int("0", 0, 10, &value));
    assert_int_equal(value, 0);
    assert_true(sup_cli_int("-3", -5, 10, &value));
    assert_int_equal(value, -3);
    assert_true(sup_cli_int("+10", 0, 10, &value));
    assert_int_equal(value, 10);
    assert_true(sup_cli_int("010", 0, 10, &value)); /* decimal, not octal */
    assert_int_equal(value, 10);
}

static void refuses_everything_else(void **state) {
    (void)state;
    const char *const bad[] = {"",   " 1",  "1 ",  "1x",  "0x10", "1e3", "-",
                               "+",  "--1", "1.0", "\n1", "11",   "-1",  "99999999999999999999",
                               "nan"};
    long value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(sup_cli_int(bad[i], 0, 10, &value));
        assert_int_equal(value, 7);
    }
    assert_false(sup_cli_int(NULL, 0, 10, &value));
    assert_false(sup_cli_int("99999999999999999999", LONG_MIN, LONG_MAX, &value));
}

static void every_status_has_a_code(void **state) {
    (void)state;
    assert_int_equal(sup_cli_exit_code(SUP_OK), SUP_EXIT_OK);
    assert_int_equal(sup_cli_exit_code(SUP_EINVAL), SUP_EXIT_USAGE);
    assert_int_equal(sup_cli_exit_code(SUP_EPARSE), SUP_EXIT_FILE);
    assert_int_equal(sup_cli_exit_code(SUP_ENOENT), SUP_EXIT_FILE);
    assert_int_equal(sup_cli_exit_code(SUP_EVERSION), SUP_EXIT_MISMATCH);
    assert_int_equal(sup_cli_exit_code(SUP_EMISMATCH), SUP_EXIT_MISMATCH);
    assert_int_equal(sup_cli_exit_code(SUP_ENOMEM), SUP_EXIT_SYSTEM);
    for (sup_status status = -100; status < 0; status++) {
        int code = sup_cli_exit_code(status);
        assert_in_range(code, SUP_EXIT_USAGE, SUP_EXIT_SYSTEM);
    }
}

/* Runs `call` with stderr in a file and returns what it wrote, so that the form of a message can be compared. */
static void capture(int (*call)(void), int wanted_code, char *text, size_t size) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    int code = call();
    fflush(stderr);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    rewind(file);
    size_t length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
    assert_int_equal(code, wanted_code);
}

static int fail_plain(void) { return sup_cli_fail("topo", 5, "no %s at %d", "core", 3); }
static int fail_alone(void) { return sup_cli_fail(NULL, 3, "full"); }
static int fail_usage(void) { return sup_cli_usage("run", "P = %d", 0); }
static int fail_long(void) {
    char text[8192];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return sup_cli_usage("run", "%s", text);
}
static int fail_diag(void) {
    sup_diag diag = {.status = SUP_EPARSE, .line = 3, .file = "a.json", .text = "expected a number"};
    return sup_cli_fail_diag("check", &diag);
}

static void messages_have_one_form(void **state) {
    (void)state;
    char text[16384];
    capture(fail_plain, 5, text, sizeof text);
    assert_string_equal(text, "superstep topo: no core at 3\n");
    capture(fail_alone, 3, text, sizeof text);
    assert_string_equal(text, "superstep: full\n");
    capture(fail_usage, SUP_EXIT_USAGE, text, sizeof text);
    assert_string_equal(text, "superstep run: P = 0 (try `superstep run --help`)\n");
    capture(fail_diag, SUP_EXIT_FILE, text, sizeof text);
    assert_string_equal(text, "superstep check: a.json:3: expected a number\n");
    capture(fail_long, SUP_EXIT_USAGE, text, sizeof text);
    assert_non_null(strstr(text, "--help`)\n")); /* a message too long is cut, its end is not */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_whole_numbers),
        cmocka_unit_test(refuses_everything_else),
        cmocka_unit_test(every_status_has_a_code),
        cmocka_unit_test(messages_have_one_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
