/* The first guess for an operation that nothing is known about (CACHE §3.1, §5.5; term Tcomp, stage choose): what a
 * profile says (tile_profile.c), shapes ranked by the model (tile_rank.c), and the few of them that real calls are to
 * try. A cut that may lose is not applied blindly: unless the kernel walks down columns, smaller parts save nothing
 * that is known beforehand, and the guess is bands of whole rows, many for each worker, so that others can help one
 * whose core is slower or shared. Which strategies there are for which parts is in base/tile_strategy.h. */
#include "choose/tile.h"

#include "model/equation/tile.h"

#include <math.h>
#include <stdlib.h>

enum { CANDIDATES = 12 };
static const double WORTH = 0.9; /* of the cost of bands: less promising is not worth the risk */

/* ---- candidates ---------------------------------------------------------------------------------------------------*/

/* Doublings between two shapes. */
static double apart(const sup_tile_shape *a, const sup_tile_shape *b) {
    double sum = 0;
    for (int i = 0; i < SUP_TILE_AXES; i++) sum += fabs(log2((double)a->size[i] / (double)b->size[i]));
    return sum;
}

static sup_status add_parts(sup_plan_tile *out, const sup_tile_shape *shape) {
    return sup_plan_tile_add_all(out, SUP_TILE_PARTS, shape->size, SUP_TILE_AXES);
}

/* Small parts, fetched ahead, inside blocks whose rows the translation buffer still knows: three shapes to begin with.
 * Transposes of doubles and of int32 on Skylake and Emerald Rapids: within 20 % of the best, and 1.2 to 2.4 times as
 * fast as the best shape that is not fetched ahead (1.1 times on Neoverse-N1, where the first was not tried). But only
 * if L1 holds a line of each row that is walked down: the pitch decides that. `safe`: the shapes of which that is so,
 * or the others. */
static sup_status add_fetched(const sup_tile_problem *p, bool safe, sup_plan_tile *out) {
    const int64_t block = 512;
    int down = sup_tile_inner_axis(p), across = -1;
    double held = HUGE_VAL;
    size_t element = 8;
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].walk == SUP_TILE_COLUMNS && p->set[s].col_axis >= 0) {
            across = p->set[s].col_axis, element = p->set[s].element;
            held = sup_tile_lines_held(p, p->set[s].pitch_bytes);
        }
    if (across < 0 || across == down || p->extent[down] < 2 * block || p->extent[across] < 2 * block) return SUP_OK;
    int64_t line = (int64_t)(p->line_bytes / (element ? element : 1));
    if (line < 1) line = 1;
    const int64_t steps[][2] = {{line, 32}, {64, 2 * line}, {32, 4 * line}}; /* down, across */
    sup_status status = SUP_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !status; i++) {
        int64_t both[6] = {1, 1, 1, 1, 1, 1};
        both[down] = both[across] = block;
        both[3 + down] = steps[i][0] < block ? steps[i][0] : block;
        both[3 + across] = steps[i][1] < block ? steps[i][1] : block;
        bool legal = both[3 + down] >= p->least[down] && both[3 + across] >= p->least[across];
        if (legal && ((double)both[3 + down] <= held) == safe)
            status = sup_plan_tile_add_all(out, SUP_TILE_FETCHED_PARTS, both, 6);
    }
    return status;
}

/* The cheapest, each at least a factor of four away from those before it: neighbours are tried later, around the best.
 */
static sup_status add_ranked(const sup_tile_ranked *list, int count, double most, sup_plan_tile *out) {
    const sup_tile_ranked *taken[CANDIDATES];
    int n = 0;
    for (int i = 0; i < count && n < CANDIDATES; i++) {
        bool skip = list[i].cost > most;
        for (int k = 0; k < n && !skip; k++) skip = apart(&list[i].shape, &taken[k]->shape) < 2;
        if (skip) continue;
        taken[n++] = &list[i];
        sup_status status = add_parts(out, &list[i].shape);
        if (status) return status;
    }
    return SUP_OK;
}

/* The best shape inside blocks that fill about half of L2, where that makes a second level. */
static sup_status add_two_level(const sup_tile_problem *p, const sup_tile_shape *inner, sup_plan_tile *out) {
    int64_t both[6];
    bool larger = false;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        int64_t size = inner->size[a];
        while (size < 256 && size * 2 <= p->extent[a]) size *= 2;
        larger = larger || size > inner->size[a];
        both[a] = size;
        both[3 + a] = inner->size[a];
    }
    return larger ? sup_plan_tile_add_all(out, SUP_TILE_PARTS, both, 6) : SUP_OK;
}

/* Bands shorter than a worker's share, by factors of four between two limits: they keep rows whole, so they cost little
 * more and balance better. */
static sup_status add_bands(const sup_tile_problem *p, int64_t from, int64_t to, sup_plan_tile *out) {
    sup_tile_shape band = sup_tile_band_shape(p);
    int axis = -1;
    for (int a = 0; a < SUP_TILE_AXES; a++)
        if (band.size[a] < p->extent[a]) axis = a;
    for (int64_t cut = from; axis >= 0 && cut <= to; cut *= 4) {
        sup_tile_shape shape = band;
        shape.size[axis] = band.size[axis] / cut;
        if (shape.size[axis] < p->least[axis] || shape.size[axis] < 1) break;
        sup_status status = add_parts(out, &shape);
        if (status) return status;
    }
    return SUP_OK;
}

/* A window goes over the same rows again for each row of the result: columns so few that those rows stay in L1. */
static sup_status add_windows(const sup_tile_problem *p, sup_plan_tile *out) {
    const sup_problem_set *w = NULL;
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].walk == SUP_TILE_WINDOW && p->set[s].memory && p->set[s].col_axis >= 0 && p->set[s].row_axis >= 0)
            w = &p->set[s];
    if (!w || w->element == 0) return SUP_OK;
    int64_t room = (int64_t)(p->l1_bytes / 2 / w->element) / (2 * w->halo_rows + 1) - 2 * w->halo_cols, cols = 32;
    while (2 * cols <= room) cols *= 2;
    if (2 * cols > p->extent[w->col_axis] || cols < p->least[w->col_axis]) return SUP_OK;
    sup_tile_shape shape = sup_tile_band_shape(p);
    shape.size[w->col_axis] = cols;
    shape.size[w->row_axis] = (shape.size[w->row_axis] + 3) / 4;
    if (shape.size[w->row_axis] < p->least[w->row_axis]) return SUP_OK;
    return add_parts(out, &shape);
}

/* Cutting promises much: the model's shapes, each further strategy with the best of them, and bands in the end. */
static sup_status add_cuts(const sup_tile_problem *p, const sup_tile_ranked *list, int count, sup_plan_tile *out) {
    const bool once = sup_tile_once(p);
    const sup_tile_shape *best = &list[0].shape;
    sup_status status = once ? add_fetched(p, true, out) : SUP_OK;
    if (!status) status = add_ranked(list, count, 2 * list[0].cost, out);
    if (!status && once) status = add_fetched(p, false, out);
    if (!status) status = add_two_level(p, best, out);
    if (!status) status = sup_plan_tile_add_all(out, SUP_TILE_REDEALT_PARTS, best->size, SUP_TILE_AXES);
    if (!status) status = sup_plan_tile_add_all(out, SUP_TILE_BANDS, NULL, 0);
    return status;
}

static sup_status add_whole_rows(const sup_tile_problem *p, sup_plan_tile *out) {
    sup_status status = p->shared ? sup_plan_tile_add_all(out, SUP_TILE_SHARED_BANDS, NULL, 0) : SUP_OK;
    if (!status) status = sup_plan_tile_add_all(out, SUP_TILE_BANDS, NULL, 0);
    if (!status) status = add_bands(p, 4, 64, out);
    if (!status) status = add_windows(p, out);
    return status;
}

/* What was the best at another size comes first. */
static sup_status add_similar(const sup_tile_problem *p, const sup_profile *profile, sup_plan_tile *out) {
    const sup_tile_time *best = profile ? sup_tile_similar_best(p, profile) : NULL;
    return best ? sup_plan_tile_add(out, best->strategy, best->shape, best->shape_count) : SUP_OK;
}

static sup_status fill(const sup_tile_problem *p, const sup_profile *profile, sup_plan_tile *out) {
    int count;
    sup_tile_ranked *list = sup_tile_rank(p, &count);
    if (!list) return SUP_ENOMEM;
    sup_tile_shape band = sup_tile_band_shape(p);
    bool cut = sup_tile_has_columns(p) && list[0].cost < WORTH * sup_tile_cost(p, &band);
    sup_status status = sup_plan_tile_begin(p, out);
    if (!status) status = add_similar(p, profile, out);
    if (!status) status = cut ? add_cuts(p, list, count, out) : add_whole_rows(p, out);
    if (!status) status = sup_plan_tile_publish(out, 0);
    free(list);
    return status;
}

sup_status sup_tile_first_guess(const sup_tile_problem *problem, const sup_profile *profile, sup_plan_tile *out) {
    sup_tile_problem p = *problem;
    if (!profile) return fill(&p, NULL, out);
    sup_status status = sup_tile_from_profile(&p, profile, out);
    if (status != SUP_ENOENT) return status;
    sup_tile_line_costs(profile, &p);
    return fill(&p, profile, out);
}
