/* The runtime's table of strategies: an object for each row of base/tile_strategy.h. */
#include "tile/strategy.h"

#define ROW(value, name, ...) [value] = &sup_tile_method_##name,
static const sup_tile_method *const methods[] = {
    [SUP_TILE_AUTO] = &sup_tile_method_contiguous, /* nothing to do, so that nothing was decided */
    SUP_TILE_STRATEGIES(ROW)};
#undef ROW

SUP_API const char *sup_tile_strategy_name(sup_tile_strategy strategy) {
    const sup_tile_trait *trait = sup_tile_trait_at((int)strategy);
    return trait ? trait->name : "unknown";
}

const sup_tile_method *sup_tile_method_of(sup_tile_strategy strategy) { return methods[strategy]; }

bool sup_tile_method_possible(const sup_tile_call *call, sup_tile_strategy strategy) {
    return !methods[strategy]->possible || methods[strategy]->possible(call);
}

void sup_tile_method_cut(sup_tile_call *call, sup_tile_strategy strategy, const size_t *shape, const size_t *inner) {
    if (!sup_tile_method_possible(call, strategy)) strategy = methods[strategy]->instead;
    call->report.strategy = strategy;
    methods[strategy]->cut(call, shape, inner);
}
