/* The machine model from a JSON file of CACHE §4.2.1.1 (listings 12 and 13): nested levels, outermost first, each
 *
 *     {"siblings": [[0,2,4,6],[1,3,5,7]], "size": 6291456, "cacheLineSize": 64, "child": {…} or null}
 *
 * A level without cacheLineSize is memory, and stands above the caches; its groups become memory nodes. The levels are
 * the same partition of the cores ever finer: a core in two groups, a group across two parents, a core that a level
 * forgets are mistakes, and each is reported with its line. */
#include "machine/topology/topology.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT ((json_int_t)1 << 50)
#define LINE_LIMIT ((json_int_t)1 << 20)

struct raw_level {
    const json_t *object, *siblings;
    size_t size_bytes, line_bytes; /* line 0: memory */
    int group_count;
    int *group_of; /* by cpu number, `limit` entries */
};

struct reader {
    const sup_json *doc;
    sup_diag *diag;
    int level_count, limit; /* limit: largest cpu number + 1, set by the root */
    struct raw_level levels[SUP_CACHE_DEPTH_MAX + 2];
};

/* Size and line size of one level; which levels are memory. */
static sup_status read_sizes(struct reader *r, struct raw_level *level) {
    static const char *const known[] = {"siblings", "size", "cacheLineSize", "child", NULL};
    const json_t *object = level->object;
    sup_status status = sup_json_only(r->doc, object, known, r->diag);
    if (status) return status;
    json_int_t size = 0, line = 0;
    status = sup_json_get_int(r->doc, object, "size", true, 1, SIZE_LIMIT, r->diag, &size);
    if (status) return status;
    const json_t *line_value = json_object_get(object, "cacheLineSize");
    bool cache = line_value && !json_is_null(line_value);
    if (cache) {
        status = sup_json_get_int(r->doc, object, "cacheLineSize", true, 1, LINE_LIMIT, r->diag, &line);
        if (status) return status;
        if (line & (line - 1))
            return sup_json_error(r->doc, object, "cacheLineSize", -1, r->diag,
                                  "cacheLineSize %lld is not a power of two", (long long)line);
    } else if (level > r->levels && level[-1].line_bytes) {
        return sup_json_error(r->doc, object, NULL, -1, r->diag,
                              "a level without cacheLineSize is memory and cannot lie inside a cache");
    }
    level->size_bytes = (size_t)size;
    level->line_bytes = (size_t)line;
    return sup_json_get_array(r->doc, object, "siblings", true, r->diag, &level->siblings);
}

/* The chain of objects from the root down. */
static sup_status read_chain(struct reader *r, const json_t *root) {
    for (const json_t *object = root; object;) {
        if (!json_is_object(object))
            return sup_json_error(r->doc, object, NULL, -1, r->diag, "a level must be an object");
        if (r->level_count == SUP_CACHE_DEPTH_MAX + 2)
            return sup_json_error(r->doc, object, NULL, -1, r->diag, "more than %d levels", r->level_count);
        struct raw_level *level = &r->levels[r->level_count++];
        level->object = object;
        sup_status status = read_sizes(r, level);
        if (status) return status;
        const json_t *child = json_object_get(object, "child");
        if (child && !json_is_null(child) && !json_is_object(child))
            return sup_json_error(r->doc, object, "child", -1, r->diag, "child must be an object or null");
        object = child && !json_is_null(child) ? child : NULL;
    }
    int caches = 0;
    for (int i = 0; i < r->level_count; i++) caches += r->levels[i].line_bytes > 0;
    if (caches > SUP_CACHE_DEPTH_MAX)
        return sup_json_error(r->doc, root, NULL, -1, r->diag, "%d cache levels, at most %d are possible", caches,
                              SUP_CACHE_DEPTH_MAX);
    if (!caches)
        return sup_json_error(r->doc, root, NULL, -1, r->diag, "no level has a cacheLineSize, so there is no cache");
    return SUP_OK;
}

static sup_status read_cpu(struct reader *r, const json_t *group, size_t index, int *out) {
    const json_t *value = json_array_get(group, index);
    if (!json_is_integer(value))
        return sup_json_error(r->doc, group, NULL, (int)index, r->diag, "a sibling must be a core number");
    json_int_t cpu = json_integer_value(value);
    if (cpu < 0 || cpu > SUP_CPU_MAX)
        return sup_json_error(r->doc, group, NULL, (int)index, r->diag, "core number %lld is not in 0 … %d",
                              (long long)cpu, SUP_CPU_MAX);
    *out = (int)cpu;
    return SUP_OK;
}

/* Groups of one level into group_of; every core at most once, no group empty. */
static sup_status read_groups(struct reader *r, struct raw_level *level) {
    size_t groups = json_array_size(level->siblings);
    if (!groups) return sup_json_error(r->doc, level->object, "siblings", -1, r->diag, "siblings has no groups");
    for (size_t g = 0; g < groups; g++) {
        const json_t *group = json_array_get(level->siblings, g);
        if (!json_is_array(group))
            return sup_json_error(r->doc, level->siblings, NULL, (int)g, r->diag, "a group must be an array of cores");
        if (!json_array_size(group))
            return sup_json_error(r->doc, level->siblings, NULL, (int)g, r->diag, "group %zu is empty", g);
        for (size_t i = 0; i < json_array_size(group); i++) {
            int cpu = -1;
            sup_status status = read_cpu(r, group, i, &cpu);
            if (status) return status;
            if (cpu >= r->limit)
                return sup_json_error(r->doc, group, NULL, (int)i, r->diag, "core %d is not in the parent level", cpu);
            if (level->group_of[cpu] >= 0)
                return sup_json_error(r->doc, group, NULL, (int)i, r->diag, "core %d is in group %d already", cpu,
                                      level->group_of[cpu]);
            level->group_of[cpu] = (int)g;
        }
    }
    level->group_count = (int)groups;
    return SUP_OK;
}

/* Each group inside one group of the parent, and no core of the parent forgotten. */
static sup_status check_nesting(struct reader *r, const struct raw_level *parent, const struct raw_level *level) {
    for (size_t g = 0; g < (size_t)level->group_count; g++) {
        const json_t *group = json_array_get(level->siblings, g);
        int first = -1, home = -1;
        for (size_t i = 0; i < json_array_size(group); i++) {
            int cpu = (int)json_integer_value(json_array_get(group, i)), in = parent->group_of[cpu];
            if (in < 0)
                return sup_json_error(r->doc, group, NULL, (int)i, r->diag, "core %d is not in the parent level", cpu);
            if (home >= 0 && in != home)
                return sup_json_error(r->doc, group, NULL, (int)i, r->diag,
                                      "cores %d and %d share this level but not its parent: levels must nest", first,
                                      cpu);
            first = cpu;
            home = in;
        }
    }
    for (int cpu = 0; cpu < r->limit; cpu++)
        if (parent->group_of[cpu] >= 0 && level->group_of[cpu] < 0)
            return sup_json_error(r->doc, level->object, "siblings", -1, r->diag,
                                  "core %d of the parent level is in no group", cpu);
    return SUP_OK;
}

static sup_status read_levels(struct reader *r) {
    r->limit = SUP_CPU_MAX + 1;
    for (int i = 0; i < r->level_count; i++) {
        struct raw_level *level = &r->levels[i];
        level->group_of = malloc((size_t)r->limit * sizeof *level->group_of);
        if (!level->group_of) return sup_diag_set(r->diag, SUP_ENOMEM, NULL, 0, "out of memory for %d cores", r->limit);
        for (int c = 0; c < r->limit; c++) level->group_of[c] = -1;
        sup_status status = read_groups(r, level);
        if (!status && i > 0) status = check_nesting(r, &r->levels[i - 1], level);
        if (status) return status;
        if (i > 0) continue;
        while (level->group_of[r->limit - 1] < 0) r->limit--; /* what follows needs no more than the root has */
    }
    return SUP_OK;
}

/* ---- from the levels to the model ---------------------------------------------------------------------------------
 */

static int compare_tree(const void *a, const void *b, void *context) {
    const struct reader *r = context;
    int x = *(const int *)a, y = *(const int *)b;
    for (int i = 0; i < r->level_count; i++) {
        int gx = r->levels[i].group_of[x], gy = r->levels[i].group_of[y];
        if (gx != gy) return gx < gy ? -1 : 1;
    }
    return (x > y) - (x < y);
}

/* Memory above the caches: its innermost level gives the memory nodes, its outermost the total. */
static sup_status add_memory(const struct reader *r, const int *cpus, sup_topology *t) {
    const struct raw_level *inner = NULL;
    for (int i = 0; i < r->level_count && !r->levels[i].line_bytes; i++) inner = &r->levels[i];
    if (!inner) return SUP_OK;
    t->numas = calloc((size_t)inner->group_count, sizeof *t->numas);
    if (!t->numas) return SUP_ENOMEM;
    t->numa_count = inner->group_count;
    for (int i = 0; i < t->numa_count; i++) t->numas[i] = (sup_numa){.os_index = i, .memory_bytes = inner->size_bytes};
    for (int c = 0; c < t->core_count; c++) t->cores[c].numa = inner->group_of[cpus[c]];
    t->memory_bytes = r->levels[0].size_bytes * (size_t)r->levels[0].group_count;
    return SUP_OK;
}

static sup_status add_cache(const struct raw_level *level, int depth, const int *cpus, sup_topology *t) {
    int *of = malloc((size_t)t->core_count * sizeof *of);
    size_t *sizes = malloc((size_t)level->group_count * sizeof *sizes);
    sup_status status = SUP_ENOMEM;
    if (of && sizes) {
        for (int c = 0; c < t->core_count; c++) of[c] = level->group_of[cpus[c]];
        for (int g = 0; g < level->group_count; g++) sizes[g] = level->size_bytes;
        status = sup_topology_add_level(t, depth, level->line_bytes, false, level->group_count, of, sizes);
    }
    free(sizes);
    free(of);
    return status;
}

static sup_status assemble(struct reader *r, sup_topology **out) {
    int *cpus = malloc((size_t)r->limit * sizeof *cpus), cores = 0;
    if (!cpus) return SUP_ENOMEM;
    for (int c = 0; c < r->limit; c++)
        if (r->levels[0].group_of && r->levels[0].group_of[c] >= 0) cpus[cores++] = c;
    qsort_r(cpus, (size_t)cores, sizeof *cpus, compare_tree, r);
    sup_topology *t = NULL;
    sup_status status = sup_topology_new("json", cores, cores, &t);
    if (status) goto free_cpus;
    for (int c = 0; c < cores; c++) sup_topology_set_core(t, c, &cpus[c], 1);
    status = add_memory(r, cpus, t);
    for (int i = 0; i < r->level_count && !status; i++)
        if (r->levels[i].line_bytes) status = add_cache(&r->levels[i], r->level_count - i, cpus, t);
    if (!status) status = sup_topology_finish(t, r->diag);
    if (status)
        sup_topology_free(t);
    else
        *out = t;
free_cpus:
    free(cpus);
    return status;
}

sup_status sup_topology_from_json(const sup_json *doc, sup_diag *diag, sup_topology **out) {
    struct reader r = {.doc = doc, .diag = diag};
    sup_status status = read_chain(&r, sup_json_root(doc));
    if (!status) status = read_levels(&r);
    if (!status) {
        status = assemble(&r, out);
        if (status == SUP_ENOMEM) sup_diag_set(diag, status, NULL, 0, "out of memory for the topology");
    }
    for (int i = 0; i < r.level_count; i++) free(r.levels[i].group_of);
    return status;
}
