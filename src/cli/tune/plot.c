/* The picture of a sweep: time over the working set of a task, one point a shape (CACHE figures 5.2 to 5.19 have the
 * target cache size there). Of one kernel it is the figure that the report has, with a series for each strategy; of
 * several there is a series for each kernel. */
#include "cli/tune/tune.h"

#include "base/file/file.h"
#include "report/draw/figure.h"
#include "report/draw/gnuplot.h"
#include "report/draw/plot.h"
#include "report/draw/tile_sweep.h"
#include "report/section/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "tune"

static bool write_script(const sup_tune *t, bool png, FILE *out) {
    sup_plot plot;
    fprintf(out, png ? "set terminal pngcairo size 1000,600\n" : "set terminal svg size 1000,600\n");
    sup_plot_begin(&plot, out, true);
    sup_tile_sweep sweep;
    for (size_t i = 0; i < t->profile->tiles_count; i++) {
        const sup_tile_time *first = &t->profile->tiles[i];
        char label[96];
        snprintf(label, sizeof label, "%s %s", first->kernel, first->size_class);
        if (sup_tile_sweep_at(t->profile, i, &sweep) && !sup_tile_sweep_plot(t->profile, &sweep, NULL, label, &plot))
            return false;
    }
    sup_plot_end(&plot, "parts of a task", "time of a call");
    return true;
}

static sup_status draw_kernels(const sup_tune *t, bool png, sup_diag *diag, char **picture, size_t *size) {
    char *script = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&script, &length);
    bool good = memory && write_script(t, png, memory);
    if (memory && fclose(memory)) good = false;
    sup_status status = good ? sup_gnuplot_draw(script, length, diag, picture, size)
                             : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the picture");
    free(script);
    return status;
}

/* SUP_ENOENT: the profile has not exactly one sweep. */
static sup_status draw_one(const sup_tune *t, bool png, sup_diag *diag, char **picture, size_t *size) {
    sup_figure *figures, *only = NULL;
    size_t count, sweeps = 0;
    if (sup_figures(t->profile, &figures, &count)) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory");
    for (size_t i = 0; i < count; i++)
        if (strcmp(figures[i].section, "tiles") == 0) only = &figures[i], sweeps++;
    sup_status status = SUP_ENOENT;
    if (sweeps == 1)
        status = sup_figure_draw(only, t->profile, png ? SUP_PICTURE_PNG : SUP_PICTURE_SVG, diag, picture, size);
    free(figures);
    return status;
}

int sup_tune_plot(const sup_tune *t) {
    char *picture = NULL;
    size_t size = 0;
    sup_diag diag = {0};
    const char *end = strrchr(t->plot_file, '.');
    bool png = end && strcmp(end, ".png") == 0;
    sup_status status = draw_one(t, png, &diag, &picture, &size);
    if (status == SUP_ENOENT) status = draw_kernels(t, png, &diag, &picture, &size);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    status = sup_file_write(t->plot_file, picture, size, t->force, &diag);
    free(picture);
    return status ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
}
