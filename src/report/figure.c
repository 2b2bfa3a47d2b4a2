/* Figures of a profile: what there is to draw, and each one's script (figure.h). */
#include "report/figure.h"

#include "base/tile_strategy.h"
#include "report/plot.h"
#include "report/tables.h"
#include "report/tile_sweep.h"
#include "report/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scripts ---- */

static void rates_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_kernel_profile *k = &p->kernels[f->index];
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    char label[256];
    sup_plot plot;
    sup_plot_begin(&plot, out, false);
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        snprintf(label, sizeof label, "%" PRId64 " core%s%s%.100s", r->active, r->active == 1 ? "" : "s",
                 r->kind ? ", " : "", r->kind ? r->kind : "");
        sup_plot_curve(&plot, label, r->unit_s);
    }
    for (int c = 0; c < count; c++) sup_plot_mark(&plot, caches[c].name, caches[c].bytes);
    snprintf(label, sizeof label, "per %.100s", k->unit);
    sup_plot_end(&plot, "memory footprint", label);
}

static void sizes_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_pairs *pairs = &p->pairs[f->index];
    sup_plot plot;
    sup_plot_begin(&plot, out, true);
    for (size_t c = 0; c < pairs->classes_count; c++)
        if (pairs->classes[c].time_s) sup_plot_curve(&plot, pairs->classes[c].name, pairs->classes[c].time_s);
    sup_plot_end(&plot, "message size", "time of a message");
}

static void transfer_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_transfer *t = p->channels[f->index].transfer;
    char label[64];
    sup_plot plot;
    sup_plot_begin(&plot, out, true);
    for (size_t r = 0; r < t->rows_count; r++) {
        const sup_tau_row *row = &t->rows[r];
        snprintf(label, sizeof label, "τ = %" PRId64, row->tau);
        sup_plot_points(&plot, label, t->bytes, row->seconds, row->ci_count ? row->ci : NULL, t->bytes_count);
    }
    sup_plot_end(&plot, "bytes m", "L(m,τ)");
}

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

/* ---- the matrices ---- */

static const struct matrix {
    const char *name, *title;
} matrices[] = {{"overhead", "overhead O"}, {"latency", "latency L"}, {"per-byte", "time of a byte B"}};

static const sup_number *entry(const sup_pairs *pairs, int64_t i, int64_t j, size_t part) {
    const sup_pair_class *c = &pairs->classes[sup_pairs_class(pairs, i, j)];
    return part == 0 ? c->overhead_s : part == 1 ? c->latency_s : c->per_byte_s;
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

static bool has_entry(const sup_pairs *pairs, size_t part) {
    for (size_t c = 0; c < pairs->classes_count; c++) {
        const sup_pair_class *k = &pairs->classes[c];
        if (part == 0 ? k->overhead_s : part == 1 ? k->latency_s : k->per_byte_s) return true;
    }
    return false;
}

static bool has_sizes(const sup_pairs *pairs) {
    for (size_t c = 0; c < pairs->classes_count; c++)
        if (pairs->classes[c].time_s) return true;
    return false;
}

/* ---- the list ---- */

struct list {
    sup_figure *at;
    size_t count, room;
    bool failed;
};

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

static sup_figure *add(struct list *l, const char *section, const char *name) {
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        sup_figure *at = realloc(l->at, room * sizeof *at);
        if (!at) {
            l->failed = true;
            return NULL;
        }
        l->at = at;
        l->room = room;
    }
    sup_figure *f = &l->at[l->count];
    *f = (sup_figure){.section = section};
    clean(name, f->name, sizeof f->name - 8);
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->at[i].name, f->name)) { /* two kernels of one name, from two files */
            snprintf(f->name + strlen(f->name), 8, "-%zu", l->count);
            break;
        }
    l->count++;
    return f;
}

static void add_kernels(struct list *l, const sup_profile *p) {
    char name[128];
    for (size_t i = 0; i < p->kernels_count; i++) {
        if (!p->kernels[i].rates_count) continue;
        snprintf(name, sizeof name, "rates-%.80s", p->kernels[i].name);
        sup_figure *f = add(l, "kernels", name);
        if (!f) return;
        f->index = i;
        f->script = rates_script;
        snprintf(f->title, sizeof f->title, "%.60s: time of one %.60s", p->kernels[i].name, p->kernels[i].unit);
    }
}

static void add_pairs(struct list *l, const sup_profile *p) {
    char name[128];
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pairs *pairs = &p->pairs[i];
        for (size_t part = 0; part < 3 && pairs->processes > 1 && pairs->processes <= SUP_FIGURE_MATRIX_MAX; part++) {
            if (!has_entry(pairs, part)) continue;
            snprintf(name, sizeof name, "pairs-%.60s-%s", pairs->transport, matrices[part].name);
            sup_figure *f = add(l, "pairs", name);
            if (!f) return;
            f->index = i;
            f->part = part;
            f->script = matrix_script;
            snprintf(f->title, sizeof f->title, "%.60s: %s between processes", pairs->transport, matrices[part].title);
        }
        if (!has_sizes(pairs)) continue;
        snprintf(name, sizeof name, "sizes-%.60s", pairs->transport);
        sup_figure *f = add(l, "pairs", name);
        if (!f) return;
        f->index = i;
        f->script = sizes_script;
        snprintf(f->title, sizeof f->title, "%.60s: time of a message by size", pairs->transport);
    }
}

static void add_channels(struct list *l, const sup_profile *p) {
    char name[256];
    for (size_t i = 0; i < p->channels_count; i++) {
        const sup_channel *c = &p->channels[i];
        if (!c->transfer || !c->transfer->rows_count) continue;
        snprintf(name, sizeof name, "transfer-%.20s-%.20s-%.20s%s", c->name, c->transport, c->setup,
                 c->cached ? "" : "-uncached");
        sup_figure *f = add(l, "channels", name);
        if (!f) return;
        f->index = i;
        f->script = transfer_script;
        snprintf(f->title, sizeof f->title, "L(m,τ): channel %.30s over %.30s, %.30s, buffers %s cache", c->name,
                 c->transport, c->setup, c->cached ? "in" : "out of");
    }
}

static void add_tiles(struct list *l, const sup_profile *p) {
    char name[160];
    sup_tile_sweep sweep;
    for (size_t i = 0; i < p->tiles_count; i++) {
        if (!sup_tile_sweep_at(p, i, &sweep) || sweep.count < 3) continue;
        snprintf(name, sizeof name, "tiles-%.40s-%.60s", p->tiles[i].kernel, p->tiles[i].size_class);
        sup_figure *f = add(l, "tiles", name);
        if (!f) return;
        f->index = i;
        f->script = sweep_script;
        snprintf(f->title, sizeof f->title, "%.60s (%.60s): time of a call by size of parts", p->tiles[i].kernel,
                 p->tiles[i].size_class);
    }
}

sup_status sup_figures(const sup_profile *profile, sup_figure **out, size_t *count) {
    struct list l = {0};
    add_kernels(&l, profile);
    if (!l.failed) add_pairs(&l, profile);
    if (!l.failed) add_channels(&l, profile);
    if (!l.failed) add_tiles(&l, profile);
    if (l.failed) {
        free(l.at);
        return SUP_ENOMEM;
    }
    *out = l.at;
    *count = l.count;
    return SUP_OK;
}
