/* What strategies do differently, as an object for each (strategy_NAME.c) that is found through one table: the rows of
 * base/tile_strategy.h. Everything else in src/tile is the same for all of them. */
#ifndef SUP_TILE_STRATEGY_H
#define SUP_TILE_STRATEGY_H

#include "tile/tile.h"

/* When idle workers take over parts of others although nobody asked for it. */
typedef enum sup_tile_stealing {
    SUP_STEAL_NOT,
    SUP_STEAL_IF_MANY, /* chains, of one phase, and no results whose bits would depend on who did what */
    SUP_STEAL_ALWAYS
} sup_tile_stealing;

typedef struct sup_tile_method {
    /* May it be used for this call? NULL: always. `instead` is used where it may not. */
    bool (*possible)(const sup_tile_call *call);
    sup_tile_strategy instead;
    bool own_cut_only; /* no target size, no distributions of their own */
    /* Cuts call->grid; shape and inner are NULL if it is banded and the caller did not give any. */
    void (*cut)(sup_tile_call *call, const size_t *shape, const size_t *inner);
    /* Chains of a cluster that is dealt to workers that share a cache; NULL: contiguous shares. */
    int64_t (*cluster)(const sup_tile_call *call);
    sup_tile_stealing stealing;
    void (*phase)(sup_tile_seat *seat); /* what a worker does from one synchronisation to the next */
} sup_tile_method;

/* sup_tile_method_NAME, in strategy_NAME.c */
#define ROW(value, name, ...) extern const sup_tile_method sup_tile_method_##name;
SUP_TILE_STRATEGIES(ROW)
#undef ROW

const sup_tile_method *sup_tile_method_of(sup_tile_strategy strategy);
bool sup_tile_method_possible(const sup_tile_call *call, sup_tile_strategy strategy);
/* Cuts the grid by this strategy, or by the one that is used instead: report.strategy says which. */
void sup_tile_method_cut(sup_tile_call *call, sup_tile_strategy strategy, const size_t *shape, const size_t *inner);

#endif
