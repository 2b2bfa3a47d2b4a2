/* Section "clusters", Tsync (BSP §7.2): processes that are near each other by cost and by topology (clusters.h). */
#include "report/clusters.h"

#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void sup_cluster_tables_free(sup_cluster_tables *tables) {
    for (size_t i = 0; i < tables->count; i++) {
        free(tables->at[i].rows);
        free(tables->at[i].differences);
    }
    free(tables->at);
    *tables = (sup_cluster_tables){0};
}

static sup_table *table_of(const sup_cluster_table *c) {
    char title[128];
    snprintf(title, sizeof title, "over %s: clusters of %" PRId64 " processes", c->transport, c->processes);
    sup_table *t = sup_table_new(title, "by", "level", "clusters>", "processes in each>", "ranks", NULL);
    for (size_t i = 0; i < c->rows_count; i++) {
        const sup_cluster_row *r = &c->rows[i];
        sup_cell_text(t, r->by);
        sup_cell_text(t, r->level);
        sup_cell_count(t, r->clusters);
        if (r->least == r->most)
            sup_cell_count(t, r->most);
        else
            sup_table_cell(t, "%" PRId64 " to %" PRId64, r->least, r->most);
        sup_cell_text(t, r->members);
    }
    for (size_t i = 0; i < c->differences_count; i++) sup_table_note(t, "%s.", c->differences[i]);
    if (!c->differences_count) sup_table_note(t, "Cost and topology say the same.");
    if (!c->each)
        sup_table_note(t, "Cost is that of classes of pairs, which were made by topology; `superstep measure "
                          "--exhaustive` looks at each pair for itself.");
    return t;
}

void sup_cluster_tables_put(const sup_cluster_tables *tables, sup_sink *sink) {
    for (size_t i = 0; i < tables->count; i++) sup_sink_put(sink, table_of(&tables->at[i]));
}

static void clusters_page(sup_report *report) {
    for (size_t i = 0; i < report->clusters->count; i++) sup_report_table(report, table_of(&report->clusters->at[i]));
}

static bool has_clusters(const sup_report *report) { return report->clusters && report->clusters->count; }

/* Not in a profile's file: `show` has it from the tool. */
const sup_section sup_section_clusters = {
    .name = "clusters",
    .has = has_clusters,
    .page = clusters_page,
};
