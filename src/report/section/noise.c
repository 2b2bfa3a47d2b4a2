/* Section "noise", all terms: how far runs are from calm time, and how often a process is held up. */
#include "report/section/sections.h"

#include "report/page/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *words(const char *term) {
    static const char *const names[][2] = {{"comp", "computation"},
                                           {"comm", "communication"},
                                           {"sync", "synchronisation"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(term, names[i][0])) return names[i][1];
    return term;
}

static void ratio_table(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("what runs see, as multiples of calm time", "term", "transport", "typical>", "bad>",
                                 "points>", NULL);
    for (size_t i = 0; i < p->noise_count; i++) {
        const sup_noise *n = &p->noise[i];
        sup_cell_text(t, words(n->term));
        sup_cell_text(t, n->transport);
        sup_cell_factor(t, n->typical);
        sup_cell_factor(t, n->bad);
        sup_cell_count(t, n->points);
    }
    sup_table_note(t, "Typical: half of all batches; bad: one in ten. Longer interruptions come on top.");
    sup_sink_put(sink, t);
}

/* Rare things by how long one waits for them. */
static void often_cell(sup_table *t, double per_s) {
    char text[SUP_UNIT_TEXT];
    if (per_s >= 1.0)
        sup_table_cell(t, per_s < 10.0 ? "%.1f" : "%.0f", per_s);
    else if (per_s > 0.0)
        sup_table_cell(t, "1 in %s", sup_unit_duration(1.0 / per_s, text, sizeof text));
    else
        sup_cell_text(t, "none seen");
}

static void interruption_table(const sup_interruptions *x, sup_sink *sink) {
    char title[256], text[SUP_UNIT_TEXT];
    snprintf(title, sizeof title, "interruptions of %" PRId64 " %s%s%.100s", x->processes,
             x->transport ? "processes" : "threads", x->transport ? " over " : "", x->transport ? x->transport : "");
    sup_table *t = sup_table_new(title, "held up for at least>", "times a second of each>", NULL);
    for (size_t k = 0; k < x->least_s_count; k++) {
        sup_cell_seconds(t, x->least_s[k]);
        often_cell(t, x->per_s[k]);
    }
    sup_table_note(t, "They watched the clock for %s in all.", sup_unit_duration(x->watched_s, text, sizeof text));
    sup_sink_put(sink, t);
}

static void noise_tables(const sup_profile *p, sup_sink *sink) {
    ratio_table(p, sink);
    for (size_t i = 0; i < p->interruptions_count; i++) interruption_table(&p->interruptions[i], sink);
}

const sup_section sup_section_noise = {
    .name = "noise",
    .tables = noise_tables,
};
