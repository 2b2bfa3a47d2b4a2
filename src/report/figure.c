/* A list of figures, and those of decomposition (figure.h); other sections have theirs in their own files. */
#include "report/figure.h"

#include "base/tile_strategy.h"
#include "report/plot.h"
#include "report/tables.h"
#include "report/tile_sweep.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- scripts ---- */

/* Times of a strategy over the bytes of a task; shapes of one size have no order, so there is no line through them. */
static void add_strategy(sup_plot *plot, const sup_profile *p, const sup_tile_sweep *sweep, const sup_tile_trait *t) {
    double *x = calloc(2 * sweep->count, sizeof *x), *y = x ? x + sweep->count : NULL;
    size_t n = 0;
    for (size_t i = sweep->first; x && i < p->tiles_count; i++) {
        if (!sup_tile_sweep_has(p, sweep, i) || strcmp(p->tiles[i].strategy, t->name)) continue;
        x[n] = sup_tile_time_bytes(&p->tiles[i]);
        y[n++] = p->tiles[i].time_s->value;
    }
    if (n) {
        int before = plot->count;
        sup_plot_points(plot, t->in_figure, x, y, NULL, n);
        if (plot->count > before) plot->series[before].lines = false;
    }
    free(x);
}

static void sweep_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    sup_tile_sweep sweep;
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    sup_plot plot;
    if (!sup_tile_sweep_at(p, f->index, &sweep)) return;
    sup_plot_begin(&plot, out, false);
    for (sup_tile_parts parts = SUP_TILE_BANDS; parts <= SUP_TILE_REDEALT_PARTS; parts++)
        for (const sup_tile_trait *t = NULL; (t = sup_tile_trait_next(parts, t));) add_strategy(&plot, p, &sweep, t);
    for (int c = 0; c < count; c++)
        if (caches[c].bytes > plot.x_low && caches[c].bytes < plot.x_high)
            sup_plot_mark(&plot, caches[c].name, caches[c].bytes);
    sup_plot_end(&plot, "parts of a task", "time of a call");
}

/* ---- the list ---- */

/* A name that somebody else chose becomes part of a file name: only letters, digits and "-" remain. */
static void clean(const char *from, char *to, size_t size) {
    size_t used = 0;
    for (; *from && used + 1 < size; from++) {
        unsigned char c = (unsigned char)*from;
        bool plain = c < 0x80 && isalnum(c);
        if (plain || (used && to[used - 1] != '-')) to[used++] = plain ? (char)c : '-';
    }
    while (used && to[used - 1] == '-') used--;
    to[used] = 0;
}

void sup_figure_add(sup_figure_list *l, const sup_figure *figure, const char *name, const char *title, ...) {
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        sup_figure *at = realloc(l->at, room * sizeof *at);
        if (!at) {
            l->failed = true;
            return;
        }
        l->at = at;
        l->room = room;
    }
    sup_figure *f = &l->at[l->count];
    *f = *figure;
    clean(name, f->name, sizeof f->name - 8);
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->at[i].name, f->name)) { /* two kernels of one name, from two files */
            snprintf(f->name + strlen(f->name), 8, "-%zu", l->count);
            break;
        }
    va_list args;
    va_start(args, title);
    vsnprintf(f->title, sizeof f->title, title, args);
    va_end(args);
    l->count++;
}

void sup_figures_tiles(const sup_profile *p, sup_figure_list *l) {
    char name[160];
    sup_tile_sweep sweep;
    for (size_t i = 0; i < p->tiles_count; i++) {
        if (!sup_tile_sweep_at(p, i, &sweep) || sweep.count < 3) continue;
        snprintf(name, sizeof name, "tiles-%.40s-%.60s", p->tiles[i].kernel, p->tiles[i].size_class);
        sup_figure_add(l, &(sup_figure){.section = "tiles", .index = i, .script = sweep_script}, name,
                       "%.60s (%.60s): time of a call by size of parts", p->tiles[i].kernel, p->tiles[i].size_class);
    }
}
