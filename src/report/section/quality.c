/* Section "quality": how far the numbers of a profile can be trusted. */
#include "report/section/sections.h"

#include "report/certainty.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>

static void certainty_rows(const sup_profile *p, sup_sink *sink, sup_table *t) {
    sup_certainty c;
    char text[SUP_UNIT_TEXT], worst[SUP_UNIT_TEXT];
    sup_status status = sup_certainty_of(p, sink->sections, &c);
    if (status) {
        sink->status = status;
        return;
    }
    if (c.reruns)
        sup_table_row(t, "numbers", "%zu, from %" PRId64 " samples; %" PRId64 " were outliers and measured again",
                      c.numbers, c.samples, c.reruns);
    else
        sup_table_row(t, "numbers", "%zu, from %" PRId64 " samples", c.numbers, c.samples);
    if (isfinite(c.middle))
        sup_table_row(t, "95 % interval", "± %s in the middle, ± %s at the 95th percentile",
                      sup_unit_share(c.middle, text, sizeof text), sup_unit_share(c.most, worst, sizeof worst));
    if (c.known) {
        sup_table_cell(t, "within ± %.0f %%", 100.0 * SUP_WIDE);
        sup_table_cell(t, "%s: %zu of %zu", sup_unit_share(sup_certainty_within(&c), text, sizeof text),
                       c.known - c.wide, c.known);
    }
    if (c.single)
        sup_table_row(t, "from one sample", "%zu, which have no interval and do not count as within", c.single);
}

static void quality_tables(const sup_profile *p, sup_sink *sink) {
    const sup_quality *q = p->quality;
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("quality of the measurement", "", "", NULL);
    if (q) {
        sup_table_row(t, "complete", "%s", q->complete ? "yes" : "no: interrupted, or the time ran out");
        sup_table_row(t, "machine", "%s", q->busy ? "busy: something else ran as well" : "idle");
        sup_table_row(t, "disturbed batches", "%s, which do not count", sup_unit_share(q->rejection_rate, a, sizeof a));
        if (isfinite(q->budget_s))
            sup_table_row(t, "time", "%s of %s", sup_unit_duration(q->spent_s, a, sizeof a),
                          sup_unit_duration(q->budget_s, b, sizeof b));
        else
            sup_table_row(t, "time", "%s", sup_unit_duration(q->spent_s, a, sizeof a));
        sup_table_row(t, "clock", "steps of %s, %s a reading", sup_unit_seconds(q->clock_resolution_s, a, sizeof a),
                      sup_unit_seconds(q->clock_overhead_s, b, sizeof b));
    }
    certainty_rows(p, sink, t);
    for (size_t i = 0; q && i < q->warnings_count; i++)
        sup_table_row(t, i ? "" : "warnings", "%s", q->warnings[i].text);
    sup_sink_put(sink, t);
}

const sup_section sup_section_quality = {
    .name = "quality",
    .tables = quality_tables,
};
