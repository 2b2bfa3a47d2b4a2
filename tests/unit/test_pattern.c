/* Patterns: every generator does what it says for every P ≤ 100, seen as whole stages and seen by each process; what is
 * not complete is found, with the pair that never hears. */
#include "base/pattern/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 100, FEW = 40 };

/* Radices to look at, of a generator that has one; 0 ends them, and is the only one of the others. */
static const int radices[] = {2, 3, 4, 5, 7, 8, 16, 37, 64, 0};

static size_t first_radix(const sup_generator *g) { return g->radix ? 0 : sizeof radices / sizeof *radices - 1; }

static bool covers(const sup_pattern *p) {
    bool all = false;
    int64_t deaf, unheard;
    assert_int_equal(sup_pattern_covers(p, &all, &deaf, &unheard), SUP_OK);
    return all;
}

/* Every generator with every radix, of 1 … most processes; a NULL generator ends them. */
typedef struct walk {
    size_t g, r;
    int64_t n, most;
} walk;

static bool next_pattern(walk *w, sup_pattern *out) {
    const sup_generator *g = sup_generators[w->g];
    if (++w->n > w->most) {
        w->n = 1;
        if (!g->radix || !radices[++w->r]) g = sup_generators[++w->g], w->r = g ? first_radix(g) : 0;
    }
    if (g) *out = sup_pattern_of((sup_pattern_kind){g, radices[w->r]}, w->n);
    return g != NULL;
}

static walk all_up_to(int64_t most) { return (walk){.r = first_radix(sup_generators[0]), .most = most}; }

static void generators_cover(void **state) {
    (void)state;
    sup_pattern p;
    size_t seen = 0;
    for (walk w = all_up_to(MOST); next_pattern(&w, &p); seen++) {
        if (!covers(&p)) fail_msg("%s:%d of %d does not cover", p.generator->name, p.radix, (int)p.processes);
        if (p.processes == 1) assert_int_equal(p.stages, 0);
    }
    assert_true(seen >= 30 * (size_t)MOST);
}

/* A stage less leaves someone uninformed: the check can fail. */
static void incomplete_is_seen(void **state) {
    (void)state;
    sup_pattern p;
    for (walk w = all_up_to(FEW); next_pattern(&w, &p);) {
        if (p.processes == 1) continue;
        p.stages--;
        p.generated -= p.generated > p.stages;
        assert_false(covers(&p));
    }
}

/* Arrival at 0 alone: 1 has not heard of 0, which is the first pair that is missing. */
static void the_pair_is_named(void **state) {
    (void)state;
    sup_pattern p = sup_pattern_make(&sup_generator_linear, 5);
    bool all = true;
    int64_t deaf = -1, unheard = -1;
    p.stages = p.generated = 1;
    assert_int_equal(sup_pattern_covers(&p, &all, &deaf, &unheard), SUP_OK);
    assert_false(all);
    assert_int_equal(deaf, 1);
    assert_int_equal(unheard, 0);
}

static void too_many_are_refused(void **state) {
    (void)state;
    bool all;
    int64_t deaf, unheard;
    sup_pattern p = sup_pattern_make(&sup_generator_tree, SUP_PATTERN_COVERS_MAX + 1);
    assert_int_equal(sup_pattern_covers(&p, &all, &deaf, &unheard), SUP_EINVAL);
    p = sup_pattern_make(&sup_generator_tree, SUP_PATTERN_COVERS_MAX);
    assert_true(covers(&p));
}

/* What each process asks for is what the stage has, both ways, and nothing else. */
static void stages_and_ranks_agree(void **state) {
    (void)state;
    sup_pattern p;
    for (walk w = all_up_to(FEW); next_pattern(&w, &p);) {
        int64_t n = p.processes;
        for (int s = 0; s < p.stages; s++) {
            static bool edge[MOST][MOST];
            static sup_pattern_edge edges[MOST * MOST];
            int64_t peers[MOST];
            size_t count = sup_pattern_stage(&p, s, edges), sent = 0, received = 0;
            assert_in_range(count, 1, sup_pattern_widest(&p));
            memset(edge, 0, sizeof edge);
            for (size_t e = 0; e < count; e++) {
                assert_true(edges[e].from != edges[e].to && edges[e].stage == s);
                assert_false(edge[edges[e].from][edges[e].to]);
                edge[edges[e].from][edges[e].to] = true;
                if (e > 0) assert_true(edges[e].from >= edges[e - 1].from); /* those of a sender together */
            }
            for (int64_t i = 0; i < n; i++) {
                size_t k = sup_pattern_peers(&p, s, i, false, peers);
                assert_int_equal(k, sup_pattern_peers(&p, s, i, false, NULL));
                sent += k;
                while (k-- > 0) assert_true(edge[i][peers[k]]);
                k = sup_pattern_peers(&p, s, i, true, peers);
                received += k;
                while (k-- > 0) assert_true(edge[peers[k]][i]);
            }
            assert_int_equal(sent, count);
            assert_int_equal(received, count);
        }
    }
}

static void shifts_are_seen(void **state) {
    (void)state;
    sup_pattern p = sup_pattern_make(&sup_generator_dissemination, 11);
    for (int s = 0; s < 4; s++) assert_int_equal(sup_pattern_shift(&p, s), 1 << s);
    p = sup_pattern_make(&sup_generator_halving, 11);
    for (int s = 0; s < 4; s++) assert_int_equal(sup_pattern_shift(&p, s), 8 >> s);
    const sup_generator *const others[] = {&sup_generator_linear, &sup_generator_tree, &sup_generator_binomial};
    for (size_t g = 0; g < 3; g++) {
        p = sup_pattern_make(others[g], 11);
        for (int s = 0; s < p.stages; s++) assert_int_equal(sup_pattern_shift(&p, s), 0);
    }
}

/* Stages and signals as the generators' files say. */
static void as_described(void **state) {
    (void)state;
    static const struct {
        const char *word, *stages; /* signals of a stage, "from>to", those of a stage apart by |; c: common */
        int64_t processes;
    } cases[] = {
        {"tree:4", "1>0 2>0 3>0 5>4 6>4|4>0|0>4|0>1 0>2 0>3 4>5 4>6", 7},
        {"dissemination:3", "0>1 0>2 1>2 1>3 2>0 2>3 3>0 3>1|0>3 1>0 2>1 3>2", 4},
        {"dissemination:8", "0>1 0>2 1>0 1>2 2>0 2>1", 3},
        {"ring", "1>2|2>3|3>0|0>3|3>2|2>1", 4},
        {"butterfly", "0>1 1>0 2>3 3>2|0>2 1>3 2>0 3>1", 4},
        {"butterfly", "4>0 5>1|0>1 1>0 2>3 3>2|0>2 1>3 2>0 3>1|0>4 1>5", 6},
        {"pairwise", "1>0 3>2|2>0|0>1c 0>2c 0>3c", 4},
        {"pairwise:3", "1>0 2>0 4>3|3>0|0>1c 0>2c 0>3c 0>4c", 5},
        {"flags", "1>0 2>0|0>1c 0>2c", 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sup_pattern_kind kind;
        assert_true(sup_pattern_kind_read(cases[k].word, &kind));
        sup_pattern p = sup_pattern_of(kind, cases[k].processes);
        char text[400] = "", *end = text;
        for (int s = 0; s < p.stages; s++) {
            sup_pattern_edge edges[64];
            size_t n = sup_pattern_stage(&p, s, edges);
            for (size_t e = 0; e < n; e++)
                end += sprintf(end, "%s%d>%d%s",
                               e   ? " "
                               : s ? "|"
                                   : "",
                               (int)edges[e].from, (int)edges[e].to, edges[e].common ? "c" : "");
        }
        assert_string_equal(text, cases[k].stages);
    }
}

static void words(void **state) {
    (void)state;
    static const char *const good[] = {"linear", "tree", "tree:3", "tree:64", "dissemination:5", "pairwise:8", "flags"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        sup_pattern_kind kind;
        char text[SUP_PATTERN_WORD];
        assert_true(sup_pattern_kind_read(good[k], &kind));
        assert_string_equal(sup_pattern_kind_word(kind, text), good[k]);
    }
    static const char *const bad[][2] = {{"star", "no barrier \"star\": linear, tree"},
                                         {"halving", "no barrier \"halving\""},
                                         {"", "no barrier \"\""},
                                         {"tree:", "the radix of tree is a number from 2 to 64"},
                                         {"tree:1", "the radix of tree"},
                                         {"tree:65", "the radix of tree"},
                                         {"tree:-2", "the radix of tree"},
                                         {"tree: 4", "the radix of tree"},
                                         {"tree:4x", "the radix of tree"},
                                         {"tree:4294967298", "the radix of tree"},
                                         {"ring:2", "ring has no radix"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        sup_pattern_kind kind;
        char text[500];
        assert_false(sup_pattern_kind_read(bad[k][0], &kind));
        sup_pattern_kind_why(bad[k][0], text, sizeof text);
        assert_int_equal(strncmp(text, bad[k][1], strlen(bad[k][1])), 0);
    }
}

static void binomial_reaches_once(void **state) {
    (void)state;
    for (int64_t n = 1; n <= MOST; n++) {
        sup_pattern p = sup_pattern_make(&sup_generator_binomial, n);
        int got[MOST] = {1};
        static sup_pattern_edge edges[MOST * MOST];
        for (int s = 0; s < p.stages; s++) {
            size_t count = sup_pattern_stage(&p, s, edges);
            for (size_t e = 0; e < count; e++) {
                assert_int_equal(got[edges[e].from], 1);
                got[edges[e].to]++;
            }
        }
        for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], 1);
    }
}

/* ---- edges ---- */

/* The same pattern as a list, from its last edge to its first. */
static sup_pattern listed(const sup_pattern *p) {
    size_t count = 0;
    for (int s = 0; s < p->stages; s++) count += sup_pattern_stage(p, s, NULL);
    sup_pattern_edge *edges = calloc(count + 1, sizeof *edges), *one = calloc(count + 1, sizeof *one);
    size_t at = count;
    for (int s = 0; s < p->stages; s++) {
        size_t n = sup_pattern_stage(p, s, one);
        for (size_t e = 0; e < n; e++) edges[--at] = (sup_pattern_edge){one[e].from, one[e].to, s, false};
    }
    free(one);
    sup_pattern out;
    assert_int_equal(sup_pattern_from_edges(p->processes, p->stages, edges, count, &out), SUP_OK);
    return out;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A list of the edges is the same pattern: each stage, what each process sees of it, and who has been waiting. */
static void lists_equal_generators(void **state) {
    (void)state;
    sup_pattern p;
    for (walk w = all_up_to(FEW); next_pattern(&w, &p);) {
        if (!p.generator->barrier) continue;
        int64_t n = p.processes;
        sup_pattern copy = listed(&p);
        static sup_pattern_edge a[MOST * MOST], b[MOST * MOST];
        int64_t x[MOST], y[MOST];
        assert_true(covers(&copy));
        for (int s = 0; s < p.stages; s++) {
            size_t count = sup_pattern_stage(&p, s, a);
            assert_int_equal(sup_pattern_stage(&copy, s, b), count);
            for (size_t e = 0; e < count; e++)
                assert_true(a[e].from == b[e].from && a[e].to == b[e].to && a[e].waiting == b[e].waiting);
            for (int64_t i = 0; i < n; i++) {
                size_t k = sup_pattern_peers(&p, s, i, true, x);
                assert_int_equal(sup_pattern_peers(&copy, s, i, true, y), k);
                qsort(x, k, sizeof *x, by_value);
                qsort(y, k, sizeof *y, by_value);
                assert_memory_equal(x, y, k * sizeof *x);
            }
        }
        sup_pattern_free(&copy);
    }
}

/* Every signal of these patterns is needed: without it somebody has not heard of somebody. */
static void an_edge_less_is_found(void **state) {
    (void)state;
    static const char *const tight[] = {"linear", "tree",     "tree:3",     "tree:5",
                                        "ring",   "pairwise", "pairwise:3", "flags"};
    for (size_t g = 0; g < sizeof tight / sizeof *tight; g++) {
        sup_pattern_kind kind;
        assert_true(sup_pattern_kind_read(tight[g], &kind));
        sup_pattern p = sup_pattern_of(kind, 13), copy = listed(&p);
        for (size_t e = 0; e < copy.begin[copy.stages]; e++) {
            int64_t from = copy.edges[e].from;
            copy.edges[e].from = copy.edges[e].to; /* says nothing new */
            assert_false(covers(&copy));
            copy.edges[e].from = from;
        }
        sup_pattern_free(&copy);
    }
}

static void bad_edges(void **state) {
    (void)state;
    const sup_pattern_edge bad[] = {{0, 4, 0, false},  {4, 0, 0, false}, {-1, 0, 0, false},
                                    {0, -1, 0, false}, {0, 1, 1, false}, {0, 1, -1, false}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        sup_pattern_edge *edges = malloc(sizeof *edges);
        sup_pattern p;
        *edges = bad[k];
        assert_int_equal(sup_pattern_from_edges(4, 1, edges, 1, &p), SUP_EINVAL);
    }
}

/* Levels of clusters are barriers without an empty stage, whatever runs on them and however they are cut. */
static void levels_cover(void **state) {
    (void)state;
    for (int64_t n = 1; n <= FEW; n++)
        for (size_t a = 0; sup_generators[a]->barrier; a++)
            for (size_t top = 0; sup_generators[top]->barrier; top++) {
                const sup_pattern_level levels[] = {{{sup_generators[a], sup_generators[a]->radix},
                                                     2 + n % 7,
                                                     1 + n % 3},
                                                    {{sup_generators[top], sup_generators[top]->radix}, 3, 1},
                                                    {{sup_generators[top], sup_generators[top]->radix}, 0, 1}};
                sup_pattern p;
                assert_int_equal(sup_pattern_from_levels(n, levels, 3, &p), SUP_OK);
                assert_true(covers(&p));
                for (int s = 0; s < p.stages; s++) assert_true(sup_pattern_stage(&p, s, NULL) > 0);
                sup_pattern_free(&p);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators_cover),       cmocka_unit_test(incomplete_is_seen),
        cmocka_unit_test(the_pair_is_named),      cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(stages_and_ranks_agree), cmocka_unit_test(shifts_are_seen),
        cmocka_unit_test(as_described),           cmocka_unit_test(words),
        cmocka_unit_test(binomial_reaches_once),  cmocka_unit_test(lists_equal_generators),
        cmocka_unit_test(an_edge_less_is_found),  cmocka_unit_test(bad_edges),
        cmocka_unit_test(levels_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
