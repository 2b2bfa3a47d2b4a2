/* Caches from /sys/devices/system/cpu/cpu<N>/cache, where CACHE §4.2.1.1 read them by hand: the fallback for machines
 * on which hwloc reports none. Each index directory has level, type, size, coherency_line_size, shared_cpu_list. */
#include "base/file/file.h"
#include "machine/cpulist.h"
#include "machine/topology/topology.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_MAX 16

struct found {
    size_t size_bytes, line_bytes;
    int first_cpu; /* lowest cpu that shares it: the identity of the copy; -1 nothing found */
};

static bool read_line(const char *root, int cpu, int index, const char *file, char *buf, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/%s", root, cpu, index, file);
    return sup_file_first_line(path, buf, size);
}

/* "512K", "32M", "49152" */
static size_t parse_size(const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (end == text || n > ((unsigned long long)1 << 40)) return 0;
    if (*end == 'K') n <<= 10;
    if (*end == 'M') n <<= 20;
    return (size_t)n;
}

/* What cpu's index directory says, if it is data and complete. Returns the cache depth, 0 to skip, -1 at the end. */
static int read_index(const char *root, int cpu, int index, struct found *out) {
    char text[4096];
    if (!read_line(root, cpu, index, "level", text, sizeof text)) return -1;
    int depth = atoi(text);
    if (depth < 1 || depth > SUP_CACHE_DEPTH_MAX) return 0;
    if (!read_line(root, cpu, index, "type", text, sizeof text) || !strcmp(text, "Instruction")) return 0;
    if (!read_line(root, cpu, index, "size", text, sizeof text)) return 0;
    out->size_bytes = parse_size(text);
    if (!out->size_bytes) return 0;
    out->line_bytes = SUP_ASSUMED_LINE;
    if (read_line(root, cpu, index, "coherency_line_size", text, sizeof text)) {
        size_t line = parse_size(text);
        if (line && !(line & (line - 1))) out->line_bytes = line;
    }
    int first = cpu;
    if (read_line(root, cpu, index, "shared_cpu_list", text, sizeof text)) {
        int *cpus, count;
        if (!sup_cpulist_parse(text, NULL, &cpus, &count)) {
            for (int i = 0; i < count; i++)
                if (cpus[i] < first) first = cpus[i];
            free(cpus);
        }
    }
    out->first_cpu = first;
    return depth;
}

static sup_status add_depth(sup_topology *t, int depth, const struct found *found, int stride) {
    int cores = t->core_count, groups = 0;
    int *of = malloc((size_t)cores * sizeof *of), *group_of_first = malloc((size_t)t->cpu_limit * sizeof(int));
    size_t *sizes = malloc((size_t)cores * sizeof *sizes), line = SUP_ASSUMED_LINE;
    sup_status status = SUP_ENOMEM;
    if (!of || !group_of_first || !sizes) goto free_arrays;
    for (int i = 0; i < t->cpu_limit; i++) group_of_first[i] = -1;
    for (int c = 0; c < cores; c++) {
        const struct found *f = &found[c * stride + depth - 1];
        of[c] = -1;
        if (f->first_cpu < 0 || f->first_cpu >= t->cpu_limit) continue;
        int *group = &group_of_first[f->first_cpu];
        if (*group < 0) {
            *group = groups++;
            sizes[*group] = f->size_bytes;
            line = f->line_bytes;
        }
        of[c] = *group;
    }
    status = groups ? sup_topology_add_level(t, depth, line, false, groups, of, sizes) : SUP_OK;
free_arrays:
    free(sizes);
    free(group_of_first);
    free(of);
    return status;
}

sup_status sup_topology_sysfs_caches(sup_topology *t, const char *root) {
    struct found *found = malloc((size_t)t->core_count * SUP_CACHE_DEPTH_MAX * sizeof *found);
    if (!found) return SUP_ENOMEM;
    for (int i = 0; i < t->core_count * SUP_CACHE_DEPTH_MAX; i++) found[i].first_cpu = -1;
    for (int c = 0; c < t->core_count; c++)
        for (int index = 0; index < INDEX_MAX; index++) {
            struct found f;
            int depth = read_index(root, t->cores[c].cpus[0], index, &f);
            if (depth < 0) break;
            if (depth > 0) found[c * SUP_CACHE_DEPTH_MAX + depth - 1] = f;
        }
    sup_status status = SUP_OK;
    for (int depth = SUP_CACHE_DEPTH_MAX; depth >= 1 && !status; depth--)
        status = add_depth(t, depth, found, SUP_CACHE_DEPTH_MAX);
    free(found);
    return status;
}
