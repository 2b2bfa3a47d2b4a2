/* Section "quality": how far the numbers of a profile can be trusted. */
#include "report/sections.h"

#include "base/list.h"
#include "base/stats.h"
#include "report/page.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* How well the numbers are known: samples, and the worst intervals. */
struct certainty {
    size_t numbers, loose; /* loose: interval wider than LOOSE of the value */
    double *shares;
    size_t count;
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
        if (!sup_list_room(&c->shares, c->count, sizeof *c->shares)) return false;
        c->shares[c->count++] = share;
    }
    return true;
}

static void certainty_rows(const sup_profile *p, const sup_section *const *sections, sup_table *t) {
    struct certainty c = {0};
    char text[SUP_UNIT_TEXT], worst[SUP_UNIT_TEXT];
    sup_walk_sections(sections, p, NULL, count_series, &c);
    sup_table_row(t, "numbers", "%zu, from %" PRId64 " samples; %" PRId64 " samples were outliers and measured again",
                  c.numbers, c.samples, c.reruns);
    if (c.count) {
        sup_stats_sort(c.shares, c.count);
        sup_table_row(t, "95 % interval", "± %s in the middle, ± %s at the 95th percentile",
                      sup_unit_share(c.shares[c.count / 2], text, sizeof text),
                      sup_unit_share(c.shares[(c.count - 1) * 95 / 100], worst, sizeof worst));
        sup_table_cell(t, "wider than ± %.0f %%", 100.0 * LOOSE);
        sup_table_cell(t, "%zu of %zu", c.loose, c.count);
    }
    free(c.shares);
}

static void quality_tables(const sup_profile *p, sup_sink *sink) {
    const sup_quality *q = p->quality;
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("quality of the measurement", "", "", NULL);
    if (q) {
        sup_table_row(t, "complete", "%s", q->complete ? "yes" : "no: interrupted, or the time ran out");
        sup_table_row(t, "machine", "%s", q->busy ? "busy: something else ran as well" : "idle");
        sup_table_row(t, "disturbed batches", "%s, thrown away and measured again",
                      sup_unit_share(q->rejection_rate, a, sizeof a));
        if (isfinite(q->budget_s))
            sup_table_row(t, "time", "%s of %s", sup_unit_duration(q->spent_s, a, sizeof a),
                          sup_unit_duration(q->budget_s, b, sizeof b));
        else
            sup_table_row(t, "time", "%s", sup_unit_duration(q->spent_s, a, sizeof a));
        sup_table_row(t, "clock", "steps of %s, %s a reading", sup_unit_seconds(q->clock_resolution_s, a, sizeof a),
                      sup_unit_seconds(q->clock_overhead_s, b, sizeof b));
    }
    certainty_rows(p, sink->sections, t);
    for (size_t i = 0; q && i < q->warnings_count; i++)
        sup_table_row(t, i ? "" : "warnings", "%s", q->warnings[i].text);
    sup_sink_put(sink, t);
}

static void quality_page(sup_report *report) {
    const sup_quality *q = report->profile->quality;
    if (q && !q->complete)
        sup_report_text(report, "p", "warn",
                        "The measurement is not complete: it was interrupted, or its time ran out before "
                        "every number was as certain as wanted.");
    if (q && q->busy)
        sup_report_text(report, "p", "warn",
                        "The machine was busy while it was measured. Measure again when it is idle.");
    sup_report_tables(report, quality_tables);
}

const sup_section sup_section_quality = {
    .name = "quality",
    .tables = quality_tables,
    .page = quality_page,
};
