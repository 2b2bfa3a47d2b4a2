/* Sorting by regular sampling: sort locally, agree on p-1 splitters from p samples a process, send every process its
 * range, merge. Supersteps: samples, ranges, check. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The splitters: every p-th of all samples in order. Fewer keys than samples are repeated, which does no harm. */
static void agree(const uint64_t *keys, int n, uint64_t *splitters) {
    int p = bsp_nprocs(), s = bsp_pid();
    uint64_t *samples = book_alloc((size_t)(p * p), sizeof *samples);
    bsp_push_reg(samples, (size_t)(p * p) * sizeof *samples);
    bsp_sync();
    for (int t = 0; t < p; t++)
        for (int i = 0; i < p; i++) {
            uint64_t sample = n ? keys[(long)i * n / p] : UINT64_MAX;
            bsp_put(t, &sample, samples, (size_t)(s * p + i) * sizeof sample, sizeof sample);
        }
    bsp_pop_reg(samples);
    bsp_sync();
    qsort(samples, (size_t)(p * p), sizeof *samples, compare);
    for (int t = 1; t < p; t++) splitters[t - 1] = samples[t * p];
    free(samples);
}

/* Sends each range of the sorted keys to its process; what arrives here, sorted. */
static uint64_t *exchange(const uint64_t *keys, int n, const uint64_t *splitters, int *received) {
    int p = bsp_nprocs(), from = 0, packets;
    bsp_size_t bytes;
    for (int t = 0; t < p; t++) {
        int to = from;
        while (to < n && (t == p - 1 || keys[to] < splitters[t])) to++;
        if (to > from) bsp_send(t, NULL, keys + from, (size_t)(to - from) * sizeof *keys);
        from = to;
    }
    bsp_sync();
    bsp_qsize(&packets, &bytes);
    uint64_t *mine = book_alloc(bytes, 1);
    int count = 0;
    for (; packets > 0; packets--) {
        int status;
        bsp_get_tag(&status, NULL);
        bsp_move(mine + count, (size_t)status);
        count += status / (int)sizeof *mine;
    }
    qsort(mine, (size_t)count, sizeof *mine, compare);
    *received = count;
    return mine;
}

/* Sums of the keys and of their squares stay; neighbours are in order. */
static void verify(const uint64_t *mine, int n, uint64_t sum, uint64_t squares) {
    struct {
        uint64_t least, greatest, count, sum, squares, sum0, squares0;
    } *all = book_alloc((size_t)bsp_nprocs(), sizeof *all), me = {UINT64_MAX, 0, (uint64_t)n, 0, 0, sum, squares};
    bsp_push_reg(all, (size_t)bsp_nprocs() * sizeof *all);
    bsp_sync();
    for (int i = 0; i < n; i++) {
        EXPECT(i == 0 || mine[i - 1] <= mine[i]);
        me.sum += mine[i], me.squares += mine[i] * mine[i];
    }
    if (n) me.least = mine[0], me.greatest = mine[n - 1];
    for (int t = 0; t < bsp_nprocs(); t++) bsp_put(t, &me, all, (size_t)bsp_pid() * sizeof me, sizeof me);
    bsp_pop_reg(all);
    bsp_sync();
    uint64_t last = 0, total = 0, total0 = 0, squared = 0, squared0 = 0;
    for (int t = 0; t < bsp_nprocs(); t++) {
        if (all[t].count) {
            EXPECT(last <= all[t].least);
            last = all[t].greatest;
        }
        total += all[t].sum, total0 += all[t].sum0, squared += all[t].squares, squared0 += all[t].squares0;
    }
    EXPECT(total == total0 && squared == squared0);
    free(all);
}

void book_sort(void) {
    RULE("book: sample sort orders what it was given, evenly and unevenly spread, with many equal keys");
    for (int round = 0; round < 4; round++) {
        int n = round == 0 ? 3 * bsp_pid() : round == 1 ? 1500 : bsp_pid() % 2 ? 0 : 700;
        uint64_t *keys = book_alloc((size_t)n, sizeof *keys), sum = 0, squares = 0;
        uint64_t *splitters = book_alloc((size_t)bsp_nprocs(), sizeof *splitters);
        for (int i = 0; i < n; i++) {
            keys[i] = book_random((uint64_t)(round * 1000003 + bsp_pid() * 10007 + i));
            if (round == 3) keys[i] %= 5;
            sum += keys[i], squares += keys[i] * keys[i];
        }
        if (n) qsort(keys, (size_t)n, sizeof *keys, compare);
        agree(keys, n, splitters);
        int received;
        uint64_t *mine = exchange(keys, n, splitters, &received);
        verify(mine, received, sum, squares);
        free(mine), free(splitters), free(keys);
    }
}
