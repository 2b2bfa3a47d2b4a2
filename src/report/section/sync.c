/* Section "sync", Tsync: times of barriers. */
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>

static bool any_typical(const sup_profile *p) {
    for (size_t i = 0; i < p->sync_count; i++)
        if (p->sync[i].time_s && isfinite(p->sync[i].time_s->typical)) return true;
    return false;
}

static void sync_tables(const sup_profile *p, sup_sink *sink) {
    bool typical = any_typical(p);
    sup_table *t = sup_table_new("synchronisation", "transport", "algorithm", "processes>", "payload>", "time>", NULL);
    sup_column_typical(t, typical);
    sup_table_column(t, "n>");
    for (size_t i = 0; i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        sup_cell_text(t, s->transport);
        sup_cell_text(t, s->algorithm);
        sup_cell_count(t, s->processes);
        s->payload_bytes ? sup_cell_bytes(t, (double)s->payload_bytes) : sup_cell_text(t, NULL);
        sup_cell_number(t, s->time_s);
        sup_cell_typical(t, typical, s->time_s);
        sup_cell_samples(t, s->time_s);
    }
    sup_sink_put(sink, t);
}

static void sync_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        sup_walk_number(sup_walk_name(w, "%.60s/%.100s/P=%" PRId64 "/payload=%" PRId64, s->transport, s->algorithm,
                                      s->processes, s->payload_bytes),
                        s->time_s, "s");
    }
}

const sup_section sup_section_sync = {
    .name = "sync",
    .tables = sync_tables,
    .series = sync_series,
};
