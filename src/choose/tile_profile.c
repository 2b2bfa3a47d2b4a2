/* What a profile adds to the first guess for a data-parallel operation (CACHE ch. 5: the best target differs by
 * problem; term Tcomp, stage choose): a sweep of the same kernel and size class decides, one of another size class
 * comes before the model's own ideas, and the rates of a plain copy say what lines from caches and memory of this
 * machine cost. */
#include "choose/tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sweep of this size -----------------------------------------------------------------------------------------*/

enum { KEPT = 16 }; /* of a sweep: the best, which real calls may compare again */

static int by_time(const void *a, const void *b) {
    const sup_tile_time *const *x = a, *const *y = b;
    double p = (*x)->time_s->value, q = (*y)->time_s->value;
    return p < q ? -1 : p > q;
}

static sup_status keep(const sup_tile_time *t, double work, sup_plan_tile *out) {
    bool banded = sup_tile_is_banded(sup_tile_trait_find(t->strategy));
    sup_status status = sup_plan_tile_add(out, t->strategy, t->shape, banded ? 0 : t->shape_count);
    if (status) return status;
    sup_plan_candidate *c = &out->learned->candidates[out->learned->candidates_count - 1];
    c->call_s = sup_record_make(&sup_number_record);
    if (!c->call_s) return SUP_ENOMEM;
    c->call_s->value = t->time_s->value / work;
    c->call_s->n = t->time_s->n;
    return SUP_OK;
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
    sup_status status = count ? sup_plan_tile_begin(p, out) : SUP_ENOENT;
    for (size_t i = 0; i < count && i < KEPT && !status; i++) status = keep(list[i], sup_tile_class_work(p), out);
    if (!status) status = sup_plan_tile_publish(out, 0);
    if (!status) out->learned->settled = true;
    free(list);
    return status;
}

/* ---- a sweep of another size --------------------------------------------------------------------------------------*/

const sup_tile_time *sup_tile_similar_best(const sup_tile_problem *p, const sup_profile *profile) {
    const sup_tile_time *best = NULL;
    double closest = INFINITY;
    for (size_t i = 0; i < profile->tiles_count; i++) {
        const sup_tile_time *t = &profile->tiles[i];
        if (strcmp(t->kernel, p->kernel) != 0 || t->workers != p->workers || !t->time_s) continue;
        double distance = sup_tile_class_distance(p, t->size_class);
        if (!isfinite(distance) || distance > closest) continue;
        if (!best || distance < closest || t->time_s->value < best->time_s->value) best = t;
        closest = distance;
    }
    if (!best || sup_tile_is_banded(sup_tile_trait_find(best->strategy))) return NULL;
    if (best->shape_count != SUP_TILE_AXES && best->shape_count != 2 * SUP_TILE_AXES) return NULL;
    for (size_t i = 0; i < best->shape_count; i++)
        if (best->shape[i] > p->extent[i % SUP_TILE_AXES] || best->shape[i] < p->least[i % SUP_TILE_AXES]) return NULL;
    return best;
}

/* ---- what lines cost ----------------------------------------------------------------------------------------------*/

/* What an element of a copy takes more from L2, from the last cache and from memory than from L1, as a share of that:
 * on the machine on which the model's constants were found (Neoverse-N1, two cores copying). */
static const double reference[SUP_TILE_LEVELS] = {0.14, 1.45, 1.75};
static const double LEAST = 0.25, MOST = 4; /* a profile taken on a busy machine must not turn everything round */

static const sup_kernel_rate *rate_of(const sup_kernel_profile *k, int64_t workers) {
    const sup_kernel_rate *best = NULL;
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        if (!r->unit_s || !r->unit_s->curve) continue;
        if (!best || llabs(r->active - workers) < llabs(best->active - workers)) best = r;
    }
    return best;
}

void sup_tile_line_costs(const sup_profile *profile, sup_tile_problem *p) {
    const sup_kernel_profile *k = sup_profile_kernel(profile, "copy");
    const sup_kernel_rate *r = k ? rate_of(k, p->workers) : NULL;
    if (!r) return;
    const double at[SUP_TILE_LEVELS] = {0.5 * (double)(p->l1_bytes + p->l2_bytes),
                                        0.5 * (double)(p->l2_bytes + p->last_bytes / (size_t)p->workers),
                                        4 * (double)p->last_bytes};
    double least = sup_curve_at(r->unit_s->curve, 0.5 * (double)p->l1_bytes);
    for (int i = 0; i < SUP_TILE_LEVELS && least > 0; i++) {
        double more = sup_curve_at(r->unit_s->curve, at[i]) / least - 1;
        if (isfinite(more)) p->line_cost[i] = fmin(fmax(more / reference[i], LEAST), MOST);
    }
}
