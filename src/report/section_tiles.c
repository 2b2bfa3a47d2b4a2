/* Section "tiles", Tcomp (CACHE ch. 5): what cutting the data of plain loops into parts brings. */
#include "report/sections.h"

#include "report/page.h"

#include <inttypes.h>
#include <stdio.h>

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

static void tile_page(sup_report *report) {
    sup_report_figures(report, "tiles");
    sup_report_tables(report, sup_tables_tiles);
}

const sup_section sup_section_tiles = {
    .name = "tiles",
    .tables = sup_tables_tiles,
    .series = tile_series,
    .figures = sup_figures_tiles,
    .counted = offsetof(sup_profile, tiles_count),
    .page = tile_page,
};
