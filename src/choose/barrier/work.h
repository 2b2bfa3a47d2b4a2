/* What the files that synthesise barriers share (barrier.h), lowest first: who takes part, how they are clustered, the
 * pattern of clusters with their kinds, its price, and the search. */
#ifndef SUP_CHOOSE_BARRIER_WORK_H
#define SUP_CHOOSE_BARRIER_WORK_H

#include "choose/barrier/barrier.h"

#define SUP_PARTITION_LEVELS 8 /* with the top; hierarchies that have more lose their middle */

/* ---- barrier/partitions.c ---- */

/* What the profile measured of a barrier of all processes, by the digest of its signals. */
typedef struct sup_known_barrier {
    const sup_sync_time *row;
    uint64_t digest;
} sup_known_barrier;

/* Those that meet: members 0 … of a platform's ranks. */
typedef struct sup_participants {
    const sup_platform *platform;
    int64_t processes;
    const int64_t *rank; /* [processes]; NULL: all */
    int *host;           /* [processes], numbered as they appear */
    int64_t hosts;
    double room;             /* signals that may still be priced */
    sup_known_barrier *seen; /* sup_participants_measured; NULL */
    size_t seen_count;
} sup_participants;

static inline int64_t sup_participants_rank(const sup_participants *p, int64_t member) {
    return p->rank ? p->rank[member] : member;
}
/* Finds the hosts. */
sup_status sup_participants_open(const sup_platform *platform, const int64_t *rank, int64_t processes,
                                 sup_participants *out);
void sup_participants_close(sup_participants *participants);

/* Partitions of members, each made of the clusters of the one before; the last is one cluster. of[l][m]: the member
 * that stands for m's cluster, its pivot, which stands for a cluster of the partition below, too. */
typedef struct sup_partitions {
    int64_t processes;
    size_t levels;
    int64_t *of[SUP_PARTITION_LEVELS];
    int64_t *memory;
} sup_partitions;

/* By hosts, and by a hierarchy (SUP_EINVAL: it is none). Partitions that say nothing new are left out. */
sup_status sup_partitions_hosts(const sup_participants *participants, sup_partitions *out);
/* Blocks of `size` inside each host, then hosts: not what the machine is, but fewer signals for each. */
sup_status sup_partitions_blocks(const sup_participants *participants, int64_t size, sup_partitions *out);
sup_status sup_partitions_hierarchy(const sup_participants *participants, const sup_hierarchy *hierarchy,
                                    sup_partitions *out);
/* Some of its partitions, by bits, and the top. Shares its memory. */
sup_partitions sup_partitions_some(const sup_partitions *partitions, unsigned bits);
void sup_partitions_free(sup_partitions *partitions);
uint64_t sup_partitions_digest(const sup_partitions *partitions);

/* Members of a level cluster by cluster, pivots first. whole: with all members, not only those that go on to the level.
 */
typedef struct sup_groups {
    int64_t count;
    int64_t *begin; /* [count + 1] */
    int64_t *member;
} sup_groups;
sup_status sup_groups_of(const sup_partitions *partitions, size_t level, bool whole, sup_groups *out);
void sup_groups_free(sup_groups *groups);
int64_t sup_groups_largest(const sup_groups *groups);

/* ---- barrier/build.c ---- */

/* A pattern for clusters: kinds[level · width + pivot · (width > 1)], width 1 or the processes. */
sup_status sup_build_stack(const sup_partitions *partitions, const sup_pattern_kind *kinds, int64_t width,
                           sup_pattern *out);
/* Everybody exchanges in its cluster, then the k-th of each with those of the others, level by level: kinds spread. */
sup_status sup_build_lanes(const sup_partitions *partitions, const sup_pattern_kind *kinds, sup_pattern *out);
/* As levels of a plan: false where clusters are irregular. out: [partitions->levels]. */
bool sup_build_levels(const sup_partitions *partitions, const sup_pattern_kind *kinds, sup_pattern_level *out);

/* ---- barrier/price.c ---- */

/* Takes what it costs to compute off the participants' room. */
sup_status sup_participants_price(sup_participants *participants, const sup_pattern *pattern, sup_diag *diag,
                                  sup_prediction *out);
int64_t sup_pattern_signals(const sup_pattern *pattern);
/* What pricing it takes off the room. */
double sup_participants_effort(const sup_participants *participants, int64_t signals);

/* Finds what was measured. */
sup_status sup_participants_measured(sup_participants *participants);

/* A barrier in its making: a pattern with its name, and how a plan has it. */
typedef struct sup_draft {
    const sup_pattern *pattern;
    const char *origin, *name;
    const sup_pattern_level *levels; /* NULL: it is the pattern's generator, or stages */
    size_t level_count;
    sup_prediction cost;
} sup_draft;
/* Adds it, unless the same is there; index: of it. */
sup_status sup_candidates_add(sup_candidates *list, const sup_participants *participants, const sup_draft *draft,
                              size_t *index);

/* ---- barrier/greedy.c, barrier/search.c ---- */

sup_status sup_greedy_add(sup_candidates *list, sup_participants *participants, const sup_partitions *partitions,
                          sup_diag *diag, size_t *index);
/* What was measured, whatever it is; plain patterns. */
sup_status sup_search_measured(sup_candidates *list, sup_participants *participants, sup_diag *diag);
sup_status sup_search_plain(sup_candidates *list, sup_participants *participants, sup_diag *diag);
/* hosts: for the names of levels. share: of the participants' room. */
sup_status sup_search_nest(sup_candidates *list, sup_participants *participants, const sup_partitions *partitions,
                           const sup_partitions *hosts, double share, sup_diag *diag);

#endif
