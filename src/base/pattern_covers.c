/* Whether a pattern does what it must: who has heard of whom in the end (pattern.h). K is kept by columns, one bit set
 * a process: heard[j] has bit i if j has heard of i. */
#include "base/pattern.h"

#include <stdlib.h>
#include <string.h>

static void hear(const sup_pattern_edge *edges, size_t n, uint64_t *heard, uint64_t *before, size_t words, size_t all) {
    memcpy(before, heard, all * sizeof *heard); /* signals leave before any of their stage arrives */
    for (size_t e = 0; e < n; e++)
        for (size_t w = 0; w < words; w++)
            heard[(size_t)edges[e].to * words + w] |= before[(size_t)edges[e].from * words + w];
}

static int64_t first_missing(const uint64_t *set, int64_t wanted) {
    for (int64_t i = 0; i < wanted; i += 64) {
        uint64_t missing = ~set[i / 64];
        if (missing) return i + __builtin_ctzll(missing);
    }
    return wanted;
}

static bool complete(const sup_pattern *p, const uint64_t *heard, size_t words, int64_t *deaf, int64_t *unheard) {
    int64_t wanted = p->generator->effect == SUP_PATTERN_BROADCASTS ? 1 : p->processes;
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
    size_t words = ((size_t)p->processes + 63) / 64, all = words * (size_t)p->processes;
    uint64_t *heard = calloc(all, sizeof *heard), *before = calloc(all, sizeof *before);
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    sup_status st = heard && before && edges ? SUP_OK : SUP_ENOMEM;
    if (!st) {
        for (size_t j = 0; j < (size_t)p->processes; j++) heard[j * words + j / 64] |= (uint64_t)1 << j % 64;
        for (int s = 0; s < p->stages; s++) {
            size_t n = sup_pattern_stage(p, s, edges);
            hear(edges, n, heard, before, words, all);
        }
        *covers = complete(p, heard, words, deaf, unheard);
    }
    free(edges);
    free(before);
    free(heard);
    return st;
}
