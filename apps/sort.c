/* Sample sort of 32-bit keys (Tcomp, Tcomm and Tsync of a program whose data moves all at once), three supersteps an
 * iteration:
 *
 *     sort the own keys (kernel radix) │ everybody's samples to everybody
 *     splitters from the samples       │ keys to where they belong, one message to each
 *     sort what came (kernel radix)    │
 *
 *     sort KEYS ITERATIONS                keys of all processes together
 *
 * Every iteration begins with the same keys. The first tenth warms up and is left out of a trace. Rank 0 prints the
 * median time of an iteration. */
#include "kernels/radix.h"
#include "typical.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sorter {
    size_t p, me, n, room; /* processes; keys of ours, and room for those that come */
    uint32_t *keys;        /* in disorder */
    uint32_t *first, *second, *came;
    uint32_t *samples; /* p of each process */
    uint32_t *scratch; /* 2 p² */
    size_t count;      /* keys after sorting, in second */
    uint32_t total[4]; /* what is checked at the end: count, least, greatest, sum; of this process */
    uint32_t *totals;  /* of all */
} sorter;

static void *get_room(size_t count, size_t each) {
    void *room = calloc(count + 1, each);
    if (!room) bsp_abort("out of memory\n");
    return room;
}

static uint32_t key_of(uint64_t index) {
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((z ^ (z >> 27)) >> 16);
}

/* Into `second`. */
static void radix(uint32_t *second, uint32_t *first, const uint32_t *keys, size_t n) {
    uint32_t at[SUP_RADIX], next[SUP_RADIX] = {0};
    for (size_t i = 0; i < n; i++) next[sup_radix_digit(keys[i], 0)]++;
    for (unsigned digit = 0; digit < SUP_RADIX_DIGITS; digit++) {
        sup_radix_places(at, next);
        sup_radix_scatter(digit % 2 ? second : first,
                          digit == 0  ? keys
                          : digit % 2 ? first
                                      : second,
                          n, digit, at, next);
    }
}

static size_t first_not_below(const uint32_t *sorted, size_t n, uint32_t key) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void sample(sorter *s) {
    radix(s->second, s->first, s->keys, s->n);
    for (size_t i = 0; i < s->p; i++) s->scratch[i] = s->n ? s->second[i * s->n / s->p] : 0;
    for (size_t to = 0; to < s->p; to++)
        bsp_put((int)to, s->scratch, s->samples, s->me * s->p * sizeof(uint32_t), s->p * sizeof(uint32_t));
    bsp_sync();
}

static void deal(sorter *s) {
    size_t squares = s->p * s->p, from = 0;
    uint32_t *sorted = s->scratch + squares;
    radix(sorted, s->scratch, s->samples, squares);
    for (size_t to = 0; to < s->p; to++) {
        size_t end = to + 1 < s->p ? first_not_below(s->second, s->n, sorted[(to + 1) * s->p]) : s->n;
        if (end < from) end = from;
        bsp_send((int)to, NULL, s->second + from, (end - from) * sizeof(uint32_t));
        from = end;
    }
    bsp_sync();
}

static void collect(sorter *s) {
    size_t messages = 0;
    s->count = 0;
    bsp_qsize(&messages, NULL);
    for (; messages > 0; messages--) {
        void *tag = NULL, *data = NULL;
        size_t keys = bsp_hpmove(&tag, &data) / sizeof(uint32_t);
        if (keys > s->room - s->count) bsp_abort("%zu keys are too many\n", s->count + keys);
        if (keys) memcpy(s->came + s->count, data, keys * sizeof(uint32_t));
        s->count += keys;
    }
    radix(s->second, s->first, s->came, s->count);
    bsp_sync();
}

static void iterate(sorter *s) {
    sample(s);
    deal(s);
    collect(s);
}

/* Ascending here, and from process to process; none lost. */
static void check(sorter *s, size_t all) {
    uint32_t *mine = s->total, before = 0;
    memset(mine, 0, sizeof s->total);
    mine[0] = (uint32_t)s->count;
    for (size_t i = 0; i < s->count; i++) {
        if (i && s->second[i] < s->second[i - 1]) bsp_abort("key %zu is not in its place\n", i);
        mine[3] += s->second[i];
    }
    if (s->count) {
        mine[1] = s->second[0];
        mine[2] = s->second[s->count - 1];
    }
    for (size_t to = 0; to < s->p; to++) bsp_put((int)to, mine, s->totals, s->me * sizeof s->total, sizeof s->total);
    bsp_sync();
    uint32_t count = 0, sum = 0, wanted = 0;
    for (size_t r = 0; r < s->p; r++) {
        const uint32_t *t = s->totals + 4 * r;
        if (t[0] && t[1] < before) bsp_abort("process %zu begins below the end of the one before\n", r);
        if (t[0]) before = t[2];
        count += t[0];
        sum += t[3];
    }
    for (size_t i = 0; i < all; i++) wanted += key_of(i);
    if (count != (uint32_t)all || sum != wanted) bsp_abort("%u keys of %zu\n", count, all);
}

static void open_sorter(sorter *s, size_t all) {
    s->p = (size_t)bsp_nprocs();
    s->me = (size_t)bsp_pid();
    s->n = all / s->p + (s->me < all % s->p);
    s->room = 2 * s->n + all / s->p + 4 * s->p * s->p; /* regular samples: at most twice as many, nearly */
    s->keys = get_room(s->n, sizeof *s->keys);
    s->first = get_room(s->room, sizeof *s->first);
    s->second = get_room(s->room, sizeof *s->second);
    s->came = get_room(s->room, sizeof *s->came);
    s->samples = get_room(s->p * s->p, sizeof *s->samples);
    s->scratch = get_room(2 * s->p * s->p, sizeof *s->scratch);
    s->totals = get_room(s->p, sizeof s->total);
    size_t first = s->me * (all / s->p) + (s->me < all % s->p ? s->me : all % s->p);
    for (size_t i = 0; i < s->n; i++) s->keys[i] = key_of(first + i);
    bsp_push_reg(s->samples, s->p * s->p * sizeof *s->samples);
    bsp_push_reg(s->totals, s->p * sizeof s->total);
    bsp_sync();
}

static void close_sorter(sorter *s) {
    free(s->totals);
    free(s->scratch);
    free(s->samples);
    free(s->came);
    free(s->second);
    free(s->first);
    free(s->keys);
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    if (argc < 3) bsp_abort("usage: sort KEYS ITERATIONS\n");
    size_t all = strtoul(argv[1], NULL, 10);
    long iterations = strtol(argv[2], NULL, 10);
    if (iterations < 1 || all > (size_t)1 << 31) bsp_abort("sizes out of range\n");
    sorter s = {0};
    sup_trace_off();
    open_sorter(&s, all);
    double *seconds = get_room((size_t)iterations, sizeof *seconds);
    for (long i = 0; i < iterations / 10 + 2; i++) iterate(&s);
    sup_trace_on();
    double from = bsp_time();
    for (long i = 0; i < iterations; i++) {
        iterate(&s);
        double now = bsp_time();
        seconds[i] = now - from;
        from = now;
    }
    sup_trace_off();
    check(&s, all);
    if (s.me == 0)
        printf("sort %zu keys, %zu processes, sorted: %.3f us an iteration\n", all, s.p,
               typical_median(seconds, iterations) * 1e6);
    bsp_end();
    free(seconds);
    close_sorter(&s);
    return 0;
}
