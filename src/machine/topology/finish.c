/* The last step of every source of a topology: which core a cpu is of, cache levels where the source names none, and
 * whether levels nest. */
#include "machine/topology/topology.h"

#include "base/text.h"

#include <stdlib.h>

/* Nobody reports a cache: sizes that are right within a factor of two on most machines, marked as assumed. */
static sup_status assume_caches(sup_topology *t) {
    size_t n = (size_t)t->core_count;
    int *of = malloc(n * sizeof *of);
    size_t *sizes = calloc(n, sizeof *sizes);
    sup_status status = of && sizes ? SUP_OK : SUP_ENOMEM;
    if (status) goto free_arrays;
    int groups = 0;
    for (int c = 0; c < t->core_count; c++) { /* cores are in tree order, so those of a package are neighbours */
        const sup_core *core = &t->cores[c], *last = c ? core - 1 : NULL;
        if (!last || core->package != last->package || (!t->package_count && core->numa != last->numa)) groups++;
        of[c] = groups - 1;
        sizes[of[c]] += SUP_ASSUMED_L3;
    }
    status = sup_topology_add_level(t, 3, SUP_ASSUMED_LINE, true, groups, of, sizes);
    static const size_t private_size[] = {SUP_ASSUMED_L2, SUP_ASSUMED_L1};
    for (int k = 0; k < 2 && !status; k++) {
        for (int c = 0; c < t->core_count; c++) {
            of[c] = c;
            sizes[c] = private_size[k];
        }
        status = sup_topology_add_level(t, 2 - k, SUP_ASSUMED_LINE, true, t->core_count, of, sizes);
    }
free_arrays:
    free(sizes);
    free(of);
    return status;
}

static sup_status map_cpus(sup_topology *t, sup_diag *diag) {
    const int *pool = t->cpu_pool;
    for (int i = 0; i < t->cpu_count; i++)
        if (pool[i] >= t->cpu_limit) t->cpu_limit = pool[i] + 1;
    int *map = malloc((size_t)t->cpu_limit * sizeof *map);
    if (!map) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for %d cpus", t->cpu_limit);
    t->core_of_cpu = map;
    for (int i = 0; i < t->cpu_limit; i++) map[i] = -1;
    for (int c = 0; c < t->core_count; c++) {
        for (int k = 0; k < t->cores[c].cpu_count; k++) {
            int cpu = t->cores[c].cpus[k];
            if (map[cpu] >= 0) return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "cpu %d belongs to two cores", cpu);
            map[cpu] = c;
        }
    }
    return SUP_OK;
}

/* The model promises that levels nest; a source that breaks the promise (odd synthetic descriptions, broken firmware)
 * is refused here rather than believed. */
static sup_status check_nesting(const sup_topology *t, sup_diag *diag) {
    for (const sup_level *level = t->levels; level; level = level->child)
        for (int g = 0; level->child && g < level->child->group_count; g++) {
            const sup_group *group = &level->child->groups[g];
            for (int i = 1; i < group->count; i++)
                if (level->group_of[group->cores[i]] != level->group_of[group->cores[0]])
                    return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "an %s cache serves several %s caches",
                                        level->child->name, level->name);
        }
    return SUP_OK;
}

/* Names are the firmware's, or those of a file of somebody else, and may have been cut. */
static void make_names_plain(sup_topology *t) {
    sup_text_make_plain(t->host);
    sup_text_make_plain(t->cpu_model);
    sup_text_make_plain(t->arch);
    for (int k = 0; k < t->class_count; k++) sup_text_make_plain(t->classes[k].name);
    for (int i = 0; i < t->gpu_count; i++) {
        sup_text_make_plain(t->gpus[i].name);
        sup_text_make_plain(t->gpus[i].model);
    }
}

sup_status sup_topology_finish(sup_topology *t, sup_diag *diag) {
    make_names_plain(t);
    sup_status status = map_cpus(t, diag);
    if (status) return status;
    for (int k = 0; k < t->class_count; k++) t->classes[k].core_count = 0;
    for (int c = 0; c < t->core_count; c++) {
        t->classes[t->cores[c].core_class].core_count++;
        if (t->cores[c].numa >= 0) t->numas[t->cores[c].numa].core_count++;
    }
    if (!t->levels && t->this_system) status = sup_topology_sysfs_caches(t, "");
    if (!t->levels && !status) status = assume_caches(t);
    if (status)
        return sup_diag_set(diag, status, NULL, 0, "cannot build the cache levels: %s", sup_status_text(status));
    return check_nesting(t, diag);
}
