/* superstep taulop coll OPERATION --compare --plot: time over bytes, a series for each algorithm, a panel for each
 * model. Term Tcomm. */
#include "report/draw/plot.h"
#include "base/file/file.h"
#include "cli/taulop/taulop.h"
#include "report/draw/gnuplot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_TAULOP_VERB

static bool put_panel(const sup_taulop_job *j, const sup_taulop_rows *rows, size_t model, FILE *out) {
    sup_plot plot;
    double *x = malloc(j->size_count * sizeof *x), *y = malloc(j->size_count * sizeof *y);
    fputs("set title ", out);
    sup_plot_quote(sup_collective_models[model]->name, out);
    fputs(" noenhanced\n", out);
    sup_plot_begin(&plot, out, true);
    for (size_t i = 0; i < rows->count && x && y; i++) {
        size_t n = 0;
        for (size_t s = 0; s < j->size_count; s++) {
            double t = rows->at[i].seconds[s * rows->models + model];
            if (!(t > 0) || j->sizes[s] < 1) continue;
            x[n] = (double)j->sizes[s];
            y[n++] = t;
        }
        if (n) sup_plot_points(&plot, rows->at[i].name, x, y, NULL, n);
    }
    sup_plot_end(&plot, "bytes", "time");
    bool good = x && y;
    free(x);
    free(y);
    return good;
}

static bool write_script(const sup_taulop_job *j, const sup_taulop_rows *rows, bool png, FILE *out) {
    char title[160];
    size_t high = (rows->models + 1) / 2;
    int64_t nodes = sup_mapping_used(&j->mapping);
    fprintf(out, "set terminal %s size 1500,%zu\n", png ? "pngcairo" : "svg", 450 * high);
    snprintf(title, sizeof title, "%s, %" PRId64 " processes on %" PRId64 " node%s, over %s",
             sup_operation_names[j->job.operation], j->job.processes, nodes, nodes == 1 ? "" : "s", j->transport);
    fprintf(out, "set multiplot layout %zu,2 title ", high);
    sup_plot_quote(title, out);
    fputs(" noenhanced\n", out);
    bool good = true;
    for (size_t m = 0; m < rows->models && good; m++) good = put_panel(j, rows, m, out);
    fputs("unset multiplot\n", out);
    return good;
}

int sup_taulop_plot(const sup_taulop_job *j, const sup_taulop_rows *rows, const char *file, bool force) {
    char *script = NULL, *picture = NULL;
    size_t length = 0, size = 0;
    sup_diag diag = {0};
    const char *end = strrchr(file, '.');
    bool png = end && strcmp(end, ".png") == 0;
    FILE *memory = open_memstream(&script, &length);
    bool good = memory && write_script(j, rows, png, memory);
    if (memory && fclose(memory)) good = false;
    sup_status status = good ? sup_gnuplot_draw(script, length, &diag, &picture, &size)
                             : sup_diag_set(&diag, SUP_ENOMEM, NULL, 0, "no memory for the picture");
    free(script);
    if (!status) status = sup_file_write(file, picture, size, force, &diag);
    free(picture);
    return status ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
}
