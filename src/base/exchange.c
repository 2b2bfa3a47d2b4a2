/* The table of exchanges (exchange.h). */
#include "base/exchange.h"

#include <assert.h>
#include <stddef.h>

const char *const sup_move_names[] = {"put", "hpput", "get", "hpget", "send", NULL};
const char *const sup_exchange_names[] = {"one", "swap", "couples", "shift",     "ring", "out",
                                          "in",  "all",  "one-far", "shift-far", NULL};

/* ---- i → i + 1 of some, or of all ---- */

static int64_t next(int64_t p, int64_t rank, int64_t k) {
    (void)k;
    return (rank + 1) % p;
}
static int64_t before(int64_t p, int64_t rank, int64_t k) {
    (void)k;
    return (rank + p - 1) % p;
}
static int64_t beside(int64_t p, int64_t rank, int64_t k) {
    (void)p;
    (void)k;
    return rank ^ 1;
}
static int64_t is_first(int64_t p, int64_t rank) { return p > 1 && rank == 0; }
static int64_t is_second(int64_t p, int64_t rank) { return p > 1 && rank == 1; }
static int64_t is_either(int64_t p, int64_t rank) { return p > 1 && rank < 2; }
static int64_t is_even(int64_t p, int64_t rank) { return rank % 2 == 0 && rank + 1 < p; }
static int64_t is_odd(int64_t p, int64_t rank) { return p > 1 && rank % 2 == 1; }
static int64_t one_each(int64_t p, int64_t rank) {
    (void)rank;
    return p > 1;
}

/* ---- more partners ---- */

static int64_t two_each(int64_t p, int64_t rank) {
    (void)rank;
    return p > 2 ? 2 : p - 1;
}
static int64_t around(int64_t p, int64_t rank, int64_t k) { return k ? before(p, rank, k) : next(p, rank, k); }
static int64_t others(int64_t p, int64_t rank) {
    (void)rank;
    return p - 1;
}
static int64_t others_of_first(int64_t p, int64_t rank) { return rank ? 0 : p - 1; }
static int64_t not_first(int64_t p, int64_t rank) {
    (void)p;
    return rank != 0;
}
static int64_t to_first(int64_t p, int64_t rank, int64_t k) {
    (void)p;
    (void)rank;
    (void)k;
    return 0;
}
static int64_t other(int64_t p, int64_t rank, int64_t k) { return (rank + 1 + k) % p; }

/* ---- half of all apart ---- */

static int64_t half(int64_t p, int64_t rank, int64_t k) {
    (void)k;
    return (rank + p / 2) % p;
}
static int64_t is_half(int64_t p, int64_t rank) { return p > 1 && rank == p / 2; }

static const sup_exchange table[SUP_EXCHANGE_SHAPES] = {
    [SUP_EXCHANGE_ONE] = {is_first, next, is_second, .least = 2},
    [SUP_EXCHANGE_SWAP] = {is_either, beside, is_either, .least = 3},
    [SUP_EXCHANGE_COUPLES] = {is_even, next, is_odd, .least = 4},
    [SUP_EXCHANGE_SHIFT] = {one_each, next, one_each, .least = 2},
    [SUP_EXCHANGE_RING] = {two_each, around, two_each, .least = 4},
    [SUP_EXCHANGE_OUT] = {others_of_first, other, not_first, .least = 3},
    [SUP_EXCHANGE_IN] = {not_first, to_first, others_of_first, .least = 3},
    [SUP_EXCHANGE_ALL] = {others, other, others, .least = 3},
    [SUP_EXCHANGE_ONE_FAR] = {is_first, half, is_half, .least = 4, .far = true},
    [SUP_EXCHANGE_SHIFT_FAR] = {one_each, half, one_each, .least = 4, .far = true},
};

const sup_exchange *sup_exchange_at(int shape) {
    assert(shape >= 0 && shape < SUP_EXCHANGE_SHAPES);
    return &table[shape];
}

/* Rank 0 sends most, where anybody sends more than others; most arrives at it, or at whoever it sends to. */
int64_t sup_exchange_most_out(int shape, int64_t processes) {
    const sup_exchange *x = sup_exchange_at(shape);
    int64_t first = x->partners(processes, 0), last = x->partners(processes, processes - 1);
    return first > last ? first : last;
}

int64_t sup_exchange_most_in(int shape, int64_t processes) {
    const sup_exchange *x = sup_exchange_at(shape);
    int64_t first = x->sources(processes, 0);
    if (first || processes < 2) return first;
    return x->sources(processes, x->partner(processes, 0, 0));
}
