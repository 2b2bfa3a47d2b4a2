/* Section "tiles", Tcomp (CACHE ch. 5): what cutting the data of plain loops into parts brings: what came out of each
 * sweep over sizes and shapes of parts, and every time of it. */
#include "report/section/sections.h"

#include "base/tile_strategy.h"
#include "report/certainty.h"
#include "report/draw/plot.h"
#include "report/draw/tile_sweep.h"
#include "report/page/page.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void cell_time(sup_table *t, const sup_tile_time *time) {
    sup_cell_seconds(t, time ? time->time_s->value : NAN);
}

/* One sample says nothing about another; what is uncertain is given with its interval. */
static void cell_gain(sup_table *t, const sup_tile_sweep *s) {
    if (!s->bands || !(s->best->time_s->value > 0) || !(s->bands->time_s->value > 0)) {
        sup_cell_text(t, NULL);
        return;
    }
    const sup_number *bands = s->bands->time_s, *best = s->best->time_s;
    double factor = bands->value / best->value, off = hypot(bands->ci / bands->value, best->ci / best->value);
    char interval[SUP_UNIT_TEXT];
    if (bands->n == 1 || best->n == 1)
        sup_cell_text(t, "one sample");
    else if (off > SUP_WIDE)
        sup_table_cell(t, "%.2f × %s", factor, sup_unit_interval(1.0, off, interval, sizeof interval));
    else
        sup_cell_factor(t, factor);
}

static void summary(const sup_profile *p, sup_sink *sink) {
    char text[256];
    sup_tile_sweep s;
    sup_table *t = sup_table_new("what cutting brings", "kernel", "data", "workers>", "bands>", "squares>", "best>",
                                 "over bands>", "how", "tried>", NULL);
    for (size_t i = 0; i < p->tiles_count; i++) {
        if (!sup_tile_sweep_at(p, i, &s)) continue;
        sup_cell_text(t, p->tiles[i].kernel);
        sup_cell_text(t, sup_tile_class_text(p->tiles[i].size_class, false, text, sizeof text));
        sup_cell_count(t, p->tiles[i].workers);
        cell_time(t, s.bands);
        cell_time(t, s.square);
        cell_time(t, s.best);
        cell_gain(t, &s);
        sup_cell_text(t, sup_tile_time_text(s.best, text, sizeof text));
        sup_table_cell(t, "%zu", s.count);
    }
    sup_table_note(t, "Times of one call: with one band of rows for each worker, with the best parts whose sides are "
                      "alike, and with the best of all that were tried and not given up. Data stand for all sizes from "
                      "there to a fifth more along each side.");
    sup_sink_put(sink, t);
}

static void times(const sup_profile *p, sup_sink *sink) {
    char text[256];
    sup_table *t = sup_table_new("every time of a call that was tried", "kernel", "data", "strategy", "workers>",
                                 "shape", "time>", "n>", NULL);
    for (size_t i = 0; i < p->tiles_count; i++) {
        const sup_tile_time *tile = &p->tiles[i];
        sup_cell_text(t, tile->kernel);
        sup_cell_text(t, sup_tile_class_text(tile->size_class, false, text, sizeof text));
        sup_cell_text(t, tile->strategy);
        sup_cell_count(t, tile->workers);
        sup_cell_text(t, sup_tile_time_text(tile, text, sizeof text));
        sup_cell_number(t, tile->time_s);
        sup_cell_samples(t, tile->time_s);
    }
    sup_sink_put(sink, t);
}

static void tile_tables(const sup_profile *p, sup_sink *sink) {
    summary(p, sink);
    times(p, sink);
}

static void tile_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->tiles_count; i++) {
        const sup_tile_time *t = &p->tiles[i];
        char shape[SUP_SERIES_NAME] = "";
        for (size_t d = 0, used = 0; d < t->shape_count && used < sizeof shape; d++)
            used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%" PRId64, d ? "x" : "", t->shape[d]);
        sup_walk_number(sup_walk_name(w, "%.80s/%.80s/%.80s/workers=%" PRId64 "/%s", t->kernel, t->size_class,
                                      t->strategy, t->workers, shape),
                        t->time_s, "s");
    }
}

static void sweep_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    sup_tile_sweep sweep;
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    sup_plot plot;
    if (!sup_tile_sweep_at(p, f->index, &sweep)) return;
    sup_plot_begin(&plot, out, false);
    for (sup_tile_parts parts = SUP_TILE_BANDS; parts <= SUP_TILE_REDEALT_PARTS; parts++)
        for (const sup_tile_trait *t = NULL; (t = sup_tile_trait_next(parts, t));)
            sup_tile_sweep_plot(p, &sweep, t->name, t->in_figure, &plot);
    for (int c = 0; c < count; c++)
        if (caches[c].bytes > plot.x_low && caches[c].bytes < plot.x_high)
            sup_plot_mark(&plot, caches[c].name, caches[c].bytes);
    sup_plot_end(&plot, "parts of a task", "time of a call");
}

static void tile_figures(const sup_profile *p, sup_figure_list *l) {
    char name[160], data[128];
    sup_tile_sweep sweep;
    for (size_t i = 0; i < p->tiles_count; i++) {
        if (!sup_tile_sweep_at(p, i, &sweep) || sweep.count < 3) continue;
        snprintf(name, sizeof name, "tiles-%.40s-%.60s", p->tiles[i].kernel, p->tiles[i].size_class);
        sup_figure_add(l, &(sup_figure){.section = "tiles", .index = i, .script = sweep_script}, name,
                       "%.60s, %.90s: time of a call by size of parts", p->tiles[i].kernel,
                       sup_tile_class_text(p->tiles[i].size_class, true, data, sizeof data));
    }
}

static void tile_page(sup_report *report) {
    sup_report_figures(report, "tiles");
    sup_report_tables(report, tile_tables);
}

const sup_section sup_section_tiles = {
    .name = "tiles",
    .tables = tile_tables,
    .series = tile_series,
    .figures = tile_figures,
    .page = tile_page,
};
