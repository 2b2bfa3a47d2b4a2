/* superstep predict --sweep --plot: the figure. Above, time over processes: total with its interval, what it would be
 * if it scaled ideally, each term, and a line where it stops; below, what the time consists of. Data and script stay
 * beside it. */
#include "report/draw/plot.h"
#include "base/file/file.h"
#include "cli/frame/cli.h"
#include "cli/predict/predict.h"
#include "report/draw/gnuplot.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VERB "predict"

/* A text that grows by stdio, for a file of the folder. */
typedef struct written {
    char *bytes;
    size_t length;
} written;

static sup_status save(written *t, const char *folder, const char *name, bool force, sup_diag *diag) {
    char path[4096];
    sup_status status = SUP_OK;
    if (!t->bytes || (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        status = sup_diag_set(diag, SUP_EIO, folder, 0, t->bytes ? "the name is too long" : "out of memory");
    if (!status) status = sup_file_write(path, t->bytes, t->length, force, diag);
    free(t->bytes);
    *t = (written){0};
    return status;
}

/* ---- data ---- */

/* processes, total, low, high, ideal, the four terms, noise */
static sup_status put_data(const sup_sweep_result *s, const char *folder, bool force, sup_diag *diag) {
    written data = {0};
    FILE *out = open_memstream(&data.bytes, &data.length);
    if (!out) return sup_diag_set(diag, SUP_ENOMEM, folder, 0, "out of memory");
    fputs("# processes total low high ideal computation bandwidth latency synchronisation noise (seconds)\n", out);
    for (int k = 0; k < s->count; k++) {
        const sup_sweep_row *r = &s->rows[k], *first = &s->rows[0];
        double ideal = first->time.value * (s->strong ? (double)first->processes / (double)r->processes : 1);
        fprintf(out, "%" PRId64 " %g %g %g %g %g %g %g %g %g\n", r->processes, r->time.value, r->time.low, r->time.high,
                ideal, r->part_s[0], r->part_s[1], r->part_s[2], r->part_s[3], r->part_s[4]);
    }
    fclose(out);
    return save(&data, folder, "sweep.dat", force, diag);
}

/* ---- axes ---- */

static void count_text(int64_t p, char *buf, size_t size) {
    if (p >= 1 << 20 && p % (1 << 20) == 0)
        snprintf(buf, size, "%" PRId64 " M", p >> 20);
    else if (p >= 1 << 13 && p % (1 << 10) == 0)
        snprintf(buf, size, "%" PRId64 " k", p >> 10);
    else
        snprintf(buf, size, "%" PRId64, p);
}

/* Powers of two from the first to the last number, not more than a dozen; of few numbers, these. */
static void put_x_tics(const sup_sweep_result *s, bool labels, FILE *out) {
    int64_t low = s->rows[0].processes, high = s->rows[s->count - 1].processes;
    int powers = 0, every = 1;
    char text[32];
    for (int64_t p = 1; p <= high; p *= 2) powers += p >= low;
    while (powers / every > 12) every++;
    fputs("set xtics (", out);
    if (powers < 3 && s->count < 12) {
        for (int k = 0; k < s->count; k++) {
            count_text(s->rows[k].processes, text, labels ? sizeof text : 1);
            fprintf(out, "%s'%s' %" PRId64, k ? ", " : "", text, s->rows[k].processes);
        }
    } else {
        int at = 0;
        for (int64_t p = 1; p <= high; p *= 2) {
            if (p < low || at++ % every) continue;
            count_text(p, text, labels ? sizeof text : 1);
            fprintf(out, "%s'%s' %" PRId64, at > 1 ? ", " : "", text, p);
        }
    }
    fputs(") nomirror\n", out);
}

static void seconds_text(double s, char *buf, size_t size) {
    static const char *const units[] = {"s", "ms", "µs", "ns"};
    int k = 0;
    for (; k < 3 && s < 0.9999; k++) s *= 1000;
    snprintf(buf, size, "%.4g %s", s, units[k]);
}

typedef struct range {
    double low, high;
} range;

/* Of the total, its interval and the ideal; terms that are far below are cut off. */
static range range_of(const sup_sweep_result *s) {
    range r = {INFINITY, 0};
    for (int k = 0; k < s->count; k++) {
        const sup_sweep_row *row = &s->rows[k];
        r.high = fmax(r.high, row->time.high);
        if (row->time.value > 0) r.low = fmin(r.low, row->time.value / 100);
        for (int part = 0; part < 4; part++)
            if (row->part_s[part] > row->time.value / 100) r.low = fmin(r.low, row->part_s[part]);
        if (row->time.low > row->time.value / 100) r.low = fmin(r.low, row->time.low);
    }
    if (!(r.high > 0) || !(r.low < INFINITY)) r = (range){1e-6, 1e-3};
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].time.value > 0) r.low = fmin(r.low, 0.8 * s->rows[k].time.value);
    r.low = fmax(r.low, r.high * 1e-7);
    r.high *= 1.4;
    return r;
}

static void put_y_tics(range y, FILE *out) {
    double decades = log10(y.high / y.low);
    const double steps[] = {1, 2, 5};
    bool first = true;
    char text[32];
    fputs("set ytics (", out);
    for (int d = (int)floor(log10(y.low)); d <= (int)ceil(log10(y.high)); d++)
        for (int k = 0; k < 3; k++) {
            double at = steps[k] * pow(10, d);
            if (at < y.low || at > y.high || (k && decades > 2.5)) continue;
            seconds_text(at, text, sizeof text);
            fprintf(out, "%s'%s' %g", first ? "" : ", ", text, at);
            first = false;
        }
    fputs(") nomirror\n", out);
}

/* ---- the script ---- */

static const char look[] = "set terminal svg size 900,760 font 'sans,14' background 'white'\n"
                           "set encoding utf8\n"
                           "set multiplot\n"
                           "set style line 10 lc rgb '#222222' lw 2.5 pt 7 ps 0.6\n"
                           "set style line 11 lc rgb '#888888' lw 1.5 dt 2\n"
                           "set style line 1 lc rgb '#2a78b5' lw 1.5\n"
                           "set style line 2 lc rgb '#e08214' lw 1.5\n"
                           "set style line 3 lc rgb '#4d9221' lw 1.5\n"
                           "set style line 4 lc rgb '#b2182b' lw 1.5\n"
                           "set style line 5 lc rgb '#9970ab' lw 1.5\n"
                           "set grid xtics ytics lt 1 lc rgb '#c8c8c8' lw 0.8\n"
                           "set border 3 lc rgb '#444444'\n"
                           "set lmargin at screen 0.14\n"
                           "set rmargin at screen 0.77\n"
                           "set logscale x 2\n";

static const char upper[] = "set tmargin at screen 0.91\n"
                            "set bmargin at screen 0.40\n"
                            "set logscale y 10\n"
                            "set ylabel 'time' offset 1\n"
                            "set key at screen 0.985,0.90 right top Left reverse samplen 2\n";

static const char upper_plot[] =
    "plot 'sweep.dat' using 1:3:4 with filledcurves fc rgb '#d9d9d9' title 'interval', \\\n"
    "  '' using 1:5 with lines ls 11 title 'ideal', \\\n"
    "  '' using 1:($6 > 0 ? $6 : 1/0) with lines ls 1 title 'computation', \\\n"
    "  '' using 1:($7 > 0 ? $7 : 1/0) with lines ls 2 title 'bandwidth', \\\n"
    "  '' using 1:($8 > 0 ? $8 : 1/0) with lines ls 3 title 'latency', \\\n"
    "  '' using 1:($9 > 0 ? $9 : 1/0) with lines ls 4 title 'sync', \\\n"
    "  '' using 1:($10 > 0 ? $10 : 1/0) with lines ls 5 title 'noise', \\\n"
    "  '' using 1:2 with linespoints ls 10 title 'total'\n";

static const char lower[] =
    "unset title\n"
    "unset label\n"
    "set tmargin at screen 0.365\n"
    "set bmargin at screen 0.10\n"
    "unset logscale y\n"
    "set yrange [0:100]\n"
    "set ytics ('0' 0, '25' 25, '50' 50, '75' 75, '100 %%' 100) nomirror\n"
    "set xlabel 'processes'\n"
    "set ylabel 'share of the time' offset 1\n"
    "set key at screen 0.985,0.35\n"
    "a(n) = column(6) + column(7) + column(8) + column(9) + column(10)\n"
    "set style fill solid 1.0 noborder\n"
    "plot 'sweep.dat' using 1:(100) with filledcurves x1 fc rgb '#9970ab' title 'noise', \\\n"
    "  '' using 1:(100*(a(0)-column(10))/a(0)) with filledcurves x1 fc rgb '#b2182b' title 'sync', \\\n"
    "  '' using 1:(100*(column(6)+column(7)+column(8))/a(0)) with filledcurves x1 fc rgb '#4d9221' title 'latency', "
    "\\\n"
    "  '' using 1:(100*(column(6)+column(7))/a(0)) with filledcurves x1 fc rgb '#e08214' title 'bandwidth', \\\n"
    "  '' using 1:(100*column(6)/a(0)) with filledcurves x1 fc rgb '#2a78b5' title 'computation'\n"
    "unset multiplot\n";

static void put_stop(const sup_sweep_result *s, FILE *out) {
    if (s->stops < 0) return;
    int64_t p = s->rows[s->stops].processes;
    char text[32];
    count_text(p, text, sizeof text);
    fprintf(out, "set arrow 1 from %" PRId64 ", graph 0 to %" PRId64 ", graph 1 nohead lc rgb '#666666' lw 1.2 dt 3\n",
            p, p);
    bool right = s->stops * 3 < s->count * 2;
    fprintf(out, "set label 1 'stops at %s' at %" PRId64 ", graph 0.95 %s offset %s,0 tc rgb '#444444' front\n", text,
            p, right ? "left" : "right", right ? "0.6" : "-0.6");
}

static void put_script(const sup_sweep_result *s, FILE *out) {
    range y = range_of(s);
    fputs(look, out);
    int64_t low = s->rows[0].processes, high = s->rows[s->count - 1].processes;
    fprintf(out, "set xrange [%g:%g]\n", (double)low / (low == high ? 1.5 : 1),
            (double)high * (low == high ? 1.5 : 1.001));
    put_x_tics(s, false, out);
    fputs("set title ", out);
    sup_plot_quote(s->title, out);
    fputs(" noenhanced\n", out);
    fputs(upper, out);
    fprintf(out, "set yrange [%g:%g]\n", y.low, y.high);
    put_y_tics(y, out);
    put_stop(s, out);
    fputs(upper_plot, out);
    put_x_tics(s, true, out);
    fputs(lower, out);
}

/* For the user's own gnuplot, or drawn now, into memory: what is in the folder under the figure's name is replaced as
 * any file is. */
static written make_script(const sup_sweep_result *s, const char *folder, bool now) {
    written script = {0};
    FILE *out = open_memstream(&script.bytes, &script.length);
    if (!out) return script;
    if (now) {
        fputs("cd ", out);
        sup_plot_quote(folder, out);
        fputc('\n', out);
    } else {
        fputs("set output 'sweep.svg'\n", out);
    }
    put_script(s, out);
    fclose(out);
    return script;
}

static sup_status draw(const sup_sweep_result *s, const char *folder, bool force, sup_diag *diag) {
    written script = make_script(s, folder, true), picture = {0};
    if (!script.bytes) return sup_diag_set(diag, SUP_ENOMEM, folder, 0, "out of memory");
    sup_status status = sup_gnuplot_draw(script.bytes, script.length, diag, &picture.bytes, &picture.length);
    free(script.bytes);
    return status ? status : save(&picture, folder, "sweep.svg", force, diag);
}

int sup_sweep_plot_check(const char *folder, bool force) {
    static const char *const files[][2] = {{"sweep.dat", SUP_FILE_SWEEP},
                                           {"sweep.gnuplot", SUP_FILE_SCRIPT},
                                           {"sweep.svg", SUP_FILE_FIGURE}};
    struct stat is;
    int code = SUP_EXIT_OK;
    for (size_t i = 0; !code && !stat(folder, &is) && i < sizeof files / sizeof *files; i++) {
        char path[PATH_MAX];
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, files[i][0]) >= sizeof path)
            return sup_cli_fail(VERB, SUP_EXIT_FILE, "--plot: the name of the folder is too long");
        code = sup_cli_check_out(VERB, path, files[i][1], force);
    }
    return code;
}

/* The figure itself needs gnuplot; data and script are there in any case. */
int sup_sweep_plot(const sup_sweep_result *s, const char *folder, bool force) {
    sup_diag diag;
    if (!s->count) return SUP_EXIT_OK;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot make the folder %s: %s", folder, strerror(errno));
    written script = make_script(s, folder, false);
    sup_status status = put_data(s, folder, force, &diag);
    if (status)
        free(script.bytes);
    else
        status = save(&script, folder, "sweep.gnuplot", force, &diag);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    status = draw(s, folder, force, &diag);
    if (status == SUP_ENOTSUP)
        fprintf(stderr, "superstep predict: no gnuplot: %s/sweep.dat and sweep.gnuplot are there, the figure is not\n",
                folder);
    return status && status != SUP_ENOTSUP ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
}
