/* The work as a grid: axes I, J, K cut into blocks, blocks into a second level, and the parts of every data set that
 * belong to one of them. Parts are computed when they are needed; nothing is stored, so cutting costs nothing.
 *
 *            J →
 *      I  +----+----+----+     A chain is one block of the axes along which tasks are independent; inside it the tasks
 *      ↓  |    |    |    |     of the serial axes (K of a matrix product) and of the second level follow each other.
 *         +----+----+----+     An axis is serial if some data set that is written is not cut by it.                  */
#ifndef SUP_TILE_GRID_H
#define SUP_TILE_GRID_H

#include <superstep/tile.h>

typedef struct sup_grid_axis {
    int64_t extent, unit; /* blocks begin at multiples of unit */
    int64_t blocks;
    int64_t inner; /* elements of the second level; 0: none */
    int64_t least; /* elements that a block must have; 0 or 1: no minimum */
    bool serial;
} sup_grid_axis;

typedef struct sup_tile_grid {
    sup_grid_axis axis[SUP_TILE_AXES];
    int64_t chains;
    int64_t chain_stride; /* upper bound of the tasks of a chain: task numbers start at chain · stride */
} sup_tile_grid;

typedef struct sup_bounds {
    int64_t from, to;
} sup_bounds;

/* Block b of `blocks` over [from, to): as equal as whole units allow, the larger ones first. */
sup_bounds sup_grid_block(int64_t from, int64_t to, int64_t unit, int64_t blocks, int64_t b);

/* Extents from the data sets, which must agree. SUP_EINVAL with the reason. */
sup_status sup_grid_extents(const sup_tile_op *op, sup_diag *diag, sup_tile_grid *grid);
/* Cuts by shape (0: whole), legal sizes kept; line_bytes aligns blocks of columns. False: some minimum forced larger
 * parts than were asked for. */
bool sup_grid_shape(const sup_tile_op *op, size_t line_bytes, const size_t *shape, const size_t *inner,
                    sup_tile_grid *grid);
/* Exactly so many blocks along each axis, as even as possible. */
void sup_grid_blocks(const int64_t *blocks, sup_tile_grid *grid);

/* Least elements of a block along an axis. */
int64_t sup_grid_least(const sup_tile_op *op, int axis);
/* Elements of a cache line along an axis that runs along rows: parts that begin at whole lines share none. */
int64_t sup_grid_line(const sup_tile_op *op, int axis, size_t line_bytes);
/* Largest block of an axis, first or second level. */
int64_t sup_grid_largest(const sup_grid_axis *axis, bool inner);
int64_t sup_grid_tasks(const sup_tile_grid *grid);
/* Bytes of the parts of the largest task. */
double sup_grid_bytes(const sup_tile_op *op, const sup_tile_grid *grid, bool inner);

/* The part of a set in the block at[0 … 2]. */
void sup_grid_part(const sup_tile_set *set, const sup_bounds *at, sup_tile_part *out);

/* Calls visit for every task of a chain, in order, until it returns not 0; returns that. */
typedef struct sup_grid_step {
    sup_bounds at[SUP_TILE_AXES];
    int64_t index;
    bool first, last;
} sup_grid_step;
typedef int sup_grid_visit(void *context, const sup_grid_step *step);
int sup_grid_walk(const sup_tile_grid *grid, int64_t chain, sup_grid_visit *visit, void *context);

/* `count` chains from this one on as one task; of a grid that is cut along one axis, not serial, at one level. */
void sup_grid_span(const sup_tile_grid *grid, int64_t chain, int64_t count, sup_grid_step *step);

#endif
