/* A profile as one flat list: every number and every curve with a name, a unit and what is known about it. What CSV,
 * JSON and the comparison of two profiles are made of, for all terms. */
#ifndef SUP_REPORT_DRAW_SERIES_H
#define SUP_REPORT_DRAW_SERIES_H

#include "profile/profile.h"

#define SUP_SERIES_NAME 512

typedef struct sup_series {
    const char *section;         /* "kernels", as in the file */
    const char *name;            /* "daxpy/active=1/unit_s": unlike those of other things that are measured apart */
    const char *unit;            /* "s", "s/B", "1/s", "" */
    const char *x_unit;          /* "B"; NULL: a single number, and x is NULL */
    size_t count;                /* ≥ 1 */
    const double *x, *y, *ci;    /* ci may be NULL, or NaN inside */
    const double *typical, *bad; /* may be NULL, or NaN inside */
    const double *whole;         /* what each is a part of, and never stands without; NULL: y */
    const int64_t *n, *reruns;   /* may be NULL */
    const sup_curve *curve;      /* what was fitted through the points; NULL none */
    bool spread;                 /* ci is the scatter around a fitted line, not the interval of a measurement */
} sup_series;

/* Return false to stop. */
typedef bool (*sup_series_visit)(void *context, const sup_series *series);

/* Goes through these sections, or the one of them with that name (NULL: all). A curve without points is visited with
 * the ends of its segments. */
struct sup_section;
void sup_walk_sections(const struct sup_section *const *sections, const sup_profile *profile, const char *name,
                       sup_series_visit visit, void *context);

/* How many samples are behind point i, 0 unknown; its interval, NaN unknown. */
int64_t sup_series_n(const sup_series *series, size_t i);
double sup_series_ci(const sup_series *series, size_t i);
/* The interval as a share of the value, of a part as a share of the whole (5 of 10 ns do not matter in a superstep of
 * 500), or, of what is a share itself (no unit), as it is; NaN unknown, and of one
 * sample. */
double sup_series_relative(const sup_series *series, size_t i);

/* For a section that goes through its part of a profile: names what comes next, then gives it to whoever wants it.
 * Without the number or the curve there is nothing to give.
 *
 *     sup_walk_number(sup_walk_name(walk, "%s/sync_s", c->transport), c->sync_s, "s"); */
typedef struct sup_walk sup_walk;
sup_walk *sup_walk_name(sup_walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sup_walk_series(sup_walk *walk, sup_series *series);
void sup_walk_number(sup_walk *walk, const sup_number *number, const char *unit);
void sup_walk_curve(sup_walk *walk, const sup_file_curve *curve, const char *unit, const char *x_unit);
/* A part of something whose other part is `rest`. */
void sup_walk_part(sup_walk *walk, const sup_file_curve *curve, const sup_file_curve *rest, const char *unit,
                   const char *x_unit);

#endif
