/* Tables about decomposition (tables.h): what came out of each sweep over sizes and shapes of parts, and every time of
 * it. Tcomp (CACHE ch. 5). */
#include "report/tables.h"

#include "report/tile_sweep.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>

static void cell_time(sup_table *t, const sup_tile_time *time) {
    char text[SUP_UNIT_TEXT];
    sup_table_cell(t, "%s", time ? sup_unit_seconds(time->time_s->value, text, sizeof text) : "–");
}

static void summary(const sup_profile *p, sup_sink *sink) {
    char text[256];
    sup_tile_sweep s;
    sup_table *t = sup_table_new("what cutting brings", "kernel", "size class", "workers>", "bands>", "squares>",
                                 "best>", "over bands>", "how", "tried>", NULL);
    for (size_t i = 0; i < p->tiles_count; i++) {
        if (!sup_tile_sweep_at(p, i, &s)) continue;
        sup_table_cell(t, "%s", p->tiles[i].kernel);
        sup_table_cell(t, "%s", p->tiles[i].size_class);
        sup_table_cell(t, "%" PRId64, p->tiles[i].workers);
        cell_time(t, s.bands);
        cell_time(t, s.square);
        cell_time(t, s.best);
        if (s.bands && s.best->time_s->value > 0)
            sup_table_cell(t, "%.2f ×", s.bands->time_s->value / s.best->time_s->value);
        else
            sup_table_cell(t, "–");
        sup_table_cell(t, "%s", sup_tile_time_text(s.best, text, sizeof text));
        sup_table_cell(t, "%zu", s.count);
    }
    sup_table_note(t, "Times of one call: with one band of rows for each worker, with the best parts whose sides are "
                      "alike, and with the best of all that were tried and not given up.");
    sup_sink_put(sink, t);
}

static void times(const sup_profile *p, sup_sink *sink) {
    char text[SUP_UNIT_TEXT], how[256];
    sup_table *t = sup_table_new("tiles", "kernel", "size class", "strategy", "workers>", "shape", "time>", "n>", NULL);
    for (size_t i = 0; i < p->tiles_count; i++) {
        const sup_tile_time *tile = &p->tiles[i];
        sup_table_cell(t, "%s", tile->kernel);
        sup_table_cell(t, "%s", tile->size_class);
        sup_table_cell(t, "%s", tile->strategy);
        sup_table_cell(t, "%" PRId64, tile->workers);
        sup_table_cell(t, "%s", sup_tile_time_text(tile, how, sizeof how));
        sup_table_cell(t, "%s", sup_unit_number(tile->time_s, text, sizeof text));
        sup_table_cell(t, "%" PRId64, tile->time_s ? tile->time_s->n : 0);
    }
    sup_sink_put(sink, t);
}

void sup_tables_tiles(const sup_profile *p, sup_sink *sink) {
    summary(p, sink);
    times(p, sink);
}
