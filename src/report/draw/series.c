/* A profile as one flat list (series.h). */
#include "report/draw/series.h"

#include "report/page/units.h"
#include "report/section/sections.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sup_walk {
    const char *section;
    char name[SUP_SERIES_NAME];
    sup_series_visit visit;
    void *context;
    bool stopped;
};

int64_t sup_series_n(const sup_series *s, size_t i) { return s->n ? s->n[i] : 0; }
double sup_series_ci(const sup_series *s, size_t i) { return s->ci ? s->ci[i] : NAN; }

double sup_series_relative(const sup_series *s, size_t i) {
    double ci = sup_unit_ci(sup_series_ci(s, i), sup_series_n(s, i));
    if (!*s->unit) return ci;
    double whole = s->whole ? s->whole[i] : s->y[i];
    return whole > 0.0 ? ci / whole : NAN;
}

sup_walk *sup_walk_name(sup_walk *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->name, sizeof w->name, format, args);
    va_end(args);
    return w;
}

void sup_walk_series(sup_walk *w, sup_series *s) {
    if (w->stopped || !s->count) return;
    s->section = w->section;
    s->name = w->name;
    w->stopped = !w->visit(w->context, s);
}

void sup_walk_number(sup_walk *w, const sup_number *number, const char *unit) {
    if (!number) return;
    sup_series s = {.unit = unit,
                    .count = 1,
                    .y = &number->value,
                    .ci = &number->ci,
                    .typical = &number->typical,
                    .bad = &number->bad,
                    .n = &number->n,
                    .reruns = &number->reruns};
    sup_walk_series(w, &s);
}

/* Of a curve that came without its points: the ends of the lines, and the scatter around them as interval. */
static void walk_segments(sup_walk *w, const sup_file_curve *file, const char *unit, const char *x_unit) {
    size_t count = 2 * file->segments_count;
    double *room = malloc(3 * count * sizeof *room);
    int64_t *n = malloc(count * sizeof *n);
    if (room && n) {
        double *x = room, *y = room + count, *ci = room + 2 * count;
        for (size_t i = 0; i < count; i++) {
            const sup_file_segment *line = &file->segments[i / 2];
            x[i] = i % 2 ? line->x_hi : line->x_lo;
            y[i] = fmax(0.0, line->intercept + line->slope * x[i]);
            ci[i] = line->residual * y[i];
            n[i] = line->n;
        }
        sup_series s = {
            .unit = unit, .x_unit = x_unit, .count = count, .x = x, .y = y, .ci = ci, .n = n, .spread = true};
        s.curve = file->curve;
        sup_walk_series(w, &s);
    }
    free(n);
    free(room);
}

static void walk_points(sup_walk *w, const sup_file_curve *file, const double *whole, const char *unit,
                        const char *x_unit) {
    const sup_points *p = file->points;
    if (!p || !p->x_count) {
        walk_segments(w, file, unit, x_unit);
        return;
    }
    sup_series s = {.unit = unit,
                    .x_unit = x_unit,
                    .count = p->x_count,
                    .x = p->x,
                    .y = p->y,
                    .whole = whole,
                    .curve = file->curve};
    if (p->ci_count) s.ci = p->ci;
    if (p->typical_count) s.typical = p->typical;
    if (p->bad_count) s.bad = p->bad;
    if (p->n_count) s.n = p->n;
    if (p->reruns_count) s.reruns = p->reruns;
    sup_walk_series(w, &s);
}

void sup_walk_curve(sup_walk *w, const sup_file_curve *file, const char *unit, const char *x_unit) {
    if (file) walk_points(w, file, NULL, unit, x_unit);
}

static bool at_same(const sup_points *a, const sup_points *b) {
    if (!a || !b || !a->x_count || a->x_count != b->x_count) return false;
    return !memcmp(a->x, b->x, a->x_count * sizeof *a->x);
}

void sup_walk_part(sup_walk *w, const sup_file_curve *file, const sup_file_curve *rest, const char *unit,
                   const char *x_unit) {
    if (!file) return;
    const sup_points *p = file->points;
    double *whole = rest && at_same(p, rest->points) ? malloc(p->x_count * sizeof *whole) : NULL;
    for (size_t i = 0; whole && i < p->x_count; i++) whole[i] = p->y[i] + rest->points->y[i];
    walk_points(w, file, whole, unit, x_unit);
    free(whole);
}

void sup_walk_sections(const sup_section *const *sections, const sup_profile *profile, const char *name,
                       sup_series_visit visit, void *context) {
    sup_walk w = {.visit = visit, .context = context};
    for (const sup_section *const *s = sections; *s && !w.stopped; s++) {
        if (!(*s)->series || (name && strcmp(name, (*s)->name))) continue;
        w.section = (*s)->name;
        (*s)->series(profile, &w);
    }
}
