/* Strategy "sibling": parts of any shape, those next to each other to workers that share the last cache, as many as
 * fill it (CACHE §3.2.2). */
#include "tile/strategy.h"

static int64_t cluster(const sup_tile_call *call) {
    const sup_tile *tile = call->tile;
    const sup_level *last = sup_topology_last_level(tile->hierarchy);
    return sup_cluster_size(last->size_bytes, call->report.working_set_bytes, tile->siblings.largest);
}

const sup_tile_method sup_tile_method_sibling = {
    .cut = sup_tile_cut_parts,
    .cluster = cluster,
    .stealing = SUP_STEAL_NOT,
    .phase = sup_tile_plain_phase,
};
