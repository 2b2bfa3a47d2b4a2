/* Section "kernels", Tcomp (BSP ch. 4): rates of kernels by where their data fit, and where their times rise, beside
 * the caches. */
#include "report/sections.h"

#include "report/plot.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define MOST_STEPS 16
#define LEAST_STEP 0.05 /* less is no row: "1.10 → 1.10 ns" */
#define BESIDE 1.25     /* a cache is full a little before its size, and sizes are measured some way apart */

/* A footprint that stands for "fits into this cache": half of it, where neighbours and tags do not matter yet. */
static double inside(double bytes) { return bytes / 2.0; }

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
    double best = quickest(r->unit_s);
    sup_cell_text(t, k->name);
    sup_cell_count(t, r->active);
    if (kinds) sup_cell_text(t, r->kind ? r->kind : "");
    for (int c = 0; c < count; c++) sup_cell_seconds(t, sup_curve_measured(r->unit_s, inside(caches[c].bytes)));
    double memory = count ? outside(r->unit_s, caches[count - 1].bytes) : NAN;
    sup_cell_seconds(t, sup_curve_measured(r->unit_s, memory));
    sup_cell_rate(t, k->bytes_per_unit > 0 ? k->bytes_per_unit / best : NAN, "B/s");
    sup_cell_rate(t, k->flops_per_unit > 0 ? k->flops_per_unit / best : NAN, "flop/s");
    sup_cell_interval(t, 1.0, sup_curve_interval(r->unit_s));
    sup_cell_share(t, r->prediction_error);
    if (checked) sup_cell_share(t, r->long_run_error);
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

/* The cache that a step belongs to: its size lies where the step is, or right beside it; where several do, the one
 * nearest to the middle. Cores that run together share the last one. A step elsewhere has another reason, and no name.
 */
static const sup_cache_mark *belongs(const sup_cache_mark *caches, int count, int64_t active, const sup_break *step) {
    const sup_cache_mark *found = NULL;
    double middle = sup_curve_break(step->low, step->high), best = INFINITY;
    for (int c = 0; c < count; c++)
        for (int shared = 0; shared <= (c + 1 == count && active > 1); shared++) {
            double bytes = caches[c].bytes / (shared ? (double)active : 1.0), far = fabs(log(middle / bytes));
            if (bytes < step->low / BESIDE || bytes > step->high * BESIDE || far >= best) continue;
            best = far;
            found = &caches[c];
        }
    return found;
}

static void break_rows(sup_table *t, const sup_kernel_profile *k, const sup_kernel_rate *r,
                       const sup_cache_mark *caches, int count) {
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT];
    sup_break steps[MOST_STEPS];
    size_t found = r->unit_s->curve ? sup_curve_breaks(r->unit_s->curve, LEAST_STEP, steps, MOST_STEPS) : 0;
    for (size_t i = 0; i < found; i++) {
        const sup_break *step = &steps[i];
        const sup_cache_mark *cache = belongs(caches, count, r->active, step);
        sup_cell_text(t, k->name);
        sup_cell_count(t, r->active);
        sup_table_cell(t, "%s – %s", sup_unit_bytes(step->low, a, sizeof a), sup_unit_bytes(step->high, b, sizeof b));
        sup_table_cell(t, "%s → %s", sup_unit_seconds(step->before, a, sizeof a),
                       sup_unit_seconds(step->after, b, sizeof b));
        if (cache)
            sup_table_cell(t, "%s, %s", cache->name, sup_unit_bytes(cache->bytes, a, sizeof a));
        else
            sup_cell_text(t, NULL);
    }
}

static void breaks(const sup_profile *p, sup_sink *sink) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    sup_table *t = sup_table_new("where the times rise", "kernel", "cores>", "footprint>", "time of a unit>", "cache",
                                 NULL);
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (p->kernels[i].rates[j].unit_s) break_rows(t, &p->kernels[i], &p->kernels[i].rates[j], caches, count);
    sup_sink_put(sink, t);
}

static void kernel_tables(const sup_profile *p, sup_sink *sink) {
    rates(p, sink);
    breaks(p, sink);
}

static void kernel_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->kernels_count; i++) {
        const sup_kernel_profile *k = &p->kernels[i];
        for (size_t j = 0; j < k->rates_count; j++) {
            const sup_kernel_rate *r = &k->rates[j];
            sup_walk_curve(sup_walk_name(w, "%.200s%s%.100s/active=%" PRId64 "/unit_s", k->name, r->kind ? "/" : "",
                                         r->kind ? r->kind : "", r->active),
                           r->unit_s, "s", "B");
        }
    }
}

static void rates_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_kernel_profile *k = &p->kernels[f->index];
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    char label[256];
    sup_plot plot;
    sup_plot_begin(&plot, out, false);
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        snprintf(label, sizeof label, "%" PRId64 " core%s%s%.100s", r->active, r->active == 1 ? "" : "s",
                 r->kind ? ", " : "", r->kind ? r->kind : "");
        sup_plot_curve(&plot, label, r->unit_s);
    }
    for (int c = 0; c < count; c++) sup_plot_mark(&plot, caches[c].name, caches[c].bytes);
    snprintf(label, sizeof label, "per %.100s", k->unit);
    sup_plot_end(&plot, "memory footprint", label);
}

static void kernel_figures(const sup_profile *p, sup_figure_list *list) {
    char name[128];
    for (size_t i = 0; i < p->kernels_count; i++) {
        if (!p->kernels[i].rates_count) continue;
        snprintf(name, sizeof name, "rates-%.80s", p->kernels[i].name);
        sup_figure_add(list, &(sup_figure){.section = "kernels", .index = i, .script = rates_script}, name,
                       "%.60s: time of one %.60s", p->kernels[i].name, p->kernels[i].unit);
    }
}

const sup_section sup_section_kernels = {
    .name = "kernels",
    .tables = kernel_tables,
    .series = kernel_series,
    .figures = kernel_figures,
    .counted = offsetof(sup_profile, kernels_count),
};
