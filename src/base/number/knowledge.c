/* Who has heard of whom (knowledge.h, pattern.h). K is kept by columns, one bit set a process: heard[j] has bit i if j
 * has heard of i. */
#include "base/number/knowledge.h"

#include <stdlib.h>
#include <string.h>

typedef struct knowledge {
    size_t words;             /* of a set */
    uint64_t *heard, *before; /* before: sets of those that send and receive in one stage, as they were when it began */
    int *received, *kept;     /* [process]: the last stage, + 1, in which it received; in which `before` was kept */
} knowledge;

static void forget(knowledge *k) {
    free(k->kept);
    free(k->received);
    free(k->before);
    free(k->heard);
}

static bool begin(knowledge *k, size_t processes) {
    *k = (knowledge){.words = (processes + 63) / 64};
    k->heard = calloc(k->words * processes, sizeof *k->heard);
    k->before = malloc(k->words * processes * sizeof *k->before);
    k->received = calloc(processes, sizeof *k->received);
    k->kept = calloc(processes, sizeof *k->kept);
    if (!k->heard || !k->before || !k->received || !k->kept) return false;
    for (size_t j = 0; j < processes; j++) k->heard[j * k->words + j / 64] |= (uint64_t)1 << j % 64;
    return true;
}

/* Signals leave before any of their stage arrives; only who both sends and receives needs its set twice, so that a
 * pattern of thousands of stages costs what its signals cost. */
static void hear(knowledge *k, const sup_pattern_edge *edges, size_t n, int stage) {
    const size_t words = k->words;
    for (size_t e = 0; e < n; e++) k->received[edges[e].to] = stage + 1;
    for (size_t e = 0; e < n; e++) {
        int64_t from = edges[e].from;
        if (k->received[from] != stage + 1 || k->kept[from] == stage + 1) continue;
        k->kept[from] = stage + 1;
        memcpy(k->before + (size_t)from * words, k->heard + (size_t)from * words, words * sizeof *k->heard);
    }
    for (size_t e = 0; e < n; e++) {
        size_t from = (size_t)edges[e].from * words;
        const uint64_t *told = k->kept[edges[e].from] == stage + 1 ? k->before + from : k->heard + from;
        uint64_t *set = k->heard + (size_t)edges[e].to * words;
        for (size_t w = 0; w < words; w++) set[w] |= told[w];
    }
}

static int64_t first_missing(const uint64_t *set, int64_t wanted) {
    for (int64_t i = 0; i < wanted; i += 64) {
        uint64_t missing = ~set[i / 64];
        if (missing) return i + __builtin_ctzll(missing);
    }
    return wanted;
}

static int64_t wanted_by(const sup_pattern *p) {
    return p->generator->effect == SUP_PATTERN_BROADCASTS ? 1 : p->processes;
}

static bool complete(const sup_pattern *p, const uint64_t *heard, size_t words, int64_t *deaf, int64_t *unheard) {
    int64_t wanted = wanted_by(p);
    for (int64_t j = 0; j < p->processes; j++) {
        int64_t i = first_missing(heard + (size_t)j * words, wanted);
        if (i >= wanted) continue;
        *deaf = j;
        *unheard = i;
        return false;
    }
    return true;
}

sup_status sup_pattern_covers(const sup_pattern *p, bool *covers, int64_t *deaf, int64_t *unheard) {
    if (p->processes < 1 || p->processes > SUP_PATTERN_COVERS_MAX) return SUP_EINVAL;
    knowledge k;
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    sup_status st = begin(&k, (size_t)p->processes) && edges ? SUP_OK : SUP_ENOMEM;
    if (!st) {
        for (int s = 0; s < p->stages; s++) {
            size_t n = sup_pattern_stage(p, s, edges);
            hear(&k, edges, n, s);
        }
        *covers = complete(p, k.heard, k.words, deaf, unheard);
    }
    forget(&k);
    free(edges);
    return st;
}

/* ---- exact counts ---- */

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

sup_status sup_pattern_counts(const sup_pattern *p, int stages, uint64_t *counts) {
    if (p->processes < 1 || p->processes > SUP_COUNTS_MAX || stages < 0 || stages > p->stages) return SUP_EINVAL;
    size_t n = (size_t)p->processes;
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    uint64_t *before = malloc(n * n * sizeof *before);
    sup_status st = edges && before ? SUP_OK : SUP_ENOMEM;
    if (!st) {
        memset(counts, 0, n * n * sizeof *counts);
        for (size_t i = 0; i < n; i++) counts[i * n + i] = 1;
        for (int s = 0; s < stages; s++) {
            size_t count = sup_pattern_stage(p, s, edges);
            memcpy(before, counts, n * n * sizeof *counts);
            for (size_t e = 0; e < count; e++)
                for (size_t i = 0; i < n; i++) {
                    uint64_t *entry = &counts[i * n + (size_t)edges[e].to];
                    *entry = sum(*entry, before[i * n + (size_t)edges[e].from]);
                }
        }
    }
    free(before);
    free(edges);
    return st;
}

/* ---- superfluous signals ---- */

/* Does everybody hear of everybody without the edge `left_out`? A set is one word. */
static bool covers_without(const sup_pattern_edge *edges, size_t count, size_t left_out, int64_t processes,
                           const uint64_t *begin) {
    uint64_t heard[SUP_COUNTS_MAX], before[SUP_COUNTS_MAX], all = ~(uint64_t)0 >> (64 - processes);
    memcpy(heard, begin, (size_t)processes * sizeof *heard);
    for (size_t e = 0; e < count; e++) {
        if (e == 0 || edges[e].stage != edges[e - 1].stage) memcpy(before, heard, (size_t)processes * sizeof *heard);
        if (e != left_out) heard[edges[e].to] |= before[edges[e].from];
    }
    for (int64_t j = 0; j < processes; j++)
        if (heard[j] != all) return false;
    return true;
}

static sup_status list_all(const sup_pattern *p, sup_pattern_edge **out, size_t *count) {
    size_t all = 0, n = 0;
    for (int s = 0; s < p->stages; s++) all += sup_pattern_stage(p, s, NULL);
    sup_pattern_edge *edges = calloc(all + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (int s = 0; s < p->stages; s++) n += sup_pattern_stage(p, s, edges + n);
    *out = edges;
    *count = n;
    return SUP_OK;
}

sup_status sup_pattern_superfluous(const sup_pattern *p, sup_pattern_edge **out, size_t *count) {
    if (p->processes < 1 || p->processes > SUP_COUNTS_MAX || wanted_by(p) != p->processes) return SUP_EINVAL;
    uint64_t heard[SUP_COUNTS_MAX];
    sup_pattern_edge *edges;
    size_t all, kept = 0;
    sup_status st = list_all(p, &edges, &all);
    if (st) return st;
    for (int64_t j = 0; j < p->processes; j++) heard[j] = (uint64_t)1 << j;
    bool good = covers_without(edges, all, all, p->processes, heard);
    sup_pattern_edge *found = good ? calloc(all + 1, sizeof *found) : NULL;
    for (size_t e = 0; e < all && found; e++)
        if (covers_without(edges, all, e, p->processes, heard)) found[kept++] = edges[e];
    free(edges);
    if (!good) return SUP_EINVAL;
    if (!found) return SUP_ENOMEM;
    *out = found;
    *count = kept;
    return SUP_OK;
}
