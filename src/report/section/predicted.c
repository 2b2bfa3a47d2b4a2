/* The page's section "predicted and measured" (held.h): a figure of all supersteps around the line where both are the
 * same, drawn without help of gnuplot, and a table. */
#include "report/held.h"

#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 460, HEIGHT = 340, LEFT = 78, RIGHT = 12, TOP = 12, BOTTOM = 46, ROWS_MAX = 200 };

void sup_held_free(sup_held_list *list) {
    for (size_t i = 0; list->at && i < list->count; i++) free(list->at[i].name);
    free(list->at);
    *list = (sup_held_list){0};
}

/* ---- the figure ---- */

typedef struct axes {
    double low, high; /* powers of ten */
} axes;

static axes axes_of(const sup_held_list *list) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < list->count; i++) {
        const sup_held *h = &list->at[i];
        if (h->measured > 0) low = fmin(low, fmin(h->measured, h->predicted > 0 ? h->predicted : h->measured));
        high = fmax(high, fmax(h->measured, h->high));
    }
    if (!(low < INFINITY) || !(high > 0)) low = high = 1e-6;
    axes a = {floor(log10(low)), ceil(log10(high))};
    if (a.high <= a.low) a.high = a.low + 1;
    return a;
}

static double share(const axes *a, double seconds) {
    if (!(seconds > 0)) return 0;
    return fmin(1, fmax(0, (log10(seconds) - a->low) / (a->high - a->low)));
}
static double x_of(const axes *a, double seconds) { return LEFT + share(a, seconds) * (WIDTH - LEFT - RIGHT); }
static double y_of(const axes *a, double seconds) {
    return HEIGHT - BOTTOM - share(a, seconds) * (HEIGHT - TOP - BOTTOM);
}

static void put_axes(const axes *a, FILE *out) {
    char text[SUP_UNIT_TEXT];
    int step = a->high - a->low > 5 ? 2 : 1;
    fputs("<g stroke=\"currentColor\" stroke-opacity=\".18\">", out);
    for (double d = a->low; d <= a->high; d++) {
        double x = x_of(a, pow(10, d)), y = y_of(a, pow(10, d));
        fprintf(out, "<path d=\"M%.1f %dV%d M%d %.1fH%d\"/>", x, TOP, HEIGHT - BOTTOM, LEFT, y, WIDTH - RIGHT);
    }
    fprintf(out,
            "</g>\n<path stroke=\"currentColor\" stroke-opacity=\".6\" stroke-dasharray=\"4 3\" d=\"M%d %dL%d %d\"/>\n",
            LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP);
    fputs("<g fill=\"currentColor\" font-size=\"12\">", out);
    for (double d = a->low; d <= a->high; d += step) {
        sup_unit_seconds(pow(10, d), text, sizeof text);
        const char *anchor = d == a->high ? "end" : "middle";
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>", x_of(a, pow(10, d)),
                HEIGHT - BOTTOM + 17, anchor, text);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 6, y_of(a, pow(10, d)) + 4,
                text);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured</text>", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
    fprintf(out, "<text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\">predicted</text></g>\n",
            (TOP + HEIGHT - BOTTOM) / 2);
}

static void put_figure(sup_report *report) {
    const sup_held_list *list = report->held;
    FILE *out = report->out;
    axes a = axes_of(list);
    fputs("<div class=\"figures\">\n<figure>\n", out);
    sup_report_text(report, "figcaption", NULL,
                    "Time of each superstep. On the dashed line both are the same; bars are 90 % intervals of the "
                    "prediction.");
    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"predicted against measured time of supersteps\" "
            "fill=\"none\">\n",
            WIDTH, HEIGHT);
    put_axes(&a, out);
    fputs("<g stroke=\"var(--accent)\" fill=\"var(--accent)\">", out);
    for (size_t i = 0; i < list->count; i++) {
        const sup_held *h = &list->at[i];
        if (!(h->measured > 0)) continue;
        double x = x_of(&a, h->measured);
        fprintf(out, "<path stroke-width=\"1.6\" d=\"M%.1f %.1fV%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>", x,
                y_of(&a, h->low), y_of(&a, h->high), x, y_of(&a, h->predicted));
    }
    fputs("</g>\n</svg>\n</figure>\n</div>\n", out);
    report->drawn++;
}

/* ---- the table ---- */

static void cell_pair(sup_table *t, double measured, double predicted) {
    sup_cell_seconds(t, measured);
    sup_cell_seconds(t, predicted);
}

static void put_table(sup_report *report) {
    const sup_held_list *list = report->held;
    static const char *const more[] = {"computed>", "predicted>", "calls and sync>", "predicted>"};
    sup_table *t = sup_table_new("supersteps", "superstep", "times>", "measured>", "predicted>", "error>", "interval>",
                                 "inside", NULL);
    for (size_t k = 0; k < 4 && list->parts; k++) sup_table_column(t, more[k]);
    for (size_t i = 0; i < list->count && i < ROWS_MAX; i++) {
        const sup_held *h = &list->at[i];
        h->name && h->count == 1 ? sup_table_cell(t, "%s, once", h->name) : sup_cell_text(t, h->name);
        sup_table_cell(t, "%.0f", h->count);
        cell_pair(t, h->measured, h->predicted);
        sup_table_cell(t, "%+.1f %%", 100 * h->error);
        double wide = h->predicted > 0 ? fmax(h->high - h->predicted, h->predicted - h->low) : NAN;
        sup_cell_interval(t, h->predicted, wide);
        sup_table_cell(t, "%s", sup_held_inside(h) ? "yes" : "no");
        if (!list->parts) continue;
        sup_cell_seconds(t, h->measured_compute);
        h->taken ? sup_cell_text(t, "as recorded") : sup_cell_seconds(t, h->compute);
        cell_pair(t, h->measured - h->measured_compute, h->sync);
    }
    if (list->count > ROWS_MAX) sup_table_note(t, "%zu more are left out.", list->count - ROWS_MAX);
    sup_table_note(t, "Times of the process that takes longest; medians over the supersteps of a kind.");
    if (list->taken)
        sup_table_note(t, "Computation as recorded is no prediction: the error is that of the other terms.");
    sup_report_table(report, t);
}

static void held_page(sup_report *report) {
    const sup_held_list *list = report->held;
    if (!list || !list->count) return;
    char text[400], mean[SUP_UNIT_TEXT], worst[SUP_UNIT_TEXT], inside[SUP_UNIT_TEXT];
    snprintf(text, sizeof text,
             "%s: %zu kinds of supersteps, off by %s on average, by %s at worst; %s are inside the 90 %% interval.",
             list->title, list->count, sup_unit_share(list->mean, mean, sizeof mean),
             sup_unit_share(list->worst, worst, sizeof worst), sup_unit_share(list->inside, inside, sizeof inside));
    sup_report_text(report, "p", NULL, text);
    put_figure(report);
    put_table(report);
}

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_predicted = {
    .name = "predicted",
    .page = held_page,
};
