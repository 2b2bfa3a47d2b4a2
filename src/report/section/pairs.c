/* Section "pairs", Tcomm (BSP §5.6): O, L and B of each class of pairs, and the time of a message by its size. */
#include "report/section/sections.h"

#include "report/draw/plot.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void pair_row(sup_table *t, const sup_pair_class *c, bool typical) {
    char text[SUP_UNIT_TEXT], interval[SUP_UNIT_TEXT];
    const sup_number *byte = c->per_byte_s;
    sup_cell_text(t, c->name);
    c->measured ? sup_cell_count(t, c->measured) : sup_cell_text(t, NULL);
    sup_cell_number(t, c->overhead_s);
    sup_cell_number(t, c->latency_s);
    if (byte && byte->value > 0.0)
        sup_table_cell(t, "%s %s", sup_unit_rate(1.0 / byte->value, "B/s", text, sizeof text),
                       byte->n == 1 ? "one sample"
                                    : sup_unit_interval(byte->value, byte->ci, interval, sizeof interval));
    else
        sup_cell_text(t, NULL);
    if (typical) sup_cell_factor(t, sup_curve_typical(c->time_s));
    if (typical) sup_cell_factor(t, sup_curve_bad(c->time_s));
    sup_cell_samples(t, c->latency_s ? c->latency_s : c->overhead_s);
}

static bool any_typical(const sup_pairs *pairs) {
    for (size_t c = 0; c < pairs->classes_count; c++)
        if (isfinite(sup_curve_typical(pairs->classes[c].time_s))) return true;
    return false;
}

/* O, L and B of each class. */
static void class_table(const sup_pairs *pairs, bool first, sup_sink *sink) {
    char title[256];
    bool typical = any_typical(pairs);
    snprintf(title, sizeof title, "over %.100s: pairs of %" PRId64 " processes", pairs->transport, pairs->processes);
    sup_table *t =
        sup_table_new(title, "class", "pairs measured>", "overhead O>", "latency L>", "bandwidth 1/B>", NULL);
    if (typical) sup_table_column(t, "typical>");
    if (typical) sup_table_column(t, "bad>");
    sup_table_column(t, "n>");
    for (size_t c = 0; c < pairs->classes_count; c++) pair_row(t, &pairs->classes[c], typical);
    if (typical && first)
        sup_table_note(t, "Times are calm: a low quantile of all batches. Typical is how many times as long the median "
                          "of them takes, bad what one in ten exceeds, each in the middle over all sizes.");
    if (pairs->interference > 1.05)
        sup_table_note(t, "While other pairs exchange too, a pair takes %.2f times as long.", pairs->interference);
    else if (isfinite(pairs->interference))
        sup_table_note(t, "While other pairs exchange too, a pair takes as long as alone.");
    sup_sink_put(sink, t);
}

#define LEAST_JUMP 0.15
enum { MOST_JUMPS = 8 };

/* Where the library changes its protocol; NULL: nowhere. */
static const char *find_jumps(const sup_file_curve *c, char *buf, size_t size) {
    char text[SUP_UNIT_TEXT];
    sup_break at[MOST_JUMPS];
    size_t used = 0, found = c->curve ? sup_curve_jumps(c->curve, LEAST_JUMP, at, MOST_JUMPS) : 0;
    for (size_t i = 0; i < found && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%sabove %s: %.1f ×", used ? ", " : "",
                                 sup_unit_bytes(at[i].low, text, sizeof text), at[i].after / at[i].before);
    return used ? buf : NULL;
}

static void size_row(sup_table *t, const sup_pair_class *c, const double *sizes, size_t count) {
    double low, high;
    char jumps[512];
    sup_curve_range(c->time_s, &low, &high);
    sup_cell_text(t, c->name);
    for (size_t i = 0; i < count; i++)
        sup_cell_seconds(t, sizes[i] >= low * 0.99 && sizes[i] <= high * 1.01 ? sup_curve_value(c->time_s, sizes[i])
                                                                              : NAN);
    sup_cell_interval(t, 1.0, sup_curve_interval(c->time_s));
    sup_table_cell(t, "%zu", c->time_s->points ? c->time_s->points->x_count : 0);
    sup_cell_text(t, find_jumps(c->time_s, jumps, sizeof jumps));
}

/* Do the two directions of pairs cost the same? Only where every ordered pair was measured. */
static void direction_table(const sup_pairs *pairs, sup_sink *sink) {
    static const char *const names[] = {"overhead O", "latency L"};
    char title[256];
    if (!pairs->each) return;
    snprintf(title, sizeof title, "over %.100s: both directions of pairs", pairs->transport);
    sup_table *t = sup_table_new(title, "what", "pairs>", "differ>", "most from", "there>", "back>", "ratio>", NULL);
    for (int what = SUP_PAIR_OVERHEAD; what <= SUP_PAIR_LATENCY; what++) {
        sup_asymmetry a;
        if (!sup_pairs_asymmetry(pairs, (sup_pair_quantity)what, &a)) continue;
        sup_cell_text(t, names[what]);
        sup_cell_count(t, a.pairs);
        sup_table_cell(t, "%" PRId64, a.differ);
        sup_table_cell(t, "%" PRId64 " to %" PRId64, a.i, a.j);
        sup_cell_seconds(t, a.there);
        sup_cell_seconds(t, a.back);
        sup_cell_factor(t, a.there / a.back);
    }
    sup_table_note(
        t,
        "A pair differs if its directions are farther apart than their intervals, and by %.0f %% at least. L "
        "is half a round trip, by who begins it.",
        100 * SUP_PAIRS_ALIKE);
    sup_sink_put(sink, t);
}

static void pair_tables(const sup_profile *p, sup_sink *sink) {
    static const double sizes[] = {1, 64, 1024, 8192, 65536, 1048576};
    char title[256];
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pairs *pairs = &p->pairs[i];
        class_table(pairs, i == 0, sink);
        snprintf(title, sizeof title, "over %.100s: time of a message by size", pairs->transport);
        sup_table *t = sup_table_new(title, "class", "1 B>", "64 B>", "1 KB>", "8 KB>", "64 KB>", "1 MB>",
                                     "95 % interval>", "sizes>", "jumps", NULL);
        for (size_t c = 0; c < pairs->classes_count; c++)
            if (pairs->classes[c].time_s) size_row(t, &pairs->classes[c], sizes, sizeof sizes / sizeof sizes[0]);
        sup_sink_put(sink, t);
        direction_table(pairs, sink);
    }
}

static void pair_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->pairs_count; i++)
        for (size_t j = 0; j < p->pairs[i].classes_count; j++) {
            const char *net = p->pairs[i].transport;
            const sup_pair_class *c = &p->pairs[i].classes[j];
            sup_walk_number(sup_walk_name(w, "%.100s/%.200s/overhead_s", net, c->name), c->overhead_s, "s");
            sup_walk_number(sup_walk_name(w, "%.100s/%.200s/latency_s", net, c->name), c->latency_s, "s");
            sup_walk_number(sup_walk_name(w, "%.100s/%.200s/per_byte_s", net, c->name), c->per_byte_s, "s/B");
            sup_walk_curve(sup_walk_name(w, "%.100s/%.200s/time_s", net, c->name), c->time_s, "s", "B");
        }
}

/* ---- figures ---- */

static void sizes_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_pairs *pairs = &p->pairs[f->index];
    char label[128];
    sup_plot plot;
    sup_plot_begin(&plot, out, true);
    for (size_t c = 0; c < pairs->classes_count; c++) {
        const char *name = pairs->classes[c].name;
        bool cache = name[0] == 'L' && name[1] >= '1' && name[1] <= '9' && !name[2];
        snprintf(label, sizeof label, "%s%.100s", cache ? "processes that share " : "", name);
        if (pairs->classes[c].time_s) sup_plot_curve(&plot, label, pairs->classes[c].time_s);
    }
    sup_plot_end(&plot, "message size", "time of a message");
}

static const struct matrix {
    const char *name, *title;
} matrices[] = {{"overhead", "overhead O"}, {"latency", "latency L"}, {"per-byte", "time of a byte B"}};

static const sup_number *number_of(const sup_pair_class *c, size_t part) {
    return part == 0 ? c->overhead_s : part == 1 ? c->latency_s : c->per_byte_s;
}

static const sup_number *entry(const sup_pairs *pairs, int64_t i, int64_t j, size_t part) {
    return number_of(&pairs->classes[sup_pairs_class(pairs, i, j)], part);
}

static void matrix_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_pairs *pairs = &p->pairs[f->index];
    double largest = 0.0;
    const char *unit;
    int64_t count = pairs->processes;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) {
            const sup_number *n = entry(pairs, i, j, f->part);
            if (n) largest = fmax(largest, n->value);
        }
    double factor = sup_unit_scale(largest, &unit);
    fprintf(out, "$matrix << EOD\n");
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++) {
            const sup_number *n = entry(pairs, i, j, f->part);
            if (n)
                fprintf(out, "%" PRId64 " %" PRId64 " %.6g\n", j, i, n->value * factor);
            else
                fprintf(out, "%" PRId64 " %" PRId64 " NaN\n", j, i);
        }
    }
    fprintf(out, "EOD\n$labels << EOD\n");
    for (int64_t i = 0; i < count && count <= SUP_PLOT_LABELS; i++)
        for (int64_t j = 0; j < count; j++) {
            const sup_number *n = entry(pairs, i, j, f->part);
            if (n) fprintf(out, "%" PRId64 " %" PRId64 " %.6g\n", j, i, n->value * factor);
        }
    fprintf(out, "EOD\n");
    sup_plot_matrix(out, (int)count, largest * factor, f->part == 2 ? "per byte" : "", unit);
}

#define ALIKE 0.05 /* values this close have the same colour */

/* Is there anything to see: pairs of two processes whose values differ? Else the table says it in one row. */
static bool has_pattern(const sup_pairs *pairs, size_t part) {
    double least = INFINITY, most = 0.0;
    if (pairs->processes < 3 || pairs->processes > SUP_FIGURE_MATRIX_MAX) return false;
    for (int64_t i = 0; i < pairs->processes; i++)
        for (int64_t j = 0; j < pairs->processes; j++) {
            const sup_number *n = i == j ? NULL : entry(pairs, i, j, part);
            if (!n) continue;
            least = fmin(least, n->value);
            most = fmax(most, n->value);
        }
    return most > least * (1.0 + ALIKE);
}

static bool has_sizes(const sup_pairs *pairs) {
    for (size_t c = 0; c < pairs->classes_count; c++) {
        double low, high;
        if (!pairs->classes[c].time_s) continue;
        sup_curve_range(pairs->classes[c].time_s, &low, &high);
        if (high > low) return true;
    }
    return false;
}

static void pair_figures(const sup_profile *p, sup_figure_list *list) {
    char name[128];
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pairs *pairs = &p->pairs[i];
        for (size_t part = 0; part < 3; part++) {
            if (!has_pattern(pairs, part)) continue;
            snprintf(name, sizeof name, "pairs-%.60s-%s", pairs->transport, matrices[part].name);
            sup_figure_add(list, &(sup_figure){.section = "pairs", .index = i, .part = part, .script = matrix_script},
                           name, "%.60s: %s between processes", pairs->transport, matrices[part].title);
        }
        if (!has_sizes(pairs)) continue;
        snprintf(name, sizeof name, "sizes-%.60s", pairs->transport);
        sup_figure_add(list, &(sup_figure){.section = "pairs", .index = i, .script = sizes_script}, name,
                       "%.60s: time of a message by size", pairs->transport);
    }
}

const sup_section sup_section_pairs = {
    .name = "pairs",
    .tables = pair_tables,
    .series = pair_series,
    .figures = pair_figures,
};
