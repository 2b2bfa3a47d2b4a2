/* Which processes are near each other, by what messages between them cost and nothing else (BSP §7.2): Sparse Spatial
 * Selection over the measured O, made symmetric, level by level. Term Tsync, stage "model".
 *
 *     level 0   all processes in clusters; the first of each, its pivot, goes on
 *     level 1   the pivots of level 0 in clusters; …
 *     top       one cluster
 */
#ifndef SUP_MODEL_CLUSTER_H
#define SUP_MODEL_CLUSTER_H

#include "model/model.h"

#define SUP_CLUSTER_SPARSENESS 0.35

/* Members 0 … members−1 in clusters 0 … count−1. */
typedef struct sup_clusters {
    int64_t members, count;
    int64_t *of;    /* [members]: its cluster */
    int64_t *pivot; /* [count]: member */
} sup_clusters;

/* A member joins the nearest pivot that is nearer than sparseness × the greatest distance, else it becomes one, in the
 * order of members. distance: [members × members], symmetric. SUP_EINVAL, SUP_ENOMEM. */
sup_status sup_clusters_find(const double *distance, int64_t members, double sparseness, sup_clusters *out);
void sup_clusters_free(sup_clusters *clusters);

/* level[0] is over all processes; level[l + 1] over the pivots of level[l], in their order; the last has one cluster.
 */
typedef struct sup_hierarchy {
    int64_t processes;
    size_t levels;
    sup_clusters *level;
} sup_hierarchy;

/* Of a matrix of distances, of a platform's pairs, and by hwloc's and the placement's word (hosts, packages, shared
 * caches). SUP_ENOENT: the profile does not say. */
sup_status sup_hierarchy_find(const double *distance, int64_t processes, double sparseness, sup_hierarchy *out);
sup_status sup_hierarchy_of_platform(const sup_platform *platform, double sparseness, sup_diag *diag,
                                     sup_hierarchy *out);
sup_status sup_hierarchy_of_topology(const sup_platform *platform, sup_diag *diag, sup_hierarchy *out);
void sup_hierarchy_free(sup_hierarchy *hierarchy);
/* The process that member `member` of a level is. */
int64_t sup_hierarchy_process(const sup_hierarchy *hierarchy, size_t level, int64_t member);

#endif
