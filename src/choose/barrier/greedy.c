/* The document's greedy algorithm (BSP §7.3): each cluster takes the cheapest of linear, tree and dissemination by its
 * predicted cost alone; barrier/build.c puts them together. Stage choose, term Tsync. */
#include "choose/barrier/work.h"

#include <stdlib.h>

static const sup_generator *const offered[] = {&sup_generator_linear, &sup_generator_tree,
                                               &sup_generator_dissemination};
enum { OFFERED = sizeof offered / sizeof *offered };

/* A whole barrier of one cluster, while the others have nothing to do. */
static sup_status price_alone(const sup_participants *participants, sup_pattern_kind kind, const int64_t *member,
                              int64_t count, sup_diag *diag, double *out) {
    sup_pattern p = sup_pattern_of(kind, count), on_ranks;
    size_t signals = (size_t)sup_pattern_signals(&p), n = 0;
    sup_pattern_edge *edges = malloc((signals + 1) * sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (int s = 0; s < p.stages; s++) n += sup_pattern_stage(&p, s, edges + n);
    for (size_t e = 0; e < n; e++) {
        edges[e].from = sup_participants_rank(participants, member[edges[e].from]);
        edges[e].to = sup_participants_rank(participants, member[edges[e].to]);
    }
    sup_status st = sup_pattern_from_edges(participants->platform->processes, p.stages, edges, n, &on_ranks);
    if (st) return st;
    sup_prediction cost;
    st = sup_barrier_cost(participants->platform, &on_ranks, false, diag, &cost);
    sup_pattern_free(&on_ranks);
    if (!st) *out = cost.value;
    return st;
}

/* Clusters of large machines are alike: one that has the size and the classes of pairs with its first member of an
 * earlier one has its answer. */
typedef struct known {
    int64_t count;
    uint64_t classes;
    sup_pattern_kind kind;
} known;

enum { KNOWN_MAX = 64 };

static uint64_t classes_in(const sup_participants *participants, const int64_t *member, int64_t count) {
    const sup_platform *m = participants->platform;
    uint64_t h = 1469598103934665603u;
    for (int64_t k = 1; k < count && m->pairs; k++) {
        int64_t a = sup_participants_rank(participants, member[0]), b = sup_participants_rank(participants, member[k]),
                c = sup_participants_rank(participants, member[k - 1]);
        h = (h ^ (uint64_t)sup_platform_class(m, a, b)) * 1099511628211u;
        h = (h ^ (uint64_t)sup_platform_class(m, b, c)) * 1099511628211u;
    }
    return h;
}

static sup_status choose_kind(const sup_participants *participants, const int64_t *member, int64_t count,
                              sup_diag *diag, sup_pattern_kind *out) {
    double best = 0;
    for (int k = 0; k < OFFERED; k++) {
        sup_pattern_kind kind = {offered[k], offered[k]->radix};
        double cost = 0;
        sup_status st = count > 1 ? price_alone(participants, kind, member, count, diag, &cost) : SUP_OK;
        if (st) return st;
        if (k && !(cost < best)) continue;
        best = cost;
        *out = kind;
    }
    return SUP_OK;
}

static sup_status choose_level(const sup_participants *participants, const sup_partitions *partitions, size_t level,
                               sup_diag *diag, sup_pattern_kind *kinds) {
    known seen[KNOWN_MAX];
    int count = 0;
    sup_groups g;
    sup_status st = sup_groups_of(partitions, level, false, &g);
    if (st) return st;
    for (int64_t c = 0; c < g.count && !st; c++) {
        const int64_t *member = g.member + g.begin[c];
        known now = {.count = g.begin[c + 1] - g.begin[c]};
        now.classes = classes_in(participants, member, now.count);
        int k = 0;
        while (k < count && (seen[k].count != now.count || seen[k].classes != now.classes)) k++;
        bool reuse = k < count && !participants->platform->ranged;
        if (reuse)
            now.kind = seen[k].kind;
        else
            st = choose_kind(participants, member, now.count, diag, &now.kind);
        if (st) break;
        kinds[member[0]] = now.kind;
        if (!reuse && count < KNOWN_MAX) seen[count++] = now;
    }
    sup_groups_free(&g);
    return st;
}

static sup_status choose_kinds(const sup_participants *participants, const sup_partitions *partitions, sup_diag *diag,
                               sup_pattern_kind **out) {
    sup_pattern_kind *kinds = calloc(partitions->levels * (size_t)partitions->processes, sizeof *kinds);
    sup_status st = kinds ? SUP_OK : SUP_ENOMEM;
    for (size_t l = 0; l < partitions->levels && !st; l++)
        st = choose_level(participants, partitions, l, diag, kinds + (int64_t)l * partitions->processes);
    if (st)
        free(kinds);
    else
        *out = kinds;
    return st;
}

/* One kind for all clusters of a level, in every level? */
static bool uniform(const sup_partitions *partitions, const sup_pattern_kind *kinds, sup_pattern_kind *level) {
    for (size_t l = 0; l < partitions->levels; l++) {
        const sup_pattern_kind *row = kinds + (int64_t)l * partitions->processes;
        level[l] = row[partitions->of[l][0]];
        for (int64_t i = 0; i < partitions->processes; i++)
            if (partitions->of[l][i] == i && row[i].generator != level[l].generator) return false;
    }
    return true;
}

sup_status sup_greedy_add(sup_candidates *list, sup_participants *participants, const sup_partitions *partitions,
                          sup_diag *diag, size_t *index) {
    sup_pattern_kind *kinds, level[SUP_PARTITION_LEVELS];
    sup_pattern_level levels[SUP_PARTITION_LEVELS];
    sup_pattern p;
    sup_draft d = {.pattern = &p, .origin = "greedy", .name = "greedy over clusters (BSP 7.3)"};
    sup_status st = choose_kinds(participants, partitions, diag, &kinds);
    if (st) return st;
    if (uniform(partitions, kinds, level) && sup_build_levels(partitions, level, levels)) {
        d.levels = levels;
        d.level_count = partitions->levels;
    }
    st = sup_build_stack(partitions, kinds, partitions->processes, &p);
    free(kinds);
    if (st) return st;
    st = sup_participants_price(participants, &p, diag, &d.cost);
    if (!st) st = sup_candidates_add(list, participants, &d, index);
    sup_pattern_free(&p);
    return st;
}
