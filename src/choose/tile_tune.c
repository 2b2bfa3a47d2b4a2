/* Choosing a cut from measured times (CACHE ch. 5: the best target differs by problem; stage choose). */
#include "choose/tile_tune.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 16 }; /* of a sweep: the best, which real calls may compare again */

static int by_time(const void *a, const void *b) {
    const sup_tile_time *const *x = a, *const *y = b;
    double p = (*x)->time_s->value, q = (*y)->time_s->value;
    return p < q ? -1 : p > q;
}

static sup_status keep(const sup_tile_time *t, double work, sup_plan_tile *out) {
    sup_plan_learned *l = out->learned;
    sup_plan_candidate *c = SUP_APPEND(&sup_plan_candidate_record, l->candidates, l->candidates_count);
    if (!c) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&c->strategy, t->strategy);
    if (!status && t->shape_count && !sup_tile_is_banded(t->strategy))
        status = sup_record_set_ints(&c->shape, &c->shape_count, t->shape, t->shape_count);
    if (status) return status;
    c->call_s = sup_record_make(&sup_number_record);
    if (!c->call_s) return SUP_ENOMEM;
    c->call_s->value = t->time_s->value / work;
    c->call_s->n = t->time_s->n;
    return SUP_OK;
}

static sup_status head(const sup_tile_problem *p, sup_plan_tile *out) {
    char class[SUP_SIZE_CLASS];
    out->bytes = -1;
    out->learned = sup_record_make(&sup_plan_learned_record);
    if (!out->learned) return SUP_ENOMEM;
    out->learned->lost_s = out->learned->total_s = 0;
    out->learned->settled = true;
    sup_status status = sup_record_set_string(&out->kernel, p->kernel);
    if (!status) status = sup_record_set_string(&out->size_class, sup_tile_size_class(p, class));
    return status;
}

sup_status sup_tile_from_profile(const sup_tile_problem *p, const sup_profile *profile, sup_plan_tile *out) {
    char class[SUP_SIZE_CLASS];
    size_t count = 0;
    sup_tile_size_class(p, class);
    const sup_tile_time **list = calloc(profile->tiles_count + 1, sizeof *list);
    if (!list) return SUP_ENOMEM;
    for (size_t i = 0; i < profile->tiles_count; i++) {
        const sup_tile_time *t = &profile->tiles[i];
        if (strcmp(t->kernel, p->kernel) == 0 && strcmp(t->size_class, class) == 0 && t->workers == p->workers)
            list[count++] = t;
    }
    qsort(list, count, sizeof(list[0]), by_time);
    sup_status status = count ? head(p, out) : SUP_ENOENT;
    for (size_t i = 0; i < count && i < KEPT && !status; i++) status = keep(list[i], sup_tile_class_work(p), out);
    if (!status) {
        const sup_plan_candidate *best = &out->learned->candidates[0];
        status = sup_record_set_string(&out->strategy, best->strategy);
        if (!status && best->shape_count >= SUP_CHOICE_AXES)
            status = sup_record_set_ints(&out->shape, &out->shape_count, best->shape, SUP_CHOICE_AXES);
        if (!status && best->shape_count == 2 * SUP_CHOICE_AXES)
            status = sup_record_set_ints(&out->inner_shape, &out->inner_shape_count, best->shape + SUP_CHOICE_AXES,
                                         SUP_CHOICE_AXES);
    }
    free(list);
    return status;
}

sup_plan_tile *sup_plan_tile_place(sup_plan *plan, const sup_tile_problem *p) {
    char class[SUP_SIZE_CLASS];
    sup_tile_size_class(p, class);
    for (size_t i = 0; i < plan->tiles_count; i++) {
        sup_plan_tile *t = &plan->tiles[i];
        if (strcmp(t->kernel, p->kernel) != 0 || strcmp(t->size_class, class) != 0) continue;
        sup_record_clear(&sup_plan_tile_record, t);
        return t;
    }
    return SUP_APPEND(&sup_plan_tile_record, plan->tiles, plan->tiles_count);
}
