/* Strategy "horizontal": one band of whole rows a worker, whatever its bytes (CACHE §2.2). Nothing is given away where
 * cutting gains nothing, and parts stay with their workers; but whoever is late is late alone. */
#include "tile/strategy.h"

static void cut(sup_tile_call *call, const size_t *shape, const size_t *inner) {
    (void)shape, (void)inner;
    sup_tile_cut_bands(call, call->tile->pool.workers);
}

const sup_tile_method sup_tile_method_horizontal = {
    .cut = cut,
    .stealing = SUP_STEAL_NOT,
    .phase = sup_tile_plain_phase,
};
