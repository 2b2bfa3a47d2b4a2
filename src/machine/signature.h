/* Machine signature: what a profile or a plan is of. Topology digest, placement, process count and transport say
 * whether it applies here; the rest is there to say in words why it does not. origin.h is its form in files. */
#ifndef SUP_MACHINE_SIGNATURE_H
#define SUP_MACHINE_SIGNATURE_H

#include "machine/hash.h"
#include "machine/placement.h"
#include "machine/topology.h"

#define SUP_PLACEMENT_TEXT 256

typedef struct sup_signature_cache {
    int depth;
    size_t size_bytes;
    int sharing, copies;
} sup_signature_cache;

typedef struct sup_signature {
    char digest[SUP_HASH_TEXT]; /* of the topology */
    char cpu_model[128];
    int core_count, cpu_count, package_count, numa_count;
    int cache_count;
    sup_signature_cache caches[SUP_CACHE_DEPTH_MAX]; /* outermost first */
    int processes;                                   /* 0: of the machine alone, no run */
    char placement[SUP_PLACEMENT_TEXT];              /* see sup_placement_describe; "" no run */
    char transport[16];
} sup_signature;

/* Hash of the shape of the machine: packages, memory nodes, caches with sizes and lines, cores with threads and class,
 * as a tree whose children are sorted. Host name, memory size, affinity, cpu numbers and their order do not enter. */
sup_status sup_topology_digest(const sup_topology *topology, char out[SUP_HASH_TEXT]);

/* The placement in terms that do not depend on cpu numbers or host names: the policy, then for each run of hosts the
 * logical cpus (0, 1, … along the tree) of its processes in order: "compact 0-1", "scatter/cyclic 32x(0,2)", "none".
 * What would be longer than the buffer becomes the policy and a hash. */
sup_status sup_placement_describe(const sup_topology *topology, const sup_policy *policy,
                                  const sup_placement *placement, char out[SUP_PLACEMENT_TEXT]);

/* policy and placement may be NULL (machine only); transport may be NULL. */
sup_status sup_signature_make(const sup_topology *topology, const sup_policy *policy, const sup_placement *placement,
                              const char *transport, sup_signature *out);

/* "2 cores, 1 package, L3 32 MB, L2 1 MB, L1 64 KB (Neoverse-N1)". Returns buf. */
char *sup_signature_text(const sup_signature *signature, char *buf, size_t size);

/* What may differ without being a mismatch (sup_origin_match). */
enum { SUP_SIGNATURE_ANY_RUN = 1, SUP_SIGNATURE_ANY_MODEL = 2 }; /* placement, processes, transport; cpu model */

#endif
