/* Strategy "contiguous": parts of any shape, those next to each other to one worker (CACHE §3.2.1). */
#include "tile/strategy.h"

const sup_tile_method sup_tile_method_contiguous = {
    .cut = sup_tile_cut_parts,
    .stealing = SUP_STEAL_IF_MANY,
    .phase = sup_tile_plain_phase,
};
