/* Drawings of patterns: the text to the letter; of pictures, that every signal, host and note is there. */
#include "report/draw/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_pattern made(const char *word, int64_t processes) {
    sup_pattern_kind kind;
    assert_true(sup_pattern_kind_read(word, &kind));
    return sup_pattern_of(kind, processes);
}

static char *text_of(const sup_pattern *p, const int *host_of) {
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    assert_int_equal(sup_pattern_draw_text(p, host_of, f), SUP_OK);
    fclose(f);
    return text;
}

static char *picture_of(const sup_pattern *p, const int *host_of) {
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sup_pattern_draw_svg(p, host_of, &text, &length), SUP_OK);
    assert_int_equal(length, strlen(text));
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_string_equal(text + length - 7, "</svg>\n");
    return text;
}

static size_t occurrences(const char *text, const char *part) {
    size_t n = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) n++;
    return n;
}

static void a_line_a_process(void **state) {
    (void)state;
    sup_pattern p = made("flags", 4);
    char *text = text_of(&p, NULL);
    assert_string_equal(text, "flags of 4 processes: 2 stages, 6 signals\n\n"
                              "process   stage 0   stage 1\n"
                              "      0   ← 1-3     ⇒ 1-3\n"
                              "      1   → 0       ⇐ 0\n"
                              "      2   → 0       ⇐ 0\n"
                              "      3   → 0       ⇐ 0\n");
    free(text);
    const int hosts[] = {0, 1, 0, 1};
    p = made("butterfly", 3);
    text = text_of(&p, hosts);
    assert_string_equal(text, "butterfly of 3 processes: 3 stages, 4 signals\n\n"
                              "process  host   stage 0   stage 1    stage 2\n"
                              "      0     0   ← 2       → 1  ← 1   → 2\n"
                              "      1     1   ·         → 0  ← 0   ·\n"
                              "      2     0   → 0       ·          ← 0\n");
    free(text);
    p = made("linear", 1);
    text = text_of(&p, NULL);
    assert_string_equal(text, "linear of 1 process: 0 stages, 0 signals\n");
    free(text);
}

/* Many stages stand below each other in blocks, and end at a limit. */
static void many_stages(void **state) {
    (void)state;
    sup_pattern p = made("ring", 32);
    char *text = text_of(&p, NULL);
    for (int s = 0; s < p.stages; s++) {
        char head[32];
        snprintf(head, sizeof head, "   stage %d", s);
        assert_true(occurrences(text, head) >= 1);
    }
    assert_null(strstr(text, "stages more"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_in_range(strcspn(line, "\n"), 0, 2 * 110); /* arrows and dots have several bytes */
    free(text);
    p = made("ring", 100);
    text = text_of(&p, NULL);
    assert_non_null(strstr(text, "stage 63: 1 signal\n    64 → 65\n"));
    assert_non_null(strstr(text, "\nand 134 stages more\n"));
    free(text);
}

static void runs_of_large_ones(void **state) {
    (void)state;
    sup_pattern p = made("dissemination", 40);
    char *text = text_of(&p, NULL);
    assert_non_null(strstr(text, "stage 5: 40 signals\n    i → i + 32 mod 40\n"));
    free(text);
    p = made("tree:4", 64);
    text = text_of(&p, NULL);
    assert_non_null(strstr(text, "stage 1: 12 signals\n    4…52 by 16 → 0…48 by 16\n    8…56 by 16 → 0…48 by 16\n"));
    free(text);
    p = made("pairwise", 40);
    text = text_of(&p, NULL);
    assert_non_null(strstr(text, "stage 6: 39 signals\n    0 ⇒ 1…39\n"));
    free(text);
}

/* Given edge by edge it reads the same, but for its name. */
static void lists_read_the_same(void **state) {
    (void)state;
    static const char *const words[] = {"linear", "ring", "flags", "pairwise", "tree"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        sup_pattern p = made(words[w], 48), q;
        size_t count = 0;
        sup_pattern_edge *edges = calloc((size_t)p.stages * sup_pattern_widest(&p), sizeof *edges);
        for (int s = 0; s < p.stages; s++) count += sup_pattern_stage(&p, s, edges + count);
        assert_int_equal(sup_pattern_from_edges(48, p.stages, edges, count, &q), SUP_OK);
        char *a = text_of(&p, NULL), *b = text_of(&q, NULL);
        assert_string_equal(strchr(a, '\n'), strchr(b, '\n'));
        assert_int_equal(strncmp(b, "pattern of 48", 13), 0);
        free(b);
        free(a);
        sup_pattern_free(&q);
    }
}

static void pictures(void **state) {
    (void)state;
    sup_pattern p = made("tree", 8);
    const int hosts[] = {0, 0, 0, 0, 1, 1, 1, 1};
    char *svg = picture_of(&p, hosts);
    assert_int_equal(occurrences(svg, "class=\"s n\""), 12 + 1); /* and the key */
    assert_int_equal(occurrences(svg, "class=\"s b\""), 2 + 1);
    assert_int_equal(occurrences(svg, "class=\"p\""), 8);
    assert_int_equal(occurrences(svg, ">host 1<"), 1);
    assert_int_equal(occurrences(svg, ">stage "), 6);
    free(svg);
    p = made("flags", 8);
    svg = picture_of(&p, NULL);
    assert_int_equal(occurrences(svg, "class=\"s r\""), 7); /* branches of one stem */
    assert_non_null(strstr(svg, "one word that all read"));
    free(svg);
    svg = picture_of(&p, hosts); /* the other host reads messages */
    assert_int_equal(occurrences(svg, "class=\"s r\""), 3);
    assert_int_equal(occurrences(svg, "class=\"s b\""), 4 + 4 + 1);
    free(svg);
    p = made("linear", 100);
    svg = picture_of(&p, NULL);
    assert_int_equal(occurrences(svg, "class=\"p\""), 64);
    assert_non_null(strstr(svg, "The first 64 of 100 processes; 72 signals with others are not drawn."));
    free(svg);
    p = made("ring", 64);
    svg = picture_of(&p, NULL);
    assert_non_null(strstr(svg, "The first 64 of 126 stages."));
    free(svg);
    p = made("linear", 1);
    free(picture_of(&p, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_a_process), cmocka_unit_test(many_stages),
                                       cmocka_unit_test(runs_of_large_ones), cmocka_unit_test(lists_read_the_same),
                                       cmocka_unit_test(pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
