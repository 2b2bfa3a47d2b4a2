/* Section "copies", Tcomm inside a host: how long copies take by method and size. */
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool any_typical(const sup_profile *p) {
    for (size_t i = 0; i < p->copies_count; i++)
        if (isfinite(sup_curve_typical(p->copies[i].time_s))) return true;
    return false;
}

static void copy_tables(const sup_profile *p, sup_sink *sink) {
    static const double sizes[] = {64, 4096, 65536, 1048576};
    sup_table *t = sup_table_new("copies inside a host", "method", "between", "partners>", "puts each>", "64 B>",
                                 "4 KB>", "64 KB>", "1 MB>", NULL);
    bool typical = any_typical(p);
    if (typical) {
        sup_table_column(t, "95 % interval>");
        sup_table_column(t, "typical>");
        sup_table_column(t, "bad>");
        sup_table_note(
            t, "Times are calm. Typical is how many times as long the median takes, bad what one in ten exceeds, "
               "each in the middle over all sizes.");
    }
    for (size_t i = 0; i < p->copies_count; i++) {
        const sup_copy_time *c = &p->copies[i];
        if (!c->time_s) continue;
        sup_cell_text(t, c->method);
        sup_cell_text(t, c->level ? c->level : "any");
        c->messages > 0 ? sup_cell_count(t, c->messages) : sup_cell_text(t, NULL);
        c->records > 0 ? sup_cell_count(t, c->records) : sup_cell_text(t, NULL);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            sup_cell_seconds(t, sup_curve_measured(c->time_s, sizes[s]));
        if (!typical) continue;
        sup_cell_interval(t, 1.0, sup_curve_interval(c->time_s));
        sup_cell_factor(t, sup_curve_typical(c->time_s));
        sup_cell_factor(t, sup_curve_bad(c->time_s));
    }
    sup_sink_put(sink, t);
}

static void copy_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->copies_count; i++) {
        const sup_copy_time *c = &p->copies[i];
        char active[32] = "", to[32] = "", each[32] = "";
        if (c->processes) snprintf(active, sizeof active, "/P=%" PRId64, c->processes);
        if (c->messages > 1) snprintf(to, sizeof to, "/messages=%" PRId64, c->messages);
        if (c->records > 1) snprintf(each, sizeof each, "/records=%" PRId64, c->records);
        sup_walk_curve(sup_walk_name(w, "%.200s%s%.200s%s%s%s", c->method, c->level ? "/" : "",
                                     c->level ? c->level : "", active, to, each),
                       c->time_s, "s", "B");
    }
}

const sup_section sup_section_copies = {
    .name = "copies",
    .tables = copy_tables,
    .series = copy_series,
};
