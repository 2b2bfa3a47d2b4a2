/* Section "kernels", Tcomp (BSP ch. 4): times of kernels by where their data fit, what all cores reach together, and
 * the breaks of the curves beside the caches. */
#include "report/section/sections.h"

#include "report/draw/plot.h"
#include "report/page/units.h"
#include "report/rates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A footprint that stands for "fits into this cache": half of what a core has of it, where neighbours and tags do not
 * matter yet. */
static double inside(const sup_cache_mark *cache, int64_t active) { return sup_cache_share(cache, active) / 2.0; }

/* Rate number n of a kernel, those of fewer cores first, whatever came first in the file. */
static const sup_kernel_rate *nth_rate(const sup_kernel_profile *k, size_t n) {
    for (size_t i = 0; i < k->rates_count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < k->rates_count; j++)
            before += k->rates[j].active < k->rates[i].active || (k->rates[j].active == k->rates[i].active && j < i);
        if (before == n) return &k->rates[i];
    }
    return NULL;
}

/* Columns that not every profile fills. */
typedef struct filled {
    bool kinds, typical, checked, errors;
} filled;

static void time_row(sup_table *t, const sup_profile *p, const sup_kernel_profile *k, const sup_kernel_rate *r,
                     const filled *has) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    sup_cell_text(t, k->name);
    sup_cell_count(t, r->active);
    if (has->kinds) sup_cell_text(t, r->kind ? r->kind : "");
    for (int c = 0; c < count; c++) sup_cell_seconds(t, sup_curve_measured(r->unit_s, inside(&caches[c], r->active)));
    sup_cell_seconds(t, sup_rate_reached(p, r).memory_s);
    sup_cell_interval(t, 1.0, sup_curve_interval(r->unit_s));
    if (has->typical) {
        sup_cell_factor(t, sup_curve_typical(r->unit_s));
        sup_cell_factor(t, sup_curve_bad(r->unit_s));
    }
    if (has->errors) sup_cell_share(t, r->prediction_error);
    if (has->checked) sup_cell_share(t, r->long_run_error);
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

static filled find_filled(const sup_profile *p) {
    filled has = {0};
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++) {
            const sup_kernel_rate *r = &p->kernels[i].rates[j];
            has.kinds |= r->kind != NULL;
            has.typical |= isfinite(sup_curve_typical(r->unit_s));
            has.errors |= isfinite(r->prediction_error);
            has.checked |= isfinite(r->long_run_error);
        }
    return has;
}

static void time_columns(sup_table *t, const sup_profile *p, const filled *has) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    char name[64];
    int count = sup_cache_marks(p, caches);
    if (has->kinds) sup_table_column(t, "kind");
    for (int c = 0; c < count; c++) {
        snprintf(name, sizeof name, "in %s>", caches[c].name);
        sup_table_column(t, name);
    }
    sup_table_column(t, "in memory>");
    sup_table_column(t, "95 % interval>");
    if (has->typical) sup_table_column(t, "typical>");
    if (has->typical) sup_table_column(t, "bad>");
    if (has->errors) sup_table_column(t, "long runs off by>");
    if (has->checked) sup_table_column(t, "4096 × off by>");
    if (count)
        sup_table_note(t,
                       "Times are of each core while so many run at once; \"in L1\" is at half its size (from L3 on at "
                       "half of what each core has of it), \"in memory\" at the largest footprint measured, if that "
                       "is 1.3 times the last cache or more.");
    if (has->typical)
        sup_table_note(t, "Times are calm: a low quantile of all batches. Typical is how many times as long the median "
                          "of them takes, bad what one in ten exceeds, each in the middle over all footprints.");
}

static void times(const sup_profile *p, sup_sink *sink) {
    char mean[SUP_UNIT_TEXT], worst[SUP_UNIT_TEXT];
    filled has = find_filled(p);
    long_runs all = find_long_runs(p);
    sup_table *t = sup_table_new("time of one unit of work", "kernel", "cores>", NULL);
    time_columns(t, p, &has);
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (nth_rate(&p->kernels[i], j)->unit_s) time_row(t, p, &p->kernels[i], nth_rate(&p->kernels[i], j), &has);
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

static void rate_row(sup_table *t, const sup_profile *p, const sup_kernel_profile *k, const sup_kernel_rate *r,
                     bool kinds) {
    sup_reached reached = sup_rate_reached(p, r);
    sup_cell_text(t, k->name);
    sup_cell_count(t, r->active);
    if (kinds) sup_cell_text(t, r->kind ? r->kind : "");
    sup_cell_bytes(t, reached.best_at);
    sup_cell_rate(t, sup_rate_flops(k, r, reached.best_s), "flop/s");
    sup_cell_rate(t, sup_rate_bytes(k, r, reached.best_s), "B/s");
    sup_cell_bytes(t, reached.memory_at);
    sup_cell_rate(t, sup_rate_flops(k, r, reached.memory_s), "flop/s");
    sup_cell_rate(t, sup_rate_bytes(k, r, reached.memory_s), "B/s");
}

static void rates(const sup_profile *p, sup_sink *sink) {
    static const char *const names[] = {"best at>",   "best, flops>",        "best, bytes>",
                                        "memory at>", "from memory, flops>", "from memory, bytes>"};
    bool kinds = find_filled(p).kinds;
    sup_table *t = sup_table_new("rates of all active cores together", "kernel", "cores>", NULL);
    if (kinds) sup_table_column(t, "kind");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) sup_table_column(t, names[i]);
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (nth_rate(&p->kernels[i], j)->unit_s) rate_row(t, p, &p->kernels[i], nth_rate(&p->kernels[i], j), kinds);
    sup_table_note(
        t, "\"Best\" is where the kernel is quickest, \"memory\" as above; both with the footprint of each core.");
    sup_sink_put(sink, t);
}

/* ---- breaks ---- */

#define NEAR 1.5        /* a break that far from a cache's size may still be its */
#define LEAST_STEP 0.05 /* a smaller one is no row: "1.10 → 1.10 ns" */
enum { MOST_STEPS = 16 };

/* The caches that such a rise may come from, "L1, 64 KB; L3, 16 MB of 32 MB"; NULL: none. */
static const char *name_caches(const sup_profile *p, const sup_break *b, int64_t active, char *buf, size_t size) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    char text[SUP_UNIT_TEXT], whole[SUP_UNIT_TEXT];
    size_t used = 0;
    for (int c = 0; c < count && b->after > b->before && used < size; c++) {
        double bytes = sup_cache_share(&caches[c], active);
        if (bytes < b->low / NEAR || bytes > b->high * NEAR) continue;
        bool part = bytes < caches[c].bytes;
        used += (size_t)snprintf(buf + used, size - used, "%s%s, %s%s%s", used ? "; " : "", caches[c].name,
                                 sup_unit_bytes(bytes, text, sizeof text), part ? " of " : "",
                                 part ? sup_unit_bytes(caches[c].bytes, whole, sizeof whole) : "");
    }
    return used ? buf : NULL;
}

static void break_rows(sup_table *t, const sup_profile *p, const sup_kernel_profile *k, const sup_kernel_rate *r) {
    char a[SUP_UNIT_TEXT], b[SUP_UNIT_TEXT], names[256];
    sup_break steps[MOST_STEPS];
    double interval = sup_curve_interval(r->unit_s); /* each side has it */
    double least = fmax(LEAST_STEP, isfinite(interval) ? 2.0 * interval : 0.0);
    size_t count = r->unit_s->curve ? sup_curve_breaks(r->unit_s->curve, least, steps, MOST_STEPS) : 0;
    for (size_t i = 0; i < count; i++) {
        sup_break found = steps[i];
        sup_cell_text(t, k->name);
        sup_cell_count(t, r->active);
        sup_table_cell(t, "%s – %s", sup_unit_bytes(found.low, a, sizeof a), sup_unit_bytes(found.high, b, sizeof b));
        sup_table_cell(t, "%s → %s", sup_unit_seconds(found.before, a, sizeof a),
                       sup_unit_seconds(found.after, b, sizeof b));
        sup_cell_text(t, name_caches(p, &found, r->active, names, sizeof names));
    }
}

static void breaks(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("where the time of a unit rises", "kernel", "cores>", "footprint>", "time of a unit>",
                                 "cache of that size", NULL);
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++)
            if (nth_rate(&p->kernels[i], j)->unit_s) break_rows(t, p, &p->kernels[i], nth_rate(&p->kernels[i], j));
    sup_table_note(t,
                   "By more than %.0f %% and beyond the intervals. A cache is named where the footprints are at most "
                   "%.1f times off "
                   "its size, or off a core's part of L3.",
                   100.0 * LEAST_STEP, NEAR);
    sup_sink_put(sink, t);
}

static void kernel_tables(const sup_profile *p, sup_sink *sink) {
    times(p, sink);
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
        const sup_kernel_rate *r = nth_rate(k, i);
        snprintf(label, sizeof label, "%" PRId64 " core%s%s%.100s", r->active, r->active == 1 ? "" : "s",
                 r->kind ? ", " : "", r->kind ? r->kind : "");
        sup_plot_curve(&plot, label, r->unit_s);
    }
    for (int c = 0; c < count; c++) sup_plot_mark(&plot, caches[c].name, caches[c].bytes);
    snprintf(label, sizeof label, "per %.100s", k->unit);
    sup_plot_end(&plot, "memory footprint", label);
}

/* One point is no curve. */
static bool has_curve(const sup_kernel_profile *k) {
    for (size_t i = 0; i < k->rates_count; i++) {
        double low, high;
        if (!k->rates[i].unit_s) continue;
        sup_curve_range(k->rates[i].unit_s, &low, &high);
        if (high > low) return true;
    }
    return false;
}

static void kernel_figures(const sup_profile *p, sup_figure_list *list) {
    char name[128];
    for (size_t i = 0; i < p->kernels_count; i++) {
        if (!has_curve(&p->kernels[i])) continue;
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
};
