/* How tile records of a plan are found, filled and published (plan/tile.h). */
#include "plan/tile.h"

#include <string.h>

sup_plan_tile *sup_plan_tile_find(const sup_plan *plan, const char *kernel, const char *size_class) {
    for (size_t i = 0; i < plan->tiles_count; i++) {
        sup_plan_tile *tile = &plan->tiles[i];
        if (strcmp(tile->kernel, kernel) == 0 && strcmp(tile->size_class, size_class) == 0) return tile;
    }
    return NULL;
}

sup_status sup_plan_tile_begin(const sup_tile_problem *problem, sup_plan_tile *out) {
    char class[SUP_SIZE_CLASS];
    out->bytes = -1;
    out->learned = sup_record_make(&sup_plan_learned_record);
    if (!out->learned) return SUP_ENOMEM;
    out->learned->lost_s = out->learned->total_s = 0;
    sup_status status = sup_record_set_string(&out->kernel, problem->kernel);
    if (!status) status = sup_record_set_string(&out->size_class, sup_tile_size_class(problem, class));
    return status;
}

sup_status sup_plan_tile_add(sup_plan_tile *tile, const char *strategy, const int64_t *shape, size_t count) {
    sup_plan_learned *l = tile->learned;
    sup_plan_candidate *c = SUP_APPEND(&sup_plan_candidate_record, l->candidates, l->candidates_count);
    if (!c) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&c->strategy, strategy);
    if (!status && count) status = sup_record_set_ints(&c->shape, &c->shape_count, shape, count);
    return status;
}

sup_status sup_plan_tile_add_all(sup_plan_tile *tile, sup_tile_parts parts, const int64_t *shape, size_t count) {
    sup_status status = SUP_OK;
    for (const sup_tile_trait *t = NULL; !status && (t = sup_tile_trait_next(parts, t));)
        status = sup_plan_tile_add(tile, t->name, shape, count);
    return status;
}

sup_status sup_plan_tile_publish(sup_plan_tile *tile, size_t candidate) {
    const sup_plan_candidate *c = &tile->learned->candidates[candidate];
    const bool shaped = c->shape_count >= SUP_TILE_AXES, two_levels = c->shape_count == 2 * SUP_TILE_AXES;
    sup_status status = sup_record_set_string(&tile->strategy, c->strategy);
    if (!status) status = sup_record_set_ints(&tile->shape, &tile->shape_count, c->shape, shaped ? SUP_TILE_AXES : 0);
    if (!status)
        status = sup_record_set_ints(&tile->inner_shape, &tile->inner_shape_count,
                                     two_levels ? c->shape + SUP_TILE_AXES : NULL, two_levels ? SUP_TILE_AXES : 0);
    return status;
}
