/* superstep predict --sweep: one program on many numbers of processes, as a table, JSON or a gnuplot figure. */
#include "cli/cli.h"
#include "cli/predict.h"
#include "report/gnuplot.h"
#include "report/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VERB "predict"

static void print_row(const sup_platform *m, const sup_program_cost *c, double first_s, int64_t first_p) {
    double speedup = c->total.value > 0 ? first_s / c->total.value : 0;
    printf("%10" PRId64, m->processes);
    sup_predict_columns(c);
    printf(" %8.3g %6.2f  %s%s\n", speedup, speedup * (double)first_p / (double)m->processes, sup_bound_names[c->bound],
           c->tie ? " ~" : "");
}

static const char gnuplot_text[] =
    "set terminal svg size 900,560 background 'white'\n"
    "set output 'sweep.svg'\n"
    "set logscale xy 2\n"
    "set format y '%.1e'\n"
    "set xlabel 'processes'\n"
    "set ylabel 'seconds'\n"
    "set key outside\n"
    "plot 'sweep.dat' using 1:3:4 with filledcurves fc rgb '#cccccc' title 'interval', \\\n"
    "  '' using 1:2 with linespoints lw 2 title 'total', \\\n"
    "  '' using 1:5 with lines title 'computation', \\\n"
    "  '' using 1:6 with lines title 'bandwidth', \\\n"
    "  '' using 1:7 with lines title 'latency', \\\n"
    "  '' using 1:8 with lines title 'synchronisation'\n";

static FILE *create(const char *folder, const char *name) {
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) return NULL;
    return fopen(path, "w");
}

static bool run_gnuplot(const char *folder) {
    char *script = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&script, &length);
    if (!out) return false;
    fputs("cd ", out);
    sup_plot_quote(folder, out);
    fputs("\nload 'sweep.gnuplot'\n", out);
    bool drawn = !fclose(out) && !sup_gnuplot_draw(script, length, NULL, NULL, NULL);
    free(script);
    return drawn;
}

/* The figure itself needs gnuplot; data and script are there in any case. */
static int draw(const char *folder) {
    FILE *script = create(folder, "sweep.gnuplot");
    if (!script || fputs(gnuplot_text, script) == EOF || fclose(script))
        return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write %s/sweep.gnuplot: %s", folder, strerror(errno));
    if (!run_gnuplot(folder))
        fprintf(stderr, "superstep predict: no gnuplot: %s/sweep.dat and sweep.gnuplot are there, the figure is not\n",
                folder);
    return SUP_EXIT_OK;
}

static int finish(const sup_predict_request *q, FILE *data) {
    if (data && fclose(data)) return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write to %s", q->plot);
    return data ? draw(q->plot) : SUP_EXIT_OK;
}

int sup_predict_sweep(const sup_predict_request *q, sup_predict_input *in, const sup_model *model) {
    sup_sweep s;
    sup_diag diag = {0};
    if (sup_sweep_parse(q->sweep, &diag, &s)) return sup_cli_usage(VERB, "--sweep %s", diag.text);
    FILE *data = NULL;
    if (q->plot) {
        mkdir(q->plot, 0777);
        data = create(q->plot, "sweep.dat");
        if (!data) return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write to %s: %s", q->plot, strerror(errno));
    }
    json_t *all = q->json ? json_array() : NULL;
    double first = 0;
    int code = SUP_EXIT_OK;
    if (!all) sup_predict_machine(in->profile);
    if (!all)
        printf("%10s %10s %10s %10s %11s %10s %10s %10s %8s %6s  %s\n", "processes", "total", "from", "to",
               "computation", "bandwidth", "latency", "sync", "speedup", "effic.", "bound by");
    for (int i = 0; i < s.count && !code; i++) {
        sup_platform *m = NULL;
        sup_program_cost c = {0};
        sup_status st = sup_predict_platform(q, in, s.at[i], true, &diag, &m);
        if (!st) st = sup_model_program(model, m, in->program, &diag, &c);
        if (st) {
            code = sup_cli_fail_diag(VERB, &diag);
        } else {
            if (i == 0) first = c.total.value;
            if (all)
                json_array_append_new(all, sup_predict_json(in, m, model, &c));
            else
                print_row(m, &c, first, s.at[0]);
            if (data)
                fprintf(data, "%" PRId64 " %g %g %g %g %g %g %g\n", s.at[i], c.total.value, c.total.low, c.total.high,
                        c.part_s[0], c.part_s[1], c.part_s[2], c.part_s[3]);
        }
        sup_program_cost_free(&c);
        sup_platform_free(m);
    }
    int end = finish(q, data);
    if (!code) code = end;
    if (all && !code) return sup_cli_emit(VERB, json_pack("{s:o}", "sweep", all));
    json_decref(all);
    return code;
}
