/* Exchanges: who sends to whom, checked edge by edge against what the shapes are said to be. */
#include "base/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 17 };

/* What a shape's line in the header says. */
static bool is_edge(int shape, int64_t p, int64_t from, int64_t to) {
    if (from == to) return false;
    switch (shape) {
    case SUP_EXCHANGE_ONE: return from == 0 && to == 1;
    case SUP_EXCHANGE_SWAP: return from < 2 && to < 2;
    case SUP_EXCHANGE_COUPLES: return from % 2 == 0 && to == from + 1;
    case SUP_EXCHANGE_SHIFT: return to == (from + 1) % p;
    case SUP_EXCHANGE_RING: return to == (from + 1) % p || from == (to + 1) % p;
    case SUP_EXCHANGE_OUT: return from == 0;
    case SUP_EXCHANGE_IN: return to == 0;
    case SUP_EXCHANGE_ALL: return true;
    case SUP_EXCHANGE_ONE_FAR: return from == 0 && to == p / 2;
    default: return to == (from + p / 2) % p;
    }
}

typedef struct edges {
    bool is[MOST][MOST];
    int64_t out[MOST], in[MOST];
} edges;

/* Every partner once, nobody itself. */
static edges edges_of(int shape, int64_t p) {
    const sup_exchange *x = sup_exchange_at(shape);
    edges e = {0};
    for (int64_t from = 0; from < p; from++)
        for (int64_t k = 0; k < x->partners(p, from); k++) {
            int64_t to = x->partner(p, from, k);
            assert_true(to >= 0 && to < p && to != from);
            assert_false(e.is[from][to]);
            e.is[from][to] = true;
            e.out[from]++;
            e.in[to]++;
        }
    return e;
}

static void everybody_sends_to_whom_the_shape_says(void **state) {
    (void)state;
    for (int shape = 0; shape < SUP_EXCHANGE_SHAPES; shape++)
        for (int64_t p = 2; p <= MOST; p++) {
            const sup_exchange *x = sup_exchange_at(shape);
            edges e = edges_of(shape, p);
            int64_t most_out = 0, most_in = 0;
            for (int64_t i = 0; i < p; i++) {
                for (int64_t j = 0; j < p; j++) assert_int_equal(e.is[i][j], is_edge(shape, p, i, j));
                assert_int_equal(x->sources(p, i), e.in[i]);
                most_out = e.out[i] > most_out ? e.out[i] : most_out;
                most_in = e.in[i] > most_in ? e.in[i] : most_in;
            }
            assert_int_equal(sup_exchange_most_out(shape, p), most_out);
            assert_int_equal(sup_exchange_most_in(shape, p), most_in);
        }
}

static bool are_same(int a, int b, int64_t p, bool turned) {
    edges x = edges_of(a, p), y = edges_of(b, p);
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < p; j++)
            if (x.is[i][j] != (turned ? y.is[j][i] : y.is[i][j])) return false;
    return true;
}

/* From `least` on a shape is another than all others that are; below, it is one of them, if the other way round. */
static void the_least_is_where_a_shape_differs(void **state) {
    (void)state;
    for (int shape = 0; shape < SUP_EXCHANGE_SHAPES; shape++)
        for (int64_t p = 2; p <= MOST; p++) {
            int alike = 0;
            for (int other = 0; other < SUP_EXCHANGE_SHAPES; other++)
                if (other != shape && p >= sup_exchange_at(other)->least)
                    alike += are_same(shape, other, p, false) || (p == 2 && are_same(shape, other, p, true));
            assert_true((p >= sup_exchange_at(shape)->least) == (alike == 0));
        }
}

static void one_process_sends_nothing(void **state) {
    (void)state;
    for (int shape = 0; shape < SUP_EXCHANGE_SHAPES; shape++) {
        const sup_exchange *x = sup_exchange_at(shape);
        assert_int_equal(x->partners(1, 0), 0);
        assert_int_equal(x->sources(1, 0), 0);
        assert_int_equal(sup_exchange_most_in(shape, 1) + sup_exchange_most_out(shape, 1), 0);
    }
}

static void names_are_there_and_differ(void **state) {
    (void)state;
    for (int i = 0; i < SUP_EXCHANGE_SHAPES; i++)
        for (int k = 0; k < i; k++) assert_string_not_equal(sup_exchange_names[i], sup_exchange_names[k]);
    for (int i = 0; i < SUP_MOVES; i++)
        for (int k = 0; k < i; k++) assert_string_not_equal(sup_move_names[i], sup_move_names[k]);
    assert_null(sup_exchange_names[SUP_EXCHANGE_SHAPES]);
    assert_null(sup_move_names[SUP_MOVES]);
    assert_true(sup_move_reads(SUP_MOVE_GET) && sup_move_reads(SUP_MOVE_HPGET));
    assert_false(sup_move_reads(SUP_MOVE_PUT) || sup_move_reads(SUP_MOVE_HPPUT) || sup_move_reads(SUP_MOVE_SEND));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_sends_to_whom_the_shape_says),
        cmocka_unit_test(the_least_is_where_a_shape_differs),
        cmocka_unit_test(one_process_sends_nothing),
        cmocka_unit_test(names_are_there_and_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
