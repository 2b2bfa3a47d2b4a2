/* Reports of ranks as the launcher of a run through an MPI reads them: which lines are reports, which are output, and
 * what a program can do to them. */
#include "net/launch/rank_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define A "0123456789abcdef0123456789abcdef"
#define B "fedcba9876543210fedcba9876543210"

static sup_rank_reports *two_ranks(void) {
    sup_rank_reports *r;
    assert_int_equal(sup_rank_reports_create(2, NULL, &r), SUP_OK);
    return r;
}

static int kind(sup_rank_reports *r, const char *line) { return sup_rank_reports_take(r, line).kind; }

static void only_who_said_hello_reports(void **state) {
    (void)state;
    sup_rank_reports *r = two_ranks();
    assert_int_equal(kind(r, "0 " A " ended"), SUP_RANK_REPORT_NONE);
    assert_int_equal(kind(r, "0 " A " hello 5"), SUP_RANK_REPORT_HELLO);
    assert_int_equal(kind(r, "0 " B " ended"), SUP_RANK_REPORT_NONE);
    assert_int_equal(kind(r, "1 " A " ended"), SUP_RANK_REPORT_NONE);
    assert_int_equal(sup_rank_reports_ended(r), 0);
    assert_int_equal(kind(r, "0 " A " handled"), SUP_RANK_REPORT_OTHER);
    assert_int_equal(kind(r, "0 " A " handling"), SUP_RANK_REPORT_HANDLING);
    assert_int_equal(kind(r, "0 " A " handling"), SUP_RANK_REPORT_OTHER);
    assert_int_equal(kind(r, "0 " A " handled"), SUP_RANK_REPORT_HANDLED);
    assert_int_equal(kind(r, "0 " A " ended"), SUP_RANK_REPORT_ENDED);
    assert_int_equal(kind(r, "0 " A " ended"), SUP_RANK_REPORT_OTHER);
    assert_int_equal(sup_rank_reports_ended(r), 1);
    assert_int_equal(kind(r, "1 " B " hello 5"), SUP_RANK_REPORT_HELLO);
    sup_rank_report failed = sup_rank_reports_take(r, "1 " B " failed 9 77 superstep: rank 1 ended");
    assert_int_equal(failed.kind, SUP_RANK_REPORT_FAILED);
    assert_int_equal(failed.status, 9);
    assert_int_equal(failed.at_us, 77);
    assert_int_equal(failed.rank, 1);
    assert_string_equal(failed.text, "superstep: rank 1 ended");
    sup_rank_reports_free(r);
}

static void what_looks_like_one_is_output(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        "0",
                                        "0 ",
                                        "0 " A,
                                        "0 " A " ",
                                        "0 " A " hello ",
                                        "0 " A " hello",
                                        "0 " A " hellosuperstep-report 0 " A " hello 5",
                                        "-1 " A " hello 5",
                                        "+1 " A " hello 5",
                                        " 1 " A " hello 5",
                                        "2 " A " hello 5",
                                        "99999999 " A " hello 5",
                                        "4294967296 " A " hello 5",
                                        "0 " A "0 hello",
                                        "0 0123456789abcdef hello",
                                        "0 0123456789ABCDEF0123456789ABCDEF hello",
                                        "hello 0 " A,
                                        "1 " B " failed",
                                        "1 " B " failed 0 77 superstep: well",
                                        "1 " B " failed 256 77 superstep: well",
                                        "1 " B " failed -1 77 superstep: well",
                                        "1 " B " failed x 77 superstep: well",
                                        "1 " B " failed 9 superstep: well",
                                        "1 " B " out",
                                        "1 " B " out 0",
                                        "1 " B " out 12345",
                                        "1 " B " out 12 ",
                                        "1 " B " both 12",
                                        "0 " B " out 12",
                                        "1 " B " endedly"};
    sup_rank_reports *r = two_ranks();
    assert_int_equal(kind(r, "1 " B " hello 5"), SUP_RANK_REPORT_HELLO);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (kind(r, lines[i]) != SUP_RANK_REPORT_NONE) fail_msg("taken for a report: \"%s\"", lines[i]);
    assert_int_equal(kind(r, "0 " A " hello 5"), SUP_RANK_REPORT_HELLO); /* nobody had said it */
    sup_rank_reports_free(r);
}

/* Output is carried on whoever is believed. */
static void output_is_carried(void **state) {
    (void)state;
    sup_rank_reports *r = two_ranks();
    assert_int_equal(kind(r, "1 " B " hello 5"), SUP_RANK_REPORT_HELLO);
    sup_rank_report out = sup_rank_reports_take(r, "1 " B " out 12"),
                    err = sup_rank_reports_take(r, "1 " B " err 1900");
    assert_int_equal(out.kind, SUP_RANK_REPORT_OUTPUT);
    assert_int_equal(out.rank, 1);
    assert_int_equal(out.bytes, 12);
    assert_false(out.errors);
    assert_int_equal(err.kind, SUP_RANK_REPORT_OUTPUT);
    assert_int_equal(err.bytes, 1900);
    assert_true(err.errors);
    assert_int_equal(kind(r, "1 " A " out 12"), SUP_RANK_REPORT_NONE);
    assert_int_equal(kind(r, "1 " A " hello 5"), SUP_RANK_REPORT_DOUBT);
    assert_int_equal(kind(r, "1 " A " out 12"), SUP_RANK_REPORT_OUTPUT);
    assert_int_equal(kind(r, "1 " B " out 12"), SUP_RANK_REPORT_OUTPUT);
    sup_rank_reports_free(r);
}

/* Whichever of the two is the program's, and whatever it said in between. */
static void a_second_hello_ends_belief(void **state) {
    (void)state;
    static const char *const second[] = {"1 " A " hello 5", "1 " B " hello 5"};
    for (int i = 0; i < 2; i++) {
        sup_rank_reports *r = two_ranks();
        assert_int_equal(kind(r, "0 " A " hello 5"), SUP_RANK_REPORT_HELLO);
        assert_int_equal(kind(r, "1 " B " hello 5"), SUP_RANK_REPORT_HELLO);
        assert_int_equal(kind(r, "1 " B " ended"), SUP_RANK_REPORT_ENDED);
        assert_int_equal(kind(r, "0 " A " ended"), SUP_RANK_REPORT_ENDED);
        assert_int_equal(sup_rank_reports_ended(r), 2);
        assert_int_equal(kind(r, second[i]), SUP_RANK_REPORT_DOUBT);
        assert_int_equal(sup_rank_reports_ended(r), 0);
        assert_int_equal(kind(r, second[i]), SUP_RANK_REPORT_NONE);
        assert_int_equal(kind(r, "0 " A " failed 9 77 superstep: x"), SUP_RANK_REPORT_NONE);
        assert_int_equal(kind(r, "1 " A " ended"), SUP_RANK_REPORT_NONE);
        sup_rank_reports_free(r);
    }
}

/* What a rank's process writes, with this process as MPI's launcher. */
static void listen_to_hello(int rank, char line[256], int *dumpable) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char begin[SUP_RANK_REPORT_BEGIN];
        dup2(ends[1], STDERR_FILENO);
        if (sup_rank_report_begin(rank, NULL, begin)) _exit(99);
        sup_rank_report_say_hello(begin);
        dprintf(STDERR_FILENO, "%sended\n", begin);
        _exit(prctl(PR_GET_DUMPABLE));
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; used < 255 && (n = read(ends[0], line + used, 255 - used)) > 0;) used += (size_t)n;
    line[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    *dumpable = WEXITSTATUS(status);
}

static void hello_and_report_fit_together(void **state) {
    (void)state;
    char first[256], second[256];
    int dumpable;
    sup_rank_reports *r = two_ranks();
    listen_to_hello(1, first, &dumpable);
    assert_int_equal(dumpable, 0);
    listen_to_hello(1, second, &dumpable);
    assert_string_not_equal(first, second);
    char *hello = strtok(first, "\n"), *ended = strtok(NULL, "\n");
    assert_non_null(ended);
    size_t mark = strlen(SUP_RANK_REPORT_MARK);
    assert_memory_equal(hello, SUP_RANK_REPORT_MARK, mark);
    assert_int_equal(kind(r, hello + mark), SUP_RANK_REPORT_HELLO);
    assert_int_equal(kind(r, ended + mark), SUP_RANK_REPORT_ENDED);
    sup_rank_reports_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_who_said_hello_reports),
        cmocka_unit_test(what_looks_like_one_is_output),
        cmocka_unit_test(output_is_carried),
        cmocka_unit_test(a_second_hello_ends_belief),
        cmocka_unit_test(hello_and_report_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
