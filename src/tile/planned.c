/* The cut of a call by the plan: the record of its kernel and size class, or the first guess, which becomes one; times
 * of calls go back into it (learn.c). What was asked lately is remembered with its answer. (Stage estimate.) */
#include "tile/strategy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define WATCHED_S 1e-3 /* a call that takes less costs more to watch than it is worth: most of them are left alone */

sup_status sup_tile_describe(sup_tile *tile, const sup_tile_op *op, sup_diag *diag, sup_tile_problem *out) {
    sup_tile_call call = {.tile = tile, .op = op};
    sup_status status = sup_tile_validate(op, diag);
    if (!status) status = sup_grid_extents(op, diag, &call.grid);
    if (!status) sup_tile_describe_call(&call, out);
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
        return false; /* what strategies ask about that are not always possible */
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

/* Where nobody guesses: bands, and of those for whoever is idle first. */
static sup_status default_guess(const sup_tile_problem *problem, sup_plan_tile *out) {
    sup_status status = sup_plan_tile_begin(problem, out);
    if (!status && problem->shared) status = sup_plan_tile_add_all(out, SUP_TILE_SHARED_BANDS, NULL, 0);
    if (!status) status = sup_plan_tile_add_all(out, SUP_TILE_BANDS, NULL, 0);
    return status ? status : sup_plan_tile_publish(out, 0);
}

/* The record of this kernel and size class; a new one with the first guess where there is none. */
static sup_status find_record(sup_tile *tile, const sup_tile_problem *problem, sup_diag *diag, size_t *index) {
    char class[SUP_SIZE_CLASS];
    if (!tile->plan) {
        sup_status status = sup_plan_new(-1, diag, &tile->plan);
        if (status) return status;
    }
    sup_plan *plan = tile->plan;
    const sup_plan_tile *known = sup_plan_tile_find(plan, problem->kernel, sup_tile_size_class(problem, class));
    *index = known ? (size_t)(known - plan->tiles) : plan->tiles_count;
    if (known) return SUP_OK;
    sup_plan_tile *fresh = SUP_APPEND(&sup_plan_tile_record, plan->tiles, plan->tiles_count);
    if (!fresh) return SUP_ENOMEM;
    const sup_tile_guesser *g = &tile->guesser;
    sup_status status = g->guess ? g->guess(g->context, problem, fresh) : default_guess(problem, fresh);
    if (!status) return SUP_OK;
    sup_record_clear(&sup_plan_tile_record, fresh);
    plan->tiles_count--;
    return status;
}

static sup_status samples_of(sup_tile *tile, size_t index) {
    if (tile->samples_count > index) return SUP_OK;
    sup_tile_samples *more = realloc(tile->samples, (index + 1) * sizeof *more);
    if (!more) return SUP_ENOMEM;
    memset(more + tile->samples_count, 0, (index + 1 - tile->samples_count) * sizeof *more);
    tile->samples = more;
    tile->samples_count = index + 1;
    return SUP_OK;
}

static sup_status use(sup_tile_call *call, const char *strategy, const int64_t *list, size_t count, sup_diag *diag) {
    const sup_tile_trait *trait = sup_tile_trait_find(strategy);
    if (!trait->strategy || (count != 0 && count != 3 && count != 6))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the plan has no usable strategy and shape for kernel %s",
                            call->op->name);
    size_t shape[SUP_TILE_AXES] = {0}, inner[SUP_TILE_AXES] = {0};
    for (size_t i = 0; i < count; i++) (i < 3 ? shape : inner)[i % 3] = (size_t)list[i];
    sup_tile_method_cut(call, trait->strategy, shape, inner);
    return SUP_OK;
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
    sup_tile_describe_call(call, &problem);
    status = find_record(tile, &problem, diag, &index);
    if (!status) status = samples_of(tile, index);
    if (status)
        return sup_diag_set(diag, status, NULL, 0, "no memory for what is known about kernel %s", problem.kernel);
    call->recalled = remember(tile, call->op, &problem, index);
    return SUP_OK;
}

sup_status sup_tile_decide_by_plan(sup_tile_call *call, sup_diag *diag) {
    sup_status status = find_question(call, diag);
    if (status) return status;
    sup_tile_recalled *r = call->recalled;
    const sup_plan_tile *known = &call->tile->plan->tiles[r->index];
    bool learn = call->op->name && !(call->op->flags & SUP_TILE_NO_LEARNING) && known->learned &&
                 known->learned->candidates_count > 0;
    call->candidate = learn ? (int)sup_tile_next(known) : SUP_TILE_PUBLISHED;
    if (learn) call->record = r->index;
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
    sup_tile_cut_report(call);
    r->candidate = call->candidate;
    r->grid = call->grid;
    r->report = call->report;
    return SUP_OK;
}

void sup_tile_learn(sup_tile_call *call) {
    if (call->record < 0) return;
    sup_tile *tile = call->tile;
    sup_plan_tile *known = &tile->plan->tiles[call->record];
    int64_t explored = known->learned->explored;
    int phases = call->report.phases > 0 ? call->report.phases : 1;
    /* Without memory the call is simply not learned from. */
    (void)sup_tile_seen(&call->recalled->problem, (size_t)call->candidate, call->report.total_s / phases,
                        atomic_load(&call->disturbed), &tile->samples[call->record], known);
    call->report.explored = known->learned->explored > explored;
    for (int i = 0; i < SUP_TILE_RECALL; i++) /* what is published may be another one now */
        if (tile->recalled[i].index == call->record && tile->recalled[i].candidate == SUP_TILE_PUBLISHED)
            tile->recalled[i].candidate = SUP_TILE_NO_CUT;
}

void sup_tile_forget(sup_tile *tile) {
    for (size_t i = 0; i < tile->samples_count; i++) free(tile->samples[i].ring);
    free(tile->samples);
    sup_plan_free(tile->plan);
    if (tile->guesser.free_context) tile->guesser.free_context(tile->guesser.context);
}
