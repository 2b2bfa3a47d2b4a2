/* An operation as decisions see it: axes, data sets, caches; no addresses and no functions (term Tcomp, stage run). */
#include "tile/tile.h"

#include <string.h>

size_t sup_tile_cache_share(const sup_topology *t, int depth) {
    const sup_level *level = sup_topology_cache(t, depth);
    if (!level) level = depth > 1 ? sup_topology_last_level(t) : sup_topology_first_level(t);
    return level->size_bytes / (size_t)(level->sharing > 0 ? level->sharing : 1);
}

size_t sup_tile_line_bytes(const sup_topology *t) {
    size_t line = sup_topology_first_level(t)->line_bytes;
    return line ? line : SUP_ASSUMED_LINE;
}

bool sup_tile_may_share(const sup_tile_call *call) {
    const sup_tile_op *op = call->op;
    if (call->tile->pool.workers < 2 || call->slot_per_chain) return false;
    return (op->flags & SUP_TILE_IRREGULAR) || (op->phases <= 1 && !op->result_bytes);
}

void sup_tile_describe_call(const sup_tile_call *call, sup_tile_problem *p) {
    const sup_tile_op *op = call->op;
    const sup_topology *t = call->tile->hierarchy;
    memset(p, 0, sizeof *p); /* padding, too: problems are compared as bytes */
    *p = (sup_tile_problem){.kernel = op->name ? op->name : "unnamed",
                            .workers = call->tile->pool.workers,
                            .shared = sup_tile_may_share(call),
                            .set_count = op->set_count,
                            .l1_bytes = sup_tile_cache_share(t, 1),
                            .l2_bytes = sup_tile_cache_share(t, 2),
                            .last_bytes = sup_topology_last_level(t)->size_bytes,
                            .line_bytes = sup_tile_line_bytes(t),
                            .page_bytes = t->page_bytes ? t->page_bytes : 4096};
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        p->extent[a] = call->grid.axis[a].extent;
        p->serial[a] = call->grid.axis[a].serial;
        p->least[a] = sup_grid_least(op, a);
    }
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        p->set[s] = (sup_problem_set){.row_axis = (int)set->row_axis - 1,
                                      .col_axis = (int)set->col_axis - 1,
                                      .rows = (int64_t)set->rows,
                                      .cols = (int64_t)set->cols,
                                      .element = set->element,
                                      .pitch_bytes = set->pitch * set->element,
                                      .memory = set->data != NULL,
                                      .written = set->use != SUP_TILE_READ,
                                      .walk = (int)set->walk,
                                      .halo_rows = (int64_t)set->halo_rows,
                                      .halo_cols = (int64_t)set->halo_cols};
    }
}
