/* What one way of cutting a data-parallel operation would cost, roughly: cycles of the memory system per innermost
 * iteration. A pure function of the problem; only ratios mean anything. */
#ifndef SUP_MODEL_EQUATION_TILE_H
#define SUP_MODEL_EQUATION_TILE_H

#include "base/tile_problem.h"

double sup_tile_cost(const sup_tile_problem *problem, const sup_tile_shape *shape);
/* Lines of rows at this pitch that L1 holds at once: rows fall into few sets where the pitch is a multiple of much. */
double sup_tile_lines_held(const sup_tile_problem *problem, size_t pitch);

#endif
