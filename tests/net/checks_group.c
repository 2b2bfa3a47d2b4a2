/* Barriers over groups: any set of ranks in any order, several side by side. Who leaves early has not seen the bit that
 * only one member sets; who hears another group's signals has seen one too many. */
#include "coll/messages/barrier.h"
#include "transport_checks.h"

/* Free of the other parts; words only grow on a slot, so each barrier begins above all that came before. */
enum { SLOT = 48, OTHER_SLOT = 50, WORDS = 1 << 20 };

static sup_barrier *make(env *e, const int *ranks, int size, sup_pattern_kind kind, int slot) {
    sup_net_group group;
    sup_barrier *b;
    sup_pattern pattern = sup_pattern_of(kind, size);
    CHECK(e, sup_net_group_of(e->net, ranks, size, &group) == SUP_OK);
    CHECK(e, group.self >= 0 && sup_net_group_rank(&group, group.self) == sup_net_rank(e->net));
    CHECK(e, sup_barrier_new(&group, &pattern, slot, &b) == SUP_OK);
    sup_barrier_begin_at(b, e->group_words);
    sup_net_group_free(&group);
    return b;
}

/* The next barrier on its slots is of other ranks. */
static void leave(env *e, sup_barrier *b) {
    if (b) CHECK(e, sup_barrier_leave(b) == SUP_OK);
    sup_barrier_free(b);
}

/* Round r: the member r says so, in the bits of its group. */
static void run(env *e, sup_barrier *b, const int *ranks, int size, int round, unsigned shift) {
    unsigned bit = 1u << (shift + (unsigned)round % 4), all = 0;
    bool mine = ranks[round % size] == sup_net_rank(e->net);
    if ((round + sup_net_rank(e->net)) % 3) {
        CHECK(e, sup_barrier_run(b, mine ? bit : 0, &all) == SUP_OK);
    } else { /* in steps, while others wait */
        sup_wait w = SUP_WAIT_INIT;
        bool done = false;
        CHECK(e, sup_barrier_start(b, mine ? bit : 0) == SUP_OK);
        while (!done) {
            CHECK(e, sup_barrier_try(b, &done, &all) == SUP_OK);
            CHECK(e, sup_net_progress(e->net) == SUP_OK);
            if (done) break;
            sup_net_pause(e->net, &w);
        }
        sup_net_waited(e->net, &w);
    }
    CHECK(e, all == bit);
}

static void run_group(env *e, const int *ranks, int size, sup_pattern_kind kind, int rounds, unsigned shift) {
    sup_barrier *b = make(e, ranks, size, kind, SLOT);
    for (int r = 0; r < rounds; r++) run(e, b, ranks, size, r, shift);
    leave(e, b);
}

/* Ranks first, first + step, … */
static int pick(env *e, int first, int step, int *ranks) {
    int n = 0;
    for (int r = first; r >= 0 && r < sup_net_size(e->net); r += step) ranks[n++] = r;
    return n;
}

/* Two groups that share slots, because they share no pair of ranks, and go on for different times. */
static void split(env *e, sup_pattern_kind kind, const int *a, int a_size, const int *b, int b_size) {
    bool in_a = false;
    for (int i = 0; i < a_size; i++) in_a |= a[i] == sup_net_rank(e->net);
    if (in_a)
        run_group(e, a, a_size, kind, 90, 0);
    else if (b_size)
        run_group(e, b, b_size, kind, 40, 4);
    e->group_words += WORDS;
}

/* A barrier of all and one of some in turns: they are under way at the same time, so on slots of their own. */
static void interleaved(env *e, sup_pattern_kind kind, const int *all, const int *odd, int odd_size) {
    int size = sup_net_size(e->net);
    sup_barrier *whole = make(e, all, size, kind, SLOT), *part = NULL;
    if (sup_net_rank(e->net) % 2) part = make(e, odd, odd_size, (sup_pattern_kind){&sup_generator_tree, 2}, OTHER_SLOT);
    for (int r = 0; r < 60; r++) {
        run(e, whole, all, size, r, 0);
        if (part) run(e, part, odd, odd_size, r, 4);
    }
    leave(e, part);
    leave(e, whole);
    e->group_words += WORDS;
}

/* Pairs, then the first of each: flags and trees. */
static void levels(env *e, const int *backwards) {
    int size = sup_net_size(e->net);
    sup_pattern_kind flags = {&sup_generator_flags, sup_generator_flags.radix}, tree = {&sup_generator_tree, 3};
    for (int turn = 0; turn < 2; turn++) {
        sup_pattern_level rows[] = {{turn ? flags : tree, 2, 1}, {turn ? tree : flags, 0, 1}};
        sup_net_group group;
        sup_pattern pattern;
        sup_barrier *b;
        CHECK(e, sup_pattern_from_levels(size, rows, 2, &pattern) == SUP_OK);
        CHECK(e, sup_net_group_of(e->net, backwards, size, &group) == SUP_OK);
        CHECK(e, sup_barrier_new(&group, &pattern, SLOT, &b) == SUP_OK);
        sup_barrier_begin_at(b, e->group_words);
        for (int r = 0; r < 60; r++) run(e, b, backwards, size, r, 0);
        leave(e, b);
        sup_net_group_free(&group);
        sup_pattern_free(&pattern);
        e->group_words += WORDS;
    }
}

void check_groups(env *e) {
    int size = sup_net_size(e->net);
    int *odd = take(e, (size_t)size * sizeof *odd), *even = take(e, (size_t)size * sizeof *even);
    int *backwards = take(e, (size_t)size * sizeof *backwards), *rest = take(e, (size_t)size * sizeof *rest);
    int odd_size = pick(e, 1, 2, odd), even_size = pick(e, (size - 1) / 2 * 2, -2, even);
    int rest_size = pick(e, 1, 1, rest);
    pick(e, size - 1, -1, backwards);
    e->group_words += WORDS;
    for (size_t g = 0; sup_generators[g]; g++) {
        if (!sup_generators[g]->barrier) continue;
        sup_pattern_kind kind = {sup_generators[g], sup_generators[g]->radix};
        split(e, kind, backwards, size, NULL, 0);
        split(e, kind, odd, odd_size, even, even_size);
        split(e, kind, (const int[]){0}, 1, rest, rest_size);
        interleaved(e, kind, backwards, odd, odd_size);
        for (kind.radix = 3; kind.radix <= 4 && kind.radix <= sup_generators[g]->radix_most; kind.radix++)
            split(e, kind, rest, rest_size, (const int[]){0}, 1);
    }
    levels(e, backwards);
    free(rest);
    free(backwards);
    free(even);
    free(odd);
}
