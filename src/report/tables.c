/* What a profile says, as tables: the list of sections, the machine and the quality of the measurement (tables.h). */
#include "report/tables.h"

#include "report/series.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sup_sink_put(sup_sink *sink, sup_table *table) {
    sup_status status = sup_table_status(table);
    if (status && !sink->status) sink->status = status;
    if (!status && sup_table_rows(table)) {
        if (sink->gap && sink->count) fputc('\n', sink->out);
        sink->write(table, sink->out);
        sink->count++;
    }
    sup_table_free(table);
}

/* ---- caches and curves, which several tables look at ---- */

/* Finds "L3 32 MB" and the like in the words of the signature, which list the outermost first. */
int sup_cache_marks(const sup_profile *profile, sup_cache_mark out[SUP_CACHE_MARKS]) {
    static const char units[] = "BKMGT";
    const char *text = profile->signature.machine;
    int count = 0;
    for (const char *at = text; at && *at && count < SUP_CACHE_MARKS; at++) {
        char *end;
        if (*at != 'L' || at[1] < '1' || at[1] > '9' || at[2] != ' ' || (at > text && at[-1] != ' ')) continue;
        double value = strtod(at + 3, &end);
        if (end == at + 3 || *end != ' ') continue;
        const char *unit = end[1] ? strchr(units, end[1]) : NULL;
        if (!unit || !(value > 0.0) || value > 1e9) continue;
        sup_cache_mark mark = {.bytes = value * pow(1024.0, (double)(unit - units))};
        snprintf(mark.name, sizeof mark.name, "L%c", at[1]);
        memmove(out + 1, out, (size_t)count * sizeof *out);
        out[0] = mark;
        count++;
    }
    return count;
}

void sup_curve_range(const sup_file_curve *curve, double *low, double *high) {
    *low = curve->segments_count ? curve->segments[0].x_lo : NAN;
    *high = curve->segments_count ? curve->segments[curve->segments_count - 1].x_hi : NAN;
}

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double sup_curve_interval(const sup_file_curve *curve) {
    const sup_points *p = curve->points;
    double *shares = p && p->ci_count ? malloc(p->ci_count * sizeof *shares) : NULL;
    size_t count = 0;
    for (size_t i = 0; shares && i < p->ci_count; i++)
        if (isfinite(p->ci[i]) && p->y[i] > 0.0) shares[count++] = p->ci[i] / p->y[i];
    if (count) qsort(shares, count, sizeof *shares, compare_reals);
    double middle = count ? shares[count / 2] : NAN;
    free(shares);
    return middle;
}

/* ---- machine and quality ---- */

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
        qsort(c.shares, c.count, sizeof *c.shares, compare_reals);
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
