/* Communication patterns in stages: barriers (BSP §5.3, boolean matrices S_s) and collective schedules, made edge by
 * edge; and whether a pattern does what it must, by the algebra of BSP §5.5: K_s = K_{s−1} + K_{s−1}·S_s has no zero.
 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

const char *const sup_pattern_names[] = {"linear", "tree", "dissemination", "halving", "binomial", "edges", NULL};

static int log2_up(int64_t n) {
    int k = 0;
    while (((int64_t)1 << k) < n) k++;
    return k;
}

sup_pattern sup_pattern_make(int kind, int64_t processes) {
    sup_pattern p = {.kind = kind, .processes = processes};
    if (processes < 2) return p;
    int n = log2_up(processes);
    p.stages = kind == SUP_PATTERN_LINEAR ? 2 : kind == SUP_PATTERN_TREE ? 2 * n : n;
    return p;
}

int64_t sup_pattern_shift(const sup_pattern *p, int stage) {
    return (int64_t)1 << (p->kind == SUP_PATTERN_HALVING ? p->stages - 1 - stage : stage);
}

/* Children k of a tree stage with this step: step, 3·step, 5·step, … below P. */
static int64_t children(int64_t processes, int64_t step) {
    return processes > step ? (processes - step - 1) / (2 * step) + 1 : 0;
}

static void tree_stage(const sup_pattern *p, int stage, sup_pattern_edge *out) {
    int up = p->stages / 2, level = stage < up ? stage : p->stages - 1 - stage;
    int64_t step = (int64_t)1 << level, n = children(p->processes, step);
    for (int64_t k = 0; k < n; k++) {
        int64_t child = step + 2 * step * k;
        /* the child's signal up was the last it did; between them lie 2·(up − 1 − level) stages */
        out[k] = stage < up ? (sup_pattern_edge){child, child - step, false}
                            : (sup_pattern_edge){child - step, child, level < up - 1};
    }
}

static void edges_stage(const sup_pattern *p, int stage, sup_pattern_edge *out);

size_t sup_pattern_stage_count(const sup_pattern *p, int stage) {
    switch (p->kind) {
    case SUP_PATTERN_LINEAR: return (size_t)p->processes - 1;
    case SUP_PATTERN_TREE: {
        int up = p->stages / 2, level = stage < up ? stage : p->stages - 1 - stage;
        return (size_t)children(p->processes, (int64_t)1 << level);
    }
    case SUP_PATTERN_BINOMIAL: {
        int64_t far = (int64_t)1 << stage, left = p->processes - far;
        return (size_t)(left < far ? left : far);
    }
    case SUP_PATTERN_EDGES: {
        size_t n = 0;
        for (size_t e = 0; e < p->count; e++) n += p->stage[e] == stage;
        return n;
    }
    default: return (size_t)p->processes;
    }
}

void sup_pattern_stage(const sup_pattern *p, int stage, sup_pattern_edge *out) {
    int64_t n = p->processes;
    switch (p->kind) {
    case SUP_PATTERN_LINEAR:
        for (int64_t i = 1; i < n; i++)
            out[i - 1] = stage == 0 ? (sup_pattern_edge){i, 0, false} : (sup_pattern_edge){0, i, false};
        break;
    case SUP_PATTERN_TREE: tree_stage(p, stage, out); break;
    case SUP_PATTERN_BINOMIAL: {
        int64_t far = (int64_t)1 << stage;
        for (int64_t i = 0; i < far && i + far < n; i++) out[i] = (sup_pattern_edge){i, i + far, false};
        break;
    }
    case SUP_PATTERN_EDGES: edges_stage(p, stage, out); break;
    default: {
        int64_t d = sup_pattern_shift(p, stage);
        for (int64_t i = 0; i < n; i++) out[i] = (sup_pattern_edge){i, (i + d) % n, false};
    }
    }
}

/* ---- edges from elsewhere ---- */

/* Last thing that `rank` did before `stage`: the stage, and whom it signalled there if it signalled exactly one and
 * received nothing. Edges are sorted by stage. */
static bool waits_for(const sup_pattern *p, size_t begin, int stage, int rank, int sender) {
    int last = -1;
    bool only = false;
    for (size_t e = begin; e-- > 0;) {
        if (last >= 0 && p->stage[e] < last) break;
        if (p->from[e] != rank && p->to[e] != rank) continue;
        if (last < 0) only = true;
        last = p->stage[e];
        if (p->from[e] != rank || p->to[e] != sender) only = false;
    }
    return last >= 0 && only && stage - last > 1;
}

static void edges_stage(const sup_pattern *p, int stage, sup_pattern_edge *out) {
    size_t begin = 0, n = 0;
    while (begin < p->count && p->stage[begin] < stage) begin++;
    for (size_t e = begin; e < p->count && p->stage[e] == stage; e++)
        out[n++] = (sup_pattern_edge){p->from[e], p->to[e], waits_for(p, begin, stage, p->to[e], p->from[e])};
}

static int by_stage(const void *a, const void *b) {
    const int *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

sup_status sup_pattern_from_edges(int64_t processes, int stages, size_t count, const int *stage, const int *from,
                                  const int *to, sup_pattern *out) {
    int(*rows)[3] = calloc(count ? count : 1, sizeof *rows);
    int *flat = calloc(count ? count : 1, 3 * sizeof *flat);
    sup_status st = rows && flat ? SUP_OK : SUP_ENOMEM;
    for (size_t e = 0; e < count && !st; e++) {
        rows[e][0] = stage[e];
        rows[e][1] = from[e];
        rows[e][2] = to[e];
        if (stage[e] < 0 || stage[e] >= stages || from[e] < 0 || from[e] >= processes || to[e] < 0 ||
            to[e] >= processes)
            st = SUP_EINVAL;
    }
    if (!st) {
        qsort(rows, count, sizeof *rows, by_stage);
        for (size_t e = 0; e < count; e++)
            for (size_t k = 0; k < 3; k++) flat[k * count + e] = rows[e][k];
        *out = (sup_pattern){SUP_PATTERN_EDGES, processes, stages, count, flat, flat + count, flat + 2 * count};
    } else {
        free(flat);
    }
    free(rows);
    return st;
}

void sup_pattern_free(sup_pattern *pattern) {
    if (pattern->kind == SUP_PATTERN_EDGES) free((void *)(uintptr_t)pattern->stage);
    *pattern = (sup_pattern){0};
}

/* ---- coverage ---- */

static void hear(const sup_pattern_edge *edges, size_t n, uint64_t *heard, uint64_t *before, size_t words, size_t all) {
    memcpy(before, heard, all * sizeof *heard); /* signals leave before any of their stage arrives */
    for (size_t e = 0; e < n; e++)
        for (size_t w = 0; w < words; w++)
            heard[(size_t)edges[e].to * words + w] |= before[(size_t)edges[e].from * words + w];
}

static bool complete(const sup_pattern *p, const uint64_t *heard, size_t words) {
    for (int64_t j = 0; j < p->processes; j++)
        for (int64_t i = 0; i < (p->kind == SUP_PATTERN_BINOMIAL ? 1 : p->processes); i++)
            if (!(heard[(size_t)j * words + (size_t)i / 64] >> (i % 64) & 1)) return false;
    return true;
}

sup_status sup_pattern_covers(const sup_pattern *p, bool *covers) {
    if (p->processes < 1 || p->processes > 4096) return SUP_EINVAL;
    size_t words = ((size_t)p->processes + 63) / 64, all = words * (size_t)p->processes, most = 1;
    for (int s = 0; s < p->stages; s++) {
        size_t n = sup_pattern_stage_count(p, s);
        if (n > most) most = n;
    }
    uint64_t *heard = calloc(all, sizeof *heard), *before = calloc(all, sizeof *before);
    sup_pattern_edge *edges = calloc(most, sizeof *edges);
    sup_status st = heard && before && edges ? SUP_OK : SUP_ENOMEM;
    if (!st) {
        for (size_t j = 0; j < (size_t)p->processes; j++) heard[j * words + j / 64] |= (uint64_t)1 << j % 64;
        for (int s = 0; s < p->stages; s++) {
            sup_pattern_stage(p, s, edges);
            hear(edges, sup_pattern_stage_count(p, s), heard, before, words, all);
        }
        *covers = complete(p, heard, words);
    }
    free(edges);
    free(before);
    free(heard);
    return st;
}
