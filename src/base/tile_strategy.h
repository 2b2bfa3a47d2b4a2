/* What all stages must agree on about the strategies of data-parallel operations: what plans and profiles call them,
 * which parts suit them, what reports call them. How each of them works is in src/tile/strategy_NAME.c.
 *
 * SUP_TILE_STRATEGIES is the one table: a row for each value of sup_tile_strategy in <superstep/tile.h>. From it come
 * the facts below and the runtime's list of methods (tile/strategy.c); nobody else asks which strategy it is. */
#ifndef SUP_BASE_TILE_STRATEGY_H
#define SUP_BASE_TILE_STRATEGY_H

#include <superstep/tile.h>

/* What a strategy cuts, and with that what it is worth trying with. Reports list strategies in this order. */
typedef enum sup_tile_parts {
    SUP_TILE_NO_PARTS,      /* a strategy that is not known here */
    SUP_TILE_BANDS,         /* one band of whole rows a worker: what everything else is compared with */
    SUP_TILE_SHARED_BANDS,  /* many bands, for whoever is idle: where that is allowed */
    SUP_TILE_PARTS,         /* any shape */
    SUP_TILE_FETCHED_PARTS, /* small parts inside larger ones: where everything is visited once, down columns */
    SUP_TILE_REDEALT_PARTS  /* any shape, given to other workers: with the shape that is best otherwise */
} sup_tile_parts;

/* value, name, parts, how a table puts it (instead of the shape of bands, else behind the shape), in a figure */
#define SUP_TILE_STRATEGIES(ROW)                                                                       \
    ROW(SUP_TILE_HORIZONTAL, horizontal, SUP_TILE_BANDS, "bands", "one band a worker")                 \
    ROW(SUP_TILE_CONTIGUOUS, contiguous, SUP_TILE_PARTS, "", "parts")                                  \
    ROW(SUP_TILE_SIBLING, sibling, SUP_TILE_REDEALT_PARTS, ", dealt to siblings", "dealt to siblings") \
    ROW(SUP_TILE_AHEAD, ahead, SUP_TILE_FETCHED_PARTS, ", fetched ahead", "parts fetched ahead")       \
    ROW(SUP_TILE_GUIDED, guided, SUP_TILE_SHARED_BANDS, "bands, some at a time", "bands, some at a time")

typedef struct sup_tile_trait {
    sup_tile_strategy strategy;
    const char *name;
    sup_tile_parts parts;
    const char *in_table, *in_figure;
} sup_tile_trait;

/* By value; NULL: there is none. SUP_TILE_AUTO is "auto", and has no parts. */
const sup_tile_trait *sup_tile_trait_at(int strategy);
/* By name; that of SUP_TILE_AUTO where there is none. */
const sup_tile_trait *sup_tile_trait_find(const char *name);
/* Those with such parts, one after the other: NULL first, and in the end. */
const sup_tile_trait *sup_tile_trait_next(sup_tile_parts parts, const sup_tile_trait *last);

/* Bands: their size follows from the number of workers, so that a record has no shape. */
bool sup_tile_is_banded(const sup_tile_trait *trait);

#endif
