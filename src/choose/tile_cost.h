/* What one way of cutting would cost, roughly: cycles of the memory system per innermost iteration. */
#ifndef SUP_CHOOSE_TILE_COST_H
#define SUP_CHOOSE_TILE_COST_H

#include "plan/tile_choice.h"

/* Elements of a block along each axis; every entry within 1 … extent. */
typedef struct sup_tile_shape {
    int64_t size[SUP_CHOICE_AXES];
} sup_tile_shape;

double sup_tile_cost(const sup_tile_problem *problem, const sup_tile_shape *shape);
/* One band a worker. */
sup_tile_shape sup_tile_band_shape(const sup_tile_problem *problem);
/* Does the kernel walk down columns of anything? Where it does not there is nothing that smaller parts could save. */
bool sup_tile_has_columns(const sup_tile_problem *problem);
/* Is every element visited once? Then no part can be used again, and what counts is how soon it is there. */
bool sup_tile_once(const sup_tile_problem *problem);
/* The axis of the innermost loop: down the columns of the set that is walked so, along rows otherwise. */
int sup_tile_inner_axis(const sup_tile_problem *problem);
/* Lines of rows at this pitch that L1 holds at once: rows fall into few sets where the pitch is a multiple of much. */
double sup_tile_lines_held(const sup_tile_problem *problem, size_t pitch);

/* Shapes of powers of two and whole axes, cheapest first; to be freed. NULL: no memory. */
typedef struct sup_tile_ranked {
    sup_tile_shape shape;
    double cost;
} sup_tile_ranked;
sup_tile_ranked *sup_tile_rank(const sup_tile_problem *problem, int *count);

#endif
