/* Stage estimate: how this call is cut. What the caller fixed counts first, then what the plan knows about the kernel
 * and size class, then the first guess, which becomes a record of the plan; times of calls go back into it. Data sets
 * with distributions of their own are cut by Algorithm 1 (CACHE §3.1). */
#include "tile/tile.h"

#include "tile/estimate.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEGMENTS = 64, /* of a deterministic reduction: enough for the workers of a node, few enough to fold */
    PIECES = 64    /* of a worker's band, to be done several at a time: what is late is late by 1/64 at most */
};
#define WATCHED_S 1e-3 /* a call that takes less costs more to watch than it is worth: most of them are left alone */

struct sup_tile_memory {
    sup_tile_samples samples; /* of plan->tiles[same index] */
};

static const char *const names[] = {"auto", "horizontal", "contiguous", "sibling", "ahead", "guided"};

SUP_API const char *sup_tile_strategy_name(sup_tile_strategy strategy) {
    return (unsigned)strategy <= SUP_TILE_GUIDED ? names[strategy] : "unknown";
}

static int strategy_of(const char *name) {
    for (int i = SUP_TILE_HORIZONTAL; i <= SUP_TILE_GUIDED; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return -1;
}

/* Bytes of a cache level that one core can count on; of the nearest level where the machine has no such. */
static size_t share(const sup_topology *t, int depth) {
    const sup_level *level = sup_topology_cache(t, depth);
    if (!level) level = depth > 1 ? sup_topology_last_level(t) : sup_topology_first_level(t);
    return level->size_bytes / (size_t)(level->sharing > 0 ? level->sharing : 1);
}

static size_t line_bytes(const sup_topology *t) {
    size_t line = sup_topology_first_level(t)->line_bytes;
    return line ? line : SUP_ASSUMED_LINE;
}

/* ---- distributions of their own: Algorithm 1 ----------------------------------------------------------------------*/

/* The best target lies between L1 and L2 (CACHE table 5.2). */
static size_t default_target(const sup_topology *t) {
    size_t wanted = 2 * share(t, 1), most = share(t, 2);
    return wanted < most || most == 0 ? wanted : most;
}

static sup_status run_algorithm(sup_tile_call *call, sup_diag *diag, int64_t *parts) {
    const sup_tile_op *op = call->op;
    const sup_topology *t = call->tile->hierarchy;
    double target = op->cut.strategy == SUP_TILE_HORIZONTAL ? 1e300
                    : op->cut.target_bytes                  ? (double)op->cut.target_bytes
                                                            : (double)default_target(t);
    sup_estimate e = sup_estimate_parts(op->set, op->set_count, call->tile->pool.workers, target, line_bytes(t),
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

/* ---- bands and shapes ---------------------------------------------------------------------------------------------*/

/* The first axis that is long enough for so many bands, or the longest; -1: none can be cut. */
static int band_axis(const sup_tile_grid *grid, int64_t bands) {
    int best = -1;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &grid->axis[a];
        if (x->serial || x->extent < 2) continue;
        if (best < 0 || (grid->axis[best].extent < bands && x->extent > grid->axis[best].extent)) best = a;
    }
    return best;
}

/* `bands` parts along one axis, whole along the others. */
static void cut_bands(sup_tile_call *call, int64_t bands) {
    size_t shape[SUP_TILE_AXES] = {0};
    sup_tile_grid *grid = &call->grid;
    int best = band_axis(grid, bands);
    if (best >= 0) {
        int64_t extent = grid->axis[best].extent;
        shape[best] = (size_t)(extent / bands + (extent % bands != 0));
    }
    sup_grid_shape(call->op, line_bytes(call->tile->hierarchy), shape, NULL, grid);
    /* Rounding to whole lines may leave a worker without a band. */
    if (best >= 0 && grid->axis[best].blocks < bands) sup_grid_shape(call->op, 1, shape, NULL, grid);
}

/* A worker's band in pieces of whole cache lines. */
static void cut_pieces(sup_tile_call *call) {
    size_t shape[SUP_TILE_AXES] = {0}, line = line_bytes(call->tile->hierarchy);
    int64_t workers = call->tile->pool.workers;
    int axis = band_axis(&call->grid, workers);
    if (axis >= 0) {
        int64_t extent = call->grid.axis[axis].extent, least = sup_grid_line(call->op, axis, line);
        int64_t size = extent / (workers * PIECES);
        shape[axis] = (size_t)(size > least ? size : least);
    }
    sup_grid_shape(call->op, line, shape, NULL, &call->grid);
}

/* May whoever is idle do any band? Not if phases leave parts with their workers, or results depend on who did what. */
static bool may_be_guided(const sup_tile_call *call) {
    const sup_tile_op *op = call->op;
    if (call->tile->pool.workers < 2 || call->slot_per_chain) return false;
    return (op->flags & SUP_TILE_IRREGULAR) || (op->phases <= 1 && !op->result_bytes);
}

static void cut_shape(sup_tile_call *call, sup_tile_strategy strategy, const size_t *shape, const size_t *inner) {
    if (strategy == SUP_TILE_GUIDED && !may_be_guided(call)) strategy = SUP_TILE_HORIZONTAL;
    call->report.strategy = strategy;
    if (strategy == SUP_TILE_GUIDED) {
        cut_pieces(call);
    } else if (strategy == SUP_TILE_HORIZONTAL) {
        cut_bands(call, call->tile->pool.workers);
    } else if (!sup_grid_shape(call->op, line_bytes(call->tile->hierarchy), shape, inner, &call->grid)) {
        call->report.too_large = true;
        snprintf(call->report.note, sizeof call->report.note,
                 "parts cannot be as small as %zu x %zu x %zu; the smallest legal ones are used", shape[0], shape[1],
                 shape[2]);
    }
}

/* ---- the plan -----------------------------------------------------------------------------------------------------*/

static void describe(const sup_tile_call *call, sup_tile_problem *p) {
    const sup_tile_op *op = call->op;
    const sup_topology *t = call->tile->hierarchy;
    memset(p, 0, sizeof *p); /* padding, too: problems are compared as bytes */
    *p = (sup_tile_problem){.kernel = op->name ? op->name : "unnamed",
                            .workers = call->tile->pool.workers,
                            .shared = may_be_guided(call),
                            .set_count = op->set_count,
                            .l1_bytes = share(t, 1),
                            .l2_bytes = share(t, 2),
                            .last_bytes = sup_topology_last_level(t)->size_bytes,
                            .line_bytes = line_bytes(t),
                            .page_bytes = t->page_bytes ? t->page_bytes : 4096};
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        p->extent[a] = call->grid.axis[a].extent;
        p->serial[a] = call->grid.axis[a].serial;
        p->least[a] = sup_grid_least(op, a);
    }
    for (int s = 0; s < op->set_count; s++) {
        const sup_tile_set *set = &op->set[s];
        p->set[s] = (sup_choice_set){.row_axis = (int)set->row_axis - 1,
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

sup_status sup_tile_describe(sup_tile *tile, const sup_tile_op *op, sup_diag *diag, sup_tile_problem *out) {
    sup_tile_call call = {.tile = tile, .op = op};
    sup_status status = sup_tile_validate(op, diag);
    if (!status) status = sup_grid_extents(op, diag, &call.grid);
    if (!status) describe(&call, out);
    return status;
}

static bool same_cut(const sup_tile_cut *a, const sup_tile_cut *b) {
    return a->strategy == b->strategy && a->target_bytes == b->target_bytes && a->conservative == b->conservative &&
           memcmp(a->shape, b->shape, sizeof a->shape) == 0 && memcmp(a->inner, b->inner, sizeof a->inner) == 0;
}

/* Is it the same question? Where the data lies does not matter, only whether there is any. */
static bool same_question(const sup_tile_op *a, const sup_tile_op *b) {
    if (a->set_count != b->set_count || !same_cut(&a->cut, &b->cut)) return false;
    if ((a->phases > 1) != (b->phases > 1) || !a->result_bytes != !b->result_bytes ||
        ((a->flags ^ b->flags) & SUP_TILE_IRREGULAR))
        return false; /* may_be_guided */
    for (int s = 0; s < a->set_count; s++) {
        const sup_tile_set *x = &a->set[s], *y = &b->set[s];
        const size_t from = offsetof(sup_tile_set, rows);
        if (!x->data != !y->data || memcmp(&x->rows, &y->rows, sizeof *x - from) != 0) return false;
    }
    return true;
}

static sup_tile_recalled *recall(sup_tile *tile, const sup_tile_op *op) {
    const char *name = op->name ? op->name : "unnamed";
    for (int i = 0; i < SUP_TILE_RECALL; i++) {
        sup_tile_recalled *r = &tile->recalled[i];
        if (r->index >= 0 && same_question(&r->op, op) && strcmp(tile->plan->tiles[r->index].kernel, name) == 0)
            return r;
    }
    return NULL;
}

static sup_tile_recalled *remember(sup_tile *tile, const sup_tile_op *op, const sup_tile_problem *problem, size_t at) {
    sup_tile_recalled *r = &tile->recalled[tile->recall_next];
    tile->recall_next = (tile->recall_next + 1) % SUP_TILE_RECALL;
    r->index = (int)at;
    r->op = *op;
    r->problem = *problem;
    r->problem.kernel = tile->plan->tiles[at].kernel;
    r->candidate = SUP_TILE_NO_CUT;
    return r;
}

/* The record of this kernel and size class; a new one with the first guess where there is none. */
static sup_status find_record(sup_tile *tile, const sup_tile_problem *problem, sup_diag *diag, size_t *index) {
    char class[SUP_SIZE_CLASS];
    sup_tile_size_class(problem, class);
    if (!tile->plan) {
        sup_status status = sup_plan_new(-1, diag, &tile->plan);
        if (status) return status;
    }
    for (*index = 0; *index < tile->plan->tiles_count; ++*index) {
        const sup_plan_tile *known = &tile->plan->tiles[*index];
        if (strcmp(known->kernel, problem->kernel) == 0 && strcmp(known->size_class, class) == 0) return SUP_OK;
    }
    sup_plan_tile *fresh = SUP_APPEND(&sup_plan_tile_record, tile->plan->tiles, tile->plan->tiles_count);
    if (!fresh) return SUP_ENOMEM;
    sup_status status = sup_tile_first_guess(problem, tile->known, fresh);
    if (!status) return SUP_OK;
    sup_record_clear(&sup_plan_tile_record, fresh);
    tile->plan->tiles_count--;
    return status;
}

static sup_status samples_of(sup_tile *tile, size_t index) {
    if ((size_t)tile->memory_count > index) return SUP_OK;
    struct sup_tile_memory *more = realloc(tile->memory, (index + 1) * sizeof *more);
    if (!more) return SUP_ENOMEM;
    tile->memory = more;
    for (; (size_t)tile->memory_count <= index; tile->memory_count++)
        tile->memory[tile->memory_count] = (struct sup_tile_memory){{0, NULL}};
    return SUP_OK;
}

static sup_status use(sup_tile_call *call, const char *strategy, const int64_t *list, size_t count, sup_diag *diag) {
    int s = strategy_of(strategy);
    if (s < 0 || (count != 0 && count != 3 && count != 6))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the plan has no usable strategy and shape for kernel %s",
                            call->op->name);
    size_t shape[SUP_TILE_AXES] = {0}, inner[SUP_TILE_AXES] = {0};
    for (size_t i = 0; i < count; i++) (i < 3 ? shape : inner)[i % 3] = (size_t)list[i];
    cut_shape(call, (sup_tile_strategy)s, shape, inner);
    return SUP_OK;
}

static void fill_report(sup_tile_call *call) {
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        const sup_grid_axis *x = &call->grid.axis[a];
        call->report.shape[a] = (size_t)sup_grid_largest(x, false);
        call->report.inner[a] = x->inner ? (size_t)sup_grid_largest(x, true) : 0;
    }
    call->report.tasks = sup_grid_tasks(&call->grid);
    call->report.working_set_bytes = (size_t)sup_grid_bytes(call->op, &call->grid, true);
    call->chains = call->grid.chains;
}

/* The cut that the record publishes: for calls that learn nothing. */
static sup_status use_published(sup_tile_call *call, const sup_plan_tile *known, sup_diag *diag) {
    int64_t both[6] = {0};
    size_t count = known->shape_count == 3 ? 3 : 0;
    for (size_t i = 0; i < count; i++) both[i] = known->shape[i];
    if (count && known->inner_shape_count == 3) {
        count = 6;
        for (size_t i = 0; i < 3; i++) both[3 + i] = known->inner_shape[i];
    }
    return use(call, known->strategy, both, count, diag);
}

static sup_status find_question(sup_tile_call *call, sup_diag *diag) {
    sup_tile *tile = call->tile;
    call->recalled = recall(tile, call->op);
    if (call->recalled) return SUP_OK;
    sup_tile_problem problem;
    size_t index;
    sup_status status = sup_grid_extents(call->op, diag, &call->grid);
    if (status) return status;
    describe(call, &problem);
    if (tile->known) sup_tile_known_costs(tile->known, &problem);
    status = find_record(tile, &problem, diag, &index);
    if (!status) status = samples_of(tile, index);
    if (status)
        return sup_diag_set(diag, status, NULL, 0, "no memory for what is known about kernel %s", problem.kernel);
    call->recalled = remember(tile, call->op, &problem, index);
    return SUP_OK;
}

static sup_status decide_by_plan(sup_tile_call *call, sup_diag *diag) {
    sup_status status = find_question(call, diag);
    if (status) return status;
    sup_tile_recalled *r = call->recalled;
    const sup_plan_tile *known = &call->tile->plan->tiles[r->index];
    bool learn = call->op->name && !(call->op->flags & SUP_TILE_NO_LEARNING) && known->learned &&
                 known->learned->candidates_count > 0;
    call->candidate = learn ? (int)sup_tile_next(known) : SUP_TILE_PUBLISHED;
    if (learn) call->known = r->index;
    call->watched = learn && !known->learned->settled && !(call->tile->last_s > 0 && call->tile->last_s < WATCHED_S);
    if (r->candidate == call->candidate) {
        call->grid = r->grid;
        call->report = r->report;
        call->chains = r->grid.chains;
        return SUP_OK;
    }
    status = sup_grid_extents(call->op, diag, &call->grid);
    if (status) return status;
    if (learn) {
        const sup_plan_candidate *c = &known->learned->candidates[call->candidate];
        status = use(call, c->strategy, c->shape, c->shape_count, diag);
    } else {
        status = use_published(call, known, diag);
    }
    if (status) return status;
    fill_report(call);
    r->candidate = call->candidate;
    r->grid = call->grid;
    r->report = call->report;
    return SUP_OK;
}

void sup_tile_learn(sup_tile_call *call) {
    if (call->known < 0) return;
    sup_tile *tile = call->tile;
    sup_plan_tile *known = &tile->plan->tiles[call->known];
    int64_t explored = known->learned->explored;
    int phases = call->report.phases > 0 ? call->report.phases : 1;
    /* Without memory the call is simply not learned from. */
    (void)sup_tile_seen(&call->recalled->problem, (size_t)call->candidate, call->report.total_s / phases,
                        atomic_load(&call->disturbed), &tile->memory[call->known].samples, known);
    call->report.explored = known->learned->explored > explored;
    for (int i = 0; i < SUP_TILE_RECALL; i++) /* what is published may be another one now */
        if (tile->recalled[i].index == call->known && tile->recalled[i].candidate == SUP_TILE_PUBLISHED)
            tile->recalled[i].candidate = SUP_TILE_NO_CUT;
}

void sup_tile_forget(sup_tile *tile) {
    for (int i = 0; i < tile->memory_count; i++) free(tile->memory[i].samples.ring);
    free(tile->memory);
    sup_plan_free(tile->plan);
    sup_tile_known_free(tile->known);
}

/* ---- the order of questions ---------------------------------------------------------------------------------------*/

sup_status sup_tile_decide(sup_tile_call *call, sup_diag *diag) {
    const sup_tile_op *op = call->op;
    const sup_tile_cut *cut = &op->cut;
    call->line_bytes = line_bytes(call->tile->hierarchy);
    for (int s = 0; s < op->set_count; s++) call->listed = call->listed || op->set[s].own;
    if (call->listed) return run_algorithm(call, diag, &call->list.n);
    call->slot_per_chain = op->result_bytes && (op->flags & SUP_TILE_DETERMINISTIC);
    bool shape = cut->shape[0] || cut->shape[1] || cut->shape[2], empty = false;
    for (int s = 0; s < op->set_count; s++)
        empty = empty || (op->set[s].row_axis && !op->set[s].rows) || (op->set[s].col_axis && !op->set[s].cols);
    bool bands = cut->strategy == SUP_TILE_HORIZONTAL || cut->strategy == SUP_TILE_GUIDED;
    if (!cut->target_bytes && !shape && !call->slot_per_chain && !bands && !empty) {
        sup_status status = decide_by_plan(call, diag);
        if (!status && cut->strategy) call->report.strategy = cut->strategy;
        return status;
    }
    sup_status status = sup_grid_extents(op, diag, &call->grid);
    if (status) return status;
    if (cut->target_bytes) {
        status = decide_by_target(call, diag);
    } else if (shape) {
        cut_shape(call, cut->strategy ? cut->strategy : SUP_TILE_CONTIGUOUS, cut->shape, cut->inner);
    } else if (call->slot_per_chain) {
        call->report.strategy = SUP_TILE_CONTIGUOUS;
        cut_bands(call, SEGMENTS);
    } else {
        cut_shape(call, cut->strategy == SUP_TILE_GUIDED ? SUP_TILE_GUIDED : SUP_TILE_HORIZONTAL, NULL, NULL);
    }
    if (status) return status;
    if (cut->strategy && cut->strategy != SUP_TILE_GUIDED) call->report.strategy = cut->strategy;
    fill_report(call);
    return SUP_OK;
}
