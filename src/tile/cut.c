/* Stage decompose: the grid of a call in bands or in parts of some shape (CACHE §3.1). */
#include "tile/tile.h"

#include <stdio.h>

int sup_tile_cut_axis(const sup_tile_call *call, int64_t bands) {
    int64_t extent[SUP_TILE_AXES];
    bool serial[SUP_TILE_AXES];
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        extent[a] = call->grid.axis[a].extent;
        serial[a] = call->grid.axis[a].serial;
    }
    return sup_tile_band_axis(extent, serial, bands);
}

void sup_tile_cut_bands(sup_tile_call *call, int64_t bands) {
    size_t shape[SUP_TILE_AXES] = {0};
    sup_tile_grid *grid = &call->grid;
    int axis = sup_tile_cut_axis(call, bands);
    if (axis >= 0) {
        int64_t extent = grid->axis[axis].extent;
        shape[axis] = (size_t)(extent / bands + (extent % bands != 0));
    }
    sup_grid_shape(call->op, call->line_bytes, shape, NULL, grid);
    /* Rounding to whole lines may leave a worker without a band. */
    if (axis >= 0 && grid->axis[axis].blocks < bands) sup_grid_shape(call->op, 1, shape, NULL, grid);
}

void sup_tile_cut_parts(sup_tile_call *call, const size_t *shape, const size_t *inner) {
    if (sup_grid_shape(call->op, call->line_bytes, shape, inner, &call->grid)) return;
    call->report.too_large = true;
    snprintf(call->report.note, sizeof call->report.note,
             "parts cannot be as small as %zu x %zu x %zu; the smallest legal ones are used", shape[0], shape[1],
             shape[2]);
}

void sup_tile_cut_report(sup_tile_call *call) {
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &call->grid.axis[a];
        call->report.shape[a] = (size_t)sup_grid_largest(x, false);
        call->report.inner[a] = x->inner ? (size_t)sup_grid_largest(x, true) : 0;
    }
    call->report.tasks = sup_grid_tasks(&call->grid);
    call->report.working_set_bytes = (size_t)sup_grid_bytes(call->op, &call->grid, true);
    call->chains = call->grid.chains;
}
