/* Programs measured as kernels of their own: words of a command, how seconds grow with the size, and what is said of a
 * size that was not measured. */
#include "measure/program_runs.h"
#include "model/program_kernels.h"

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
    for (int law = SUP_GROWTH_CONSTANT; law < SUP_GROWTH_POWER; law++)
        for (int fixed = 0; fixed <= (law != SUP_GROWTH_CONSTANT); fixed++) {
            double t[4], unit = 1e-3 / sup_growth_units(law, NAN, 30000), base = fixed ? 2e-4 : 0;
            for (size_t i = 0; i < 4; i++) t[i] = base + unit * sup_growth_units(law, NAN, (double)sizes[i]);
            sup_program_site s = site_of(t, 4);
            sup_program_law(sizes, 4, &s);
            assert_int_equal(s.law, law);
            assert_true(fabs(s.unit_s / unit - 1) < 1e-6 && fabs(s.fixed_s - base) < 1e-9 && s.error < 1e-6);
            assert_true(isnan(s.exponent));
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

static void two_sizes_make_a_power(void **state) {
    (void)state;
    const int64_t sizes[] = {100, 10000};
    const double t[] = {1e-6, 1e-3};
    sup_program_site s = site_of(t, 2);
    sup_program_law(sizes, 2, &s);
    assert_int_equal(s.law, SUP_GROWTH_POWER);
    assert_true(fabs(s.exponent - 1.5) < 1e-9 && s.error < 1e-9);
    /* between the sizes, and beyond them either way */
    sup_program_times p = {.sizes = (int64_t *)sizes, .sizes_count = 2};
    const double n[] = {100, 1000, 10000, 40000, 25}, expected[] = {1e-6, 31.6227766e-6, 1e-3, 8e-3, 0.125e-6};
    for (size_t i = 0; i < 5; i++) {
        sup_prediction x = sup_program_site_at(&p, &s, n[i]);
        assert_true(fabs(x.value / expected[i] - 1) < 1e-6 && x.low <= x.value && x.value <= x.high && x.low >= 0);
    }
    sup_prediction near = sup_program_site_at(&p, &s, 20000), far = sup_program_site_at(&p, &s, 1e9);
    assert_true((far.high - far.value) / far.value > (near.high - near.value) / near.value);
    assert_true(near.high > near.value);
    sup_record_clear(&sup_program_site_record, &s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_at_blanks_outside_quotes),
        cmocka_unit_test(the_law_that_made_the_seconds_is_found),
        cmocka_unit_test(noise_does_not_make_units_negative),
        cmocka_unit_test(two_sizes_make_a_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
