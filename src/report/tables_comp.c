/* Tables of computation: rates of kernels by where their data fit, the breaks of their curves beside the caches, the
 * classic parameters and copies. Tcomp (BSP ch. 4). */
#include "report/tables.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A footprint that stands for "fits into this cache": half of it, where neighbours and tags do not matter yet. */
static double inside(double bytes) { return bytes / 2.0; }

/* The time of a unit at x, if somebody measured near there; NaN otherwise. */
static double near(const sup_file_curve *curve, double x) {
    double low, high;
    sup_curve_range(curve, &low, &high);
    if (!curve->curve || !(x >= low * 0.75) || !(x <= high * 1.25)) return NAN;
    return sup_curve_at(curve->curve, fmin(fmax(x, low), high));
}

/* The largest footprint measured, if it is well outside the last cache. */
static double outside(const sup_file_curve *curve, double last_cache) {
    double low, high;
    sup_curve_range(curve, &low, &high);
    return high >= 2.0 * last_cache ? high : NAN;
}

/* The shortest time of a unit over the measured points. */
static double quickest(const sup_file_curve *curve) {
    double best = NAN;
    for (size_t i = 0; curve->curve && i < curve->segments_count; i++) {
        best = fmin(best, sup_curve_at(curve->curve, curve->segments[i].x_lo));
        best = fmin(best, sup_curve_at(curve->curve, curve->segments[i].x_hi));
    }
    return best;
}

static void rate_row(sup_table *t, const sup_kernel_profile *k, const sup_kernel_rate *r, bool kinds, bool checked,
                     const sup_cache_mark *caches, int count) {
    char text[SUP_UNIT_TEXT];
    double best = quickest(r->unit_s), share = sup_curve_interval(r->unit_s);
    sup_table_cell(t, "%s", k->name);
    sup_table_cell(t, "%" PRId64, r->active);
    if (kinds) sup_table_cell(t, "%s", r->kind ? r->kind : "");
    for (int c = 0; c < count; c++)
        sup_table_cell(t, "%s", sup_unit_seconds(near(r->unit_s, inside(caches[c].bytes)), text, sizeof text));
    double far = count ? outside(r->unit_s, caches[count - 1].bytes) : NAN;
    sup_table_cell(t, "%s", sup_unit_seconds(isfinite(far) ? near(r->unit_s, far) : NAN, text, sizeof text));
    sup_table_cell(t, "%s",
                   sup_unit_rate(k->bytes_per_unit > 0 ? k->bytes_per_unit / best : NAN, "B/s", text, sizeof text));
    sup_table_cell(t, "%s",
                   sup_unit_rate(k->flops_per_unit > 0 ? k->flops_per_unit / best : NAN, "flop/s", text, sizeof text));
    sup_table_cell(t, "%s", sup_unit_interval(1.0, share, text, sizeof text));
    sup_table_cell(t, "%s", sup_unit_share(r->prediction_error, text, sizeof text));
    if (checked) sup_table_cell(t, "%s", sup_unit_share(r->long_run_error, text, sizeof text));
}

/* What the check of BSP §4.1 found: how many rates it was made for, mean and largest error. */
typedef struct long_runs {
    size_t rates, checked;
    double sum, worst;
} long_runs;

static long_runs find_long_runs(const sup_profile *p) {
    long_runs all = {0};
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++) {
            double error = p->kernels[i].rates[j].long_run_error;
            all.rates++;
            if (!isfinite(error)) continue;
            all.checked++;
            all.sum += error;
            all.worst = fmax(all.worst, error);
        }
    return all;
}

static bool has_kinds(const sup_profile *p) {
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (p->kernels[i].rates[j].kind) return true;
    return false;
}

static void rates(const sup_profile *p, sup_sink *sink) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    char name[64], mean[SUP_UNIT_TEXT], worst[SUP_UNIT_TEXT];
    int count = sup_cache_marks(p, caches);
    bool kinds = has_kinds(p);
    long_runs all = find_long_runs(p);
    sup_table *t = sup_table_new("time of one unit of work", "kernel", "cores>", NULL);
    if (kinds) sup_table_column(t, "kind");
    for (int c = 0; c < count; c++) {
        snprintf(name, sizeof name, "in %s>", caches[c].name);
        sup_table_column(t, name);
    }
    sup_table_column(t, "in memory>");
    sup_table_column(t, "best, bytes>");
    sup_table_column(t, "best, flops>");
    sup_table_column(t, "95 % interval>");
    sup_table_column(t, "long runs off by>");
    if (all.checked) sup_table_column(t, "4096 × off by>");
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (p->kernels[i].rates[j].unit_s)
                rate_row(t, &p->kernels[i], &p->kernels[i].rates[j], kinds, all.checked > 0, caches, count);
    if (count)
        sup_table_note(t,
                       "Times are of each core while so many run at once; \"in L1\" is at half its size, \"in memory\" "
                       "at the largest footprint measured, \"best\" where the kernel is quickest.");
    if (all.checked)
        sup_table_note(
            t,
            "Long runs: predicted by the curve, with footprints inside each cache and beyond, as much longer "
            "as time allowed. 4096 ×: runs 4096 times as long as the samples that predict them, for %zu of "
            "%zu rates off by %s in the mean and %s at most.",
            all.checked, all.rates, sup_unit_share(all.sum / (double)all.checked, mean, sizeof mean),
            sup_unit_share(all.worst, worst, sizeof worst));
    sup_sink_put(sink, t);
}

/* The cache whose size is nearest on a logarithmic scale, if within a factor of two. */
static const sup_cache_mark *nearest(const sup_cache_mark *caches, int count, double x) {
    const sup_cache_mark *found = NULL;
    double best = log(2.0) + 1e-9;
    for (int c = 0; c < count; c++) {
        double far = fabs(log(x / caches[c].bytes));
        if (far <= best) {
            best = far;
            found = &caches[c];
        }
    }
    return found;
}

static void break_rows(sup_table *t, const sup_kernel_profile *k, const sup_kernel_rate *r,
                       const sup_cache_mark *caches, int count) {
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT];
    for (size_t i = 0; i + 1 < r->unit_s->segments_count && r->unit_s->curve; i++) {
        double low = r->unit_s->segments[i].x_hi, high = r->unit_s->segments[i + 1].x_lo;
        double at = sup_curve_break(low, high);
        const sup_cache_mark *cache = nearest(caches, count, at);
        sup_table_cell(t, "%s", k->name);
        sup_table_cell(t, "%" PRId64, r->active);
        if (high > low * 1.01)
            sup_table_cell(t, "%s – %s", sup_unit_bytes(low, a, sizeof a), sup_unit_bytes(high, b, sizeof b));
        else
            sup_table_cell(t, "%s", sup_unit_bytes(at, a, sizeof a));
        sup_table_cell(t, "%s → %s", sup_unit_seconds(sup_curve_at(r->unit_s->curve, low), a, sizeof a),
                       sup_unit_seconds(sup_curve_at(r->unit_s->curve, high), b, sizeof b));
        if (cache)
            sup_table_cell(t, "%s, %s", cache->name, sup_unit_bytes(cache->bytes, a, sizeof a));
        else
            sup_table_cell(t, "–");
    }
}

static void breaks(const sup_profile *p, sup_sink *sink) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    sup_table *t = sup_table_new("where the curves break", "kernel", "cores>", "footprint>", "time of a unit>",
                                 "nearest cache", NULL);
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (p->kernels[i].rates[j].unit_s) break_rows(t, &p->kernels[i], &p->kernels[i].rates[j], caches, count);
    sup_sink_put(sink, t);
}

void sup_tables_kernels(const sup_profile *p, sup_sink *sink) {
    rates(p, sink);
    breaks(p, sink);
}

void sup_tables_classic(const sup_profile *p, sup_sink *sink) {
    char text[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("classic BSP parameters", "transport", "processes>", "r>", "g, time>", "g, flops>",
                                 "l, time>", "l, flops>", NULL);
    for (size_t i = 0; i < p->classic_count; i++) {
        const sup_classic *c = &p->classic[i];
        double r = c->flops_per_s ? c->flops_per_s->value : NAN;
        double g = c->word_s ? c->word_s->value : NAN, l = c->sync_s ? c->sync_s->value : NAN;
        sup_table_cell(t, "%s", c->transport);
        sup_table_cell(t, "%" PRId64, c->processes);
        sup_table_cell(t, "%s", sup_unit_rate(r, "flop/s", text, sizeof text));
        sup_table_cell(t, "%s", sup_unit_number(c->word_s, text, sizeof text));
        isfinite(r * g) ? sup_table_cell(t, "%.1f", r * g) : sup_table_cell(t, "–");
        sup_table_cell(t, "%s", sup_unit_number(c->sync_s, text, sizeof text));
        isfinite(r * l) ? sup_table_cell(t, "%.0f", r * l) : sup_table_cell(t, "–");
    }
    sup_sink_put(sink, t);
}

void sup_tables_copies(const sup_profile *p, sup_sink *sink) {
    static const double sizes[] = {64, 4096, 65536, 1048576};
    char text[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("copies inside a host", "method", "between", "partners>", "puts each>", "64 B>",
                                 "4 KB>", "64 KB>", "1 MB>", NULL);
    for (size_t i = 0; i < p->copies_count; i++) {
        const sup_copy_time *c = &p->copies[i];
        if (!c->time_s) continue;
        sup_table_cell(t, "%s", c->method);
        sup_table_cell(t, "%s", c->level ? c->level : "any");
        c->messages > 0 ? sup_table_cell(t, "%" PRId64, c->messages) : sup_table_cell(t, "–");
        c->records > 0 ? sup_table_cell(t, "%" PRId64, c->records) : sup_table_cell(t, "–");
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            sup_table_cell(t, "%s", sup_unit_seconds(near(c->time_s, sizes[s]), text, sizeof text));
    }
    sup_sink_put(sink, t);
}
