/* Programs measured as kernels of their own: words of a command, how seconds grow with the size, and what is said of a
 * size that was not measured. */
#include "measure/program/runs.h"
#include "model/equation/program_kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- words ---- */

static void words_are_split_at_blanks_outside_quotes(void **state) {
    (void)state;
    sup_diag diag = {0};
    char **w = NULL;
    assert_int_equal(sup_program_split("  ./a\t-n{n}  'b c' \"d 'e\" f'g h'i ''", &diag, &w), SUP_OK);
    const char *const expected[] = {"./a", "-n{n}", "b c", "d 'e", "fg hi", ""};
    for (size_t i = 0; i < 6; i++) assert_string_equal(w[i], expected[i]);
    assert_null(w[6]);
    sup_program_words_free(w);
    assert_int_equal(sup_program_split("", &diag, &w), SUP_EINVAL);
    assert_int_equal(sup_program_split(" \n\t", &diag, &w), SUP_EINVAL);
    assert_int_equal(sup_program_split("'' {n}", &diag, &w), SUP_EINVAL);
    assert_int_equal(sup_program_split("a \"b", &diag, &w), SUP_EINVAL);
    sup_program_words_free(NULL);
}

/* ---- laws ---- */

static sup_program_site site_of(const double *seconds, size_t count) {
    sup_program_site s;
    sup_record_init(&sup_program_site_record, &s);
    const double none[SUP_PROGRAM_SIZES_MOST] = {0};
    sup_record_set_string(&s.site, "a.c:1");
    sup_record_set_reals(&s.seconds, &s.seconds_count, seconds, count);
    sup_record_set_reals(&s.typical, &s.typical_count, seconds, count);
    sup_record_set_reals(&s.ci, &s.ci_count, none, count);
    return s;
}

/* Each law, with and without a constant, through four sizes is found again. */
static void the_law_that_made_the_seconds_is_found(void **state) {
    (void)state;
    const int64_t sizes[] = {1000, 5000, 30000, 1000000};
    for (int law = SUP_GROWTH_CONSTANT; law < SUP_GROWTH_NONE; law++)
        for (int fixed = 0; fixed <= (law != SUP_GROWTH_CONSTANT); fixed++) {
            double t[4], unit = 1e-3 / sup_growth_units(law, 30000), base = fixed ? 2e-4 : 0;
            for (size_t i = 0; i < 4; i++) t[i] = base + unit * sup_growth_units(law, (double)sizes[i]);
            sup_program_site s = site_of(t, 4);
            sup_program_law(sizes, 4, &s);
            assert_int_equal(s.law, law);
            assert_true(fabs(s.unit_s / unit - 1) < 1e-6 && fabs(s.fixed_s - base) < 1e-9 && s.error < 1e-6);
            assert_int_equal(sup_record_check(&sup_program_site_record, &s, NULL), SUP_OK);
            sup_record_clear(&sup_program_site_record, &s);
        }
}

static void noise_does_not_make_units_negative(void **state) {
    (void)state;
    const int64_t sizes[] = {10, 20, 40, 80};
    const double falling[] = {4e-6, 3e-6, 2e-6, 1e-6}, flat[] = {1e-6, 1.1e-6, 0.9e-6, 1e-6};
    const double *const all[] = {falling, flat};
    for (size_t k = 0; k < 2; k++)
        for (size_t count = 2; count <= 4; count++) {
            sup_program_site s = site_of(all[k], count);
            sup_program_law(sizes, count, &s);
            assert_true(s.unit_s > 0 && s.fixed_s >= 0 && isfinite(s.error));
            assert_int_equal(sup_record_check(&sup_program_site_record, &s, NULL), SUP_OK);
            sup_record_clear(&sup_program_site_record, &s);
        }
}

/* Intervals of so much of a time. */
static sup_program_site scattered(const double *seconds, size_t count, double share) {
    sup_program_site s = site_of(seconds, count);
    for (size_t i = 0; i < count; i++) s.ci[i] = share * seconds[i];
    return s;
}

static int law_of(const int64_t *sizes, const double *seconds, size_t count, double share) {
    sup_program_site s = scattered(seconds, count, share);
    sup_program_law(sizes, count, &s);
    assert_int_equal(sup_record_check(&sup_program_site_record, &s, NULL), SUP_OK);
    assert_true(s.unit_s > 0 && isfinite(s.error));
    int law = s.law;
    sup_record_clear(&sup_program_site_record, &s);
    return law;
}

/* What neither sizes nor launches tell is no law. */
static void no_law_is_an_answer(void **state) {
    (void)state;
    const int64_t sizes[] = {1000, 10000, 100000}, narrow[] = {1000, 1500, 2500};
    const double jumps[] = {10.5e-6, 8.15e-6, 10.1e-6}, line[] = {1e-6, 1e-5, 1e-4}, bent[] = {1e-6, 1e-3, 1.2e-3};
    assert_int_equal(law_of(sizes, jumps, 3, 0.05), SUP_GROWTH_NONE);    /* not even constant */
    assert_int_equal(law_of(sizes, jumps, 3, 0.2), SUP_GROWTH_CONSTANT); /* n^3 is nearer, but not by anything */
    assert_int_equal(law_of(sizes, jumps, 3, 0.7), SUP_GROWTH_NONE);     /* launches that agree on nothing */
    assert_int_equal(law_of(sizes, line, 3, 0.05), SUP_GROWTH_LINEAR);
    assert_int_equal(law_of(sizes, line, 2, 0.05), SUP_GROWTH_NONE);  /* everything goes through two */
    assert_int_equal(law_of(narrow, line, 3, 0.05), SUP_GROWTH_NONE); /* too near each other */
    assert_int_equal(law_of(sizes, bent, 3, 0.1), SUP_GROWTH_NONE);   /* a cache that is left */
}

/* n log n is told from n by launches that agree, and by no others. */
static void the_simpler_law_unless_launches_tell(void **state) {
    (void)state;
    const int64_t sizes[] = {10000, 100000, 1000000};
    double t[3];
    for (size_t i = 0; i < 3; i++) t[i] = 1e-9 * sup_growth_units(SUP_GROWTH_N_LOG_N, (double)sizes[i]);
    assert_int_equal(law_of(sizes, t, 3, 0.02), SUP_GROWTH_N_LOG_N);
    assert_int_equal(law_of(sizes, t, 3, 0.45), SUP_GROWTH_LINEAR);
}

/* Without a law: between the sizes as ever, beyond them wide. */
static void sizes_without_a_law(void **state) {
    (void)state;
    const int64_t sizes[] = {100, 10000};
    const double t[] = {1e-6, 1e-3};
    sup_program_site s = site_of(t, 2);
    sup_program_law(sizes, 2, &s);
    assert_int_equal(s.law, SUP_GROWTH_NONE);
    sup_program_times p = {.sizes = (int64_t *)sizes, .sizes_count = 2};
    const double n[] = {100, 1000, 10000, 40000, 25}, expected[] = {1e-6, 31.6227766e-6, 1e-3, 8e-3, 0.125e-6};
    for (size_t i = 0; i < 5; i++) {
        sup_prediction x = sup_program_site_at(&p, &s, n[i]);
        assert_true(fabs(x.value / expected[i] - 1) < 1e-6 && x.low <= x.value && x.value <= x.high && x.low >= 0);
    }
    sup_prediction far = sup_program_site_at(&p, &s, 40000); /* it may not grow any further */
    assert_true(far.low <= 1e-3 && far.high >= 15e-3);
    s.law = SUP_GROWTH_N_ROOT_N;
    s.unit_s = 1e-9;
    sup_prediction near = sup_program_site_at(&p, &s, 20000);
    far = sup_program_site_at(&p, &s, 1e9);
    assert_true((far.high - far.value) / far.value > (near.high - near.value) / near.value);
    assert_true(near.high > near.value && fabs(near.value / 2.8284271e-3 - 1) < 1e-6);
    sup_record_clear(&sup_program_site_record, &s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_at_blanks_outside_quotes),
        cmocka_unit_test(the_law_that_made_the_seconds_is_found),
        cmocka_unit_test(noise_does_not_make_units_negative),
        cmocka_unit_test(no_law_is_an_answer),
        cmocka_unit_test(the_simpler_law_unless_launches_tell),
        cmocka_unit_test(sizes_without_a_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
