/* Decides how data-parallel operations are cut (Tcomp; CACHE ch. 5): of each sweep that the profile has, the best, if
 * it is faster than one band a worker beyond the intervals. Where it is not, calls go on finding out by themselves. */
#include "base/tile_strategy.h"
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { AXES = 3, TEXT = 160 };
#define APPLY "name the plan in plan_file of sup_tile_open"

typedef struct sweep {
    const sup_tile_time *best, *bands;
    size_t count;
} sweep;

static bool same(const sup_tile_time *a, const sup_tile_time *b) {
    return !strcmp(a->kernel, b->kernel) && !strcmp(a->size_class, b->size_class) && a->workers == b->workers;
}

static bool is_bands(const sup_tile_time *t) { return sup_tile_trait_find(t->strategy)->parts == SUP_TILE_BANDS; }

/* Can a plan say it? Bands, or shapes of one level or two of strategies that are known here. */
static bool is_usable(const sup_tile_time *t) {
    const sup_tile_trait *trait = sup_tile_trait_find(t->strategy);
    if (!t->time_s || trait->parts == SUP_TILE_NO_PARTS) return false;
    return sup_tile_is_banded(trait) || t->shape_count == AXES || t->shape_count == 2 * AXES;
}

/* The sweep that begins at times `at`; false: that one belongs to an earlier sweep. */
static bool sweep_at(const sup_profile *p, size_t at, sweep *out) {
    *out = (sweep){0};
    for (size_t i = 0; i < at; i++)
        if (same(&p->tiles[i], &p->tiles[at])) return false;
    for (size_t i = at; i < p->tiles_count; i++) {
        const sup_tile_time *t = &p->tiles[i];
        if (!same(t, &p->tiles[at]) || !is_usable(t)) continue;
        out->count++;
        if (!out->best || t->time_s->value < out->best->time_s->value) out->best = t;
        if (is_bands(t) && (!out->bands || t->time_s->value < out->bands->time_s->value)) out->bands = t;
    }
    return out->best != NULL;
}

static sup_prediction time_of(const sup_tile_time *t) {
    double v = t->time_s->value, ci = isfinite(t->time_s->ci) ? t->time_s->ci : SUP_CHOOSE_UNSURE * v;
    return (sup_prediction){v, fmax(0, v - ci), v + ci};
}

static void describe(const sup_tile_time *t, char text[TEXT]) {
    const sup_tile_trait *trait = sup_tile_trait_find(t->strategy);
    int used = snprintf(text, TEXT, "%s", is_bands(t) ? "one band a worker" : trait->name);
    for (size_t i = 0; i < t->shape_count && !sup_tile_is_banded(trait) && used < TEXT; i++)
        used += snprintf(text + used, (size_t)(TEXT - used), "%s%" PRId64,
                         i == AXES ? " inside "
                         : i       ? " × "
                                   : " ",
                         t->shape[i]);
}

static sup_status add_record(sup_plan *plan, const sup_tile_time *t) {
    sup_plan_tile *tile = SUP_APPEND(&sup_plan_tile_record, plan->tiles, plan->tiles_count);
    sup_status st = tile ? sup_record_set_string(&tile->kernel, t->kernel) : SUP_ENOMEM;
    if (!st) st = sup_record_set_string(&tile->size_class, t->size_class);
    if (!st) st = sup_record_set_string(&tile->strategy, t->strategy);
    if (st || sup_tile_is_banded(sup_tile_trait_find(t->strategy))) return st;
    st = sup_record_set_ints(&tile->shape, &tile->shape_count, t->shape, AXES);
    if (!st && t->shape_count == 2 * AXES)
        st = sup_record_set_ints(&tile->inner_shape, &tile->inner_shape_count, t->shape + AXES, AXES);
    return st;
}

static sup_status say(sup_plan *plan, const sweep *s, bool better, bool taken) {
    char best[TEXT], otherwise[TEXT];
    describe(s->best, best);
    describe(s->bands, otherwise);
    sup_plan_decision *d =
        sup_choose_say(plan, "tiles", taken ? best : "found out by calls", taken ? otherwise : "found out by calls");
    if (!d) return SUP_ENOMEM;
    double gain = s->bands->time_s->value / s->best->time_s->value;
    if (taken) {
        d->measured_s = s->best->time_s->value;
        d->measured_otherwise_s = s->bands->time_s->value;
    }
    if (better) sup_choose_gain(d, time_of(s->best), time_of(s->bands));
    sup_status st = sup_choose_where(d, "%s, %s", s->best->kernel, s->best->size_class);
    if (!st && taken) st = sup_record_set_string(&d->command, APPLY);
    if (!st && taken)
        st = sup_choose_because(d, "the best of %zu cuts that were tried, %.2f × as fast as one band a worker",
                                s->count, gain);
    if (!st && !taken && better)
        st = sup_choose_not(d, NULL, best, gain);
    else if (!st && !taken)
        st = sup_choose_because(d,
                                "kept: the best of %zu cuts is %.2f × as fast as one band a worker, which lies "
                                "within the intervals",
                                s->count, gain);
    return st ? st : sup_choose_beat(d, taken ? otherwise : best, NAN, (taken ? s->bands : s->best)->time_s->value);
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    (void)diag;
    for (size_t i = 0; i < c->profile->tiles_count; i++) {
        sweep s;
        if (!sweep_at(c->profile, i, &s) || !s.bands) continue;
        bool better = s.best != s.bands && sup_choose_better(time_of(s.best), time_of(s.bands));
        bool taken = better && sup_choose_takes(c, NULL);
        sup_status st = taken ? add_record(plan, s.best) : SUP_OK;
        if (!st) st = say(plan, &s, better, taken);
        if (st) return st;
    }
    return SUP_OK;
}

const sup_decider sup_decider_tiles = {.name = "tiles",
                                       .help = "how data-parallel loops are cut for the caches",
                                       .rests = {{"tiles", false}},
                                       .decide = decide};
