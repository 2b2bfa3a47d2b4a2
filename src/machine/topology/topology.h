/* The machine as every stage sees it: cores, the caches they share, memory nodes and GPUs.
 *
 * One data model, many sources: this machine (hwloc), an hwloc XML file, an hwloc synthetic description, and a JSON
 * file of the structure of CACHE §4.2.1.1, {siblings, size, cacheLineSize, child}. The model is immutable once built.
 *
 * Two numberings. A *core* is an index 0 … core_count-1 in tree order: cores that share a cache are neighbours. A *cpu*
 * is a hardware thread by the number the operating system gives it, the one that taskset and core lists use; a core has
 * one cpu, or several with SMT. Texts for people name cpus. */
#ifndef SUP_MACHINE_TOPOLOGY_TOPOLOGY_H
#define SUP_MACHINE_TOPOLOGY_TOPOLOGY_H

#include "base/file/json.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define SUP_CPU_MAX (1 << 20) /* largest cpu number a description may name; also the most cpus it may have */
#define SUP_CACHE_DEPTH_MAX 8 /* most cache levels, L1 … L8 */

typedef struct sup_group {
    size_t size_bytes; /* of this copy of the memory level */
    int count;
    const int *cores; /* ascending */
} sup_group;

/* One level of cache and all its copies. Groups of a child lie inside groups of the parent. */
typedef struct sup_level {
    char name[8];      /* "L3" */
    int depth;         /* 3 */
    size_t size_bytes; /* of one copy; the smallest where copies differ (hybrid processors) */
    size_t line_bytes;
    bool assumed; /* a default, because nobody would say: not measured, not reported by the system */
    int group_count;
    const sup_group *groups;
    const int *group_of; /* of a core; -1 where the core has no cache of this level */
    int sharing;         /* cores of the largest group */
    struct sup_level *child;
} sup_level;

typedef struct sup_core {
    int cpu_count;
    const int *cpus; /* ascending OS numbers */
    int package;     /* 0 … package_count-1, -1 unknown */
    int numa;        /* index into numas, -1 unknown */
    int core_class;  /* 0 … class_count-1, slowest first */
} sup_core;

typedef struct sup_core_class {
    char name[64]; /* "IntelAtom", "capacity 446", "" where there is only one */
    int core_count;
} sup_core_class;

typedef struct sup_numa {
    int os_index;
    size_t memory_bytes;
    int core_count; /* 0: memory without cores */
} sup_numa;

typedef struct sup_gpu {
    char name[64];  /* "cuda0", "rsmi0", "0000:3b:00.0" */
    char model[96]; /* "" unknown */
    size_t memory_bytes;
    int numa; /* index into numas, -1 unknown */
} sup_gpu;

typedef struct sup_topology {
    char source[16];                          /* "hwloc", "xml", "synthetic", "json" */
    bool this_system;                         /* cpu numbers are those of the machine we run on */
    char host[256], cpu_model[128], arch[66]; /* "" unknown */
    size_t page_bytes, memory_bytes;          /* 0 unknown */
    int package_count;                        /* 0 unknown */
    int core_count, cpu_count;
    int cpu_limit; /* largest cpu number + 1 */
    sup_core *cores;
    const int *core_of_cpu; /* cpu_limit entries, -1 for numbers without a cpu */
    int class_count;
    sup_core_class *classes;
    int numa_count;
    sup_numa *numas;
    int gpu_count;
    sup_gpu *gpus;
    sup_level *levels; /* outermost first; never NULL in a finished topology */
    void *cpu_pool;
} sup_topology;

/* ---- sources ----------------------------------------------------------------------------------------------------
 * Each builds a topology to be freed by sup_topology_free. Where the source reports no cache at all, this machine's
 * /sys is asked (only for this machine), then the defaults below are used and marked `assumed`.
 * hwloc honours its own variables (HWLOC_XMLFILE, HWLOC_SYNTHETIC) in sup_topology_load; then this_system is false.
 * Where the program has more rights than its caller it finds an empty environment (machine/environment.h). */
enum { SUP_TOPOLOGY_DEVICES = 1 }; /* look for GPUs too: may load vendor libraries, so only on request */

#define SUP_ASSUMED_LINE 64
#define SUP_ASSUMED_L1 ((size_t)32 << 10)  /* per core */
#define SUP_ASSUMED_L2 ((size_t)512 << 10) /* per core */
#define SUP_ASSUMED_L3 \
    ((size_t)1 << 20) /* per core, shared by a package, or a memory node where packages are unknown */

sup_status sup_topology_load(unsigned flags, sup_diag *diag, sup_topology **out);
sup_status sup_topology_from_synthetic(const char *text, sup_diag *diag, sup_topology **out);
sup_status sup_topology_from_json(const sup_json *doc, sup_diag *diag, sup_topology **out);
/* XML or JSON, by its first character. SUP_ENOENT, SUP_EIO, SUP_EPARSE with line and reason. */
sup_status sup_topology_from_file(const char *path, unsigned flags, sup_diag *diag, sup_topology **out);
void sup_topology_free(sup_topology *topology);

/* ---- questions (CACHE §4.2.1.1, listing 11) --------------------------------------------------------------------- */
/* getLevel(N): the Nth descendant of `level`, itself for 0; NULL below the bottom. */
const sup_level *sup_level_get(const sup_level *level, int n);
/* getBottomUpFirstShared: the lowest level at or under `level` of which a copy serves more than one core; NULL if no
 * cache is shared. */
const sup_level *sup_level_first_shared(const sup_level *level);
/* Cache of a depth (3 for L3); NULL if the machine has none. */
const sup_level *sup_topology_cache(const sup_topology *topology, int depth);
const sup_level *sup_topology_last_level(const sup_topology *topology);  /* outermost */
const sup_level *sup_topology_first_level(const sup_topology *topology); /* innermost, L1 */
/* Cores that share core's copy of the level; NULL if it has none. */
const sup_group *sup_level_group(const sup_level *level, int core);
/* Innermost level that both cores share; NULL if none. */
const sup_level *sup_topology_common_level(const sup_topology *topology, int core_a, int core_b);
/* Core of an OS cpu number; -1 if there is no such cpu. */
int sup_topology_core_of(const sup_topology *topology, int cpu);
/* "L3, L2 and L1", for messages. */
void sup_topology_level_names(const sup_topology *topology, char *buf, size_t size);

/* ---- domains: what nests, outermost first ------------------------------------------------------------------------ */
enum sup_domain_kind { SUP_DOMAIN_PACKAGE, SUP_DOMAIN_NUMA, SUP_DOMAIN_CACHE };

typedef struct sup_domain {
    enum sup_domain_kind kind;
    const sup_level *level; /* caches only */
    int count;
} sup_domain;

#define SUP_DOMAIN_MAX (SUP_CACHE_DEPTH_MAX + 2)

/* Packages, memory nodes and caches in the order in which they contain each other (on some machines a memory node is a
 * part of an L3, on others the reverse). Returns how many. */
int sup_topology_domains(const sup_topology *topology, sup_domain out[SUP_DOMAIN_MAX]);
/* Which part of the domain a core belongs to; -1 none. */
int sup_domain_of(const sup_topology *topology, const sup_domain *domain, int core);
/* Reorders cores[0 … count) so that each part of the domain is contiguous, parts and members in order of appearance;
 * writes the end of each part to ends (room for count). Cores outside the domain are a part each. Number of parts in
 * *parts. */
sup_status sup_domain_split(const sup_topology *topology, const sup_domain *domain, int *cores, int count, int *ends,
                            int *parts);

/* ---- building (for the sources) ---------------------------------------------------------------------------------- */
/* Room for the cores and cpus; the caller then sets every core with sup_topology_set_core. */
sup_status sup_topology_new(const char *source, int core_count, int cpu_count, sup_topology **out);
/* Cores must come in order 0, 1, …; cpus are copied and sorted. */
void sup_topology_set_core(sup_topology *topology, int core, const int *cpus, int cpu_count);
/* Appends a level inside the present innermost one. group_of has core_count entries, -1 for none; sizes one per group;
 * every group has a core. */
sup_status sup_topology_add_level(sup_topology *topology, int depth, size_t line_bytes, bool assumed, int group_count,
                                  const int *group_of, const size_t *sizes);
/* Counts and maps; assumed caches where there are none. SUP_EPARSE: two cores with the same cpu. */
sup_status sup_topology_finish(sup_topology *topology, sup_diag *diag);
/* Caches from <root>/sys/devices/system/cpu/cpu<N>/cache. No level is added where there is nothing to read. */
sup_status sup_topology_sysfs_caches(sup_topology *topology, const char *root);

#endif
