/* What processes know of each other as a pattern goes on (BSP §5.5): Tsync, whether a barrier is one, and why not.
 *
 *     bool complete; int64_t deaf, unheard;
 *     sup_pattern_covers(&pattern, &complete, &deaf, &unheard);            (base/pattern/pattern.h: bit sets, any
 * pattern) if (!complete) sup_gap_find(&pattern, deaf, unheard, &gap);          the trace of why
 *
 * K_0 = I + S_0, K_s = K_{s−1} + K_{s−1}·S_s: K(i, j) counts the ways in which j has heard of i, and a barrier leaves
 * no zero. Signals of a stage leave before any of them arrives, so a circle inside a stage is no deadlock: everyone
 * signals first and then waits. */
#ifndef SUP_BASE_NUMBER_KNOWLEDGE_H
#define SUP_BASE_NUMBER_KNOWLEDGE_H

#include "base/pattern/pattern.h"

#define SUP_COUNTS_MAX 64 /* processes up to which ways are counted and signals left out in turn */

/* counts[i · processes + j] = K(i, j) after the first `stages` stages; what is more than UINT64_MAX is that.
 * SUP_EINVAL: more than SUP_COUNTS_MAX processes, or stages than it has. */
sup_status sup_pattern_counts(const sup_pattern *pattern, int stages, uint64_t *counts);

/* Signals without any one of which everybody would still hear of everybody, by stage, sender and receiver; each alone:
 * two of them may stand in for each other. *out is from malloc. SUP_EINVAL: too many processes, or no barrier. */
sup_status sup_pattern_superfluous(const sup_pattern *pattern, sup_pattern_edge **out, size_t *count);

/* A signal that the deaf one gets, and when its sender hears of the unheard one: too late, or never. */
typedef struct sup_gap_signal {
    int64_t from;
    int stage;
    int heard; /* stage; the number of stages: never */
} sup_gap_signal;

/* Why `deaf` never hears of `unheard`. */
typedef struct sup_gap {
    int64_t deaf, unheard, processes;
    int stages;
    int *heard;              /* [processes]: the stage in which each hears of it; −1: it is the one; stages: never */
    sup_gap_signal *signals; /* all that the deaf one gets, by stage */
    size_t signals_count;
} sup_gap;

/* SUP_EINVAL: no such processes, or it does hear. SUP_ENOMEM. */
sup_status sup_gap_find(const sup_pattern *pattern, int64_t deaf, int64_t unheard, sup_gap *out);
void sup_gap_free(sup_gap *gap);

/* Some lines for people, from malloc: who hears in which stage, and what the deaf one gets instead. SUP_ENOMEM. */
sup_status sup_gap_text(const sup_gap *gap, char **out);

#endif
