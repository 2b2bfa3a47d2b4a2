/* Patterns of clustered processes (BSP §7.3, steps 2 to 4; fig. 7.2): the clusters of a level side by side, levels one
 * after the other through their pivots, release as the arrival reversed and transposed. And lanes, which need no
 * release. Stage choose, term Tsync.
 *
 *     levels                     lanes
 *       0 1 2 | 3 4 5              0 1 2 | 3 4 5
 *       0◁1,2   3◁4,5              0⇄1⇄2   3⇄4⇄5
 *       0 ⇄ 3                      0⇄3 1⇄4 2⇄5
 *       0▷1,2   3▷4,5
 */
#include "choose/barrier_work.h"

#include <stdlib.h>

typedef struct builder {
    sup_pattern_edge *edges;
    size_t count, room;
    int stages; /* of the levels before */
} builder;

static sup_status grow(builder *b, size_t more) {
    if (b->count + more <= b->room) return SUP_OK;
    size_t room = 2 * b->room + more;
    sup_pattern_edge *edges = reallocarray(b->edges, room, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    b->edges = edges;
    b->room = room;
    return SUP_OK;
}

/* Arrival of one cluster; *longest: the most stages of a cluster of this level. */
static sup_status add_cluster(builder *b, sup_pattern_kind kind, const int64_t *member, int64_t count, int *longest) {
    sup_pattern p = sup_pattern_of(kind, count);
    for (int s = 0; s < p.generated; s++) {
        sup_status st = grow(b, sup_pattern_stage(&p, s, NULL));
        if (st) return st;
        sup_pattern_edge *e = b->edges + b->count, *end = e + sup_pattern_stage(&p, s, e);
        for (; e < end; e++)
            *e = (sup_pattern_edge){.from = member[e->from],
                                    .to = member[e->to],
                                    .stage = b->stages + s,
                                    .common = kind.generator->common_release}; /* for the release, which turns it round */
        b->count = (size_t)(end - b->edges);
    }
    if (p.generated > *longest) *longest = p.generated;
    return SUP_OK;
}

static sup_status add_release(builder *b, size_t count, int stages) {
    sup_status st = grow(b, count);
    if (st) return st;
    for (size_t k = 0; k < count; k++) {
        sup_pattern_edge e = b->edges[k];
        b->edges[b->count++] = (sup_pattern_edge){
            .from = e.to, .to = e.from, .stage = b->stages + stages - 1 - e.stage, .common = e.common};
    }
    for (size_t k = 0; k < b->count - count; k++) b->edges[k].common = false;
    b->stages += stages;
    return SUP_OK;
}

static sup_status finish(builder *b, sup_status st, int64_t processes, sup_pattern *out) {
    if (!st) return sup_pattern_from_edges(processes, b->stages, b->edges, b->count, out);
    free(b->edges);
    return st;
}

static sup_status add_level(builder *b, const sup_nest *n, size_t level, const sup_pattern_kind *kinds, int64_t width) {
    sup_groups g;
    int longest = 0;
    sup_status st = sup_groups_of(n, level, false, &g);
    if (st) return st;
    for (int64_t c = 0; c < g.count && !st; c++) {
        const int64_t *member = g.member + g.begin[c];
        sup_pattern_kind kind = kinds[(int64_t)level * width + (width > 1 ? member[0] : 0)];
        st = add_cluster(b, kind, member, g.begin[c + 1] - g.begin[c], &longest);
    }
    b->stages += longest;
    sup_groups_free(&g);
    return st;
}

sup_status sup_build_stack(const sup_nest *n, const sup_pattern_kind *kinds, int64_t width, sup_pattern *out) {
    builder b = {0};
    sup_status st = SUP_OK;
    size_t top = n->levels - 1, gathered = 0;
    int stages = 0;
    for (size_t l = 0; l < n->levels && !st; l++) {
        gathered = b.count;
        stages = b.stages;
        st = add_level(&b, n, l, kinds, width);
    }
    sup_pattern_kind last = kinds[(int64_t)top * width + (width > 1 ? n->of[top][0] : 0)];
    if (last.generator->effect != SUP_PATTERN_SPREADS) gathered = b.count, stages = b.stages;
    if (!st) st = add_release(&b, gathered, stages);
    return finish(&b, st, n->processes, out);
}

/* ---- lanes ---- */

static int by_place(const void *a, const void *b) {
    const sup_pattern_edge *x = a, *y = b;
    if (x->stage != y->stage) return x->stage < y->stage ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Members of small clusters are in several lanes, which may say the same. */
static void drop_repeated(builder *b, size_t first) {
    size_t kept = first;
    if (b->count == first) return;
    qsort(b->edges + first, b->count - first, sizeof *b->edges, by_place);
    for (size_t k = first; k < b->count; k++)
        if (kept == first || by_place(&b->edges[kept - 1], &b->edges[k])) b->edges[kept++] = b->edges[k];
    b->count = kept;
}

/* Clusters of the level below that one of this level consists of: their numbers, by their pivots in order. */
typedef struct lanes {
    sup_groups inner, outer; /* whole */
    int64_t *number;         /* [processes]: inner cluster of a pivot */
    int64_t *part, *lane;    /* [processes] */
} lanes;

static sup_status add_lanes(builder *b, const sup_nest *n, size_t level, sup_pattern_kind kind, lanes *w) {
    size_t first = b->count;
    int longest = 0;
    for (int64_t k = 0; k < w->inner.count; k++) w->number[w->inner.member[w->inner.begin[k]]] = k;
    for (int64_t c = 0; c < w->outer.count; c++) {
        int64_t parts = 0, widest = 0;
        for (int64_t i = w->outer.begin[c]; i < w->outer.begin[c + 1]; i++) {
            int64_t m = w->outer.member[i];
            if (n->of[level - 1][m] != m) continue;
            int64_t k = w->number[m], size = w->inner.begin[k + 1] - w->inner.begin[k];
            w->part[parts++] = k;
            if (size > widest) widest = size;
        }
        for (int64_t lane = 0; lane < widest; lane++) {
            for (int64_t k = 0; k < parts; k++) {
                int64_t begin = w->inner.begin[w->part[k]], size = w->inner.begin[w->part[k] + 1] - begin;
                w->lane[k] = w->inner.member[begin + lane % size];
            }
            sup_status st = add_cluster(b, kind, w->lane, parts, &longest);
            if (st) return st;
        }
    }
    b->stages += longest;
    drop_repeated(b, first);
    return SUP_OK;
}

static sup_status add_lane_level(builder *b, const sup_nest *n, size_t level, sup_pattern_kind kind) {
    lanes w = {0};
    size_t p = (size_t)n->processes;
    sup_status st = sup_groups_of(n, level - 1, true, &w.inner);
    if (!st) st = sup_groups_of(n, level, true, &w.outer);
    w.number = malloc(3 * p * sizeof *w.number);
    if (!st && !w.number) st = SUP_ENOMEM;
    if (!st) {
        w.part = w.number + p;
        w.lane = w.part + p;
        st = add_lanes(b, n, level, kind, &w);
    }
    free(w.number);
    sup_groups_free(&w.inner);
    sup_groups_free(&w.outer);
    return st;
}

sup_status sup_build_lanes(const sup_nest *n, const sup_pattern_kind *kinds, sup_pattern *out) {
    builder b = {0};
    sup_status st = add_level(&b, n, 0, kinds, 1);
    for (size_t l = 1; l < n->levels && !st; l++) st = add_lane_level(&b, n, l, kinds[l]);
    return finish(&b, st, n->processes, out);
}

/* ---- as levels ---- */

/* Is cluster k of member number k of a level where size and stride put it? list: members that go on to the level. */
static bool regular(const int64_t *of, const int64_t *list, int64_t count, int64_t size, int64_t stride) {
    for (int64_t k = 0; k < count; k++) {
        int64_t block = size * stride, pivot = k / block * block + k % stride;
        if (of[list[k]] != list[pivot]) return false;
    }
    return true;
}

static bool find_level(const int64_t *of, const int64_t *list, int64_t count, sup_pattern_level *out) {
    int64_t size = 0, second = 0;
    for (int64_t k = 0; k < count; k++)
        if (of[list[k]] == of[list[0]]) {
            if (size == 1) second = k;
            size++;
        }
    out->size = size;
    out->stride = size > 1 ? second : 1;
    return size > 1 && regular(of, list, count, out->size, out->stride);
}

bool sup_build_levels(const sup_nest *n, const sup_pattern_kind *kinds, sup_pattern_level *out) {
    int64_t count = n->processes, *list = malloc((size_t)count * sizeof *list);
    bool good = list != NULL;
    for (int64_t i = 0; i < count && good; i++) list[i] = i;
    for (size_t l = 0; l < n->levels && good; l++) {
        out[l] = (sup_pattern_level){.kind = kinds[l], .stride = 1};
        good = l + 1 < n->levels ? find_level(n->of[l], list, count, &out[l]) : n->of[l][list[0]] == list[0];
        int64_t kept = 0;
        for (int64_t k = 0; k < count; k++)
            if (n->of[l][list[k]] == list[k]) list[kept++] = list[k];
        count = kept;
    }
    free(list);
    return good;
}
