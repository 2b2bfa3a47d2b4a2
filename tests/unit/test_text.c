/* Text that came from outside: what may be shown stays as it is, everything else becomes '?'. */
#include "base/file/json.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *from, *to;
} table[] = {
    {"", ""},
    {"plain text, 100 %", "plain text, 100 %"},
    {"ä ö … 日本 😀 é", "ä ö … 日本 😀 é"},
    {"\xc2\xa0 \xc2\xad", "\xc2\xa0 \xc2\xad"},               /* the first ones behind C1 */
    {"\u200c\u200d\u200a\u2010", "\u200c\u200d\u200a\u2010"}, /* joiners; the neighbours of what is hidden */
    {"\u2027\u202f\u205f\u2070", "\u2027\u202f\u205f\u2070"},
    {"\uffff\U0010ffff", "\uffff\U0010ffff"},
    {"\x1b[31m\a\b\t\r\n\x7f", "?[31m?\?\?\?\?\?"},
    {"\xc2\x80|\xc2\x9b"
     "31m|\xc2\x9f",
     "?|?31m|?"},
    {"\x80\x9b\xbf", "?\?\?"},
    {"\u061c|\u200b|\u200e|\u200f", "?|?|?|?"},
    {"\u2028|\u2029|\u202a|\u202b|\u202c|\u202d|\u202e", "?|?|?|?|?|?|?"},
    {"\u2060|\u2066|\u2067|\u2068|\u2069|\u206f", "?|?|?|?|?|?"},
    {"\ufeff|\ufff9|\ufffb|\ufffc", "?|?|?|\ufffc"},
    {"\xc0\x80|\xc1\x9b|\xe0\x80\x9b|\xe0\x82\x9b|\xf0\x80\x82\x9b|\xf0\x8f\xbf\xbf", /* longer than need be */
     "?\?|?\?|?\?\?|?\?\?|?\?\?\?|?\?\?\?"},
    {"\xed\xa0\x80|\xed\xbf\xbf|\xed\x9f\xbf", "?\?\?|?\?\?|\xed\x9f\xbf"}, /* halves of pairs */
    {"\xf4\x90\x80\x80|\xf5\x80\x80\x80|\xf8\x88\x80\x80\x80|\xfe|\xff", "?\?\?\?|?\?\?\?|?\?\?\?\?|?|?"},
    {"a\xc3", "a?"},
    {"a\xe2\x80", "a?\?"},
    {"a\xf0\x9f\x98", "a?\?\?"},
    {"\xe2\x80x\xc3|", "?\?x?|"},
    {"\xe2\xe2\x80\xae", "?\?"},
};

static void each_of_the_table(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", table[i].from);
        assert_int_equal(sup_text_is_plain(text), !strcmp(table[i].from, table[i].to));
        assert_ptr_equal(sup_text_make_plain(text), text);
        assert_string_equal(text, table[i].to);
        assert_true(sup_text_is_plain(text));
        assert_string_equal(sup_text_make_plain(text), table[i].to);
        char *written = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&written, &length);
        assert_non_null(out);
        sup_text_put(table[i].from, out);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(written, table[i].to);
        free(written);
    }
}

/* Every sequence of three bytes from the interesting ones: the result is UTF-8 and stays. */
static void whatever_comes_is_plain_afterwards(void **state) {
    (void)state;
    static const unsigned char bytes[] = {'a',  0x1b, 0x7f, 0x80, 0x8e, 0x9b, 0xa6, 0xae, 0xbf, 0xc0, 0xc2,
                                          0xd8, 0x9c, 0xe0, 0xe2, 0x81, 0xed, 0xef, 0xbb, 0xf0, 0xf4, 0xff};
    enum { N = sizeof bytes };
    for (int i = 0; i < N * N * N * N; i++) {
        char text[5] = {(char)bytes[i % N], (char)bytes[i / N % N], (char)bytes[i / N / N % N],
                        (char)bytes[i / N / N / N]};
        char once[5];
        size_t before = strlen(text);
        snprintf(once, sizeof once, "%s", sup_text_make_plain(text));
        assert_true(strlen(once) <= before);
        assert_true(sup_text_is_plain(once));
        json_t *utf8 = json_string(once);
        assert_non_null(utf8);
        json_decref(utf8);
        assert_string_equal(sup_text_make_plain(text), once);
    }
}

/* Wherever a text is cut, what is left can be shown. */
static void a_cut_goes_through_no_character(void **state) {
    (void)state;
    const char whole[] = "ä…😀\u202eé";
    for (size_t size = 1; size <= sizeof whole; size++) {
        char text[sizeof whole];
        snprintf(text, size, "%s", whole);
        assert_true(sup_text_is_plain(sup_text_make_plain(text)));
        assert_null(strstr(text, "\u202e"));
    }
}

static char *printed(void (*print)(FILE *out)) {
    char *written = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&written, &length);
    assert_non_null(out);
    print(out);
    assert_int_equal(fclose(out), 0);
    return written;
}

static void name(FILE *out) { sup_text_print(out, "\n%s: %-4.4s, %d\n\n", "a\nb\xc2\x9b", "äö\u202e", 3); }
static void newlines(FILE *out) { sup_text_print(out, "\n\n"); }
static void ends(FILE *out) { sup_text_print(out, "%s", "x\n"); }
static void nothing(FILE *out) { sup_text_print(out, "%s", ""); }

static void newlines_are_those_of_the_format(void **state) {
    (void)state;
    static const struct {
        void (*print)(FILE *);
        const char *text;
    } rows[] = {{name, "\na?b?: äö, 3\n\n"}, {newlines, "\n\n"}, {ends, "x?"}, {nothing, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = printed(rows[i].print);
        assert_string_equal(text, rows[i].text);
        free(text);
    }
}

/* JSON can say them without showing them, and a reader gets the same string. */
static void json_keeps_the_string(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        json_t *value = json_pack("{s:[s], s:s}", "a", "é", "b", table[i].from);
        if (!value) continue; /* no UTF-8 */
        json_object_set_new(value, table[i].from, json_array());
        char *text = NULL;
        assert_int_equal(sup_json_text(value, NULL, &text, NULL), SUP_OK);
        for (const char *at = text; *at;) {
            bool plain;
            size_t length = sup_text_character(at, &plain);
            assert_true(plain || *at == '\n');
            at += length;
        }
        json_t *again = json_loads(text, 0, NULL);
        assert_true(json_equal(value, again));
        json_decref(again);
        json_decref(value);
        free(text);
    }
    char *text = NULL;
    json_t *value = json_pack("[s]", "\x7f\xc2\x9b|\u202e|\u2066|\ufeff|ö");
    assert_int_equal(sup_json_text(value, NULL, &text, NULL), SUP_OK);
    assert_string_equal(text, "[\"\\u007f\\u009b|\\u202e|\\u2066|\\ufeff|ö\"]\n");
    json_decref(value);
    free(text);
}

static void words_of_a_shell(void **state) {
    (void)state;
    char word[64];
    assert_string_equal(sup_text_word("a/b-plan.json", word, sizeof word), "a/b-plan.json");
    assert_string_equal(sup_text_word("my plan.json", word, sizeof word), "'my plan.json'");
    assert_string_equal(sup_text_word("it's $HOME", word, sizeof word), "'it'\\''s $HOME'");
    assert_string_equal(sup_text_word("", word, sizeof word), "''");
    assert_string_equal(sup_text_word("a long name that is cut", word, 12), "'a lon'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_shell),
        cmocka_unit_test(each_of_the_table),
        cmocka_unit_test(whatever_comes_is_plain_afterwards),
        cmocka_unit_test(a_cut_goes_through_no_character),
        cmocka_unit_test(newlines_are_those_of_the_format),
        cmocka_unit_test(json_keeps_the_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
