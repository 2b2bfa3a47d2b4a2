/* Levels of clusters: a generator for each level, over the members that go on from the one below (pattern.h). The edges
 * are listed: clusters of unequal size have no runs. */
#include "base/pattern.h"

#include <stdlib.h>

typedef struct builder {
    sup_pattern_edge *edges;
    size_t count, room;
    int stages; /* so far */
    bool failed;
    int64_t *members; /* that go on to this level */
    int64_t member_count;
} builder;

/* Room for so many edges more. */
static bool grow(builder *b, size_t more) {
    if (b->failed || b->count + more <= b->room) return !b->failed;
    size_t room = 2 * b->room + more;
    sup_pattern_edge *edges = reallocarray(b->edges, room, sizeof *edges);
    if (!edges) {
        b->failed = true;
        return false;
    }
    b->edges = edges;
    b->room = room;
    return true;
}

/* Arrival of the cluster whose k-th member is members[first + k · stride]; returns its stages. */
static int add_cluster(builder *b, const sup_pattern_level *level, int64_t first, int64_t count) {
    sup_pattern p = sup_pattern_of(level->kind, count);
    for (int s = 0; s < p.generated; s++) {
        if (!grow(b, sup_pattern_stage(&p, s, NULL))) break;
        sup_pattern_edge *e = b->edges + b->count, *end = e + sup_pattern_stage(&p, s, e);
        for (; e < end; e++) {
            e->from = b->members[first + e->from * level->stride];
            e->to = b->members[first + e->to * level->stride];
            e->stage += b->stages;
            e->common = level->kind.generator->common_release; /* for the release, which turns it round */
        }
        b->count = (size_t)(end - b->edges);
    }
    return p.generated;
}

/* One level of clusters, side by side. Members that go on are moved to the front. */
static void add_level(builder *b, const sup_pattern_level *level) {
    int64_t stride = level->stride, size = level->size ? level->size : b->member_count;
    int longest = 0;
    for (int64_t block = 0; block * stride * size < b->member_count && !b->failed; block++) {
        for (int64_t r = 0; r < stride && block * stride * size + r < b->member_count; r++) {
            int64_t first = block * stride * size + r, count = (b->member_count - first + stride - 1) / stride;
            int stages = add_cluster(b, level, first, count < size ? count : size);
            if (stages > longest) longest = stages;
        }
    }
    b->stages += longest;
    int64_t kept = 0;
    for (int64_t k = 0; k < b->member_count; k++)
        if (k / stride % size == 0) b->members[kept++] = b->members[k];
    b->member_count = kept;
}

/* Release of the first `count` edges, which are in the first `stages`: reversed and transposed. */
static void add_release(builder *b, size_t count, int stages) {
    if (!grow(b, count)) return;
    for (size_t k = 0; k < count; k++) {
        const sup_pattern_edge *e = &b->edges[k];
        b->edges[b->count++] = (sup_pattern_edge){.from = e->to,
                                                  .to = e->from,
                                                  .stage = b->stages + stages - 1 - e->stage,
                                                  .common = e->common};
    }
    for (size_t k = 0; k < count; k++) b->edges[k].common = false;
    b->stages += stages;
}

sup_status sup_pattern_from_levels(int64_t processes, const sup_pattern_level *levels, size_t count, sup_pattern *out) {
    if (processes < 1) return SUP_EINVAL;
    builder b = {.members = malloc((size_t)processes * sizeof *b.members), .member_count = processes};
    if (!b.members) return SUP_ENOMEM;
    for (int64_t i = 0; i < processes; i++) b.members[i] = i;
    size_t gathered = 0;
    int stages = 0;
    for (size_t l = 0; l < count; l++) {
        bool informed = levels[l].kind.generator->effect == SUP_PATTERN_SPREADS;
        if (informed) gathered = b.count, stages = b.stages;
        add_level(&b, &levels[l]);
        if (!informed) gathered = b.count, stages = b.stages;
    }
    add_release(&b, gathered, stages);
    free(b.members);
    if (b.failed) {
        free(b.edges);
        return SUP_ENOMEM;
    }
    return sup_pattern_from_edges(processes, b.stages, b.edges, b.count, out);
}
