/* Generators of communication at every P ≤ 100, and the longest path through patterns against a slow independent one.
 */
#include "model/equation/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sup_platform *open_platform(const char *file, int64_t processes, const char *what_if, sup_profile **profile) {
    char path[512];
    sup_diag diag = {0};
    sup_platform *m = NULL;
    sup_platform_options o = {.processes = processes, .what_if = what_if};
    snprintf(path, sizeof path, "%s/model/%s", SUP_TEST_DATA, file);
    if (sup_profile_read(path, true, &diag, profile)) fail_msg("%s", diag.text);
    if (sup_platform_open(*profile, &o, &diag, &m)) fail_msg("%s", diag.text);
    return m;
}

/* ---- generators ---- */

typedef struct matrix {
    double bytes[100][100], messages[100][100];
} matrix;

static void note(void *context, const sup_edge *e) {
    matrix *m = context;
    m->bytes[e->from][e->to] += e->bytes;
    m->messages[e->from][e->to] += e->messages;
}

static void collect(const sup_flow *f, int64_t p, int64_t round, matrix *m) {
    memset(m, 0, sizeof *m);
    for (int64_t i = 0; i < p; i++) sup_flow_visit(f, p, i, round, note, m);
}

static double row_messages(const matrix *m, int64_t p, int64_t i) {
    double sum = 0;
    for (int64_t j = 0; j < p; j++) sum += m->messages[i][j];
    return sum;
}

static void generators(void **state) {
    (void)state;
    static matrix m;
    for (int64_t p = 1; p <= 100; p++) {
        sup_flow f = {.kind = SUP_FLOW_ALL_TO_ALL, .messages = 1, .bytes = 3};
        collect(&f, p, 0, &m);
        for (int64_t i = 0; i < p; i++)
            for (int64_t j = 0; j < p; j++) assert_true(m.messages[i][j] == (i != j));
        f = (sup_flow){.kind = SUP_FLOW_RING, .messages = 1, .bytes = 3, .periodic = true, .corners = true};
        collect(&f, p, 0, &m);
        for (int64_t i = 0; i < p; i++) assert_true(row_messages(&m, p, i) == (p < 3 ? (double)(p - 1) : 2));
        f = (sup_flow){.kind = SUP_FLOW_RANDOM, .messages = 1, .bytes = 1, .degree = p > 5 ? 5 : p - 1, .seed = 7};
        collect(&f, p, 0, &m);
        for (int64_t i = 0; i < p; i++) {
            assert_true(row_messages(&m, p, i) == (double)f.degree);
            for (int64_t j = 0; j < p; j++) assert_true(m.messages[i][j] <= (i != j));
        }
        f = (sup_flow){.kind = SUP_FLOW_STENCIL_2D, .messages = 1, .bytes = 8, .periodic = true};
        collect(&f, p, 0, &m);
        for (int64_t i = 0; i < p; i++)
            for (int64_t j = 0; j < p; j++) assert_true(m.messages[i][j] == m.messages[j][i]);
    }
}

/* What a broadcast must leave: everybody has all bytes, whatever the algorithm. */
static void broadcasts_deliver(void **state) {
    (void)state;
    static matrix m;
    for (int64_t p = 1; p <= 100; p++)
        for (int algorithm = SUP_BROADCAST_FLAT; algorithm <= SUP_BROADCAST_TWO_PHASE; algorithm++) {
            sup_flow f = {
                .kind = SUP_FLOW_BROADCAST, .messages = 1, .bytes = 1000, .root = p / 3, .algorithm = algorithm};
            sup_step s = {.flows = &f, .flow_count = 1, .repeat = 1};
            double have[100] = {0};
            have[f.root] = 1000;
            for (int64_t r = 0; r < sup_step_rounds(&s, p); r++) {
                collect(&f, p, r, &m);
                for (int64_t i = 0; i < p; i++)
                    for (int64_t j = 0; j < p; j++)
                        if (m.messages[i][j] > 0) {
                            assert_true(have[i] > 0); /* nobody sends what it does not have */
                            have[j] += m.bytes[i][j];
                        }
            }
            for (int64_t i = 0; i < p; i++) assert_true(fabs(have[i] - 1000) < 1e-9);
        }
}

/* In a full period of SUMMA every process sends its block of A along its row and its block of B down its column. */
static void summa_covers(void **state) {
    (void)state;
    static matrix m;
    for (int64_t p = 1; p <= 100; p++) {
        sup_flow f = {.kind = SUP_FLOW_SUMMA, .messages = 1, .bytes = 8, .iterations = 1000000};
        sup_step s = {.flows = &f, .flow_count = 1, .repeat = 1};
        int64_t sides[2], rounds = sup_step_rounds(&s, p);
        double total = 0;
        sup_grid_even(p, 2, sides);
        assert_int_equal(sides[0] * sides[1], p);
        for (int64_t r = 0; r < rounds; r++) {
            double sent = 0;
            collect(&f, p, r, &m);
            for (int64_t i = 0; i < p; i++) sent += row_messages(&m, p, i);
            assert_true(sent == (double)(sides[0] * (sides[1] - 1) + sides[1] * (sides[0] - 1)));
            total += sup_step_round_repeat(&s, p, r);
        }
        assert_true(total == 1000000);
    }
}

static void stencil_borders(void **state) {
    (void)state;
    static matrix m;
    sup_flow f = {.kind = SUP_FLOW_STENCIL_2D,
                  .messages = 1,
                  .cells = {10, 8},
                  .cell_bytes = 8,
                  .depth = 2,
                  .grid = {3, 2},
                  .periodic = false,
                  .corners = true};
    collect(&f, 6, 0, &m);
    assert_true(m.bytes[0][2] == 2 * 4 * 8); /* down: two rows of four columns */
    assert_true(m.bytes[0][1] == 2 * 4 * 8); /* right: two columns of four rows (10 = 4 + 3 + 3) */
    assert_true(m.bytes[2][3] == 2 * 3 * 8);
    assert_true(m.bytes[0][3] == 2 * 2 * 8); /* the corner */
    assert_true(m.messages[0][4] == 0);
}

/* ---- the longest path ---- */

/* Dissemination by definition, one edge at a time. */
static double slow_dissemination(const sup_platform *m, int64_t p, bool vector, const sup_signal *signals) {
    double *t = calloc((size_t)p, sizeof *t), *f = calloc((size_t)p, sizeof *f), longest = 0;
    for (int64_t d = 1; d < p; d *= 2) {
        for (int64_t i = 0; i < p; i++) {
            const sup_signal *s = &signals[sup_platform_class_slow(m, i, (i + d) % p)];
            f[i] = t[i] + s->gap + (vector ? fmax(s->over, sup_platform_self(m, i)) : 0);
        }
        for (int64_t j = 0; j < p; j++) {
            int64_t i = (j - d + p) % p;
            const sup_signal *s = &signals[sup_platform_class_slow(m, i, j)];
            t[j] = fmax(f[j], f[i] + (vector ? 0 : s->wire)) + (vector ? 0 : s->recv);
        }
    }
    for (int64_t i = 0; i < p; i++) longest = fmax(longest, t[i]);
    free(f);
    free(t);
    return longest;
}

static void fast_path_is_exact(void **state) {
    (void)state;
    sup_profile *profile;
    sup_platform *m = open_platform("regular.json", 1 << 20, NULL, &profile);
    static const int64_t sizes[] = {2,   3,   5,   31,  32,   33,   63,   64,    65,
                                    100, 127, 128, 129, 1000, 4096, 5000, 65536, 70001};
    double *t = calloc(1 << 17, sizeof *t);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        sup_pattern p = sup_pattern_make(&sup_generator_dissemination, sizes[k]);
        sup_path path = {.signals = m->signals};
        double longest = 0;
        memset(t, 0, (size_t)sizes[k] * sizeof *t);
        assert_int_equal(sup_path_run(m, &p, &path, t), SUP_OK);
        for (int64_t i = 0; i < sizes[k]; i++) longest = fmax(longest, t[i]);
        double slow = slow_dissemination(m, sizes[k], false, m->signals);
        assert_true(fabs(longest - slow) <= 1e-12 * slow);
    }
    free(t);
    sup_platform_free(m);
    sup_profile_free(profile);
}

/* Equation 5.4 on four processes, two hosts of two: worked out by hand. Host pairs: O 0.2, L 1; net: O 1, L 10 us;
 * O_ii 0.1. */
static void eq54_by_hand(void **state) {
    (void)state;
    sup_profile *profile;
    sup_platform *m = open_platform("four.json", 4, NULL, &profile);
    sup_prediction r;
    sup_pattern p = sup_pattern_make(&sup_generator_linear, 4);
    assert_int_equal(sup_barrier_cost(m, &p, true, NULL, &r), SUP_OK);
    /* arrival: 2 and 3 signal 0 over the net: 2·10 + 1 = 21; release: 0 sums 2·(1 + 10 + 10) + 1 = 43 */
    assert_true(fabs(r.value - 64e-6) < 1e-12);
    p = sup_pattern_make(&sup_generator_dissemination, 4);
    assert_int_equal(sup_barrier_cost(m, &p, true, NULL, &r), SUP_OK);
    /* shift 1: 0→1 costs 2.2, 1→2 costs 21; shift 2: all over the net, 21; the path 1→2 first */
    assert_true(fabs(r.value - 42e-6) < 1e-12);
    p = sup_pattern_make(&sup_generator_tree, 4);
    assert_int_equal(sup_barrier_cost(m, &p, true, NULL, &r), SUP_OK);
    /* 2.2, then 2→0: 21, 0→2: 21 (no stage between), 0→1 waited since stage 0: O_jj 0.1: 2.1 */
    assert_true(fabs(r.value - (2.2 + 21 + 21 + 2.1) * 1e-6) < 1e-12);
    sup_platform_free(m);
    sup_profile_free(profile);
}

static sup_pattern listed(const sup_pattern *p) {
    size_t count = 0, room = (size_t)p->stages * sup_pattern_widest(p);
    sup_pattern_edge *edges = calloc(room, sizeof *edges);
    for (int s = 0; s < p->stages; s++) count += sup_pattern_stage(p, s, edges + count);
    sup_pattern out;
    assert_int_equal(sup_pattern_from_edges(p->processes, p->stages, edges, count, &out), SUP_OK);
    return out;
}

/* The same barrier as edges gives the same path, waiting receivers included. */
static void edges_equal_rules(void **state) {
    (void)state;
    sup_profile *profile;
    sup_platform *m = open_platform("regular.json", 100, NULL, &profile);
    m->ratio_count = 0;
    for (int64_t n = 2; n <= 100; n += 7)
        for (size_t g = 0; sup_generators[g]->barrier; g++)
            for (int meyer = 0; meyer < 2; meyer++) {
                sup_pattern rule = sup_pattern_make(sup_generators[g], n), copy = listed(&rule);
                sup_prediction a, b;
                assert_int_equal(sup_barrier_cost(m, &rule, meyer, NULL, &a), SUP_OK);
                assert_int_equal(sup_barrier_cost(m, &copy, meyer, NULL, &b), SUP_OK);
                assert_true(fabs(a.value - b.value) <= 1e-12 * a.value);
                sup_pattern_free(&copy);
            }
    sup_platform_free(m);
    sup_profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators),        cmocka_unit_test(broadcasts_deliver), cmocka_unit_test(summa_covers),
        cmocka_unit_test(stencil_borders),   cmocka_unit_test(fast_path_is_exact), cmocka_unit_test(eq54_by_hand),
        cmocka_unit_test(edges_equal_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
