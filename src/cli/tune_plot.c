/* The picture of a sweep: time over the working set of a task, one series a kernel, one point a shape (CACHE figures
 * 5.2 to 5.19 have the target cache size there). */
#include "cli/tune.h"

#include "report/gnuplot.h"
#include "report/plot.h"
#include "report/tile_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "tune"

static bool add_kernel(sup_plot *plot, const sup_profile *p, size_t from) {
    const sup_tile_time *first = &p->tiles[from];
    double *x = calloc(2 * p->tiles_count, sizeof *x), *y = x ? x + p->tiles_count : NULL;
    char label[96];
    size_t n = 0;
    if (!x) return false;
    for (size_t i = from; i < p->tiles_count; i++) {
        const sup_tile_time *t = &p->tiles[i];
        if (strcmp(t->kernel, first->kernel) != 0 || strcmp(t->size_class, first->size_class) != 0 || !t->time_s)
            continue;
        x[n] = sup_tile_time_bytes(t);
        y[n++] = t->time_s->value;
    }
    snprintf(label, sizeof label, "%s %s", first->kernel, first->size_class);
    sup_plot_points(plot, label, x, y, NULL, n);
    free(x);
    return true;
}

static bool write_script(const sup_tune *t, bool png, FILE *out) {
    sup_plot plot;
    fprintf(out, png ? "set terminal pngcairo size 1000,600\n" : "set terminal svg size 1000,600\n");
    sup_plot_begin(&plot, out, true);
    sup_tile_sweep sweep;
    for (size_t i = 0; i < t->profile->tiles_count; i++)
        if (sup_tile_sweep_at(t->profile, i, &sweep) && !add_kernel(&plot, t->profile, i)) return false;
    for (int s = 0; s < plot.count; s++) plot.series[s].lines = false; /* shapes of one size have no order */
    sup_plot_end(&plot, "parts of a task", "time of a call");
    return true;
}

int sup_tune_plot(const sup_tune *t) {
    char *script = NULL, *picture = NULL;
    size_t length = 0, size = 0;
    sup_diag diag = {0};
    const char *end = strrchr(t->plot_file, '.');
    FILE *memory = open_memstream(&script, &length);
    bool good = memory && write_script(t, end && strcmp(end, ".png") == 0, memory);
    if (memory && fclose(memory)) good = false;
    if (!good) {
        free(script);
        return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "no memory for the picture");
    }
    sup_status status = sup_gnuplot_draw(script, length, &diag, &picture, &size);
    free(script);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    FILE *out = fopen(t->plot_file, "w");
    good = out && fwrite(picture, 1, size, out) == size;
    if (out && fclose(out)) good = false;
    free(picture);
    if (!good) return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write %s: %s", t->plot_file, strerror(errno));
    return SUP_EXIT_OK;
}
