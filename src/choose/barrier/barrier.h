/* Barriers that fit a machine (stage choose, term Tsync; BSP ch. 7): candidates, what they are predicted to cost, and
 * the one that is taken.
 *
 *     every pattern of base/pattern/pattern.h over all processes, with its radices
 *     the document's greedy algorithm over clusters (BSP §7.3)
 *     levels: gather in clusters, an exchange or another gathering between the first of each, release;
 *         clusters by hosts, by cost and by topology, levels left out in every way, a pattern for each level
 *     lanes: everybody exchanges in its cluster, then the k-th of all clusters exchange, so that nobody is released
 *
 * All are priced by sup_barrier_cost. How much is tried depends on numbers of signals, never on time: the same profile
 * has the same outcome. */
#ifndef SUP_CHOOSE_BARRIER_BARRIER_H
#define SUP_CHOOSE_BARRIER_BARRIER_H

#include "model/cluster/cluster.h"
#include "model/equation/model.h"
#include "plan/plan.h"

typedef struct sup_candidate {
    char name[160];           /* for people: "dissemination:4", "flags in hosts, dissemination between" */
    const char *origin;       /* "pattern", "greedy", "search", "default" */
    sup_plan_barrier *record; /* as a plan has it, of sup_plan_barrier_record; NULL: a plan cannot hold it, because it
                                 is irregular and has more than SUP_PLAN_EXPLICIT_MAX processes */
    sup_prediction cost;      /* seconds */
    double measured_s;        /* of the profile, calm; NaN */
    double measured_ci;       /* half width of its interval; NaN */
    int stages;               /* how simple it is: stages, and signals in all */
    int64_t signals;
    int64_t crossing; /* of those, between hosts */
    uint64_t digest;  /* of its signals: equal ones are the same barrier */
} sup_candidate;

typedef struct sup_candidates {
    sup_candidate *at; /* cheapest prediction first; of equal ones the simpler first */
    size_t count;
    size_t usual;  /* index of what holds without a plan */
    size_t greedy; /* index of the document's greedy algorithm */
} sup_candidates;

/* Every candidate for all processes of the platform: at least the usual barrier, the greedy one and plain patterns, so
 * that at[0] is never dearer than those. Deterministic. SUP_ENOENT: what pairs cost was not measured. */
sup_status sup_candidates_find(const sup_platform *platform, sup_diag *diag, sup_candidates *out);
/* For `processes` of them, by rank: ascending, each once. Ranks are members of the barrier in this order. Tries less,
 * because sets are many. */
sup_status sup_candidates_of(const sup_platform *platform, const int64_t *ranks, int64_t processes, sup_diag *diag,
                             sup_candidates *out);
void sup_candidates_free(sup_candidates *candidates);
/* Which host each process is on, numbered as they appear: [processes]. */
sup_status sup_barrier_hosts(const sup_platform *platform, int *host, int64_t *hosts);

/* Which one to take. A candidate's time is what was measured of it, and what is predicted where it was not.
 *   1. Only those count that a plan can hold and that are quicker than the usual one by more than is unknown of both:
 *      their intervals do not meet, and the gain is at least 3 %. If there are none: the usual.
 *   2. The least of these; but one that was measured, and lies within the interval of that prediction, is preferred.
 *   3. Else, of those within 10 % of the least, those with the fewest signals between hosts: they all go through one
 *      network, which prices of single signals do not know. Of those, within 3 % of their least, the simplest, by
 *      stages, then by signals.
 */
#define SUP_CHOICE_MARGIN 0.03
#define SUP_CHOICE_CROSSING 0.10
void sup_candidates_choice(const sup_candidates *candidates, size_t *index);
/* What it is expected to take, by rule 1. */
double sup_candidate_seconds(const sup_candidate *candidate);
/* The same with its interval. */
sup_prediction sup_candidate_cost(const sup_candidate *candidate);

#endif
