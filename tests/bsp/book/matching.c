/* Matching by locally heaviest edges: in each round every free vertex proposes to its heaviest free neighbour; who is
 * proposed to by the one he proposes to is matched, and tells his neighbours. With weights that all differ the result
 * is that of the greedy algorithm, which each process runs for itself to compare. Vertices are dealt out cyclically. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <stdbool.h>
#include <stdlib.h>

enum { VERTICES = 60, DEGREE = 7 };

/* 0: no edge. */
static uint64_t weight(int u, int v) {
    int low = u < v ? u : v, high = u < v ? v : u;
    uint64_t w = book_random((uint64_t)(low * VERTICES + high));
    return low == high || w % VERTICES >= DEGREE ? 0 : w | 1;
}

static void greedy(int *mate) {
    for (int v = 0; v < VERTICES; v++) mate[v] = -1;
    for (;;) {
        uint64_t best = 0;
        int a = 0, b = 0;
        for (int u = 0; u < VERTICES; u++)
            for (int v = 0; v < u; v++)
                if (mate[u] < 0 && mate[v] < 0 && weight(u, v) > best) best = weight(u, v), a = u, b = v;
        if (!best) return;
        mate[a] = b, mate[b] = a;
    }
}

static int favourite(int v, const bool *taken) {
    int best = -1;
    for (int u = 0; u < VERTICES; u++)
        if (!taken[u] && weight(u, v) && (best < 0 || weight(u, v) > weight(best, v))) best = u;
    return best;
}

/* One round; the number of own vertices that are still free and have a free neighbour. */
static int round_of(int *mate, bool *taken) {
    int p = bsp_nprocs(), s = bsp_pid(), open = 0, packets, from, to;
    int proposed[VERTICES];
    for (int v = s; v < VERTICES; v += p) {
        proposed[v] = mate[v] < 0 ? favourite(v, taken) : -1;
        if (proposed[v] >= 0) bsp_send(proposed[v] % p, &v, &proposed[v], sizeof v);
    }
    bsp_sync();
    bsp_qsize(&packets, NULL);
    for (int status; packets > 0; packets--) {
        bsp_get_tag(&status, &from);
        bsp_move(&to, sizeof to);
        if (proposed[to] != from) continue;
        mate[to] = from;
        for (int t = 0; t < p; t++) bsp_send(t, &to, NULL, 0);
    }
    for (int v = s; v < VERTICES; v += p) open += mate[v] < 0 && proposed[v] >= 0;
    bsp_sync();
    for (void *tag, *payload; bsp_hpmove(&tag, &payload) != -1;) taken[*(int *)tag] = true;
    return open;
}

void book_matching(void) {
    int expected[VERTICES], mate[VERTICES], tagsize = sizeof(int), wrong = 0, rounds = 0;
    bool taken[VERTICES] = {false};
    int p = bsp_nprocs(), s = bsp_pid(), *open = book_alloc((size_t)p, sizeof *open), left = 1;

    RULE("book: matching by locally heaviest edges gives the greedy matching");
    for (int v = 0; v < VERTICES; v++) mate[v] = -1;
    bsp_push_reg(open, (size_t)p * sizeof *open);
    bsp_set_tagsize(&tagsize);
    bsp_sync();
    while (left > 0 && rounds++ < VERTICES) {
        int mine = round_of(mate, taken);
        for (int t = 0; t < p; t++) bsp_put(t, &mine, open, (size_t)s * sizeof mine, sizeof mine);
        bsp_sync();
        left = 0;
        for (int t = 0; t < p; t++) left += open[t];
    }
    bsp_set_tagsize(&tagsize);
    bsp_pop_reg(open);
    bsp_sync();
    greedy(expected);
    for (int v = s; v < VERTICES; v += p) wrong += mate[v] != expected[v];
    EXPECT(wrong == 0 && left == 0);
    free(open);
}
