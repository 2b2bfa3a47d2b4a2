/* What a file is, by how it begins (base/file/file.h), and what that means for one that is to be written. */
#include "base/file/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/file_kind-XXXXXX";

static const struct {
    const char *begins, *kind;
} samples[] = {
    {"{\"kind\": \"superstep-profile\", \"schema\": 1}", "profile"},
    {"\n {\"schema\": 1, \"signature\": {\"kind\": \"superstep-plan\"}, \"kind\" : \"superstep-trace\"}", "trace"},
    {"{\"tool\": \"a \\\" b\", \"kind\": \"superstep-plan\", \"schema\": ,,,", "plan"},
    {"{\"kind\": \"superstep-prediction\"}", "prediction"},
    {"{\"kind\": \"superstep-\\u001b\"}", "JSON file"},
    {"{\"kind\": \"other\"}", "JSON file"},
    {"{\"kind\": 3}", "JSON file"},
    {"{\"a\": \"kind\", \"b\": [\"kind\"]}", "JSON file"},
    {"{\"list\": [{\"kind\": \"superstep-plan\"}]}", "JSON file"},
    {"{\"kind\": \"superstep-pl", "JSON file"},
    {"{\"kind", "JSON file"},
    {"{", "JSON file"},
    {"<!DOCTYPE html>\n<title>Superstep report: cpu</title>", "report"},
    {"<!DOCTYPE html>\n<title>My page</title>", "text file"},
    {"<?xml version=\"1.0\"?>\n<svg width=\"3\">", "figure"},
    {"<?xml version=\"1.0\"?>\n<books/>", "text file"},
    {"<svg xmlns=\"http://www.w3.org/2000/svg\">", "figure"},
    {"\x89PNG\r\n\x1a\n", "figure"},
    {"/* f: a barrier for 4 processes, \"tree\",\n * 2 stages. Written by superstep 0.1.0.\n", "barrier in C"},
    {"/* My program. */\nint main", "text file"},
    {"set output 'sweep.svg'\n", "gnuplot script"},
    {"# processes total low high ideal computation", "table of a sweep"},
    {"hello\n", "text file"},
    {"\x7f"
     "ELF\x02\x01",
     "binary file"},
};

static void beginnings_say_what_it_is(void **state) {
    (void)state;
    char kind[SUP_FILE_KIND];
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        sup_file_kind(samples[i].begins, strlen(samples[i].begins), kind);
        assert_string_equal(kind, samples[i].kind);
    }
    sup_file_kind("a\0b", 3, kind);
    assert_string_equal(kind, "binary file");
    sup_file_kind("", 0, kind);
    assert_string_equal(kind, "text file");
}

/* No length is read beyond: what is cut anywhere is something, too. */
static void every_cut_is_something(void **state) {
    (void)state;
    char kind[SUP_FILE_KIND];
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t n = 0; n <= strlen(samples[i].begins); n++) {
            char *exact = malloc(n ? n : 1);
            assert_non_null(exact);
            memcpy(exact, samples[i].begins, n);
            kind[0] = 0;
            sup_file_kind(exact, n, kind);
            assert_true(kind[0] && strlen(kind) < SUP_FILE_KIND);
            free(exact);
        }
}

static const char *at(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool holds(const char *path, const char *text) {
    char *there = NULL;
    size_t length = 0;
    assert_int_equal(sup_file_read(path, 1 << 20, NULL, &there, &length), SUP_OK);
    bool same = !strcmp(there, text);
    free(there);
    return same;
}

static const char plan[] = "{\"kind\": \"superstep-plan\"}", trace[] = "{\"kind\": \"superstep-trace\"}";

static sup_status write_plan(const char *path, bool over, sup_diag *diag) {
    sup_status checked = sup_file_check(path, SUP_FILE_PLAN, over, diag);
    sup_diag again = {0};
    sup_status status = sup_file_write(path, plan, strlen(plan), over, &again);
    assert_int_equal(checked, status); /* what is refused in the end is refused before, and for the same reason */
    if (status) assert_string_equal(diag->text, again.text);
    return status;
}

static void kinds_stay_apart(void **state) {
    (void)state;
    sup_diag diag = {0};
    const char *path = at("file");
    assert_true(sup_file_is_nothing(path));
    assert_int_equal(write_plan(path, false, &diag), SUP_OK);
    assert_int_equal(write_plan(path, false, &diag), SUP_EIO);
    assert_string_equal(diag.text, "exists; --force replaces it");
    assert_string_equal(diag.file, path);
    assert_int_equal(write_plan(path, true, &diag), SUP_OK);
    for (int over = 0; over < 2; over++) {
        put(path, trace);
        assert_int_equal(write_plan(path, over, &diag), SUP_EIO);
        assert_string_equal(diag.text, "is a trace, not a plan: it is not replaced");
        assert_true(holds(path, trace));
        put(path, "int main(void) {}\n");
        assert_int_equal(write_plan(path, over, &diag), SUP_EIO);
        assert_string_equal(diag.text, "is a text file, not a plan: it is not replaced");
        put(path, ""); /* as mktemp makes it */
        assert_true(sup_file_is_nothing(path));
        assert_int_equal(write_plan(path, over, &diag), SUP_OK);
        assert_false(sup_file_is_nothing(path));
        assert_int_equal(write_plan("/dev/null", over, &diag), SUP_OK);
    }
    unlink(path);
}

/* The kind counts of what a link leads to. */
static void links_lead_to_kinds(void **state) {
    (void)state;
    sup_diag diag = {0};
    char link_path[128];
    put(at("file"), trace);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(symlink("file", link_path), 0);
    assert_int_equal(write_plan(link_path, true, &diag), SUP_EIO);
    assert_true(holds(at("file"), trace));
    unlink(link_path);
    unlink(at("file"));
}

static void streams_are_written_to(void **state) {
    (void)state;
    int ends[2];
    char path[64], bytes[64] = "";
    sup_diag diag = {0};
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_true(sup_file_is_stream(path) && sup_file_is_stream("/dev/null"));
    assert_false(sup_file_is_stream(folder) || sup_file_is_stream(at("none")));
    assert_int_equal(write_plan(path, false, &diag), SUP_OK);
    assert_int_equal(read(ends[0], bytes, sizeof bytes - 1), strlen(plan));
    assert_string_equal(bytes, plan);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beginnings_say_what_it_is), cmocka_unit_test(every_cut_is_something),
        cmocka_unit_test(kinds_stay_apart),          cmocka_unit_test(links_lead_to_kinds),
        cmocka_unit_test(streams_are_written_to),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
