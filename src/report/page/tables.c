/* What the tables of several sections share (tables.h): where tables go, cells, caches and curves. */
#include "report/page/tables.h"

#include "base/number/stats.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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

/* ---- cells ---- */

void sup_table_row(sup_table *t, const char *what, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sup_cell_text(t, what);
    sup_cell_text(t, text);
}

void sup_cell_text(sup_table *t, const char *text) { sup_table_cell(t, "%s", text ? text : "–"); }

void sup_cell_count(sup_table *t, int64_t count) { sup_table_cell(t, "%" PRId64, count); }

void sup_cell_samples(sup_table *t, const sup_number *number) { sup_cell_count(t, number ? number->n : 0); }

void sup_cell_seconds(sup_table *t, double seconds) {
    char text[SUP_UNIT_TEXT];
    sup_cell_text(t, sup_unit_seconds(seconds, text, sizeof text));
}

void sup_cell_number(sup_table *t, const sup_number *number) {
    char text[SUP_UNIT_TEXT];
    sup_cell_text(t, sup_unit_number(number, text, sizeof text));
}

void sup_cell_bytes(sup_table *t, double bytes) {
    char text[SUP_UNIT_TEXT];
    sup_cell_text(t, sup_unit_bytes(bytes, text, sizeof text));
}

void sup_cell_share(sup_table *t, double share) {
    char text[SUP_UNIT_TEXT];
    sup_cell_text(t, sup_unit_share(share, text, sizeof text));
}

void sup_cell_rate(sup_table *t, double per_second, const char *what) {
    char text[SUP_UNIT_TEXT];
    sup_cell_text(t, sup_unit_rate(per_second, what, text, sizeof text));
}

void sup_cell_interval(sup_table *t, double value, double ci) {
    char text[SUP_UNIT_TEXT];
    sup_cell_text(t, sup_unit_interval(value, ci, text, sizeof text));
}

void sup_cell_factor(sup_table *t, double factor) {
    isfinite(factor) ? sup_table_cell(t, "%.2f ×", factor) : sup_cell_text(t, NULL);
}

void sup_cell_range(sup_table *t, double low, double high) {
    low > 0 && high > 0 ? sup_table_cell(t, "%.2f to %.2f", low, high) : sup_cell_text(t, NULL);
}

void sup_column_typical(sup_table *t, bool any) {
    if (!any) return;
    sup_table_column(t, "typical>");
    sup_table_column(t, "bad>");
    sup_table_note(t, "Times are calm: a low quantile of all batches, what it takes when nobody is in the way. "
                      "Typical is their median, bad what one in ten exceeds.");
}

void sup_cell_typical(sup_table *t, bool any, const sup_number *number) {
    if (!any) return;
    sup_cell_seconds(t, number ? number->typical : NAN);
    sup_cell_seconds(t, number ? number->bad : NAN);
}

/* ---- caches and curves ---- */

void sup_curve_range(const sup_file_curve *curve, double *low, double *high) {
    *low = curve->segments_count ? curve->segments[0].x_lo : NAN;
    *high = curve->segments_count ? curve->segments[curve->segments_count - 1].x_hi : NAN;
}

double sup_curve_value(const sup_file_curve *curve, double x) {
    return curve && curve->curve ? sup_curve_at(curve->curve, x) : NAN;
}

double sup_curve_measured(const sup_file_curve *curve, double x) {
    double low, high;
    sup_curve_range(curve, &low, &high);
    if (!(x >= low * 0.75) || !(x <= high * 1.25)) return NAN;
    return sup_curve_value(curve, fmin(fmax(x, low), high));
}

/* The middle one of some of the values, or NaN. */
static double middle(double *values, size_t count) {
    if (count) sup_stats_sort(values, count);
    double value = count ? values[count / 2] : NAN;
    free(values);
    return value;
}

double sup_curve_interval(const sup_file_curve *curve) {
    const sup_points *p = curve->points;
    double *shares = p && p->ci_count ? malloc(p->ci_count * sizeof *shares) : NULL;
    size_t count = 0;
    for (size_t i = 0; shares && i < p->ci_count; i++) {
        double ci = sup_unit_ci(p->ci[i], p->n_count ? p->n[i] : 0);
        if (isfinite(ci) && p->y[i] > 0.0) shares[count++] = ci / p->y[i];
    }
    return middle(shares, count);
}

static double middle_ratio(const double *of, const double *to, size_t count) {
    double *ratios = count ? malloc(count * sizeof *ratios) : NULL;
    size_t used = 0;
    for (size_t i = 0; ratios && i < count; i++)
        if (isfinite(of[i]) && to[i] > 0.0) ratios[used++] = of[i] / to[i];
    return middle(ratios, used);
}

double sup_curve_typical(const sup_file_curve *c) {
    return c && c->points ? middle_ratio(c->points->typical, c->points->y, c->points->typical_count) : NAN;
}

double sup_curve_bad(const sup_file_curve *c) {
    return c && c->points ? middle_ratio(c->points->bad, c->points->y, c->points->bad_count) : NAN;
}
