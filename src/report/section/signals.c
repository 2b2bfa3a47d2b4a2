/* Section "signals", Tsync: what a signal of a barrier costs, and a word that many read. */
#include "report/section/sections.h"

#include <inttypes.h>

static void signals_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("signals", "transport", "pairs", "send>", "travel>", "receive>", "readers>",
                                 "published to them>", NULL);
    for (size_t i = 0; i < p->signals_count; i++) {
        const sup_signal_time *s = &p->signals[i];
        size_t last = s->readers_count;
        sup_cell_text(t, s->transport);
        sup_cell_text(t, s->class);
        sup_cell_number(t, s->send_s);
        sup_cell_number(t, s->travel_s);
        sup_cell_number(t, s->receive_s);
        last ? sup_cell_count(t, s->readers[last - 1]) : sup_cell_text(t, NULL);
        last ? sup_cell_seconds(t, s->publish_s[last - 1]) : sup_cell_text(t, NULL);
    }
    sup_sink_put(sink, t);
}

static void signals_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->signals_count; i++) {
        const sup_signal_time *s = &p->signals[i];
        sup_walk_number(sup_walk_name(w, "%.60s/%.60s/send", s->transport, s->class), s->send_s, "s");
        sup_walk_number(sup_walk_name(w, "%.60s/%.60s/travel", s->transport, s->class), s->travel_s, "s");
        sup_walk_number(sup_walk_name(w, "%.60s/%.60s/receive", s->transport, s->class), s->receive_s, "s");
    }
}

const sup_section sup_section_signals = {
    .name = "signals",
    .tables = signals_tables,
    .series = signals_series,
};
