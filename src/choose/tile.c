/* The first guess for an operation that nothing is known about (CACHE §3.1, §5.5; stage choose): what a profile says
 * (tile_profile.c), shapes ranked by tile_cost.c, and the few of them that real calls are to try. A cut that may lose
 * is not applied blindly: unless the kernel walks down columns, smaller parts save nothing that is known beforehand,
 * and the guess is bands of whole rows, many for each worker, so that others can help one whose core is slower or
 * shared. */
#include "choose/tile_cost.h"
#include "plan/tile_choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 16, CANDIDATES = 12 };
static const double WORTH = 0.9; /* of the cost of bands: less promising is not worth the risk */

/* Lower end of the class of n: quarters of octaves. */
static double class_floor(int64_t n) { return n < 2 ? 1 : floor(exp2(floor(4 * log2((double)n) + 1e-9) / 4) + 1e-9); }

static bool bad_pitch(const sup_tile_problem *p) {
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].memory && p->set[s].rows > 1 && p->set[s].pitch_bytes % 2048 == 0) return true;
    return false;
}

bool sup_tile_is_banded(const char *strategy) {
    return strcmp(strategy, "horizontal") == 0 || strcmp(strategy, "guided") == 0;
}

char *sup_tile_size_class(const sup_tile_problem *p, char buf[SUP_SIZE_CLASS]) {
    int n = snprintf(buf, SUP_SIZE_CLASS, "%.0fx%.0fx%.0f e", class_floor(p->extent[0]), class_floor(p->extent[1]),
                     class_floor(p->extent[2]));
    for (int s = 0; s < p->set_count && n < SUP_SIZE_CLASS - 8; s++)
        n += snprintf(buf + n, SUP_SIZE_CLASS - (size_t)n, "%s%zu", s ? "," : "", p->set[s].element);
    if (n < SUP_SIZE_CLASS)
        snprintf(buf + n, SUP_SIZE_CLASS - (size_t)n, " w%d%s", p->workers, bad_pitch(p) ? " aligned" : "");
    return buf;
}

double sup_tile_class_work(const sup_tile_problem *p) {
    double work = 1;
    for (int a = 0; a < SUP_CHOICE_AXES; a++) work *= (double)p->extent[a] / class_floor(p->extent[a]);
    return work > 0 ? work : 1;
}

/* ---- candidates ---------------------------------------------------------------------------------------------------*/

/* Powers of two from 4 on that are legal, and the whole axis; of four or more where the axis is very long. */
static int sizes_of(const sup_tile_problem *p, int axis, int64_t *out) {
    int n = 0;
    int64_t factor = 2;
    while (4 * pow((double)factor, SIZES - 1) < (double)p->extent[axis]) factor *= 2;
    for (int64_t size = 4; size < p->extent[axis] && n < SIZES - 1; size *= factor)
        if (size >= p->least[axis]) out[n++] = size;
    out[n++] = p->extent[axis];
    return n;
}

static int by_cost(const void *a, const void *b) {
    const sup_tile_ranked *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return memcmp(&x->shape, &y->shape, sizeof x->shape);
}

sup_tile_ranked *sup_tile_rank(const sup_tile_problem *p, int *count) {
    int64_t sizes[SUP_CHOICE_AXES][SIZES];
    int n[SUP_CHOICE_AXES];
    for (int a = 0; a < SUP_CHOICE_AXES; a++) n[a] = sizes_of(p, a, sizes[a]);
    sup_tile_ranked *list = calloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2], sizeof *list);
    *count = 0;
    if (!list) return NULL;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) {
                sup_tile_shape shape = {{sizes[0][i], sizes[1][j], sizes[2][k]}};
                list[(*count)++] = (sup_tile_ranked){shape, sup_tile_cost(p, &shape)};
            }
    qsort(list, (size_t)*count, sizeof *list, by_cost);
    return list;
}

/* Doublings between two shapes. */
static double apart(const sup_tile_shape *a, const sup_tile_shape *b) {
    double sum = 0;
    for (int i = 0; i < SUP_CHOICE_AXES; i++) sum += fabs(log2((double)a->size[i] / (double)b->size[i]));
    return sum;
}

static sup_status add_candidate(sup_plan_tile *tile, const char *strategy, const int64_t *shape, size_t count) {
    sup_plan_learned *l = tile->learned;
    sup_plan_candidate *c = SUP_APPEND(&sup_plan_candidate_record, l->candidates, l->candidates_count);
    if (!c) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&c->strategy, strategy);
    if (!status && count) status = sup_record_set_ints(&c->shape, &c->shape_count, shape, count);
    return status;
}

/* Small parts, fetched ahead, inside blocks whose rows the translation buffer still knows: three shapes to begin with.
 * Transposes of doubles and of int32 on Skylake and Emerald Rapids: within 20 % of the best, and 1.2 to 2.4 times as
 * fast as the best shape that is not fetched ahead (1.1 times on Neoverse-N1, where the first was not tried). But only
 * if L1 holds a line of each row that is walked down: the pitch decides that. `safe`: the shapes of which that is so,
 * or the others. */
static sup_status add_ahead(const sup_tile_problem *p, bool safe, sup_plan_tile *out) {
    const int64_t block = 512;
    int down = sup_tile_inner_axis(p), across = -1;
    double held = HUGE_VAL;
    size_t element = 8;
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].walk == SUP_CHOICE_COLUMNS && p->set[s].col_axis >= 0) {
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
        if (legal && ((double)both[3 + down] <= held) == safe) status = add_candidate(out, "ahead", both, 6);
    }
    return status;
}

/* The cheapest, each at least a factor of four away from those before it: neighbours are tried later, around the best.
 */
static sup_status add_ranked(const sup_tile_ranked *list, int count, double most, sup_plan_tile *out) {
    const sup_tile_ranked *taken[CANDIDATES];
    int n = 0;
    for (int i = 0; i < count && n < CANDIDATES; i++) {
        bool near = list[i].cost > most;
        for (int k = 0; k < n && !near; k++) near = apart(&list[i].shape, &taken[k]->shape) < 2;
        if (near) continue;
        taken[n++] = &list[i];
        sup_status status = add_candidate(out, "contiguous", list[i].shape.size, SUP_CHOICE_AXES);
        if (status) return status;
    }
    return SUP_OK;
}

/* The best shape inside blocks that fill about half of L2, where that makes a second level. */
static sup_status add_two_level(const sup_tile_problem *p, const sup_tile_shape *inner, sup_plan_tile *out) {
    int64_t both[6];
    bool larger = false;
    for (int a = 0; a < SUP_CHOICE_AXES; a++) {
        int64_t size = inner->size[a];
        while (size < 256 && size * 2 <= p->extent[a]) size *= 2;
        larger = larger || size > inner->size[a];
        both[a] = size;
        both[3 + a] = inner->size[a];
    }
    return larger ? add_candidate(out, "contiguous", both, 6) : SUP_OK;
}

/* Bands shorter than a worker's share, by factors of four between two limits: they keep rows whole, so they cost little
 * more and balance better. */
static sup_status add_bands(const sup_tile_problem *p, int64_t from, int64_t to, sup_plan_tile *out) {
    sup_tile_shape band = sup_tile_band_shape(p);
    int axis = -1;
    for (int a = 0; a < SUP_CHOICE_AXES; a++)
        if (band.size[a] < p->extent[a]) axis = a;
    for (int64_t cut = from; axis >= 0 && cut <= to; cut *= 4) {
        sup_tile_shape shape = band;
        shape.size[axis] = band.size[axis] / cut;
        if (shape.size[axis] < p->least[axis] || shape.size[axis] < 1) break;
        sup_status status = add_candidate(out, "contiguous", shape.size, SUP_CHOICE_AXES);
        if (status) return status;
    }
    return SUP_OK;
}

/* A window goes over the same rows again for each row of the result: columns so few that those rows stay in L1. */
static sup_status add_windows(const sup_tile_problem *p, sup_plan_tile *out) {
    const sup_choice_set *w = NULL;
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].walk == SUP_CHOICE_WINDOW && p->set[s].memory && p->set[s].col_axis >= 0 &&
            p->set[s].row_axis >= 0)
            w = &p->set[s];
    if (!w || w->element == 0) return SUP_OK;
    int64_t room = (int64_t)(p->l1_bytes / 2 / w->element) / (2 * w->halo_rows + 1) - 2 * w->halo_cols, cols = 32;
    while (2 * cols <= room) cols *= 2;
    if (2 * cols > p->extent[w->col_axis] || cols < p->least[w->col_axis]) return SUP_OK;
    sup_tile_shape shape = sup_tile_band_shape(p);
    shape.size[w->col_axis] = cols;
    shape.size[w->row_axis] = (shape.size[w->row_axis] + 3) / 4;
    if (shape.size[w->row_axis] < p->least[w->row_axis]) return SUP_OK;
    return add_candidate(out, "contiguous", shape.size, SUP_CHOICE_AXES);
}

static sup_status fill(const sup_tile_problem *p, const sup_tile_ranked *list, int count, sup_plan_tile *out) {
    sup_tile_shape band = sup_tile_band_shape(p);
    double bands = sup_tile_cost(p, &band);
    bool cut = sup_tile_has_columns(p) && list[0].cost < WORTH * bands;
    sup_status status = !cut && p->shared ? add_candidate(out, "guided", NULL, 0) : SUP_OK;
    if (!status && !cut) status = add_candidate(out, "horizontal", NULL, 0);
    if (!status && cut && sup_tile_once(p)) status = add_ahead(p, true, out);
    if (!status) status = add_ranked(list, cut ? count : 0, 2 * list[0].cost, out);
    if (!status && cut && sup_tile_once(p)) status = add_ahead(p, false, out);
    if (!status && cut) status = add_two_level(p, &list[0].shape, out);
    if (!status && cut) status = add_candidate(out, "sibling", list[0].shape.size, SUP_CHOICE_AXES);
    if (!status && cut) status = add_candidate(out, "horizontal", NULL, 0);
    if (!status && !cut) status = add_bands(p, 4, 64, out);
    if (!status && !cut) status = add_windows(p, out);
    return status;
}

/* What was the best at another size comes first. */
static sup_status add_known(const sup_tile_problem *p, const sup_tile_known *known, sup_plan_tile *out) {
    const char *strategy;
    const int64_t *shape;
    size_t count;
    if (!known || !sup_tile_known_near(known, p, &strategy, &shape, &count)) return SUP_OK;
    return add_candidate(out, strategy, shape, count);
}

static sup_status publish_first(sup_plan_tile *out) {
    const sup_plan_candidate *c = &out->learned->candidates[0];
    sup_status status = sup_record_set_string(&out->strategy, c->strategy);
    if (!status && c->shape_count)
        status = sup_record_set_ints(&out->shape, &out->shape_count, c->shape, SUP_CHOICE_AXES);
    if (!status && c->shape_count == 2 * SUP_CHOICE_AXES)
        status = sup_record_set_ints(&out->inner_shape, &out->inner_shape_count, c->shape + SUP_CHOICE_AXES,
                                     SUP_CHOICE_AXES);
    return status;
}

sup_status sup_tile_first_guess(const sup_tile_problem *p, const sup_tile_known *known, sup_plan_tile *out) {
    char class[SUP_SIZE_CLASS];
    int count;
    sup_status status = known ? sup_tile_known_guess(known, p, out) : SUP_ENOENT;
    if (status != SUP_ENOENT) return status;
    sup_tile_ranked *list = sup_tile_rank(p, &count);
    if (!list) return SUP_ENOMEM;
    out->bytes = -1;
    out->learned = sup_record_make(&sup_plan_learned_record);
    status = out->learned ? SUP_OK : SUP_ENOMEM;
    if (!status) out->learned->lost_s = out->learned->total_s = 0;
    if (!status) status = sup_record_set_string(&out->kernel, p->kernel);
    if (!status) status = sup_record_set_string(&out->size_class, sup_tile_size_class(p, class));
    if (!status) status = add_known(p, known, out);
    if (!status) status = fill(p, list, count, out);
    if (!status) status = publish_first(out);
    free(list);
    return status;
}
