/* How data-parallel operations should be cut (stage choose, term Tcomp): the first guess, from the cost model and from
 * what a profile says, as a tile record of a plan. Real calls improve it (src/tile/learn.c). */
#ifndef SUP_CHOOSE_TILE_H
#define SUP_CHOOSE_TILE_H

#include "plan/tile.h"
#include "profile/profile.h"

/* tile.c: fills an empty record. profile: of this machine, or NULL. */
sup_status sup_tile_first_guess(const sup_tile_problem *problem, const sup_profile *profile, sup_plan_tile *out);

/* tile_rank.c: shapes of powers of two and whole axes, cheapest first; to be freed. NULL: no memory. */
typedef struct sup_tile_ranked {
    sup_tile_shape shape;
    double cost;
} sup_tile_ranked;
sup_tile_ranked *sup_tile_rank(const sup_tile_problem *problem, int *count);

/* tile_profile.c: fills an empty record from the times that the profile has for the problem's kernel, size class and
 * workers, best first and settled. SUP_ENOENT: it has none. */
sup_status sup_tile_from_profile(const sup_tile_problem *problem, const sup_profile *profile, sup_plan_tile *out);
/* The best of the sweep whose size class is closest to the problem's; NULL: none, or one that is not legal here. */
const sup_tile_time *sup_tile_similar_best(const sup_tile_problem *problem, const sup_profile *profile);
/* What lines cost on this machine, from the rates of a copy, into the problem. */
void sup_tile_line_costs(const sup_profile *profile, sup_tile_problem *problem);

#endif
