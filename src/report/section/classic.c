/* Section "classic": r, g and l of bspbench (BSP §3.1). */
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>

static void classic_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("classic BSP parameters", "transport", "processes>", "r>", "g, time>", "g, flops>",
                                 "l, time>", "l, flops>", NULL);
    for (size_t i = 0; i < p->classic_count; i++) {
        const sup_classic *c = &p->classic[i];
        double r = c->flops_per_s ? c->flops_per_s->value : NAN;
        double g = c->word_s ? c->word_s->value : NAN, l = c->sync_s ? c->sync_s->value : NAN;
        sup_cell_text(t, c->transport);
        sup_cell_count(t, c->processes);
        sup_cell_rate(t, r, "flop/s");
        sup_cell_number(t, c->word_s);
        isfinite(r * g) ? sup_table_cell(t, "%.1f", r * g) : sup_cell_text(t, NULL);
        sup_cell_number(t, c->sync_s);
        isfinite(r * l) ? sup_table_cell(t, "%.0f", r * l) : sup_cell_text(t, NULL);
    }
    sup_sink_put(sink, t);
}

static void classic_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->classic_count; i++) {
        const sup_classic *c = &p->classic[i];
        sup_walk_number(sup_walk_name(w, "%.200s/P=%" PRId64 "/flops_per_s", c->transport, c->processes),
                        c->flops_per_s, "1/s");
        sup_walk_number(sup_walk_name(w, "%.200s/P=%" PRId64 "/word_s", c->transport, c->processes), c->word_s, "s");
        sup_walk_number(sup_walk_name(w, "%.200s/P=%" PRId64 "/sync_s", c->transport, c->processes), c->sync_s, "s");
    }
}

const sup_section sup_section_classic = {
    .name = "classic",
    .tables = classic_tables,
    .series = classic_series,
};
