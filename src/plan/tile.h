/* Tile records of a plan, for whoever writes them: src/choose, which guesses, and the runtime (src/tile), which learns
 * from its own calls.
 *
 * A candidate's shape has 0 entries (bands), 3 (elements along I, J, K) or 6 (and those of the second level inside).
 * Candidates stand in the order in which the first guess ranks them. The record itself says, in its own strategy and
 * shape, what the best of them is, for readers that do not learn: that one is published. */
#ifndef SUP_PLAN_TILE_H
#define SUP_PLAN_TILE_H

#include "base/tile_problem.h"
#include "base/tile_strategy.h"
#include "plan/plan.h"

/* The record of this kernel and size class; NULL: there is none. */
sup_plan_tile *sup_plan_tile_find(const sup_plan *plan, const char *kernel, const char *size_class);

/* Makes an empty record one for this problem, without candidates yet. */
sup_status sup_plan_tile_begin(const sup_tile_problem *problem, sup_plan_tile *out);
sup_status sup_plan_tile_add(sup_plan_tile *tile, const char *strategy, const int64_t *shape, size_t count);
/* The same for every strategy that has such parts. */
sup_status sup_plan_tile_add_all(sup_plan_tile *tile, sup_tile_parts parts, const int64_t *shape, size_t count);
sup_status sup_plan_tile_publish(sup_plan_tile *tile, size_t candidate);

#endif
