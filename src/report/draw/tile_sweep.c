/* Which times of a profile are one sweep, and what came out of it (tile_sweep.h). */
#include "report/draw/tile_sweep.h"

#include "base/tile_problem.h"
#include "base/tile_strategy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same(const sup_tile_time *a, const sup_tile_time *b) {
    return a->workers == b->workers && strcmp(a->kernel, b->kernel) == 0 && strcmp(a->size_class, b->size_class) == 0;
}

static bool has(const sup_tile_time *t, sup_tile_parts parts) {
    return sup_tile_trait_find(t->strategy)->parts == parts;
}

/* Whole axes count as any length: 64 × 64 × 1 is a square. */
static bool is_square(const sup_tile_time *t) {
    int64_t side = 0;
    if (!has(t, SUP_TILE_PARTS) || t->shape_count > 3) return false;
    for (size_t i = 0; i < t->shape_count; i++) {
        if (t->shape[i] == 1) continue;
        if (side && t->shape[i] != side) return false;
        side = t->shape[i];
    }
    return side > 1;
}

/* One sample may be quick by chance. */
static void better(const sup_tile_time *t, const sup_tile_time **best) {
    bool single = t->time_s->n == 1, was_single = *best && (*best)->time_s->n == 1;
    if (*best && single != was_single ? was_single : !*best || t->time_s->value < (*best)->time_s->value) *best = t;
}

static bool belongs(const sup_profile *p, const sup_tile_sweep *sweep, size_t at) {
    return p->tiles[at].time_s && same(&p->tiles[at], &p->tiles[sweep->first]);
}

bool sup_tile_sweep_at(const sup_profile *p, size_t at, sup_tile_sweep *out) {
    sup_tile_sweep s = {.first = at};
    for (size_t i = 0; i < at; i++)
        if (same(&p->tiles[i], &p->tiles[at])) return false;
    for (size_t i = at; i < p->tiles_count; i++) {
        const sup_tile_time *t = &p->tiles[i];
        if (!belongs(p, &s, i)) continue;
        s.count++;
        better(t, &s.best);
        if (is_square(t)) better(t, &s.square);
        if (has(t, SUP_TILE_BANDS)) better(t, &s.bands);
    }
    *out = s;
    return s.best != NULL;
}

/* Bytes of the parts of a task, roughly: of the second level where there is one. */
static double task_bytes(const sup_tile_time *t) {
    size_t from = t->shape_count == 6 ? 3 : 0;
    double side[3];
    for (size_t i = 0; i < 3; i++) side[i] = from + i < t->shape_count ? (double)t->shape[from + i] : 1;
    sup_tile_class class;
    double size = sup_tile_class_parse(t->size_class, &class) && class.set_count ? class.element[0] : 0;
    double elements = side[2] > 1 ? side[0] * side[2] + side[2] * side[1] + side[0] * side[1] : 2 * side[0] * side[1];
    return elements * (size > 0 ? size : 8);
}

bool sup_tile_sweep_plot(const sup_profile *p, const sup_tile_sweep *sweep, const char *strategy, const char *label,
                         sup_plot *plot) {
    double *x = calloc(2 * sweep->count, sizeof *x), *y = x ? x + sweep->count : NULL;
    size_t n = 0;
    if (!x) return false;
    for (size_t i = sweep->first; i < p->tiles_count; i++) {
        if (!belongs(p, sweep, i) || (strategy && strcmp(p->tiles[i].strategy, strategy) != 0)) continue;
        x[n] = task_bytes(&p->tiles[i]);
        y[n++] = p->tiles[i].time_s->value;
    }
    int before = plot->count;
    if (n) sup_plot_points(plot, label, x, y, NULL, n);
    if (plot->count > before) plot->series[before].lines = false; /* shapes of one size have no order */
    free(x);
    return true;
}

static size_t put_shape(const int64_t *shape, size_t count, char *buf, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < count && used + 1 < size; i++) {
        int wrote = snprintf(buf + used, size - used, "%s%" PRId64, i ? " × " : "", shape[i]);
        used = wrote < 0 || (size_t)wrote >= size - used ? size - 1 : used + (size_t)wrote;
    }
    return used;
}

char *sup_tile_class_text(const char *size_class, bool workers, char *buf, size_t size) {
    sup_tile_class c;
    int64_t extent[SUP_TILE_AXES];
    size_t count = SUP_TILE_AXES, from = 0;
    snprintf(buf, size, "%s", size_class);
    if (!sup_tile_class_parse(size_class, &c) || !c.set_count) return buf;
    for (size_t a = 0; a < SUP_TILE_AXES; a++) extent[a] = (int64_t)fmin(c.extent[a], 1e15);
    while (count > 1 && extent[count - 1] == 1) count--; /* axes that there are not */
    while (from + 1 < count && extent[from] == 1) from++;
    size_t used = put_shape(extent + from, count - from, buf, size);
    double bytes = c.element[0];
    if (bytes == 8 || bytes == 4)
        snprintf(buf + used, size - used, bytes == 8 ? " doubles" : " floats");
    else
        snprintf(buf + used, size - used, " elements of %.0f B", bytes);
    used = strlen(buf);
    if (c.aligned) used += (size_t)snprintf(buf + used, size - used, ", rows aligned");
    if (workers && used < size)
        snprintf(buf + used, size - used, ", %" PRId64 " worker%s", c.workers, c.workers == 1 ? "" : "s");
    return buf;
}

char *sup_tile_time_text(const sup_tile_time *t, char *buf, size_t size) {
    const sup_tile_trait *trait = sup_tile_trait_find(t->strategy);
    buf[0] = 0;
    if (sup_tile_is_banded(trait)) {
        snprintf(buf, size, "%s", trait->in_table);
        return buf;
    }
    bool levels = t->shape_count == 6;
    size_t count = levels ? 3 : t->shape_count;
    while (count > 1 && t->shape[count - 1] == 1) count--; /* axes that there are not */
    size_t used = put_shape(t->shape + (levels ? 3 : 0), count, buf, size);
    if (levels && used + 5 < size) {
        used += (size_t)snprintf(buf + used, size - used, " in ");
        used += put_shape(t->shape, count, buf + used, size - used);
    }
    if (used < size) snprintf(buf + used, size - used, "%s", trait->in_table);
    return buf;
}
