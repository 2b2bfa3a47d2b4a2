/* Gnuplot scripts (plot.h): one figure is a script that draws what series.h gives, in the units of units.h, with cache
 * sizes marked where the horizontal axis is a footprint. The page and `show --plot` differ only in the terminal. */
#include "report/draw/plot.h"

#include "report/page/units.h"

#include <math.h>
#include <string.h>

/* Told apart on white and on black, by most eyes, and in this order. */
static const char *const colours[] = {"#2f7ed8", "#e0701a", "#1f9e74", "#c2539b",
                                      "#8a6fd1", "#b58a00", "#d1495b", "#5b8c9e"};
#define COLOURS ((int)(sizeof colours / sizeof colours[0]))

void sup_plot_quote(const char *text, FILE *out) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    fputc('\'', out);
}

void sup_plot_begin(sup_plot *plot, FILE *out, bool log_y) {
    *plot = (sup_plot){.out = out, .log_y = log_y, .x_low = INFINITY, .x_high = 0, .y_low = INFINITY, .y_high = 0};
}

static bool put(sup_plot *plot, double x, double y, double ci) {
    if (!(x > 0.0) || !(y >= 0.0) || !isfinite(x) || !isfinite(y)) return false;
    if (!isfinite(ci)) ci = 0.0;
    fprintf(plot->out, "%.9g %.9g %.9g %.9g\n", x, y, fmax(0.0, y - ci), y + ci);
    plot->x_low = fmin(plot->x_low, x);
    plot->x_high = fmax(plot->x_high, x);
    if (y > 0.0) plot->y_low = fmin(plot->y_low, y);          /* zero has no place on a logarithmic axis */
    plot->y_high = fmax(plot->y_high, fmin(y + ci, 2.0 * y)); /* a bar may leave the figure, but not all of it */
    return true;
}

static bool put_points(sup_plot *plot, const char *block, const double *x, const double *y, const double *ci,
                       size_t count) {
    bool any = false;
    fprintf(plot->out, "$%s%d << EOD\n", block, plot->count);
    for (size_t i = 0; i < count; i++) any |= put(plot, x[i], y[i], ci ? ci[i] : NAN);
    fprintf(plot->out, "EOD\n");
    return any;
}

/* Typical over calm at x, between the nearest points on either side. */
static double typical_ratio(const sup_points *p, double x) {
    double below = 0.0, above = INFINITY, at_below = NAN, at_above = NAN;
    for (size_t i = 0; i < p->typical_count; i++) {
        double ratio = p->typical[i] / p->y[i];
        if (!isfinite(ratio)) continue;
        if (p->x[i] <= x && p->x[i] >= below) below = p->x[i], at_below = ratio;
        if (p->x[i] >= x && p->x[i] <= above) above = p->x[i], at_above = ratio;
    }
    if (isnan(at_below) || isnan(at_above) || above <= below) return isnan(at_below) ? at_above : at_below;
    return at_below + (at_above - at_below) * log(x / below) / log(above / below);
}

/* Between the ends of each segment, evenly on the axis; an empty line lifts the pen. points: the line of typical times,
 * in the shape of the calm one; NULL: the calm one. */
static bool put_lines(sup_plot *plot, const char *block, const sup_file_curve *curve, const sup_points *points) {
    enum { STEPS = 24 };
    bool any = false;
    fprintf(plot->out, "$%s%d << EOD\n", block, plot->count);
    for (size_t s = 0; curve->curve && s < curve->segments_count; s++) {
        double low = fmax(curve->segments[s].x_lo, 1.0), high = fmax(curve->segments[s].x_hi, low);
        /* sup_curve_at counts a knot to the next line, so the line itself is drawn */
        for (int i = 0; i <= STEPS; i++) {
            double x = low * pow(high / low, (double)i / STEPS);
            double y = curve->segments[s].intercept + curve->segments[s].slope * x;
            any |= put(plot, x, points ? y * typical_ratio(points, x) : y, NAN);
        }
        fputc('\n', plot->out);
    }
    fprintf(plot->out, "EOD\n");
    return any;
}

void sup_plot_curve(sup_plot *plot, const char *label, const sup_file_curve *curve) {
    if (!curve || plot->count == SUP_PLOT_SERIES) return;
    const sup_points *p = curve->points;
    int i = plot->count;
    plot->series[i].points =
        p && p->x_count && put_points(plot, "points", p->x, p->y, p->ci_count ? p->ci : NULL, p->x_count);
    plot->series[i].bars = plot->series[i].points && p->ci_count;
    plot->series[i].lines = put_lines(plot, "line", curve, NULL);
    plot->series[i].typical = plot->series[i].lines && p && p->typical_count && put_lines(plot, "typical", curve, p);
    if (!plot->series[i].points && !plot->series[i].lines) return;
    snprintf(plot->series[i].label, sizeof plot->series[i].label, "%s", label);
    plot->count++;
}

void sup_plot_points(sup_plot *plot, const char *label, const double *x, const double *y, const double *ci,
                     size_t count) {
    if (plot->count == SUP_PLOT_SERIES) return;
    int i = plot->count;
    plot->series[i].points = put_points(plot, "points", x, y, ci, count);
    if (!plot->series[i].points) return;
    plot->series[i].bars = ci != NULL;
    plot->series[i].lines = put_points(plot, "line", x, y, NULL, count);
    snprintf(plot->series[i].label, sizeof plot->series[i].label, "%s", label);
    plot->count++;
}

void sup_plot_mark(sup_plot *plot, const char *label, double x) {
    if (plot->mark_count == SUP_PLOT_MARKS || !(x > 0.0)) return;
    snprintf(plot->marks[plot->mark_count].label, sizeof plot->marks[0].label, "%s", label);
    plot->marks[plot->mark_count++].x = x;
}

/* Powers of two, at most five of them: labels such as "128 KB" must not touch. */
static void x_tics(const sup_plot *plot, double low, double high) {
    char text[SUP_UNIT_TEXT];
    int first = (int)ceil(log2(low) - 1e-9), last = (int)floor(log2(high) + 1e-9), step = 1;
    while ((last - first) / step > 4) step++;
    fprintf(plot->out, "set xtics (");
    for (int e = first, n = 0; e <= last; e += step, n++) {
        fprintf(plot->out, "%s", n ? ", " : "");
        sup_plot_quote(sup_unit_bytes(exp2(e), text, sizeof text), plot->out);
        fprintf(plot->out, " %.9g", exp2(e));
    }
    fprintf(plot->out, ")\n");
}

/* Powers of ten with their unit: 100 ns, 1 µs, 10 µs. */
static void y_tics_log(const sup_plot *plot, double low, double high) {
    int first = (int)floor(log10(low)), last = (int)ceil(log10(high)), n = 0;
    fprintf(plot->out, "set ytics (");
    static const double between[] = {1, 2, 5};
    int each = high / low < 500 ? 3 : 1; /* a short axis has marks between those of the decades */
    for (int i = first * each; i <= last * each; i++) {
        const char *unit;
        int e = (int)floor((double)i / each);
        double value = pow(10.0, e) * between[i - e * each], factor = sup_unit_scale(value, &unit);
        char text[SUP_UNIT_TEXT];
        snprintf(text, sizeof text, "%.4g %s", value * factor, unit);
        fprintf(plot->out, "%s", n++ ? ", " : "");
        sup_plot_quote(text, plot->out);
        fprintf(plot->out, " %.9g", value);
    }
    fprintf(plot->out, ")\nset yrange [%.9g:%.9g]\n", low / 1.5, high * 1.5);
}

/* A round step that gives four to eight marks, and labels with the unit. */
static void y_tics(const sup_plot *plot, double high) {
    double top = high > 0.0 ? high * 1.12 : 1.0, step = pow(10.0, floor(log10(top)));
    const char *unit;
    double factor = sup_unit_scale(top, &unit);
    step *= top / step < 2.0 ? 0.25 : top / step < 4.0 ? 0.5 : 1.0;
    fprintf(plot->out, "set ytics (");
    for (int i = 0; i * step <= top; i++) {
        char text[SUP_UNIT_TEXT];
        snprintf(text, sizeof text, i ? "%.4g %s" : "0", i * step * factor, unit);
        fprintf(plot->out, "%s", i ? ", " : "");
        sup_plot_quote(text, plot->out);
        fprintf(plot->out, " %.9g", i * step);
    }
    fprintf(plot->out, ")\nset yrange [0:%.9g]\n", top);
}

static void axes(const sup_plot *plot, const char *x_label, const char *y_label) {
    FILE *out = plot->out;
    double low = plot->x_low / 1.2, high = plot->x_high * 1.2;
    fprintf(out, "set logscale x 2\nset xrange [%.9g:%.9g]\n", low, high);
    x_tics(plot, low, high);
    if (plot->log_y || plot->y_high > SUP_PLOT_SPAN * plot->y_low) {
        fprintf(out, "set logscale y\n");
        y_tics_log(plot, plot->y_low, plot->y_high);
    } else {
        y_tics(plot, plot->y_high);
    }
    fprintf(out, "set xlabel ");
    sup_plot_quote(x_label, out);
    fprintf(out, " offset 0,0.5\nset ylabel ");
    sup_plot_quote(y_label, out);
    fprintf(out, "\nset border 3 lw 1\nset tics nomirror out scale 0.6\nset grid ytics lw 0.5 lc rgb '#808080' dt 3\n"
                 "set key below horizontal Left reverse samplen 1.4 spacing 1.1 height 0.8\n");
    if (plot->mark_count) fprintf(out, "set tmargin 2\n"); /* for their names */
    for (int i = 0, n = 0; i < plot->mark_count; i++) {
        if (plot->marks[i].x < low || plot->marks[i].x > high) continue;
        fprintf(out, "set arrow %d from %.9g, graph 0 to %.9g, graph 1 nohead lw 1 lc rgb '#8a8a8a' dt 2\n", ++n,
                plot->marks[i].x, plot->marks[i].x);
        fprintf(out, "set label %d ", n);
        sup_plot_quote(plot->marks[i].label, out);
        fprintf(out, " at %.9g, graph 1.03 center\n", plot->marks[i].x);
    }
}

/* The interval as a bar, the points, and the fitted lines over them. */
static void plot_series(const sup_plot *plot, int i) {
    FILE *out = plot->out;
    const char *colour = colours[i % COLOURS], *glue = i ? ", " : "";
    if (plot->series[i].bars) { /* not "with yerrorbars", which paints a white disc under every point */
        fprintf(out,
                "%s$points%d using 1:($3 > 0 ? $3 : $2 / 10):(0):($4 - ($3 > 0 ? $3 : $2 / 10)) with vectors nohead "
                "lw 1 lc rgb '%s' notitle",
                glue, i, colour);
        glue = ", ";
    }
    if (plot->series[i].points) {
        fprintf(out, "%s$points%d using 1:2 with points pt 7 ps %s lc rgb '%s' ", glue, i,
                plot->series[i].lines ? "0.4" : "0.7", colour);
        if (plot->series[i].lines)
            fprintf(out, "notitle");
        else
            fprintf(out, "title "), sup_plot_quote(plot->series[i].label, out);
        glue = ", ";
    }
    if (plot->series[i].typical) { /* the first two digits: how transparent */
        fprintf(out, "%s$typical%d using 1:2 with lines lw 1 lc rgb '#90%s' notitle", glue, i, colour + 1);
        glue = ", ";
    }
    if (plot->series[i].lines) {
        fprintf(out, "%s$line%d using 1:2 with lines lw 1.8 lc rgb '%s' title ", glue, i, colour);
        sup_plot_quote(plot->series[i].label, out);
    }
}

void sup_plot_end(sup_plot *plot, const char *x_label, const char *y_label) {
    if (!plot->count) { /* nothing that these axes can show */
        plot->x_low = plot->y_low = 1.0;
        plot->x_high = plot->y_high = 2.0;
    }
    axes(plot, x_label, y_label);
    fprintf(plot->out, "plot ");
    bool typical = false;
    for (int i = 0; i < plot->count; i++) {
        plot_series(plot, i);
        typical |= plot->series[i].typical;
    }
    if (typical) fprintf(plot->out, ", NaN with lines lw 1 lc rgb '#80808080' title 'faint: typical'");
    fprintf(plot->out, "%s\n", plot->count ? "" : "NaN notitle");
}

void sup_plot_matrix(FILE *out, int count, double largest, const char *what, const char *unit) {
    char label[64];
    int step = 1;
    double limit = largest > 0.0 ? largest : 1.0;
    while (count / step > 12) step *= 2;
    snprintf(label, sizeof label, "%s%s%s", unit, *what ? " " : "", what);
    fprintf(out, "set size ratio -1\nset xrange [-0.5:%g]\nset yrange [%g:-0.5]\n", count - 0.5, count - 0.5);
    fprintf(out, "set xtics 0, %d, %d\nset ytics 0, %d, %d\nset tics nomirror out scale 0\nset border 0\n", step,
            count - 1, step, count - 1);
    fprintf(out, "set xlabel 'to process'\nset ylabel 'from process'\n");
    fprintf(out, "set palette maxcolors 32 defined (0 '#e3eefb', 0.5 '#6fa8e6', 1 '#12427a')\n");
    fprintf(out, "set cbrange [0:%.9g]\nset cbtics %.1g\nset cblabel ", limit, limit / 4.0);
    sup_plot_quote(label, out);
    fprintf(out, "\nset colorbox noborder\nplot $matrix using 1:2:3 with image pixels notitle");
    if (count <= SUP_PLOT_LABELS) /* dark text on light fields, light text on dark ones */
        fprintf(out,
                ", $labels using 1:2:($3 <= %.9g ? sprintf('%%.3g', $3) : '') with labels tc rgb '#111111' notitle"
                ", $labels using 1:2:($3 > %.9g ? sprintf('%%.3g', $3) : '') with labels tc rgb '#fefefe' notitle",
                0.6 * limit, 0.6 * limit);
    fputc('\n', out);
}
