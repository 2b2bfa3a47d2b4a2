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
#include "choose/barrier/work.h"

#include <stdlib.h>

typedef struct edges {
    sup_pattern_edge *at;
    size_t count, room;
} edges;

typedef struct span {
    int arrival, release;
} span;

typedef struct builder {
    edges arrival, release; /* stages of a release count from the end */
    span stages;            /* of the levels before */
} builder;

/* A stage of a pattern over these members; *first: where it begins in the list. */
static sup_status add_stage(edges *list, const sup_pattern *p, int stage, const int64_t *member, size_t *first) {
    size_t more = sup_pattern_stage(p, stage, NULL);
    if (list->count + more > list->room) {
        size_t room = 2 * list->room + more;
        sup_pattern_edge *at = reallocarray(list->at, room, sizeof *at);
        if (!at) return SUP_ENOMEM;
        list->at = at;
        list->room = room;
    }
    *first = list->count;
    sup_pattern_stage(p, stage, list->at + list->count);
    list->count += more;
    for (size_t e = *first; e < list->count; e++) {
        list->at[e].from = member[list->at[e].from];
        list->at[e].to = member[list->at[e].to];
    }
    return SUP_OK;
}

/* Where nobody is informed by the arrival the pattern has a release of its own. Where all are, it is of no use below
 * the top: the document takes the arrival backwards. */
static sup_status add_release(builder *b, const sup_pattern *p, const int64_t *member) {
    bool own = p->stages > p->generated;
    size_t first;
    for (int s = own ? p->generated : 0; s < p->stages; s++) {
        sup_status st = add_stage(&b->release, p, s, member, &first);
        if (st) return st;
        for (size_t k = first; k < b->release.count; k++) {
            sup_pattern_edge *e = &b->release.at[k], was = *e;
            if (!own) *e = (sup_pattern_edge){.from = was.to, .to = was.from};
            e->stage = b->stages.release + (own ? p->stages - 1 - s : s);
        }
    }
    return SUP_OK;
}

/* One cluster; *longest: the most stages of a cluster of this level. */
static sup_status add_cluster(builder *b, sup_pattern_kind kind, const int64_t *member, int64_t count, bool released,
                              span *longest) {
    sup_pattern p = sup_pattern_of(kind, count);
    size_t first;
    for (int s = 0; s < p.generated; s++) {
        sup_status st = add_stage(&b->arrival, &p, s, member, &first);
        if (st) return st;
        for (size_t e = first; e < b->arrival.count; e++) b->arrival.at[e].stage = b->stages.arrival + s;
    }
    if (p.generated > longest->arrival) longest->arrival = p.generated;
    if (!released) return SUP_OK;
    int release = p.stages > p.generated ? p.stages - p.generated : p.generated;
    if (release > longest->release) longest->release = release;
    return add_release(b, &p, member);
}

/* The release goes behind the arrival. */
static sup_status finish(builder *b, sup_status st, int64_t processes, sup_pattern *out) {
    size_t count = b->arrival.count + b->release.count;
    sup_pattern_edge *all = st ? NULL : reallocarray(b->arrival.at, count + 1, sizeof *all);
    if (!st && !all) st = SUP_ENOMEM;
    if (!st) {
        for (size_t k = 0; k < b->release.count; k++) {
            sup_pattern_edge *e = &all[b->arrival.count + k];
            *e = b->release.at[k];
            e->stage = b->stages.arrival + b->stages.release - 1 - e->stage;
        }
        st = sup_pattern_from_edges(processes, b->stages.arrival + b->stages.release, all, count, out);
    } else {
        free(b->arrival.at);
    }
    free(b->release.at);
    return st;
}

static sup_status add_level(builder *b, const sup_partitions *n, size_t level, const sup_pattern_kind *kinds,
                            int64_t width) {
    sup_groups g;
    span longest = {0, 0};
    sup_status st = sup_groups_of(n, level, false, &g);
    if (st) return st;
    for (int64_t c = 0; c < g.count && !st; c++) {
        const int64_t *member = g.member + g.begin[c];
        sup_pattern_kind kind = kinds[(int64_t)level * width + (width > 1 ? member[0] : 0)];
        bool released = level + 1 < n->levels || kind.generator->effect != SUP_PATTERN_SPREADS;
        st = add_cluster(b, kind, member, g.begin[c + 1] - g.begin[c], released, &longest);
    }
    b->stages.arrival += longest.arrival;
    b->stages.release += longest.release;
    sup_groups_free(&g);
    return st;
}

sup_status sup_build_stack(const sup_partitions *n, const sup_pattern_kind *kinds, int64_t width, sup_pattern *out) {
    builder b = {0};
    sup_status st = SUP_OK;
    for (size_t l = 0; l < n->levels && !st; l++) st = add_level(&b, n, l, kinds, width);
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
static void drop_repeated(edges *list, size_t first) {
    size_t kept = first;
    if (list->count == first) return;
    qsort(list->at + first, list->count - first, sizeof *list->at, by_place);
    for (size_t k = first; k < list->count; k++)
        if (kept == first || by_place(&list->at[kept - 1], &list->at[k])) list->at[kept++] = list->at[k];
    list->count = kept;
}

/* Clusters of the level below that one of this level consists of: their numbers, by their pivots in order. */
typedef struct lanes {
    sup_groups inner, outer; /* whole */
    int64_t *number;         /* [processes]: inner cluster of a pivot */
    int64_t *part, *lane;    /* [processes] */
} lanes;

static sup_status add_lanes(builder *b, const sup_partitions *n, size_t level, sup_pattern_kind kind, lanes *w) {
    size_t first = b->arrival.count;
    span longest = {0, 0};
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
            sup_status st = add_cluster(b, kind, w->lane, parts, false, &longest);
            if (st) return st;
        }
    }
    b->stages.arrival += longest.arrival;
    drop_repeated(&b->arrival, first);
    return SUP_OK;
}

static sup_status add_lane_level(builder *b, const sup_partitions *n, size_t level, sup_pattern_kind kind) {
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

sup_status sup_build_lanes(const sup_partitions *n, const sup_pattern_kind *kinds, sup_pattern *out) {
    builder b = {0};
    sup_partitions inner = *n;
    inner.levels = 1; /* its clusters are as a top is: nobody is released */
    sup_status st = add_level(&b, &inner, 0, kinds, 1);
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

bool sup_build_levels(const sup_partitions *n, const sup_pattern_kind *kinds, sup_pattern_level *out) {
    int64_t count = n->processes, *list = malloc((size_t)count * sizeof *list);
    bool good = list != NULL && count > 0;
    for (int64_t i = 0; good && i < count; i++) list[i] = i;
    for (size_t l = 0; good && l < n->levels; l++) {
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
