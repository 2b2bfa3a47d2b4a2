/* What a profile adds to the first guess for a data-parallel operation (stage choose, term Tcomp): a sweep of the same
 * kernel and size class decides, one of another size class comes before the model's own ideas, and the rates of a plain
 * copy say how dear the caches and memory of this machine are. plan/tile_choice.h is the joint. */
#include "choose/tile_tune.h"
#include "plan/tile_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sup_tile_known {
    sup_profile *profile;
};

sup_status sup_tile_known_read(const char *file, const sup_origin *here, sup_diag *diag, sup_tile_known **out) {
    sup_tile_known *known = calloc(1, sizeof *known);
    if (!known) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory");
    sup_status status = sup_profile_read(file, false, diag, &known->profile);
    if (!status) status = sup_origin_match(&known->profile->signature, here, SUP_SIGNATURE_ANY_RUN, diag);
    if (status) {
        sup_tile_known_free(known);
        return status;
    }
    *out = known;
    return SUP_OK;
}

void sup_tile_known_free(sup_tile_known *known) {
    if (!known) return;
    sup_profile_free(known->profile);
    free(known);
}

sup_status sup_tile_known_guess(const sup_tile_known *known, const sup_tile_problem *p, sup_plan_tile *out) {
    return sup_tile_from_profile(p, known->profile, out);
}

/* ---- a sweep of another size --------------------------------------------------------------------------------------*/

/* How far a size class is from the problem, in octaves along its axes; infinity where the elements differ. */
static double class_distance(const sup_tile_problem *p, const char *class) {
    double extent[SUP_CHOICE_AXES], sum = 0;
    char own[SUP_SIZE_CLASS];
    const char *at = class, *mine = strstr(sup_tile_size_class(p, own), " e"), *other = strstr(class, " e");
    if (!mine || !other || strcmp(mine, other) != 0) return INFINITY; /* elements, workers, alignment */
    for (int a = 0; a < SUP_CHOICE_AXES; a++) {
        char *end;
        extent[a] = strtod(at, &end);
        if (end == at || !(extent[a] >= 1)) return INFINITY;
        at = *end == 'x' ? end + 1 : end;
        sum += fabs(log2((double)(p->extent[a] > 0 ? p->extent[a] : 1) / extent[a]));
    }
    return sum;
}

bool sup_tile_known_near(const sup_tile_known *known, const sup_tile_problem *p, const char **strategy,
                         const int64_t **shape, size_t *count) {
    const sup_profile *f = known->profile;
    const sup_tile_time *best = NULL;
    double nearest = INFINITY;
    for (size_t i = 0; i < f->tiles_count; i++) {
        const sup_tile_time *t = &f->tiles[i];
        if (strcmp(t->kernel, p->kernel) != 0 || t->workers != p->workers || !t->time_s) continue;
        double far = class_distance(p, t->size_class);
        if (!isfinite(far) || far > nearest) continue;
        if (!best || far < nearest || t->time_s->value < best->time_s->value) best = t;
        nearest = far;
    }
    if (!best || sup_tile_is_banded(best->strategy)) return false;
    if (best->shape_count != SUP_CHOICE_AXES && best->shape_count != 2 * SUP_CHOICE_AXES) return false;
    for (size_t i = 0; i < best->shape_count; i++)
        if (best->shape[i] > p->extent[i % SUP_CHOICE_AXES] || best->shape[i] < p->least[i % SUP_CHOICE_AXES])
            return false;
    *strategy = best->strategy;
    *shape = best->shape;
    *count = best->shape_count;
    return true;
}

/* ---- what lines cost ----------------------------------------------------------------------------------------------*/

/* What an element of a copy takes more from L2, from the last cache and from memory than from L1, as a share of that:
 * on the machine on which the model's constants were found (Neoverse-N1, two cores copying). */
static const double reference[SUP_CHOICE_LEVELS] = {0.14, 1.45, 1.75};
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

void sup_tile_known_costs(const sup_tile_known *known, sup_tile_problem *p) {
    const sup_kernel_profile *k = sup_profile_kernel(known->profile, "copy");
    const sup_kernel_rate *r = k ? rate_of(k, p->workers) : NULL;
    if (!r) return;
    const double at[SUP_CHOICE_LEVELS] = {0.5 * (double)(p->l1_bytes + p->l2_bytes),
                                          0.5 * (double)(p->l2_bytes + p->last_bytes / (size_t)p->workers),
                                          4 * (double)p->last_bytes};
    double least = sup_curve_at(r->unit_s->curve, 0.5 * (double)p->l1_bytes);
    for (int i = 0; i < SUP_CHOICE_LEVELS && least > 0; i++) {
        double more = sup_curve_at(r->unit_s->curve, at[i]) / least - 1;
        if (isfinite(more)) p->dearer[i] = fmin(fmax(more / reference[i], LEAST), MOST);
    }
}
