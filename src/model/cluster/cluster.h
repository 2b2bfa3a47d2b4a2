/* Which processes are near each other, by what messages between them cost and nothing else (BSP §7.2): Sparse Spatial
 * Selection over the measured O, made symmetric, again inside what it finds. Term Tsync, stage "model".
 *
 *     level 0   all processes in clusters, the innermost; the first of each, its pivot, goes on
 *     level 1   the pivots of level 0 in clusters; …
 *     top       one cluster
 *
 * The same shape holds what hwloc and the placement say, so that the two can be compared. */
#ifndef SUP_MODEL_CLUSTER_CLUSTER_H
#define SUP_MODEL_CLUSTER_CLUSTER_H

#include "model/equation/model.h"

#define SUP_CLUSTER_SPARSENESS 0.35
/* Clusters are told apart if, of any two of them, the mean distance between them is so many times that inside. */
#define SUP_CLUSTER_APART 1.5
#define SUP_CLUSTER_MATRIX_MAX 4096 /* more processes: by the levels of the pairs, not pair by pair */
#define SUP_CLUSTER_NAME 32

/* Members 0 … members−1 in clusters 0 … count−1. */
typedef struct sup_clusters {
    int64_t members, count;
    int64_t *of;                 /* [members]: its cluster */
    int64_t *pivot;              /* [count]: member */
    char name[SUP_CLUSTER_NAME]; /* what they share, by topology: "L3", "host"; "" by cost */
} sup_clusters;

/* A member becomes a pivot unless one is nearer than sparseness × the greatest distance, in the order of members; then
 * each is of its nearest pivot. distance: [members × members]; the mean of both ways counts, the diagonal does not.
 * SUP_EINVAL: no members, sparseness not above 0, a distance that is negative or no number. SUP_ENOMEM. */
sup_status sup_clusters_find(const double *distance, int64_t members, double sparseness, sup_clusters *out);
void sup_clusters_free(sup_clusters *clusters);

/* level[0] is over all processes; level[l + 1] over the pivots of level[l], in their order; the last has one cluster,
 * and no two levels are the same. There is at least one. Clusters are in the order of their pivots, and a pivot is the
 * first of its cluster. */
typedef struct sup_hierarchy {
    int64_t processes;
    size_t levels;
    sup_clusters *level;
} sup_hierarchy;

/* Of a matrix of distances, [processes × processes] as above: the whole is cut into clusters, those into clusters with
 * their own greatest distance, as long as they are told apart (SUP_CLUSTER_APART). Where `sparseness` tells nothing
 * apart, the widest gaps between distances are tried instead. O(P²). SUP_EINVAL also above SUP_CLUSTER_MATRIX_MAX. */
sup_status sup_hierarchy_find(const double *distance, int64_t processes, double sparseness, sup_hierarchy *out);
/* Of a platform's O: of every ordered pair where the profile has that (measure --exhaustive), else by classes.
 * SUP_ENOENT: nobody measured pairs, or the O of some. */
sup_status sup_hierarchy_of_platform(const sup_platform *platform, double sparseness, sup_diag *diag,
                                     sup_hierarchy *out);
/* By hwloc's and the placement's word: the levels in which pairs were measured (caches, memory nodes, packages, hosts).
 * SUP_ENOENT: the profile does not say. */
sup_status sup_hierarchy_of_topology(const sup_platform *platform, sup_diag *diag, sup_hierarchy *out);
void sup_hierarchy_free(sup_hierarchy *hierarchy);

/* The process that member `member` of a level is. O(level). */
int64_t sup_hierarchy_process(const sup_hierarchy *hierarchy, size_t level, int64_t member);
/* of: [processes], the cluster of each at a level. */
void sup_hierarchy_labels(const sup_hierarchy *hierarchy, size_t level, int64_t *of);

/* ---- making one, from the innermost level out ---- */

sup_status sup_hierarchy_start(int64_t processes, sup_hierarchy *out);
/* label: [processes]; who has the same is together. Only those of present pivots are looked at. A level that joins
 * nobody is left out. name NULL: "". */
sup_status sup_hierarchy_add(sup_hierarchy *hierarchy, const int64_t *label, const char *name);
/* One cluster on top. */
sup_status sup_hierarchy_finish(sup_hierarchy *hierarchy, const char *name);

/* ---- where two of them differ ---- */

typedef enum sup_cluster_differs {
    SUP_CLUSTERS_ONLY_TOPOLOGY, /* the topology has a cluster that costs do not show */
    SUP_CLUSTERS_INSIDE,        /* costs part what shares all that the topology knows */
    SUP_CLUSTERS_ACROSS,        /* costs join what the topology parts */
} sup_cluster_differs;

/* `ranks` of the first such cluster of the level; `clusters` how many of that level there are. */
typedef struct sup_cluster_difference {
    sup_cluster_differs what;
    char name[SUP_CLUSTER_NAME]; /* ONLY_TOPOLOGY: what they share; INSIDE, ACROSS: of what it is a part, or joins */
    char ranks[64];              /* "0-3,8"; cut with "…" */
    int64_t processes, clusters;
} sup_cluster_difference;

/* *out: to be freed; in the order of levels, the topology's first. SUP_EINVAL: of different numbers of processes. */
sup_status sup_hierarchy_compare(const sup_hierarchy *costs, const sup_hierarchy *topology,
                                 sup_cluster_difference **out, size_t *count);
/* For people: "processes 0-3 share one L2, but cost does not tell them from others". Returns buf. */
char *sup_cluster_difference_text(const sup_cluster_difference *difference, char *buf, size_t size);
/* Ranks of a cluster of a level: "0-3,8"; cut with "…". Returns buf. */
char *sup_hierarchy_ranks(const sup_hierarchy *hierarchy, size_t level, int64_t cluster, char *buf, size_t size);

#endif
