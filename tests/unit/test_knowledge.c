/* Knowledge matrices (BSP §5.5): the stages of figs. 5.2 to 5.4 and the counts they lead to, exactly; bit sets, counts
 * and traces agree on patterns good and bad; large ones of every generator are complete. */
#include "base/number/knowledge.h"
#include "base/number/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FOUR = 16 }; /* entries of a matrix of four */

typedef struct figure {
    const char *barrier;
    int stages;
    uint64_t s[4][FOUR], k[4][FOUR]; /* S_s of the figure; K_s by hand */
} figure;

static const figure figures[] = {
    {"linear", /* fig. 5.2 */
     2,
     {{0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, {0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
     {{1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1}, {1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2}}},
    {"dissemination", /* fig. 5.3 */
     2,
     {{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}},
     {{1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}},
    {"tree", /* fig. 5.4; its S_2 and S_3 are S_1 and S_0 transposed */
     4,
     {{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0},
      {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
      {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}},
     {{1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1},
      {1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1},
      {1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 2, 0, 1, 0, 2, 1},
      {1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 2, 1, 1, 2, 3}}},
};

static void figures_of_the_document(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        sup_pattern p = sup_pattern_make(sup_generator_find(figures[f].barrier), 4);
        assert_int_equal(p.stages, figures[f].stages);
        for (int s = 0; s < p.stages; s++) {
            uint64_t matrix[FOUR] = {0}, counts[FOUR];
            sup_pattern_edge edges[FOUR];
            size_t n = sup_pattern_stage(&p, s, edges);
            for (size_t e = 0; e < n; e++) matrix[4 * edges[e].from + edges[e].to]++;
            assert_memory_equal(matrix, figures[f].s[s], sizeof matrix);
            assert_int_equal(sup_pattern_counts(&p, s + 1, counts), SUP_OK);
            assert_memory_equal(counts, figures[f].k[s], sizeof counts);
        }
    }
}

static void counts_saturate(void **state) {
    (void)state;
    enum { STAGES = 70 };
    sup_pattern_edge *edges = calloc(2 * STAGES, sizeof *edges);
    for (int s = 0; s < STAGES; s++) {
        edges[2 * s] = (sup_pattern_edge){.from = 0, .to = 1, .stage = s};
        edges[2 * s + 1] = (sup_pattern_edge){.from = 1, .to = 0, .stage = s};
    }
    sup_pattern p;
    uint64_t counts[4];
    assert_int_equal(sup_pattern_from_edges(2, STAGES, edges, 2 * STAGES, &p), SUP_OK);
    assert_int_equal(sup_pattern_counts(&p, 64, counts), SUP_OK);
    for (int k = 0; k < 4; k++) assert_true(counts[k] == (uint64_t)1 << 63);
    assert_int_equal(sup_pattern_counts(&p, STAGES, counts), SUP_OK);
    for (int k = 0; k < 4; k++) assert_true(counts[k] == UINT64_MAX);
    assert_int_equal(sup_pattern_counts(&p, STAGES + 1, counts), SUP_EINVAL);
    assert_int_equal(sup_pattern_counts(&p, -1, counts), SUP_EINVAL);
    sup_pattern_free(&p);
    p = sup_pattern_make(&sup_generator_tree, SUP_COUNTS_MAX + 1);
    assert_int_equal(sup_pattern_counts(&p, 1, counts), SUP_EINVAL);
}

/* Up to 12 processes in up to 6 stages, each signal with the same probability. */
static sup_pattern random_pattern(sup_random *r) {
    int64_t n = 1 + (int64_t)sup_random_below(r, 12);
    int stages = 1 + (int)sup_random_below(r, 6);
    uint64_t likely = 1 + sup_random_below(r, 50);
    sup_pattern_edge *edges = calloc((size_t)(n * n * stages) + 1, sizeof *edges);
    size_t count = 0;
    for (int s = 0; s < stages; s++)
        for (int64_t k = 0; k < n * n; k++)
            if (k / n != k % n && sup_random_below(r, 100) < likely)
                edges[count++] = (sup_pattern_edge){.from = k / n, .to = k % n, .stage = s};
    sup_pattern p;
    assert_int_equal(sup_pattern_from_edges(n, stages, edges, count, &p), SUP_OK);
    return p;
}

/* Whoever has heard in the trace after a stage is whom the counts have a way for. */
static void check_gap(const sup_pattern *p, int64_t deaf, int64_t unheard) {
    sup_gap gap;
    uint64_t counts[12 * 12];
    char *text = NULL;
    size_t got = 0;
    assert_int_equal(sup_gap_find(p, deaf, unheard, &gap), SUP_OK);
    for (int s = 0; s <= p->stages; s++) {
        assert_int_equal(sup_pattern_counts(p, s, counts), SUP_OK);
        for (int64_t j = 0; j < p->processes; j++)
            assert_int_equal(counts[unheard * p->processes + j] > 0, gap.heard[j] < s);
        if (s < p->stages) got += sup_pattern_peers(p, s, deaf, true, NULL);
    }
    assert_int_equal(gap.signals_count, got);
    for (size_t k = 0; k < got; k++) assert_true(gap.signals[k].heard >= gap.signals[k].stage);
    assert_int_equal(sup_gap_text(&gap, &text), SUP_OK);
    assert_non_null(strstr(text, "may leave before"));
    free(text);
    sup_gap_free(&gap);
    assert_int_equal(sup_gap_find(p, unheard, unheard, &gap), SUP_EINVAL); /* hears of itself */
}

static void ways_agree(void **state) {
    (void)state;

    sup_random r = {.state = 15};
    int good = 0, bad = 0;
    for (int round = 0; round < 3000; round++) {
        sup_pattern p = random_pattern(&r);
        uint64_t counts[12 * 12];
        int64_t n = p.processes, deaf = -1, unheard = -1;
        bool complete, zero = false;
        assert_int_equal(sup_pattern_counts(&p, p.stages, counts), SUP_OK);
        for (int64_t k = 0; k < n * n; k++) zero |= counts[k] == 0;
        assert_int_equal(sup_pattern_covers(&p, &complete, &deaf, &unheard), SUP_OK);
        assert_true(complete == !zero);
        if (complete) {
            good++;
        } else {
            bad++;
            assert_true(counts[unheard * n + deaf] == 0);
            check_gap(&p, deaf, unheard);
        }
        sup_pattern_free(&p);
    }
    assert_true(good > 300 && bad > 300);
}

/* Signals that can go are those without which the pattern, made anew, is still a barrier. */
static void superfluous_signals(void **state) {
    (void)state;

    sup_random r = {.state = 16};
    int found = 0;
    for (int round = 0; round < 300; round++) {
        sup_pattern p = random_pattern(&r);
        sup_pattern_edge *out = NULL;
        size_t count = 0, at = 0, all = p.begin[p.stages];
        int64_t deaf, unheard;
        bool complete;
        assert_int_equal(sup_pattern_covers(&p, &complete, &deaf, &unheard), SUP_OK);
        assert_int_equal(sup_pattern_superfluous(&p, &out, &count), complete ? SUP_OK : SUP_EINVAL);
        for (size_t e = 0; e < all && complete; e++) {
            sup_pattern_edge *less = calloc(all, sizeof *less);
            size_t n = 0;
            for (size_t k = 0; k < all; k++)
                if (k != e) less[n++] = p.edges[k];
            sup_pattern q;
            assert_int_equal(sup_pattern_from_edges(p.processes, p.stages, less, n, &q), SUP_OK);
            bool still;
            assert_int_equal(sup_pattern_covers(&q, &still, &deaf, &unheard), SUP_OK);
            sup_pattern_free(&q);
            if (!still) continue;
            assert_true(at < count && out[at].from == p.edges[e].from && out[at].to == p.edges[e].to &&
                        out[at].stage == p.edges[e].stage);
            at++;
        }
        assert_int_equal(at, count);
        found += count > 0;
        free(out);
        sup_pattern_free(&p);
    }
    assert_true(found > 30);
    static const char *const tight[] = {"linear", "tree", "dissemination", "butterfly", "ring", "flags"};
    for (size_t g = 0; g < sizeof tight / sizeof *tight; g++) {
        sup_pattern p = sup_pattern_make(sup_generator_find(tight[g]), 8);
        sup_pattern_edge *out;
        size_t count = 1;
        assert_int_equal(sup_pattern_superfluous(&p, &out, &count), SUP_OK);
        assert_int_equal(count, 0);
        free(out);
    }
}

/* 3 → 2 → 0, and 0 has released 1 before it hears. */
static void trace_as_text(void **state) {
    (void)state;
    static const sup_pattern_edge signals[] = {{.from = 3, .to = 2, .stage = 0},
                                               {.from = 0, .to = 1, .stage = 1},
                                               {.from = 2, .to = 0, .stage = 1},
                                               {.from = 1, .to = 3, .stage = 2}};
    sup_pattern_edge *edges = malloc(sizeof signals);
    memcpy(edges, signals, sizeof signals);
    sup_pattern p;
    assert_int_equal(sup_pattern_from_edges(4, 3, edges, 4, &p), SUP_OK);
    sup_gap gap;
    char *text;
    assert_int_equal(sup_gap_find(&p, 1, 3, &gap), SUP_OK);
    assert_int_equal(sup_gap_text(&gap, &text), SUP_OK);
    assert_string_equal(text, "process 1 may leave before process 3 has arrived:\n"
                              "in stage 0 these hear of 3: 2\n"
                              "in stage 1 these hear of 3: 0\n"
                              "0 signals 1 in stage 1, but hears of 3 only in stage 1\n");
    free(text);
    sup_gap_free(&gap);
    assert_int_equal(sup_gap_find(&p, 0, 1, &gap), SUP_OK);
    assert_int_equal(sup_gap_text(&gap, &text), SUP_OK);
    assert_string_equal(text, "process 0 may leave before process 1 has arrived:\n"
                              "in stage 2 these hear of 1: 3\n"
                              "2 signals 0 in stage 1, but never hears of 1 itself\n");
    free(text);
    sup_gap_free(&gap);
    assert_int_equal(sup_gap_find(&p, 4, 0, &gap), SUP_EINVAL);
    assert_int_equal(sup_gap_find(&p, 0, -1, &gap), SUP_EINVAL);
    sup_pattern_free(&p);
}

static void large_ones(void **state) {
    (void)state;
    for (size_t g = 0; sup_generators[g]; g++) {
        sup_pattern p = sup_pattern_make(sup_generators[g], SUP_PATTERN_COVERS_MAX);
        int64_t deaf, unheard;
        bool complete = false;
        assert_int_equal(sup_pattern_covers(&p, &complete, &deaf, &unheard), SUP_OK);
        assert_true(complete);
        p.stages--;
        p.generated -= p.generated > p.stages;
        assert_int_equal(sup_pattern_covers(&p, &complete, &deaf, &unheard), SUP_OK);
        assert_false(complete);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_the_document), cmocka_unit_test(counts_saturate), cmocka_unit_test(ways_agree),
        cmocka_unit_test(superfluous_signals),     cmocka_unit_test(trace_as_text),   cmocka_unit_test(large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
