/* JSON reading and writing: every error has its line, every limit holds, and what is written comes back unchanged. */
#include "base/file/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char scratch[64];

static const char *scratch_path(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

static sup_json *parse(const char *text) {
    sup_json *doc = NULL;
    sup_diag diag;
    if (sup_json_parse("t.json", text, strlen(text), &diag, &doc)) fail_msg("%s (line %d)", diag.text, diag.line);
    return doc;
}

static void refuse_bytes(const char *text, size_t length, int line, const char *part) {
    sup_json *doc = (sup_json *)&scratch; /* must stay as it is */
    sup_diag diag = {0};
    assert_int_equal(sup_json_parse("t.json", text, length, &diag, &doc), SUP_EPARSE);
    assert_ptr_equal(doc, &scratch);
    assert_int_equal(diag.line, line);
    assert_string_equal(diag.file, "t.json");
    if (!strstr(diag.text, part)) fail_msg("\"%s\" lacks \"%s\"", diag.text, part);
    for (const char *c = diag.text; *c; c++) assert_true((unsigned char)*c >= 0x20);
}

static void refuse(const char *text, int line, const char *part) { refuse_bytes(text, strlen(text), line, part); }

static void broken_texts_are_refused_with_line(void **state) {
    (void)state;
    refuse("", 0, "empty");
    refuse(" ", 1, "JSON");
    refuse("{\"a\": 1\n \"b\": 2}", 2, "expected");
    refuse("{\"a\": 1,\n\n \"a\": 2}", 3, "duplicate");
    refuse("[1, 2]\n]", 2, "end of file");
    refuse("[1,\n1e999]", 2, "overflow");
    refuse("[NaN]", 1, "token");
    refuse("[123456789012345678901234567890]", 1, "big");
    refuse("[\"\n\"]", 1, "unexpected newline");
    refuse("[\"\xff\"]", 1, "decode");
    refuse("[\"\x01\"]", 1, "control");
    refuse("{\"a\": [1, 2", 1, "expected");
    refuse("12", 1, "expected");
    refuse_bytes("[1]\0", 4, 1, "JSON");
    sup_diag diag;
    sup_json *doc;
    assert_int_equal(sup_json_parse(NULL, "[", 1, NULL, &doc), SUP_EPARSE);
    assert_int_equal(sup_json_parse(NULL, "[", 1, &diag, &doc), SUP_EPARSE);
    assert_string_equal(diag.file, "");
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    char text[4096];
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = 0;
    sup_json_free(parse(text));
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    text[130] = 0;
    refuse(text, 1, "deeper");
    /* Brackets inside strings are not nesting, whatever is escaped around them. */
    char *at = text + sprintf(text, "[\"\\\\\", \"\\\"");
    memset(at, '[', 1000);
    strcpy(at + 1000, "\"]");
    sup_json_free(parse(text));
    memset(text, '[', 4000);
    refuse_bytes(text, 4000, 1, "deeper");
}

static void every_value_knows_its_line(void **state) {
    (void)state;
    sup_json *doc = parse("\n{ \"a\"\n:\n 1,\n \"b\": [\n true, true,\n\n true, [ ] ],\n"
                          " \"c\": { \"d,:\\\"\": null, \"e\\u0041\": \"x\\\\\",\n \"f\": {\n}}}");
    json_t *root = sup_json_root(doc);
    json_t *b = json_object_get(root, "b"), *c = json_object_get(root, "c");
    assert_int_equal(sup_json_line(doc, root, NULL, -1), 2);
    assert_int_equal(sup_json_line(doc, root, "a", -1), 4);
    assert_int_equal(sup_json_line(doc, root, "b", -1), 5);
    assert_int_equal(sup_json_line(doc, b, NULL, -1), 5);
    assert_int_equal(sup_json_line(doc, b, NULL, 1), 6);
    assert_int_equal(sup_json_line(doc, b, NULL, 2), 8);
    assert_int_equal(sup_json_line(doc, b, NULL, 3), 8);
    assert_int_equal(sup_json_line(doc, json_array_get(b, 3), NULL, -1), 8);
    assert_int_equal(sup_json_line(doc, c, "d,:\"", -1), 9);
    assert_int_equal(sup_json_line(doc, c, "eA", -1), 9);
    assert_int_equal(sup_json_line(doc, c, "f", -1), 10);
    /* What is not there has the line of its parent; a stranger has none. */
    assert_int_equal(sup_json_line(doc, c, "nope", -1), 9);
    assert_int_equal(sup_json_line(doc, b, NULL, 99), 5);
    json_t *stranger = json_object();
    assert_int_equal(sup_json_line(doc, stranger, "a", -1), 0);
    json_decref(stranger);
    sup_json_free(doc);
}

static void check_diag(sup_status status, const sup_diag *diag, int line, const char *text) {
    assert_int_equal(status, SUP_EPARSE);
    assert_int_equal(diag->line, line);
    assert_string_equal(diag->text, text);
}

static void typed_members(void **state) {
    (void)state;
    sup_json *doc =
        parse("{\"i\": 5,\n \"r\": 2.5,\n \"s\": \"x\",\n \"t\": true,\n \"a\": [],\n \"o\": {},\n \"n\": null}");
    json_t *root = sup_json_root(doc);
    sup_diag d;
    json_int_t i = 42;
    double r = 42;
    bool t = false;
    const char *s = NULL;
    const json_t *v = NULL;
    assert_int_equal(sup_json_get_int(doc, root, "i", true, 0, 9, &d, &i), SUP_OK);
    assert_int_equal(i, 5);
    check_diag(sup_json_get_int(doc, root, "i", true, 6, 9, &d, &i), &d, 1, "\"i\" is 5, outside 6 to 9");
    check_diag(sup_json_get_int(doc, root, "s", true, 6, 9, &d, &i), &d, 3, "\"s\" must be an integer, not a string");
    check_diag(sup_json_get_int(doc, root, "r", true, 0, 9, &d, &i), &d, 2,
               "\"r\" must be an integer, not a number with a fraction or exponent");
    check_diag(sup_json_get_int(doc, root, "x", true, 0, 9, &d, &i), &d, 1, "\"x\" is missing");
    assert_int_equal(sup_json_get_int(doc, root, "x", false, 0, 9, &d, &i), SUP_OK);
    assert_int_equal(i, 5);
    assert_int_equal(sup_json_get_real(doc, root, "r", true, 0, 9, &d, &r), SUP_OK);
    assert_true(r == 2.5);
    assert_int_equal(sup_json_get_real(doc, root, "i", true, 0, 9, &d, &r), SUP_OK);
    assert_true(r == 5.0);
    check_diag(sup_json_get_real(doc, root, "r", true, 3, 9, &d, &r), &d, 2, "\"r\" is 2.5, outside 3 to 9");
    check_diag(sup_json_get_real(doc, root, "n", true, 3, 9, &d, &r), &d, 7, "\"n\" must be a number, not null");
    assert_int_equal(sup_json_get_string(doc, root, "s", true, &d, &s), SUP_OK);
    assert_string_equal(s, "x");
    check_diag(sup_json_get_string(doc, root, "o", true, &d, &s), &d, 6, "\"o\" must be a string, not an object");
    assert_int_equal(sup_json_get_bool(doc, root, "t", true, &d, &t), SUP_OK);
    assert_true(t);
    check_diag(sup_json_get_bool(doc, root, "a", true, &d, &t), &d, 5, "\"a\" must be true or false, not an array");
    assert_int_equal(sup_json_get_array(doc, root, "a", true, &d, &v), SUP_OK);
    check_diag(sup_json_get_array(doc, root, "t", true, &d, &v), &d, 4, "\"t\" must be an array, not a boolean");
    assert_int_equal(sup_json_get_object(doc, root, "o", true, &d, &v), SUP_OK);
    check_diag(sup_json_get_object(doc, root, "i", true, &d, &v), &d, 1, "\"i\" must be an object, not an integer");
    sup_json_free(doc);
}

static void strict_mode_names_the_near_key(void **state) {
    (void)state;
    static const char *const known[] = {"latency_s", "bandwidth", "n", NULL};
    sup_json *doc = parse("{\"n\": 1,\n\"latncy_s\": 2}");
    sup_diag d;
    check_diag(sup_json_only(doc, sup_json_root(doc), known, &d), &d, 2,
               "unknown key \"latncy_s\"; did you mean \"latency_s\"?");
    sup_json_free(doc);
    doc = parse("{\"colour\\u001b[1m\": 2}");
    check_diag(sup_json_only(doc, sup_json_root(doc), known, &d), &d, 1, "unknown key \"colour?[1m\"");
    sup_json_free(doc);
    doc = parse("{\"n\": 1, \"latency_s\": 2}");
    assert_int_equal(sup_json_only(doc, sup_json_root(doc), known, &d), SUP_OK);
    sup_json_free(doc);
}

static void files_that_cannot_be_read(void **state) {
    (void)state;
    sup_json *doc = NULL;
    sup_diag d;
    assert_int_equal(sup_json_load("/nonexistent/x.json", &d, &doc), SUP_ENOENT);
    assert_int_equal(sup_json_load(scratch, &d, &doc), SUP_EIO);
    assert_string_equal(d.text, "is a folder");
    assert_int_equal(sup_json_load("/dev/null", &d, &doc), SUP_EPARSE);
    const char *path = scratch_path("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sup_json_load(path, &d, &doc), SUP_EPARSE); /* and does not hang */
    unlink(path);
    path = scratch_path("big");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(truncate(path, (off_t)300 << 20), 0);
    assert_int_equal(sup_json_load(path, &d, &doc), SUP_EPARSE);
    assert_string_equal(d.text, "larger than 256 MiB");
    unlink(path);
    path = scratch_path("secret");
    f = fopen(path, "w");
    fputs("{}", f);
    fclose(f);
    chmod(path, 0);
    if (geteuid() != 0) assert_int_equal(sup_json_load(path, &d, &doc), SUP_EIO);
    unlink(path);
    assert_null(doc);
}

static void hundred_megabytes_of_garbage(void **state) {
    (void)state;
    size_t length = (size_t)100 << 20;
    char *text = malloc(length);
    assert_non_null(text);
    uint32_t x = 1;
    for (size_t i = 0; i < length; i++) text[i] = (char)((x = x * 1664525u + 1013904223u) >> 24);
    sup_diag d;
    sup_json *doc = NULL;
    assert_int_equal(sup_json_parse("g", text, length, &d, &doc), SUP_EPARSE);
    memset(text, '"', length);
    assert_int_equal(sup_json_parse("g", text, length, &d, &doc), SUP_EPARSE);
    free(text);
}

static void saved_values_come_back(void **state) {
    (void)state;
    const char *path = scratch_path("out.json");
    json_t *wide = json_array();
    for (int i = 0; i < 100; i++) json_array_append_new(wide, json_real(1.0 / (i + 3)));
    json_t *value = json_pack("{s:f, s:f, s:I, s:s, s:[], s:{}, s:o, s:[{s:i}, {s:[i, i]}]}", "tenth", 0.1, "tiny",
                              4.9406564584124654e-324, "big", (json_int_t)INT64_MAX, "text", "\xc3\xa4\n\"", "none",
                              "empty", "wide", wide, "nest", "a", 1, "b", 2, 3);
    assert_non_null(value);
    sup_diag d;
    assert_int_equal(sup_json_save(value, path, &d), SUP_OK);
    sup_json *doc = NULL;
    assert_int_equal(sup_json_load(path, &d, &doc), SUP_OK);
    assert_true(json_equal(value, sup_json_root(doc)));
    char *first = NULL, *second = NULL;
    size_t first_length = 0, second_length = 0;
    assert_int_equal(sup_json_text(value, &d, &first, &first_length), SUP_OK);
    assert_int_equal(sup_json_text(sup_json_root(doc), &d, &second, &second_length), SUP_OK);
    assert_int_equal(first_length, strlen(first));
    assert_string_equal(first, second);
    assert_int_equal(first[first_length - 1], '\n');
    for (char *line = strtok(second, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 120);
    free(first);
    free(second);
    sup_json_free(doc);
    json_decref(value);
    unlink(path);
}

static void saving_replaces_whole_or_not_at_all(void **state) {
    (void)state;
    json_t *value = json_pack("{s:i}", "a", 1);
    sup_diag d;
    assert_int_equal(sup_json_save(value, scratch, &d), SUP_EIO);
    assert_int_equal(sup_json_save(value, "/nonexistent/x.json", &d), SUP_EIO);
    assert_string_equal(d.file, "/nonexistent/x.json");
    char target[128];
    snprintf(target, sizeof target, "%s", scratch_path("target.json"));
    assert_int_equal(sup_json_save(value, target, &d), SUP_OK);
    chmod(target, 0640);
    const char *link_path = scratch_path("link.json");
    assert_int_equal(symlink("target.json", link_path), 0);
    json_object_set_new(value, "b", json_integer(2));
    assert_int_equal(sup_json_save(value, link_path, &d), SUP_OK);
    struct stat st;
    assert_int_equal(lstat(link_path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(target, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    sup_json *doc = NULL;
    assert_int_equal(sup_json_load(target, &d, &doc), SUP_OK);
    assert_true(json_equal(sup_json_root(doc), value));
    sup_json_free(doc);
    if (geteuid() == 0) { /* a link that another user has put where all may */
        assert_int_equal(lchown(link_path, 65534, 65534), 0);
        assert_int_equal(sup_json_save(value, link_path, &d), SUP_OK);
        assert_int_equal(chmod(scratch, 01777), 0);
        assert_int_equal(sup_json_save(value, link_path, &d), SUP_EIO);
        assert_non_null(strstr(d.text, "another user's link"));
        assert_int_equal(chmod(scratch, 0700), 0);
    }
    unlink(link_path);
    unlink(target);
    assert_int_equal(rmdir(scratch), 0); /* no temporary file is left beside */
    assert_int_equal(mkdir(scratch, 0700), 0);
    json_decref(value);
}

static int make_scratch(void **state) {
    (void)state;
    strcpy(scratch, "/tmp/superstep-json-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state) {
    (void)state;
    return rmdir(scratch);
}

/* A slip of the hand is meant, anything else is not. */
static void what_was_probably_meant(void **state) {
    (void)state;
    static const char *const known[] = {"report", "topo", "measure", "show", "run", NULL};
    assert_string_equal(sup_nearest("mesure", known), "measure");
    assert_string_equal(sup_nearest("rnu", known), "run");
    assert_string_equal(sup_nearest("tpoo", known), "topo");
    assert_string_equal(sup_nearest("repotr", known), "report");
    assert_null(sup_nearest("foo", known));
    assert_null(sup_nearest("", known));
    assert_null(sup_nearest("x", known));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_probably_meant),
        cmocka_unit_test(broken_texts_are_refused_with_line),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(every_value_knows_its_line),
        cmocka_unit_test(typed_members),
        cmocka_unit_test(strict_mode_names_the_near_key),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(hundred_megabytes_of_garbage),
        cmocka_unit_test(saved_values_come_back),
        cmocka_unit_test(saving_replaces_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
