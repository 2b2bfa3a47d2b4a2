/* Groups of pairs that should behave alike, by topology. Tcomm, stage "measure".
 *
 * A level is a partition of the ranks: those on one core, under one cache, on one memory node, in one processor, on one
 * host, all. Levels are nested, the innermost first; level 0 is the process itself. The level of a pair is the first in
 * which the two are together. Levels that part the ranks no differently from the one inside them are left out. */
#ifndef SUP_MEASURE_PAIR_CLASS_H
#define SUP_MEASURE_PAIR_CLASS_H

#include "base/status.h"
#include "measure/lab/lab.h"

#define SUP_GROUPING_LEVELS 14

typedef struct sup_grouping {
    int size, levels;
    int *label[SUP_GROUPING_LEVELS]; /* of a rank: its group, 0 … groups-1 */
    int groups[SUP_GROUPING_LEVELS];
    char name[SUP_GROUPING_LEVELS][16]; /* "self", "L2", "numa", "host", "network" */
    int *order;                         /* ranks, those together in inner levels next to each other */
} sup_grouping;

sup_status sup_grouping_make(const sup_rank_place *places, int size, sup_diag *diag, sup_grouping **out);
void sup_grouping_free(sup_grouping *grouping);

/* Level of a pair; O(levels). */
int sup_grouping_level(const sup_grouping *grouping, int i, int j);

/* Disjoint pairs of exactly this level, most ranks in one of them; another set for another turn (0, 1, …). pairs has
 * room for size entries, two a pair. Returns how many pairs. O(size). */
int sup_grouping_match(const sup_grouping *grouping, int level, int turn, int *pairs);

/* The rule of a level as files state it (profile/pairs.h); false: it follows none. O(size). */
bool sup_grouping_rule(const sup_grouping *grouping, int level, int64_t *size, int64_t *stride);

/* Round `turn` (0 … sup_tournament_rounds-1) of a tournament in which everybody meets everybody: pairs as above. */
int sup_tournament_rounds(int size);
int sup_tournament(int size, int turn, int *pairs);

#endif
