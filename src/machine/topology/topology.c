/* The machine model: construction, the questions of CACHE listing 11, and the nesting of packages, memory nodes and
 * caches that placement, digest and display share. */
#include "machine/topology/topology.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_int(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

sup_status sup_topology_new(const char *source, int core_count, int cpu_count, sup_topology **out) {
    if (core_count < 1 || cpu_count < core_count || cpu_count > SUP_CPU_MAX) return SUP_EINVAL;
    sup_topology *t = calloc(1, sizeof *t);
    if (!t) return SUP_ENOMEM;
    t->cores = calloc((size_t)core_count, sizeof *t->cores);
    t->cpu_pool = calloc((size_t)cpu_count, sizeof(int));
    t->classes = calloc(1, sizeof *t->classes);
    if (!t->cores || !t->cpu_pool || !t->classes) {
        sup_topology_free(t);
        return SUP_ENOMEM;
    }
    snprintf(t->source, sizeof t->source, "%s", source);
    t->core_count = core_count;
    t->class_count = 1;
    for (int c = 0; c < core_count; c++) t->cores[c].package = t->cores[c].numa = -1;
    *out = t;
    return SUP_OK;
}

static void free_levels(sup_level *level) {
    while (level) {
        sup_level *child = level->child;
        if (level->groups) free((void *)level->groups[0].cores); /* group 0 starts the pool of all */
        free((void *)level->groups);
        free((void *)level->group_of);
        free(level);
        level = child;
    }
}

void sup_topology_free(sup_topology *t) {
    if (!t) return;
    free_levels(t->levels);
    free(t->gpus);
    free(t->numas);
    free(t->classes);
    free((void *)t->core_of_cpu);
    free(t->cpu_pool);
    free(t->cores);
    free(t);
}

void sup_topology_set_core(sup_topology *t, int core, const int *cpus, int cpu_count) {
    int *at = (int *)t->cpu_pool + t->cpu_count;
    memcpy(at, cpus, (size_t)cpu_count * sizeof *at);
    qsort(at, (size_t)cpu_count, sizeof *at, compare_int);
    t->cores[core].cpus = at;
    t->cores[core].cpu_count = cpu_count;
    t->cpu_count += cpu_count;
}

/* Distributes the cores to their groups: a counting sort whose result is the pool all groups point into. */
static void fill_groups(sup_level *level, sup_group *groups, int *pool, int core_count, const size_t *sizes) {
    for (int c = 0; c < core_count; c++)
        if (level->group_of[c] >= 0) groups[level->group_of[c]].count++;
    int offset = 0;
    for (int g = 0; g < level->group_count; g++) {
        groups[g].cores = pool + offset;
        groups[g].size_bytes = sizes[g];
        offset += groups[g].count;
        if (groups[g].count > level->sharing) level->sharing = groups[g].count;
        if (sizes[g] < level->size_bytes) level->size_bytes = sizes[g];
        groups[g].count = 0;
    }
    for (int c = 0; c < core_count; c++) {
        if (level->group_of[c] < 0) continue;
        sup_group *g = &groups[level->group_of[c]];
        pool[(g->cores - pool) + g->count++] = c;
    }
}

sup_status sup_topology_add_level(sup_topology *t, int depth, size_t line_bytes, bool assumed, int group_count,
                                  const int *group_of, const size_t *sizes) {
    if (group_count < 1) return SUP_EINVAL;
    sup_level *level = calloc(1, sizeof *level);
    if (!level) return SUP_ENOMEM;
    size_t cores = (size_t)t->core_count;
    sup_group *groups = calloc((size_t)group_count, sizeof *groups);
    int *of = malloc(cores * sizeof *of), *pool = calloc(cores, sizeof *pool);
    if (!groups || !of || !pool) {
        free(pool);
        free(of);
        free(groups);
        free(level);
        return SUP_ENOMEM;
    }
    memcpy(of, group_of, cores * sizeof *of);
    snprintf(level->name, sizeof level->name, "L%d", depth);
    level->depth = depth;
    level->size_bytes = SIZE_MAX;
    level->line_bytes = line_bytes;
    level->assumed = assumed;
    level->group_count = group_count;
    level->groups = groups;
    level->group_of = of;
    fill_groups(level, groups, pool, t->core_count, sizes);
    sup_level **end = &t->levels;
    while (*end) end = &(*end)->child;
    *end = level;
    return SUP_OK;
}

/* ---- questions ----------------------------------------------------------------------------------------------------
 */

const sup_level *sup_level_get(const sup_level *level, int n) {
    if (n < 0) return NULL;
    while (level && n-- > 0) level = level->child;
    return level;
}

const sup_level *sup_level_first_shared(const sup_level *level) {
    const sup_level *found = NULL;
    for (; level; level = level->child)
        if (level->sharing > 1) found = level;
    return found;
}

const sup_level *sup_topology_cache(const sup_topology *t, int depth) {
    const sup_level *level = t->levels;
    while (level && level->depth != depth) level = level->child;
    return level;
}

const sup_level *sup_topology_last_level(const sup_topology *t) { return t->levels; }

const sup_level *sup_topology_first_level(const sup_topology *t) {
    const sup_level *level = t->levels;
    while (level && level->child) level = level->child;
    return level;
}

const sup_group *sup_level_group(const sup_level *level, int core) {
    int g = level->group_of[core];
    return g < 0 ? NULL : &level->groups[g];
}

const sup_level *sup_topology_common_level(const sup_topology *t, int a, int b) {
    const sup_level *found = NULL;
    for (const sup_level *level = t->levels; level; level = level->child)
        if (level->group_of[a] >= 0 && level->group_of[a] == level->group_of[b]) found = level;
    return found;
}

int sup_topology_core_of(const sup_topology *t, int cpu) {
    return cpu < 0 || cpu >= t->cpu_limit ? -1 : t->core_of_cpu[cpu];
}

void sup_topology_level_names(const sup_topology *t, char *buf, size_t size) {
    size_t used = 0;
    if (size) buf[0] = 0;
    for (const sup_level *level = t->levels; level && used < size; level = level->child) {
        const char *glue = level == t->levels ? "" : level->child ? ", " : " and ";
        used += (size_t)snprintf(buf + used, size - used, "%s%s", glue, level->name);
    }
}

/* ---- domains ------------------------------------------------------------------------------------------------------
 */

int sup_topology_domains(const sup_topology *t, sup_domain out[SUP_DOMAIN_MAX]) {
    int n = 0;
    if (t->package_count > 0) out[n++] = (sup_domain){SUP_DOMAIN_PACKAGE, NULL, t->package_count};
    int with_cores = 0;
    for (int i = 0; i < t->numa_count; i++) with_cores += t->numas[i].core_count > 0;
    if (with_cores > 0) out[n++] = (sup_domain){SUP_DOMAIN_NUMA, NULL, with_cores};
    for (const sup_level *level = t->levels; level && n < SUP_DOMAIN_MAX; level = level->child)
        out[n++] = (sup_domain){SUP_DOMAIN_CACHE, level, level->group_count};
    for (int i = 1; i < n; i++) /* insertion sort, stable: what has fewer parts contains what has more */
        for (int k = i; k > 0 && out[k].count < out[k - 1].count; k--) {
            /* Caches keep their own order: a level that only some cores have may have fewer copies than its parent. */
            if (out[k].kind == SUP_DOMAIN_CACHE && out[k - 1].kind == SUP_DOMAIN_CACHE) break;
            sup_domain swap = out[k];
            out[k] = out[k - 1];
            out[k - 1] = swap;
        }
    return n;
}

int sup_domain_of(const sup_topology *t, const sup_domain *domain, int core) {
    switch (domain->kind) {
    case SUP_DOMAIN_PACKAGE: return t->cores[core].package;
    case SUP_DOMAIN_NUMA: return t->cores[core].numa;
    case SUP_DOMAIN_CACHE: return domain->level->group_of[core];
    }
    return -1;
}

static int domain_ids(const sup_topology *t, const sup_domain *domain) {
    return domain->kind == SUP_DOMAIN_NUMA ? t->numa_count : domain->count;
}

sup_status sup_domain_split(const sup_topology *t, const sup_domain *domain, int *cores, int count, int *ends,
                            int *parts) {
    int ids = domain_ids(t, domain);
    int *part_of_id = malloc((size_t)ids * sizeof *part_of_id);
    int *part_of = malloc((size_t)count * sizeof *part_of);
    int *sorted = malloc((size_t)count * sizeof *sorted);
    sup_status status = SUP_ENOMEM;
    if (!part_of_id || !part_of || !sorted) goto free_arrays;
    for (int i = 0; i < ids; i++) part_of_id[i] = -1;
    int n = 0;
    for (int i = 0; i < count; i++) {
        int id = sup_domain_of(t, domain, cores[i]);
        int part = id < 0 ? n : part_of_id[id];
        if (part < 0) part = part_of_id[id] = n;
        if (part == n) ends[n++] = 0;
        part_of[i] = part;
        ends[part]++;
    }
    for (int p = 0, start = 0; p < n; p++) { /* sizes become starts; filling turns starts into ends */
        int size = ends[p];
        ends[p] = start;
        start += size;
    }
    for (int i = 0; i < count; i++) sorted[ends[part_of[i]]++] = cores[i];
    memcpy(cores, sorted, (size_t)count * sizeof *cores);
    *parts = n;
    status = SUP_OK;
free_arrays:
    free(sorted);
    free(part_of);
    free(part_of_id);
    return status;
}
