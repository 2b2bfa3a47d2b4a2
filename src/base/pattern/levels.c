/* Levels of clusters: a generator for each level, over the members that go on from the one below (pattern.h). The edges
 * are listed: clusters of unequal size have no runs. */
#include "base/pattern/pattern.h"

#include <stdlib.h>

typedef struct edge_list {
    sup_pattern_edge *edges;
    size_t count, room;
} edge_list;

typedef struct builder {
    edge_list arrival, release; /* of a release `stage` counts from the end */
    int stages, release_stages; /* so far */
    bool failed;
    int64_t *members; /* that go on to this level */
    int64_t member_count;
} builder;

/* Room for so many edges more. */
static bool grow(builder *b, edge_list *list, size_t more) {
    if (b->failed || list->count + more <= list->room) return !b->failed;
    size_t room = 2 * list->room + more;
    sup_pattern_edge *edges = reallocarray(list->edges, room, sizeof *edges);
    if (!edges) {
        b->failed = true;
        return false;
    }
    list->edges = edges;
    list->room = room;
    return true;
}

/* The edges of a stage, with members of the cluster for members of the pattern. */
static sup_pattern_edge *add_stage(builder *b, edge_list *list, const sup_pattern *p, int stage, int64_t first,
                                   int64_t stride) {
    if (!grow(b, list, sup_pattern_stage(p, stage, NULL))) return NULL;
    sup_pattern_edge *begin = list->edges + list->count, *end = begin + sup_pattern_stage(p, stage, begin);
    for (sup_pattern_edge *e = begin; e < end; e++) {
        e->from = b->members[first + e->from * stride];
        e->to = b->members[first + e->to * stride];
    }
    list->count = (size_t)(end - list->edges);
    return begin;
}

/* How many stages a level takes, both ways. */
typedef struct span {
    int arrival, release;
} span;

/* The cluster whose k-th member is members[first + k · stride]. A generator that informs all has no release of its own;
 * where it is not the top, all must be told of what is above: its arrival backwards. */
static span add_cluster(builder *b, const sup_pattern_level *level, int64_t first, int64_t count) {
    sup_pattern p = sup_pattern_of(level->kind, count);
    for (int s = 0; s < p.stages; s++) {
        bool arrives = s < p.generated;
        sup_pattern_edge *e = add_stage(b, arrives ? &b->arrival : &b->release, &p, s, first, level->stride);
        if (!e) break;
        sup_pattern_edge *end = arrives ? b->arrival.edges + b->arrival.count : b->release.edges + b->release.count;
        for (; e < end; e++) e->stage = arrives ? b->stages + s : b->release_stages + p.stages - 1 - s;
    }
    if (p.stages > p.generated) return (span){p.generated, p.stages - p.generated};
    for (int s = 0; s < p.generated; s++) {
        sup_pattern_edge *e = add_stage(b, &b->release, &p, s, first, level->stride);
        for (; e && e < b->release.edges + b->release.count; e++)
            *e = (sup_pattern_edge){.from = e->to, .to = e->from, .stage = b->release_stages + s};
    }
    return (span){p.generated, p.generated};
}

/* One level of clusters, side by side. Members that go on are moved to the front. */
static void add_level(builder *b, const sup_pattern_level *level) {
    int64_t stride = level->stride, size = level->size ? level->size : b->member_count;
    span longest = {0, 0};
    for (int64_t block = 0; block * stride * size < b->member_count && !b->failed; block++) {
        for (int64_t r = 0; r < stride && block * stride * size + r < b->member_count; r++) {
            int64_t first = block * stride * size + r, count = (b->member_count - first + stride - 1) / stride;
            span taken = add_cluster(b, level, first, count < size ? count : size);
            if (taken.arrival > longest.arrival) longest.arrival = taken.arrival;
            if (taken.release > longest.release) longest.release = taken.release;
        }
    }
    b->stages += longest.arrival;
    b->release_stages += longest.release;
    int64_t kept = 0;
    for (int64_t k = 0; k < b->member_count; k++)
        if (k / stride % size == 0) b->members[kept++] = b->members[k];
    b->member_count = kept;
}

/* The release behind the arrival: `count` edges, its first ones, in `stages`. */
static void add_release(builder *b, size_t count, int stages) {
    if (!grow(b, &b->arrival, count)) return;
    for (size_t k = 0; k < count; k++) {
        sup_pattern_edge *e = &b->arrival.edges[b->arrival.count++];
        *e = b->release.edges[k];
        e->stage = b->stages + stages - 1 - e->stage;
    }
    b->stages += stages;
}

sup_status sup_pattern_from_levels(int64_t processes, const sup_pattern_level *levels, size_t count, sup_pattern *out) {
    if (processes < 1) return SUP_EINVAL;
    builder b = {.members = malloc((size_t)processes * sizeof *b.members), .member_count = processes};
    if (!b.members) return SUP_ENOMEM;
    for (int64_t i = 0; i < processes; i++) b.members[i] = i;
    size_t released = 0;
    int stages = 0;
    for (size_t l = 0; l < count; l++) {
        bool informed = levels[l].kind.generator->effect == SUP_PATTERN_SPREADS;
        if (informed) released = b.release.count, stages = b.release_stages;
        add_level(&b, &levels[l]);
        if (!informed) released = b.release.count, stages = b.release_stages;
    }
    add_release(&b, released, stages);
    free(b.members);
    free(b.release.edges);
    if (b.failed) {
        free(b.arrival.edges);
        return SUP_ENOMEM;
    }
    return sup_pattern_from_edges(processes, b.stages, b.arrival.edges, b.arrival.count, out);
}
