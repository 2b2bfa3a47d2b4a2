/* Section "first": what supersteps take more when something happens for the first time. Tcomm and Tsync. */
#include "report/section/sections.h"

#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static double interval_at(const sup_points *p, size_t i) { return p->ci_count > i ? p->ci[i] : NAN; }

static void curve_rows(sup_table *t, const sup_first_time *f, const char *what, const sup_file_curve *curve) {
    const sup_points *p = curve ? curve->points : NULL;
    for (size_t i = 0; p && i < p->x_count; i++) {
        sup_cell_text(t, f->transport);
        sup_table_cell(t, "%s", what);
        sup_cell_bytes(t, p->x[i]);
        sup_cell_seconds(t, p->y[i]);
        sup_cell_seconds(t, p->typical_count > i ? p->typical[i] : NAN);
        sup_cell_interval(t, p->y[i], interval_at(p, i));
    }
}

static void waking_rows(sup_table *t, const sup_first_time *f) {
    for (size_t i = 0; i < f->late_s_count; i++) {
        sup_cell_text(t, f->transport);
        sup_table_cell(t, "waking");
        sup_cell_seconds(t, f->late_s[i]);
        sup_cell_seconds(t, f->waking_s[i]);
        sup_cell_seconds(t, i < f->typical_count ? f->typical[i] : NAN);
        sup_cell_interval(t, f->waking_s[i], i < f->ci_count ? f->ci[i] : NAN);
    }
}

static void first_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("what a superstep takes more the first time", "transport", "what is new",
                                 "how much, or how late>", "more>", "typical>", "95 % interval>", NULL);
    for (size_t i = 0; i < p->first_count; i++) {
        const sup_first_time *f = &p->first[i];
        curve_rows(t, f, "memory", f->memory_s);
        curve_rows(t, f, "calls, caches empty", f->use_calls_s);
        curve_rows(t, f, "sync, caches empty", f->use_sync_s);
        waking_rows(t, f);
    }
    sup_table_note(t,
                   "Memory: bytes that nobody had touched. Waking: one process comes so much later than the others.");
    sup_sink_put(sink, t);
}

static void first_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->first_count; i++) {
        const sup_first_time *f = &p->first[i];
        sup_walk_curve(sup_walk_name(w, "%.100s/memory_s", f->transport), f->memory_s, "s", "B");
        sup_walk_part(sup_walk_name(w, "%.100s/use_calls_s", f->transport), f->use_calls_s, f->use_sync_s, "s", "B");
        sup_walk_part(sup_walk_name(w, "%.100s/use_sync_s", f->transport), f->use_sync_s, f->use_calls_s, "s", "B");
        sup_series waking = {.unit = "s",
                             .x_unit = "s",
                             .count = f->late_s_count,
                             .x = f->late_s,
                             .y = f->waking_s,
                             .ci = f->ci_count ? f->ci : NULL,
                             .typical = f->typical_count ? f->typical : NULL};
        if (waking.count) sup_walk_series(sup_walk_name(w, "%.100s/waking_s", f->transport), &waking);
    }
}

const sup_section sup_section_first = {
    .name = "first",
    .tables = first_tables,
    .series = first_series,
};
