/* Placement: process i → host and cpu. Part of every measurement (BSP §5.2, §7.5): the same program on the same cores
 * in another order is another measurement.
 *
 * A policy in words, as `--place` takes it:
 *
 *     none              not pinned: the operating system decides
 *     compact           fill cores next to each other, which share caches
 *     scatter           as far apart as possible: over packages, memory nodes, caches, in this order
 *     per-cache[:LN]    one process per copy of a cache, round robin: of the lowest that is shared, or of the one named
 *     0,2,4-7           these cpus, in this order
 *
 * followed by /block (the default) or /cyclic for the distribution over hosts. Faster cores come before slower ones,
 * and second hardware threads only after every usable core has a process. When cpus run out, they are used again from
 * the first: the placement is then oversubscribed. */
#ifndef SUP_MACHINE_PLACE_PLACEMENT_H
#define SUP_MACHINE_PLACE_PLACEMENT_H

#include "machine/place/hosts.h"
#include "machine/topology/topology.h"
#include "machine/usable.h"

typedef struct sup_placement_kind sup_placement_kind; /* machine/place/placement_kind.h */

extern const sup_placement_kind sup_place_compact; /* what is taken where nobody asks for another */

typedef struct sup_policy {
    const sup_placement_kind *kind;
    int depth;   /* per-cache: 3 for L3; 0 the lowest shared */
    bool cyclic; /* over hosts */
    int count;   /* list: how many cpus it names; 0 for other kinds */
    int *cpus;
} sup_policy;

/* SUP_EPARSE: the diag says what was expected. Free with sup_policy_free. */
sup_status sup_policy_parse(const char *text, sup_diag *diag, sup_policy *out);
void sup_policy_free(sup_policy *policy);
/* The index-th policy that is a single word; NULL behind the last. */
const char *sup_policy_word(size_t index);
/* The text that parses to the policy; lists in ranges, cut where buf ends. Returns buf. */
char *sup_policy_text(const sup_policy *policy, char *buf, size_t size);
/* The text for a signature: without cpu numbers, which are those of one machine. */
char *sup_policy_signature(const sup_policy *policy, char *buf, size_t size);

typedef struct sup_place {
    int host; /* index into the hosts */
    int cpu;  /* OS number on that host; -1 not pinned */
} sup_place;

typedef struct sup_placement {
    int count;
    sup_place *at;
    bool oversubscribed; /* some cpu has two processes, a host more than its slots, or more run than the quota feeds */
    bool shares_cores;   /* two processes on hardware threads of one core */
} sup_placement;

/* hosts NULL: this one. With several hosts all are taken to be like this one; a host that is not places its own
 * processes anew (their order there is the order of ranks). SUP_EINVAL: no processes, no such core or cache level (the
 * diag names what there is). */
sup_status sup_placement_make(const sup_topology *topology, const sup_usable *usable, const sup_hosts *hosts,
                              const sup_policy *policy, int processes, sup_diag *diag, sup_placement *out);
void sup_placement_free(sup_placement *placement);

/* The cpus of one host in the order in which a policy uses them; *order has *count entries and is to be freed. */
sup_status sup_placement_order(const sup_topology *topology, const sup_usable *usable, const sup_policy *policy,
                               sup_diag *diag, int **order, int *count);

#endif
