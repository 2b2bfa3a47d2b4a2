/* What a profile says, as tables: the list of sections, the machine and the quality of the measurement (tables.h). */
#include "report/tables.h"

#include "base/stats.h"
#include "report/series.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void machine(const sup_profile *p, sup_sink *sink) {
    const sup_origin *o = &p->signature;
    sup_table *t = sup_table_new("machine", "", "", NULL);
    sup_table_cell(t, "processor");
    sup_table_cell(t, "%s", o->cpu);
    if (o->machine) {
        sup_table_cell(t, "cores and caches");
        sup_table_cell(t, "%s", o->machine);
    } else {
        sup_table_cell(t, "cores");
        sup_table_cell(t, "%" PRId64 " a host", o->cores);
    }
    sup_table_cell(t, "run");
    sup_table_cell(t, "%" PRId64 " process%s on %" PRId64 " host%s", o->processes, o->processes == 1 ? "" : "es",
                   o->hosts, o->hosts == 1 ? "" : "s");
    sup_table_cell(t, "transport");
    sup_table_cell(t, "%s", o->transport);
    if (o->policy) {
        sup_table_cell(t, "placement");
        sup_table_cell(t, "%s", o->policy);
    }
    sup_table_cell(t, "topology digest");
    sup_table_cell(t, "%s", o->topology);
    sup_table_cell(t, "measured");
    sup_table_cell(t, "%s by %s", p->created, p->tool);
    sup_sink_put(sink, t);
}

/* How well the numbers are known: samples, and the worst intervals. */
struct certainty {
    size_t numbers, loose; /* loose: interval wider than LOOSE of the value */
    double *shares;
    size_t count, room;
    int64_t samples, reruns;
};
#define LOOSE 0.10

static bool count_series(void *context, const sup_series *s) {
    struct certainty *c = context;
    for (size_t i = 0; i < s->count; i++) {
        double share = s->y[i] > 0.0 ? sup_series_ci(s, i) / s->y[i] : NAN;
        c->numbers++;
        c->samples += sup_series_n(s, i);
        c->reruns += s->reruns ? s->reruns[i] : 0;
        if (!isfinite(share)) continue;
        c->loose += share > LOOSE;
        if (c->count == c->room) {
            size_t room = c->room ? 2 * c->room : 256;
            double *grown = realloc(c->shares, room * sizeof *grown);
            if (!grown) return false;
            c->shares = grown;
            c->room = room;
        }
        c->shares[c->count++] = share;
    }
    return true;
}

static void certainty_rows(const sup_profile *p, sup_table *t) {
    struct certainty c = {0};
    char text[SUP_UNIT_TEXT], worst[SUP_UNIT_TEXT];
    sup_series_each(p, NULL, count_series, &c);
    sup_table_cell(t, "numbers");
    sup_table_cell(t, "%zu, from %" PRId64 " samples; %" PRId64 " samples were outliers and measured again", c.numbers,
                   c.samples, c.reruns);
    if (c.count) {
        sup_stats_sort(c.shares, c.count);
        sup_table_cell(t, "95 %% interval");
        sup_table_cell(t, "± %s in the middle, ± %s at the 95th percentile",
                       sup_unit_share(c.shares[c.count / 2], text, sizeof text),
                       sup_unit_share(c.shares[(c.count - 1) * 95 / 100], worst, sizeof worst));
        sup_table_cell(t, "wider than ± %.0f %%", 100.0 * LOOSE);
        sup_table_cell(t, "%zu of %zu", c.loose, c.count);
    }
    free(c.shares);
}

static void quality(const sup_profile *p, sup_sink *sink) {
    const sup_quality *q = p->quality;
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("quality of the measurement", "", "", NULL);
    if (q) {
        sup_table_cell(t, "complete");
        sup_table_cell(t, "%s", q->complete ? "yes" : "no: interrupted, or the time ran out");
        sup_table_cell(t, "machine");
        sup_table_cell(t, "%s", q->busy ? "busy: something else ran as well" : "idle");
        sup_table_cell(t, "disturbed batches");
        sup_table_cell(t, "%s, thrown away and measured again", sup_unit_share(q->rejection_rate, a, sizeof a));
        sup_table_cell(t, "time");
        if (isfinite(q->budget_s))
            sup_table_cell(t, "%s of %s", sup_unit_duration(q->spent_s, a, sizeof a),
                           sup_unit_duration(q->budget_s, b, sizeof b));
        else
            sup_table_cell(t, "%s", sup_unit_duration(q->spent_s, a, sizeof a));
        sup_table_cell(t, "clock");
        sup_table_cell(t, "steps of %s, %s a reading", sup_unit_seconds(q->clock_resolution_s, a, sizeof a),
                       sup_unit_seconds(q->clock_overhead_s, b, sizeof b));
    }
    certainty_rows(p, t);
    for (size_t i = 0; q && i < q->warnings_count; i++) {
        sup_table_cell(t, "%s", i ? "" : "warnings");
        sup_table_cell(t, "%s", q->warnings[i]);
    }
    sup_sink_put(sink, t);
}

const sup_section_tables sup_tables[] = {
    {"machine", machine},
    {"quality", quality},
    {"kernels", sup_tables_kernels},
    {"classic", sup_tables_classic},
    {"pairs", sup_tables_pairs},
    {"channels", sup_tables_channels},
    {"vectors", sup_tables_vectors},
    {"sync", sup_tables_sync},
    {"copies", sup_tables_copies},
    {"overlap", sup_tables_overlap},
    {"tiles", sup_tables_tiles},
    {0},
};

void sup_tables_put(const sup_profile *profile, const char *section, sup_sink *sink) {
    for (const sup_section_tables *s = sup_tables; s->name; s++)
        if (!section || !strcmp(section, s->name)) s->put(profile, sink);
}
