/* Clusters of a platform's processes: by the O of its pairs, and by the levels in which they were measured, which are
 * what hwloc and the placement say (cluster.h). Term Tsync, stage "model". */
#include "model/cluster/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sup_status nobody_says(const sup_platform *m, sup_diag *diag) {
    char advice[SUP_MODEL_ADVICE];
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "the profile has no pairs (O, L, B) over %s%s", m->transport,
                        sup_model_advice(m->transport, m->processes, advice));
}

/* ---- groups of a level ---- */

/* The group of a rank where the file has levels. */
static int64_t group_of(const sup_platform *m, size_t level, int64_t rank) {
    const sup_pair_level *l = &m->pairs->levels[level];
    int64_t stride = m->stride ? m->stride[level] : l->stride;
    if (l->size == 0) return 0;
    return rank / stride / l->size * stride + rank % stride;
}

static void label_groups(const sup_platform *m, size_t level, int64_t *label) {
    for (int64_t p = 0; p < m->processes; p++) label[p] = group_of(m, level, p);
}

/* ---- by cost ---- */

static sup_status not_known(const sup_platform *m, int64_t i, int64_t j, sup_diag *diag) {
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                        "the profile does not have the overhead O of pairs such as %" PRId64 " and %" PRId64 " over %s",
                        i, j, m->transport);
}

/* A class of a pair belongs to the level that its name begins with. */
static size_t word_of(const char *name) { return strcspn(name, " "); }

static bool same_level(const char *a, const char *b) { return word_of(a) == word_of(b) && !strncmp(a, b, word_of(a)); }

/* O of a class; of one that deviates and was not looked at for long enough, that of its level. -1: nobody knows it,
 * which must not make processes near. */
static double class_overhead(const sup_platform *m, int class, const sup_class_cost *cost) {
    const sup_pair_class *classes = m->pairs->classes;
    if (classes[class].overhead_s) return cost->overhead;
    for (size_t c = 0; c < m->class_count; c++)
        if (classes[c].overhead_s && same_level(classes[c].name, classes[class].name)) return m->classes[c].overhead;
    return -1;
}

/* O of a pair: its own where every pair was measured, else its class's; what-ifs apply to both. */
static double overhead_of(const sup_platform *m, const sup_pair_each *each, int64_t i, int64_t j) {
    sup_class_cost room;
    int class;
    const sup_class_cost *cost = sup_pair_costs(m, i, j, &room, &class);
    if (each) return each->overhead_s[i * m->pairs->processes + j] * cost->overhead_f;
    return class_overhead(m, class, cost);
}

/* Of an extended machine only the classes are known. */
static const sup_pair_each *each_of(const sup_platform *m) {
    if (!m->pairs || m->stride || m->block || m->processes > m->pairs->processes) return NULL;
    return sup_pairs_each_known(m->pairs) ? m->pairs->each : NULL;
}

static sup_status find_pair_by_pair(const sup_platform *m, double sparseness, sup_diag *diag, sup_hierarchy *out) {
    int64_t n = m->processes;
    double *d = malloc((size_t)n * (size_t)n * sizeof *d);
    if (!d) return SUP_ENOMEM;
    const sup_pair_each *each = each_of(m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            d[i * n + j] = i == j ? 0 : overhead_of(m, each, i, j);
            if (d[i * n + j] >= 0) continue;
            free(d);
            return not_known(m, i, j, diag);
        }
    sup_status st = sup_hierarchy_find(d, n, sparseness, out);
    free(d);
    return st;
}

/* The greatest O of a level's classes. */
static double level_cost(const sup_platform *m, size_t level) {
    const sup_pair_level *l = &m->pairs->levels[level];
    double most = 0;
    for (size_t k = 0; k < l->classes_count; k++)
        if (m->classes[l->classes[k]].overhead > most) most = m->classes[l->classes[k]].overhead;
    return most;
}

/* Too many for pair by pair: of the levels, those whose pairs cost so much less than those of the level outside. What
 * single pairs differ in is not looked at. */
static sup_status find_by_levels(const sup_platform *m, int64_t *label, sup_hierarchy *out) {
    sup_status st = sup_hierarchy_start(m->processes, out);
    for (size_t l = 1; !st && l + 1 < m->pairs->levels_count; l++) {
        if (!(level_cost(m, l + 1) >= SUP_CLUSTER_APART * level_cost(m, l)) || level_cost(m, l) <= 0) continue;
        label_groups(m, l, label);
        st = sup_hierarchy_add(out, label, NULL);
    }
    return st;
}

/* Hosts like the first two of a matrix. */
static sup_status find_by_blocks(const sup_platform *m, int64_t *label, sup_hierarchy *out) {
    double inside = 0, outside = 0;
    sup_status st = sup_hierarchy_start(m->processes, out);
    for (int64_t i = 0; i < m->block; i++)
        for (int64_t j = 0; j < m->block; j++) {
            if (i != j) inside += m->classes[sup_platform_class(m, i, j)].overhead;
            outside += m->classes[sup_platform_class(m, i, m->block + j)].overhead;
        }
    if (m->block < 2) return st;
    inside /= (double)(m->block * (m->block - 1));
    outside /= (double)(m->block * m->block);
    for (int64_t p = 0; p < m->processes; p++) label[p] = p / m->block;
    if (!st && outside >= SUP_CLUSTER_APART * inside) st = sup_hierarchy_add(out, label, NULL);
    return st;
}

static sup_status find_many(const sup_platform *m, sup_hierarchy *out) {
    int64_t *label = malloc((size_t)m->processes * sizeof *label);
    if (!label) return SUP_ENOMEM;
    sup_status st = m->block ? find_by_blocks(m, label, out) : find_by_levels(m, label, out);
    if (!st) st = sup_hierarchy_finish(out, NULL);
    if (st) sup_hierarchy_free(out);
    free(label);
    return st;
}

sup_status sup_hierarchy_of_platform(const sup_platform *m, double sparseness, sup_diag *diag, sup_hierarchy *out) {
    if (!(sparseness > 0))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a sparseness of %g; it must be above 0", sparseness);
    if (m->processes > 1 && !m->pairs) return nobody_says(m, diag);
    sup_status st =
        m->processes <= SUP_CLUSTER_MATRIX_MAX ? find_pair_by_pair(m, sparseness, diag, out) : find_many(m, out);
    return st == SUP_ENOMEM ? sup_diag_no_memory(diag) : st;
}

/* ---- by topology ---- */

/* Classes of a matrix are listed level by level, the innermost first. depth: [class]. Returns how many levels there
 * are. */
static int levels_of_classes(const sup_platform *m, int *depth) {
    int levels = 0;
    for (size_t c = 0; c < m->class_count; c++) {
        depth[c] = -1;
        for (size_t k = 0; k < c && depth[c] < 0; k++)
            if (same_level(m->classes[c].name, m->classes[k].name)) depth[c] = depth[k];
        if (depth[c] < 0) depth[c] = levels++;
    }
    return levels;
}

/* Who is together with an earlier one at this depth gets its label. */
static void label_matrix(const sup_platform *m, const int *depth, int level, int64_t *label) {
    for (int64_t i = 0; i < m->processes; i++) {
        label[i] = i;
        for (int64_t j = 0; j < i && label[i] == i; j++)
            if (depth[sup_platform_class(m, i, j)] <= level) label[i] = label[j];
    }
}

static sup_status add_matrix(const sup_platform *m, int64_t *label, sup_hierarchy *out) {
    int *depth = malloc((m->class_count + 1) * sizeof *depth);
    if (!depth) return SUP_ENOMEM;
    int levels = levels_of_classes(m, depth);
    sup_status st = SUP_OK;
    for (int l = 1; l < levels && !st; l++) {
        size_t c = 0;
        char name[SUP_CLUSTER_NAME];
        while (depth[c] != l) c++;
        snprintf(name, sizeof name, "%.*s", (int)word_of(m->classes[c].name), m->classes[c].name);
        label_matrix(m, depth, l, label);
        st = sup_hierarchy_add(out, label, name);
    }
    free(depth);
    return st;
}

static sup_status add_levels(const sup_platform *m, int64_t *label, sup_hierarchy *out) {
    sup_status st = SUP_OK;
    for (size_t l = 1; l < m->pairs->levels_count && !st; l++) {
        label_groups(m, l, label);
        st = sup_hierarchy_add(out, label, m->pairs->levels[l].name);
    }
    return st;
}

/* Only the placement: hosts. */
static sup_status add_hosts(const sup_platform *m, int64_t *label, sup_diag *diag, sup_hierarchy *out) {
    const sup_origin *s = &m->profile->signature;
    for (int64_t p = 0; p < m->processes; p++) {
        int64_t core;
        if (sup_origin_place(s, p % s->processes, &label[p], &core)) return nobody_says(m, diag);
    }
    return sup_hierarchy_add(out, label, "host");
}

sup_status sup_hierarchy_of_topology(const sup_platform *m, sup_diag *diag, sup_hierarchy *out) {
    int64_t *label = malloc((size_t)m->processes * sizeof *label);
    sup_status st = label ? sup_hierarchy_start(m->processes, out) : SUP_ENOMEM;
    if (!st && m->processes > 1)
        st = !m->pairs                                             ? add_hosts(m, label, diag, out)
             : m->pairs->levels_count                              ? add_levels(m, label, out)
             : m->processes <= SUP_CLUSTER_MATRIX_MAX || !m->block ? add_matrix(m, label, out)
                                                                   : SUP_OK;
    if (!st && m->block) {
        for (int64_t p = 0; p < m->processes; p++) label[p] = p / m->block;
        st = sup_hierarchy_add(out, label, "host");
    }
    if (!st) st = sup_hierarchy_finish(out, "all");
    free(label);
    if (!st) return SUP_OK;
    if (label) sup_hierarchy_free(out);
    return st == SUP_ENOMEM ? sup_diag_no_memory(diag) : st;
}
