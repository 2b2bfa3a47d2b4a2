/* What follows from the description of a data-parallel call alone: bands, walks, size classes (term Tcomp). */
#include "base/tile_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sup_tile_band_axis(const int64_t *extent, const bool *serial, int64_t bands) {
    int best = -1;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        if (serial[a] || extent[a] < 2) continue;
        if (best < 0 || (extent[best] < bands && extent[a] > extent[best])) best = a;
    }
    return best;
}

sup_tile_shape sup_tile_band_shape(const sup_tile_problem *p) {
    sup_tile_shape shape = {{p->extent[0], p->extent[1], p->extent[2]}};
    int axis = sup_tile_band_axis(p->extent, p->serial, p->workers);
    if (axis >= 0) shape.size[axis] = (p->extent[axis] + p->workers - 1) / p->workers;
    return shape;
}

bool sup_tile_has_columns(const sup_tile_problem *p) {
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].memory && p->set[s].walk == SUP_TILE_COLUMNS) return true;
    return false;
}

bool sup_tile_once(const sup_tile_problem *p) {
    for (int s = 0; s < p->set_count; s++)
        for (int a = 0; a < SUP_TILE_AXES; a++)
            if (p->set[s].memory && p->extent[a] > 1 && p->set[s].row_axis != a && p->set[s].col_axis != a)
                return false;
    return true;
}

int sup_tile_inner_axis(const sup_tile_problem *p) {
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].walk == SUP_TILE_COLUMNS && p->set[s].row_axis >= 0) return p->set[s].row_axis;
    return 1;
}

/* ---- size classes: "861x861x861 e8,8,8 w2" ------------------------------------------------------------------------*/

/* Lower end of the class of n: quarters of octaves. */
static double class_floor(int64_t n) { return n < 2 ? 1 : floor(exp2(floor(4 * log2((double)n) + 1e-9) / 4) + 1e-9); }

static bool bad_pitch(const sup_tile_problem *p) {
    for (int s = 0; s < p->set_count; s++)
        if (p->set[s].memory && p->set[s].rows > 1 && p->set[s].pitch_bytes % 2048 == 0) return true;
    return false;
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
    for (int a = 0; a < SUP_TILE_AXES; a++) work *= (double)p->extent[a] / class_floor(p->extent[a]);
    return work > 0 ? work : 1;
}

bool sup_tile_class_parse(const char *text, sup_tile_class *out) {
    sup_tile_class c = {0};
    char *end;
    for (int a = 0; a < SUP_TILE_AXES; a++) {
        c.extent[a] = strtod(text, &end);
        if (end == text || !(c.extent[a] >= 1) || *end != (a + 1 < SUP_TILE_AXES ? 'x' : ' ')) return false;
        text = end + 1;
    }
    c.rest = text;
    if (*text++ != 'e') return false;
    while (*text >= '0' && *text <= '9' && c.set_count < SUP_TILE_SETS) {
        c.element[c.set_count++] = strtod(text, &end);
        text = *end == ',' ? end + 1 : end;
    }
    if (strncmp(text, " w", 2) != 0) return false;
    c.workers = strtoll(text + 2, &end, 10);
    c.aligned = strcmp(end, " aligned") == 0;
    if (c.workers < 1 || (*end && !c.aligned)) return false;
    *out = c;
    return true;
}

double sup_tile_class_distance(const sup_tile_problem *p, const char *size_class) {
    sup_tile_class mine, other;
    char own[SUP_SIZE_CLASS];
    double sum = 0;
    if (!sup_tile_class_parse(sup_tile_size_class(p, own), &mine)) return INFINITY;
    if (!sup_tile_class_parse(size_class, &other) || strcmp(mine.rest, other.rest) != 0) return INFINITY;
    for (int a = 0; a < SUP_TILE_AXES; a++)
        sum += fabs(log2((double)(p->extent[a] > 0 ? p->extent[a] : 1) / other.extent[a]));
    return sum;
}
