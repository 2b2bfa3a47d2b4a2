/* Stage estimate: how this call is cut. What the caller fixed counts first, then the plan (planned.c). Data sets with
 * distributions of their own are cut by Algorithm 1 (CACHE §3.1). */
#include "tile/strategy.h"

#include "tile/estimate.h"

#include <stdio.h>

enum { SEGMENTS = 64 }; /* of a deterministic reduction: enough for the workers of a node, few enough to fold */

/* ---- distributions of their own: Algorithm 1 ----------------------------------------------------------------------*/

/* The best target lies between L1 and L2 (CACHE table 5.2). */
static size_t default_target(const sup_topology *t) {
    size_t wanted = 2 * sup_tile_cache_share(t, 1), most = sup_tile_cache_share(t, 2);
    return wanted < most || most == 0 ? wanted : most;
}

static sup_status run_algorithm(sup_tile_call *call, sup_diag *diag, int64_t *parts) {
    const sup_tile_op *op = call->op;
    double target = op->cut.target_bytes ? (double)op->cut.target_bytes : (double)default_target(call->tile->hierarchy);
    if (sup_tile_is_banded(sup_tile_trait_at(op->cut.strategy))) target = 1e300; /* however large */
    sup_estimate e = sup_estimate_parts(op->set, op->set_count, call->tile->pool.workers, target, call->line_bytes,
                                        op->cut.conservative);
    if (e.parts < 0) {
        if (!e.last_valid)
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                                "the data sets cannot be cut into any common number of parts");
        call->report.too_large = true;
        snprintf(call->report.note, sizeof call->report.note,
                 "no cut fits %.0f bytes; the smallest legal parts have %.0f bytes together", target, e.bytes);
    }
    *parts = e.parts > 0 ? e.parts : e.last_valid;
    call->report.parts = *parts;
    call->report.working_set_bytes = (size_t)e.bytes;
    call->report.strategy = op->cut.strategy ? op->cut.strategy : SUP_TILE_CONTIGUOUS;
    return SUP_OK;
}

/* n parts of every data set as blocks of the axes: √n along those that a data set with two of them has. */
static sup_status decide_by_target(sup_tile_call *call, sup_diag *diag) {
    int64_t n = 1, blocks[SUP_TILE_AXES] = {1, 1, 1};
    for (int a = 0; a < SUP_TILE_AXES; a++)
        if (call->grid.axis[a].extent == 0) { /* nothing to cut */
            sup_grid_blocks(blocks, &call->grid);
            return SUP_OK;
        }
    sup_status status = run_algorithm(call, diag, &n);
    if (status) return status;
    bool square = false;
    for (int s = 0; s < call->op->set_count; s++) square = square || sup_set_is_square(&call->op->set[s]);
    for (int s = 0; s < call->op->set_count; s++) {
        const sup_tile_set *set = &call->op->set[s];
        int64_t side = square ? sup_root_down(n) : n;
        if (set->row_axis) blocks[set->row_axis - 1] = side;
        if (set->col_axis) blocks[set->col_axis - 1] = side;
    }
    sup_grid_blocks(blocks, &call->grid);
    return SUP_OK;
}

/* ---- the order of questions ---------------------------------------------------------------------------------------*/

static bool is_empty(const sup_tile_op *op) {
    for (int s = 0; s < op->set_count; s++)
        if ((op->set[s].row_axis && !op->set[s].rows) || (op->set[s].col_axis && !op->set[s].cols)) return true;
    return false;
}

/* What does not ask the plan: the caller says what to do, or there is nothing to do. */
static sup_status decide_at_once(sup_tile_call *call, bool shape, bool bands, sup_diag *diag) {
    const sup_tile_cut *cut = &call->op->cut;
    sup_status status = sup_grid_extents(call->op, diag, &call->grid);
    if (status) return status;
    if (cut->target_bytes) {
        status = decide_by_target(call, diag);
    } else if (shape) {
        sup_tile_method_cut(call, cut->strategy ? cut->strategy : SUP_TILE_CONTIGUOUS, cut->shape, cut->inner);
    } else if (call->slot_per_chain) {
        call->report.strategy = SUP_TILE_CONTIGUOUS;
        sup_tile_cut_bands(call, SEGMENTS);
    } else {
        sup_tile_method_cut(call, bands ? cut->strategy : SUP_TILE_HORIZONTAL, NULL, NULL);
    }
    return status;
}

sup_status sup_tile_decide(sup_tile_call *call, sup_diag *diag) {
    const sup_tile_op *op = call->op;
    const sup_tile_cut *cut = &op->cut;
    call->line_bytes = sup_tile_line_bytes(call->tile->hierarchy);
    for (int s = 0; s < op->set_count; s++) call->listed = call->listed || op->set[s].own;
    if (call->listed) return run_algorithm(call, diag, &call->list.n);
    call->slot_per_chain = op->result_bytes && (op->flags & SUP_TILE_DETERMINISTIC);
    bool shape = cut->shape[0] || cut->shape[1] || cut->shape[2];
    bool bands = sup_tile_is_banded(sup_tile_trait_at(cut->strategy));
    bool ask = !cut->target_bytes && !shape && !call->slot_per_chain && !bands && !is_empty(op);
    sup_status status = ask ? sup_tile_decide_by_plan(call, diag) : decide_at_once(call, shape, bands, diag);
    if (status) return status;
    /* A strategy that was asked for deals out also what was not cut by it. */
    if (cut->strategy && sup_tile_method_possible(call, cut->strategy)) call->report.strategy = cut->strategy;
    if (!ask) sup_tile_cut_report(call);
    return SUP_OK;
}
