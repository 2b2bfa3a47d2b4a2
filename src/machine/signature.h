/* What a signature (origin.h) says of a machine and a placement: a digest that two machines of one shape share, where
 * the processes are in terms that do not depend on cpu numbers, and the machine in words. */
#ifndef SUP_MACHINE_SIGNATURE_H
#define SUP_MACHINE_SIGNATURE_H

#include "machine/hash.h"
#include "machine/place/placement.h"
#include "machine/topology/topology.h"

#define SUP_PLACEMENT_TEXT 256

/* Hash of the shape of the machine: packages, memory nodes, caches with sizes and lines, cores with threads and class,
 * as a tree whose children are sorted. Host name, memory size, affinity, cpu numbers and their order do not enter. */
sup_status sup_topology_digest(const sup_topology *topology, char out[SUP_HASH_TEXT]);

/* The placement in terms that do not depend on cpu numbers or host names: the policy, then for each run of hosts the
 * logical cpus (0, 1, … along the tree) of its processes in order: "compact 0-1", "scatter/cyclic 32x(0,2)", "none".
 * What would be longer than the buffer becomes the policy and a hash. */
sup_status sup_placement_describe(const sup_topology *topology, const sup_policy *policy,
                                  const sup_placement *placement, char out[SUP_PLACEMENT_TEXT]);

/* "2 cores, 1 package, L3 32 MB, L2 1 MB, L1 64 KB (Neoverse-N1)". Returns buf. */
char *sup_topology_text(const sup_topology *topology, char *buf, size_t size);

#endif
