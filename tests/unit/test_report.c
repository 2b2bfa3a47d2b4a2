/* What people read: units, tables, and the comparison of two profiles (all terms; src/report). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/certainty.h"
#include "report/compare.h"
#include "report/draw/figure.h"
#include "report/draw/plot.h"
#include "report/draw/tile_sweep.h"
#include "report/page/page.h"
#include "report/page/table.h"
#include "report/page/tables.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void units_have_three_digits(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0.0, "0 s"},       {4.2e-13, "0.42 ps"},  {4.1e-10, "410 ps"},   {9.996e-10, "1.00 ns"}, {1.234e-9, "1.23 ns"},
        {2.9e-7, "290 ns"}, {9.999e-7, "1.00 µs"}, {12.34e-6, "12.3 µs"}, {0.5, "500 ms"},        {1234.0, "1234 s"},
        {NAN, "–"},         {INFINITY, "–"}};
    char text[SUP_UNIT_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(sup_unit_seconds(cases[i].seconds, text, sizeof text), cases[i].text);
    assert_string_equal(sup_unit_rate(12.8e9, "B/s", text, sizeof text), "12.8 GB/s");
    assert_string_equal(sup_unit_rate(999.6e6, "B/s", text, sizeof text), "1.00 GB/s");
    assert_string_equal(sup_unit_share(0.0346, text, sizeof text), "3.5 %");
    assert_string_equal(sup_unit_share(260.0, text, sizeof text), "over 1000 %");
    assert_string_equal(sup_unit_interval(2.0, 0.1, text, sizeof text), "± 5.0 %");
    assert_string_equal(sup_unit_interval(0.0, 0.1, text, sizeof text), "–");
    assert_string_equal(sup_unit_duration(59.6, text, sizeof text), "1 min");
    assert_string_equal(sup_unit_duration(125.0, text, sizeof text), "2 min 5 s");
    assert_string_equal(sup_unit_number(NULL, text, sizeof text), "–");
}

static void units_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } times[] = {{"1.3us", 1.3e-6}, {"1.3µs", 1.3e-6}, {"250ns", 250e-9}, {"5ms", 5e-3}, {"2m", 120}, {"1e-6", 1e-6},
                 {"0", 0},          {"1.3 us", 0},     {"us", 0},         {"1.3ux", 0},  {"-1us", 0}},
      rates[] = {{"24GB/s", 24e9}, {"24e9", 24e9}, {"200Gbit/s", 25e9}, {"200Gb/s", 25e9}, {"1GiB/s", 1073741824.0},
                 {"1MB", 1e6},     {"8kbit", 1e3}, {"5G", 5e9},         {"0GB/s", 0},      {"24GX/s", 0},
                 {"24GB/", 0},     {"GB/s", 0},    {"24GB/ss", 0},      {"inf", 0},        {"-1GB/s", 0},
                 {"1bi/s", 0},     {"1b", 0.125}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double value = 0;
        assert_int_equal(sup_unit_parse_duration(times[i].text, &value), times[i].value > 0);
        if (times[i].value > 0) assert_true(fabs(value - times[i].value) < 1e-12 * times[i].value);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double value = 0;
        assert_int_equal(sup_unit_parse_rate(rates[i].text, &value), rates[i].value > 0);
        if (rates[i].value > 0) assert_true(fabs(value - rates[i].value) < 1e-12 * rates[i].value);
    }
}

static void sizes_have_no_exponent(void **state) {
    (void)state;
    char text[SUP_UNIT_TEXT];
    assert_string_equal(sup_unit_bytes(999.6 * 1024, text, sizeof text), "1000 KB");
    assert_string_equal(sup_unit_bytes(999.4 * 1024, text, sizeof text), "999 KB");
}

static void durations_are_read_whole(void **state) {
    (void)state;
    double seconds = -1.0;
    assert_true(sup_unit_parse_duration("30s", &seconds) && seconds == 30.0);
    assert_true(sup_unit_parse_duration("5m", &seconds) && seconds == 300.0);
    assert_true(sup_unit_parse_duration("1.5h", &seconds) && seconds == 5400.0);
    assert_true(sup_unit_parse_duration("250ms", &seconds) && seconds == 0.25);
    assert_true(sup_unit_parse_duration("7", &seconds) && seconds == 7.0);
    static const char *const bad[] = {"",  "s",  "-5s", "+5s", " 5s",   "5 s",  "5x",  "5sm",
                                      "0", "0s", "inf", "nan", "1e999", "0x10", "9e9h"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(sup_unit_parse_duration(bad[i], &seconds));
}

static char *rendered(const sup_table *table, void (*write)(const sup_table *, FILE *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(table, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void tables_line_up(void **state) {
    (void)state;
    sup_table *t = sup_table_new("times", "name", "time>", NULL);
    sup_table_cell(t, "a");
    sup_table_cell(t, "1 µs");
    sup_table_cell(t, "longer");
    sup_table_cell(t, "100 ns");
    sup_table_note(t, "note");
    assert_int_equal(sup_table_rows(t), 2);
    char *text = rendered(t, sup_table_text);
    assert_string_equal(text, "times\n  name      time\n  a         1 µs\n  longer  100 ns\n  note\n");
    free(text);
    sup_table_free(t);
}

static void html_is_escaped(void **state) {
    (void)state;
    sup_table *t = sup_table_new("a<b", "x", NULL);
    sup_table_cell(t, "%s", "<i>&\"'\x01\xff é \xe2\x82");
    char *text = rendered(t, sup_table_html);
    assert_non_null(strstr(text, "&lt;i&gt;&amp;&quot;&#39;?? é ??"));
    assert_null(strstr(text, "<i>"));
    assert_null(strstr(text, "a<b"));
    free(text);
    text = rendered(t, sup_table_text); /* nothing that moves the cursor */
    assert_null(strchr(text, '\x01'));
    free(text);
    sup_table_free(t);
}

static void gnuplot_gets_text_as_text(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sup_plot_quote("it's `x` \"$y\"\n", out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "'it''s `x` \"$y\" '");
    free(text);
}

static char *script_of(const double *y, size_t count) {
    static const double x[] = {1024, 2048, 4096, 8192};
    char *text = NULL;
    size_t length;
    sup_plot plot;
    FILE *out = open_memstream(&text, &length);
    sup_plot_begin(&plot, out, false);
    sup_plot_points(&plot, "a", x, y, NULL, count);
    sup_plot_end(&plot, "bytes", "seconds");
    assert_int_equal(fclose(out), 0);
    return text;
}

static void an_axis_that_would_flatten_all_is_logarithmic(void **state) {
    (void)state;
    char *text = script_of((double[]){1e-6, 2e-6, 3e-6, 1.9e-5}, 4);
    assert_null(strstr(text, "set logscale y"));
    assert_non_null(strstr(text, "set yrange [0:"));
    free(text);
    text = script_of((double[]){1e-6, 2e-6, 0.0, 2.1e-5}, 4);
    assert_non_null(strstr(text, "set logscale y"));
    free(text);
}

/* ---- certainty ---- */

static sup_profile *make_profile(double latency, double ci, double factor);

static void advice_is_given_where_much_is_uncertain(void **state) {
    (void)state;
    sup_profile *p = make_profile(1e-6, 5e-8, 1.0);
    sup_certainty c;
    char advice[SUP_ADVICE];
    if (p->quality) p->quality->complete = true;
    assert_int_equal(sup_certainty_of(p, sup_sections, &c), SUP_OK);
    assert_int_equal(c.known, 21);
    assert_int_equal(c.wide, 0);
    assert_string_equal(sup_certainty_advice(p, &c, "m.json", "r.html", advice), "");
    for (size_t i = 0; i < 3; i++) p->copies[0].time_s->points->ci[i] = 1e-7;
    p->sync[0].time_s->n = 1; /* an interval of one sample is none */
    assert_int_equal(sup_certainty_of(p, sup_sections, &c), SUP_OK);
    assert_int_equal(c.single, 1);
    assert_int_equal(c.wide, 4);
    assert_int_equal(c.known, 21);
    assert_non_null(
        strstr(sup_certainty_advice(p, &c, "m.json", "r.html", advice), "4 of 21 numbers are wider than ± 10 %"));
    assert_non_null(strstr(advice, "`superstep measure --resume --budget 1m --out m.json`"));
    assert_non_null(strstr(advice, "`superstep report --profile m.json --force --out r.html`"));
    assert_non_null(
        strstr(sup_certainty_advice(p, &c, NULL, "r.html", advice), "--keep profile.json --force --out r.html`"));
    sup_profile_free(p);
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    if (!p->quality) p->quality = sup_record_make(&sup_quality_record);
    p->quality->spent_s = 100.0;
    p->quality->complete = false;
    assert_int_equal(sup_certainty_of(p, sup_sections, &c), SUP_OK);
    assert_non_null(strstr(sup_certainty_advice(p, &c, "m.json", "r.html", advice), "not complete"));
    assert_non_null(strstr(advice, "--budget 7m"));
    sup_profile_free(p);
}

static void one_sample_has_no_interval(void **state) {
    (void)state;
    char text[SUP_UNIT_TEXT];
    assert_string_equal(sup_unit_number(&(sup_number){.value = 1e-3, .ci = 0.0, .n = 1}, text, sizeof text),
                        "1.00 ms, one sample");
    assert_string_equal(sup_unit_number(&(sup_number){.value = 1e-3, .ci = 1e-9, .n = 2}, text, sizeof text),
                        "1.00 ms ± < 0.1 %");
}

static void size_classes_are_put_in_words(void **state) {
    (void)state;
    char text[128];
    assert_string_equal(sup_tile_class_text("256x256x1 e8,8 w2", true, text, sizeof text),
                        "256 × 256 doubles, 2 workers");
    assert_string_equal(sup_tile_class_text("1x881743x1 e4,4 w1", true, text, sizeof text), "881743 floats, 1 worker");
    assert_string_equal(sup_tile_class_text("64x64x64 e2 w2 aligned", false, text, sizeof text),
                        "64 × 64 × 64 elements of 2 B, rows aligned");
    assert_string_equal(sup_tile_class_text("2^20", true, text, sizeof text), "2^20");
}

/* ---- comparison ---- */

static sup_profile *make_profile(double latency, double ci, double factor) {
    sup_profile *p = NULL;
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    sup_sync_time *s = SUP_APPEND(&sup_sync_record, p->sync, p->sync_count);
    sup_record_set_string(&s->transport, "shm");
    sup_record_set_string(&s->algorithm, "tree");
    s->processes = 2;
    s->time_s = sup_record_make(&sup_number_record);
    s->time_s->value = latency;
    s->time_s->ci = ci;
    s->time_s->n = 30;
    sup_copy_time *c = SUP_APPEND(&sup_copy_record, p->copies, p->copies_count);
    sup_record_set_string(&c->method, "memcpy");
    c->time_s = sup_record_make(&sup_file_curve_record);
    double x[20], y[20], interval[20];
    for (int i = 0; i < 20; i++) {
        x[i] = exp2(i);
        y[i] = 1e-7 + 1e-10 * x[i];
        if (x[i] >= 65536.0) y[i] *= factor;
        interval[i] = 0.01 * y[i];
    }
    assert_int_equal(sup_file_curve_set_points(c->time_s, &(sup_points){.x = x, .y = y, .ci = interval}, 20), SUP_OK);
    return p;
}

static void only_what_is_beyond_the_intervals_changed(void **state) {
    (void)state;
    sup_profile *a = make_profile(1e-6, 5e-8, 1.0), *b = make_profile(1.08e-6, 5e-8, 1.0);
    sup_comparison c;
    assert_int_equal(sup_compare(a, b, 0.0, &c), SUP_OK);
    assert_int_equal(c.changed, 0); /* 1.05 and 1.03 meet */
    assert_int_equal(c.compared, 21);
    assert_int_equal(c.close, 21);
    sup_comparison_free(&c);
    sup_profile_free(b);
    b = make_profile(1.2e-6, 5e-8, 1.5);
    assert_int_equal(sup_compare(a, b, 0.0, &c), SUP_OK);
    assert_int_equal(c.changed, 1 + 4); /* the number, and the points from 64 KB on */
    assert_int_equal(c.close, 16);
    for (size_t i = 0; i < c.count; i++) {
        if (strcmp(c.changes[i].section, "copies")) continue;
        assert_int_equal(c.changes[i].changed, 4);
        assert_true(c.changes[i].x_low == 65536.0 && c.changes[i].x_high == 524288.0);
        assert_true(fabs(c.changes[i].ratio - 1.5) < 1e-9);
    }
    sup_comparison_free(&c);
    assert_int_equal(sup_compare(a, b, 0.3, &c), SUP_OK); /* 20 % is less than asked for, 50 % is not */
    assert_int_equal(c.changed, 4);
    sup_comparison_free(&c);
    sup_profile_free(b);
    sup_profile_free(a);
}

static void what_one_side_lacks_is_named(void **state) {
    (void)state;
    sup_profile *a = make_profile(1e-6, 1e-8, 1.0), *b = NULL;
    sup_comparison c;
    assert_int_equal(sup_profile_new(0, NULL, &b), SUP_OK);
    assert_int_equal(sup_compare(a, b, 0.0, &c), SUP_OK);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.compared, 0);
    assert_int_equal(c.changes[0].kind, SUP_CHANGE_ONLY_A);
    sup_comparison_free(&c);
    assert_int_equal(sup_compare(b, a, 0.0, &c), SUP_OK);
    assert_int_equal(c.changes[0].kind, SUP_CHANGE_ONLY_B);
    sup_comparison_free(&c);
    sup_profile_free(b);
    sup_profile_free(a);
}

/* ---- caches and names ---- */

static void caches_are_found_in_the_words(void **state) {
    (void)state;
    sup_profile *p = NULL;
    sup_cache_mark marks[SUP_CACHE_MARKS];
    assert_int_equal(sup_profile_new(0, NULL, &p), SUP_OK);
    assert_int_equal(sup_cache_marks(p, marks), 0);
    sup_record_set_string(&p->signature.machine, "2 cores, L3 32 MB, 2 x L2 1.5 MB, L1 64 KB (XL1 9 MB)");
    assert_int_equal(sup_cache_marks(p, marks), 3);
    assert_string_equal(marks[0].name, "L1");
    assert_true(marks[0].bytes == 65536.0 && marks[1].bytes == 1572864.0 && marks[2].bytes == 33554432.0);
    sup_record_set_string(&p->signature.machine, "L1 , L2 x, L3 -4 MB, L");
    assert_int_equal(sup_cache_marks(p, marks), 0);
    sup_profile_free(p);
}

static void sections_of_the_report_are_a_table(void **state) {
    (void)state;
    static const char *const wanted[] = {"machine", "computation", "communication", "quality"};
    size_t found = 0;
    for (const sup_chapter *c = sup_chapters; c->id; c++) {
        const sup_section *first = c->parts[0].of[0];
        assert_non_null(first);
        assert_true(first->page || first->tables);
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) found += !strcmp(c->id, wanted[i]);
    }
    for (const sup_section *const *s = sup_sections; *s; s++) assert_true((*s)->name && (*s)->tables);
    assert_int_equal(found, sizeof wanted / sizeof wanted[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_three_digits),
        cmocka_unit_test(units_are_read),
        cmocka_unit_test(sizes_have_no_exponent),
        cmocka_unit_test(durations_are_read_whole),
        cmocka_unit_test(tables_line_up),
        cmocka_unit_test(html_is_escaped),
        cmocka_unit_test(gnuplot_gets_text_as_text),
        cmocka_unit_test(an_axis_that_would_flatten_all_is_logarithmic),
        cmocka_unit_test(advice_is_given_where_much_is_uncertain),
        cmocka_unit_test(one_sample_has_no_interval),
        cmocka_unit_test(size_classes_are_put_in_words),
        cmocka_unit_test(only_what_is_beyond_the_intervals_changed),
        cmocka_unit_test(what_one_side_lacks_is_named),
        cmocka_unit_test(caches_are_found_in_the_words),
        cmocka_unit_test(sections_of_the_report_are_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
