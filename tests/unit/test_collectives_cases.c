/* Which collectives are measured, and their words: sizes and choices make sense for any number of processes, words come
 * back as they went, nonsense is refused. */
#include "measure/collective/work.h"
#include "schedule/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_sizes(void **state) {
    (void)state;
    for (int processes = 2; processes <= 4096; processes = processes * 3 / 2 + 1)
        for (int o = 0; o < SUP_OPERATIONS; o++) {
            int64_t bytes[SUP_COLLECTIVES_SIZES];
            size_t n = sup_collectives_sizes(o, processes, bytes);
            assert_in_range(n, 1, SUP_COLLECTIVES_SIZES);
            for (size_t k = 0; k < n; k++) {
                sup_job job = {.operation = o, .processes = processes, .bytes = bytes[k]};
                assert_true(sup_job_total(&job) <= SUP_COLLECTIVES_LARGEST);
                assert_int_equal(bytes[k] % sup_collective_element(o), 0);
                if (k) assert_true(bytes[k] > bytes[k - 1]);
            }
            if (o == SUP_BARRIER) assert_true(n == 1 && bytes[0] == 0);
        }
}

static void check_choices(int operation, int processes, int hosts) {
    sup_choice c[SUP_COLLECTIVES_CHOICES];
    int64_t bytes[SUP_COLLECTIVES_SIZES];
    size_t sizes = sup_collectives_sizes(operation, processes, bytes);
    size_t n = sup_collectives_choices(operation, processes, hosts, c);
    assert_true(n >= 1);
    for (size_t i = 0; i < n; i++) {
        char word[SUP_COLLECTIVE_WORD], other[SUP_COLLECTIVE_WORD];
        sup_choice back;
        int of = -1;
        bool fits = false;
        sup_collective_word(operation, &c[i], word);
        assert_int_equal(sup_collective_word_read(word, &of, &back), SUP_OK);
        assert_int_equal(of, operation);
        assert_string_equal(sup_collective_word(of, &back, other), word);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(sup_collective_word(operation, &c[k], other), word);
        for (size_t k = 0; k < sizes; k++)
            fits |= sup_collectives_fit(operation, c[i].hosts ? hosts : processes, &c[i], bytes[k]);
        assert_true(fits);
        if (hosts > 1) assert_false(c[i].algorithm->traits & SUP_ALGORITHM_SHARED);
        if (hosts == 1 || hosts == processes) assert_false(c[i].hosts);
    }
}

static void test_choices(void **state) {
    (void)state;
    const int processes[] = {2, 3, 4, 7, 8, 16, 100};
    for (size_t p = 0; p < sizeof processes / sizeof *processes; p++)
        for (int o = 0; o < SUP_OPERATIONS; o++)
            for (int hosts = 1; hosts <= processes[p]; hosts += hosts) check_choices(o, processes[p], hosts);
}

static void test_segments_shorter_than_the_vector(void **state) {
    (void)state;
    sup_choice cut = {.algorithm = sup_algorithm_find(SUP_BROADCAST, "pipeline"), .segment_bytes = 8192};
    assert_non_null(cut.algorithm);
    assert_false(sup_collectives_fit(SUP_BROADCAST, 4, &cut, 8192));
    assert_true(sup_collectives_fit(SUP_BROADCAST, 4, &cut, 8200));
    assert_false(sup_collectives_fit(SUP_BROADCAST, 4, &cut, -1));
    sup_choice sum = {.algorithm = sup_algorithm_find(SUP_ALLREDUCE, "ring")};
    assert_false(sup_collectives_fit(SUP_ALLREDUCE, 4, &sum, 100)); /* sums of doubles */
    assert_true(sup_collectives_fit(SUP_ALLREDUCE, 4, &sum, 104));
}

static void test_cases_come_back(void **state) {
    (void)state;
    const char *const good[] = {"message 4096", "broadcast pipeline/64K 1048576", "allreduce ring 8",
                                "barrier shared 0", "broadcast hosts binomial 24"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sup_collective_case c;
        char text[SUP_COLLECTIVE_CASE_TEXT];
        assert_int_equal(sup_collective_case_read(good[i], &c), SUP_OK);
        assert_string_equal(sup_collective_case_text(&c, text), good[i]);
    }
}

static void test_nonsense_is_refused(void **state) {
    (void)state;
    static char endless[400];
    memset(endless, 'x', sizeof endless - 3);
    memcpy(endless + sizeof endless - 4, " 8", 3);
    const char *const bad[] = {"",
                               " ",
                               "8",
                               "broadcast",
                               "broadcast 8",
                               "broadcast binomial",
                               "broadcast binomial ",
                               "broadcast binomial -8",
                               "broadcast binomial 8x",
                               "broadcast binomial 99999999999999999999",
                               "broadcast nothing 8",
                               "broadcast mpi 8",
                               "nothing binomial 8",
                               "message",
                               "message x",
                               "broadcast binomial/0 8",
                               endless};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sup_collective_case c;
        if (!sup_collective_case_read(bad[i], &c)) fail_msg("\"%s\" was taken", bad[i]);
    }
    int operation;
    sup_choice choice;
    assert_int_equal(sup_collective_word_read(NULL, &operation, &choice), SUP_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_segments_shorter_than_the_vector),
        cmocka_unit_test(test_cases_come_back),
        cmocka_unit_test(test_nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
