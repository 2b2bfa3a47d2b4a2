/* Who runs which tasks, by formula and without locks (CACHE §3.2), and who may run on which cores (CACHE §3.3).
 *
 *     contiguous, 14 tasks, 4 workers       0 0 0 0 | 1 1 1 1 | 2 2 2 | 3 3 3
 *     sibling, groups {0 1} and {2 3}, N=4  0 1 0 1 | 2 3 2 3 | 0 1 0 1 | 2 3 2 3 | rest contiguously
 */
#ifndef SUP_TILE_CLUSTER_H
#define SUP_TILE_CLUSTER_H

#include "machine/topology/topology.h"

#include <stdint.h>

typedef struct sup_span {
    int64_t first, count;
} sup_span;

/* Tasks of a worker under contiguous clustering: m/n each, the first m mod n workers one more. */
sup_span sup_cluster_contiguous(int64_t tasks, int workers, int worker);

/* Workers that share a copy of the last cache, by number: group_of[worker], place[worker] inside it, size[group]. */
typedef struct sup_siblings {
    int workers, groups, largest; /* cores of the largest group: Q_LLC */
    int *group_of, *place, *size;
} sup_siblings;

/* cores[worker] is the core a worker runs on; workers without a last cache are a group each. */
sup_status sup_siblings_make(const sup_topology *topology, const int *cores, int workers, sup_siblings *out);
void sup_siblings_free(sup_siblings *siblings);

/* Tasks in a cluster: those whose parts fill the last cache, rounded up to a multiple of the cores that share it. */
int64_t sup_cluster_size(size_t llc_bytes, size_t tcl_bytes, int sharing);

/* A schedule of `tasks` under one of the two; cluster 0: contiguous. */
typedef struct sup_schedule {
    int64_t tasks, cluster, rounds; /* rounds: clusters that every group gets */
    const sup_siblings *siblings;
    int workers;
} sup_schedule;

sup_schedule sup_schedule_make(int64_t tasks, int workers, int64_t cluster, const sup_siblings *siblings);
/* How many tasks a worker has, and the step-th of them. */
int64_t sup_schedule_count(const sup_schedule *schedule, int worker);
int64_t sup_schedule_task(const sup_schedule *schedule, int worker, int64_t step);

#endif
