/* Section "channels", Tcomm (TAU §5): overheads o(m), transfers L(m,τ) and reductions γ of the τ-Lop channels. */
#include "report/section/sections.h"

#include "report/draw/plot.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void channel_row(sup_table *t, const sup_channel *c) {
    sup_cell_text(t, c->name);
    sup_cell_text(t, c->transport);
    sup_cell_text(t, c->setup);
    sup_cell_text(t, c->mechanism);
    sup_cell_text(t, c->cached ? "cached" : "not cached");
    c->threshold_bytes < 0 ? sup_cell_text(t, "none") : sup_cell_bytes(t, (double)c->threshold_bytes);
    c->segment_bytes < 0 ? sup_cell_text(t, "none") : sup_cell_bytes(t, (double)c->segment_bytes);
    sup_cell_seconds(t, sup_curve_value(c->overhead_s, 1.0));
    sup_table_cell(t, "%zu", c->transfer ? c->transfer->bytes_count * c->transfer->rows_count : 0);
    sup_cell_count(t, c->violations);
}

/* The widest interval of a size, over all τ. */
static void cell_widest(sup_table *t, const sup_transfer *f, size_t b) {
    double widest = NAN;
    for (size_t r = 0; r < f->rows_count; r++) {
        const sup_tau_row *row = &f->rows[r];
        if (row->n_count && row->n[b] == 1) {
            sup_cell_text(t, "one sample");
            return;
        }
        if (row->ci_count && row->seconds[b] > 0.0) widest = fmax(widest, row->ci[b] / row->seconds[b]);
    }
    sup_cell_interval(t, 1.0, widest);
}

static bool reads_alike(double a, double b) {
    char text[SUP_UNIT_TEXT], other[SUP_UNIT_TEXT];
    return !strcmp(sup_unit_bytes(a, text, sizeof text), sup_unit_bytes(b, other, sizeof other));
}

/* On both sides of a threshold sizes are a byte apart: only then every digit is shown. */
static void cell_size(sup_table *t, const sup_transfer *f, size_t b) {
    bool twin = (b && reads_alike(f->bytes[b - 1], f->bytes[b])) ||
                (b + 1 < f->bytes_count && reads_alike(f->bytes[b + 1], f->bytes[b]));
    twin ? sup_table_cell(t, "%.0f B", f->bytes[b]) : sup_cell_bytes(t, f->bytes[b]);
}

static void transfer_table(const sup_channel *c, sup_sink *sink) {
    char title[384];
    const sup_transfer *f = c->transfer;
    snprintf(title, sizeof title, "L(m,τ) of channel %.60s over %.60s, %.60s, buffers %s", c->name, c->transport,
             c->setup, c->cached ? "in cache" : "out of cache");
    sup_table *t = sup_table_new(title, "m>", NULL);
    for (size_t r = 0; r < f->rows_count; r++) {
        snprintf(title, sizeof title, "τ = %" PRId64 ">", f->rows[r].tau);
        sup_table_column(t, title);
    }
    sup_table_column(t, "widest 95 % interval>");
    for (size_t b = 0; b < f->bytes_count; b++) {
        cell_size(t, f, b);
        for (size_t r = 0; r < f->rows_count; r++) sup_cell_seconds(t, f->rows[r].seconds[b]);
        cell_widest(t, f, b);
    }
    sup_sink_put(sink, t);
}

static void gamma_table(const sup_profile *p, sup_sink *sink) {
    static const double sizes[] = {1024, 65536, 1048576};
    sup_table *t = sup_table_new("reductions γ: time by size", "channel", "transport", "operation", "type", "τ>",
                                 "1 KB>", "64 KB>", "1 MB>", NULL);
    for (size_t i = 0; i < p->channels_count; i++)
        for (size_t g = 0; g < p->channels[i].gammas_count; g++) {
            const sup_gamma *gamma = &p->channels[i].gammas[g];
            sup_cell_text(t, p->channels[i].name);
            sup_cell_text(t, p->channels[i].transport);
            sup_cell_text(t, gamma->operation);
            sup_cell_text(t, gamma->type);
            sup_cell_count(t, gamma->tau);
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                sup_cell_seconds(t, sup_curve_value(gamma->time_s, sizes[s]));
        }
    sup_sink_put(sink, t);
}

static void channel_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t =
        sup_table_new("τ-Lop channels", "channel", "transport", "setup", "mechanism", "buffers", "rendezvous from>",
                      "segments S>", "o(1 B)>", "values of L>", "bounds violated>", NULL);
    for (size_t i = 0; i < p->channels_count; i++) channel_row(t, &p->channels[i]);
    sup_sink_put(sink, t);
    for (size_t i = 0; i < p->channels_count; i++)
        if (p->channels[i].transfer) transfer_table(&p->channels[i], sink);
    gamma_table(p, sink);
}

static void transfer_series(const sup_channel *c, const char *name, sup_walk *w) {
    for (size_t r = 0; c->transfer && r < c->transfer->rows_count; r++) {
        const sup_tau_row *row = &c->transfer->rows[r];
        sup_series s = {
            .unit = "s", .x_unit = "B", .count = c->transfer->bytes_count, .x = c->transfer->bytes, .y = row->seconds};
        if (row->ci_count) s.ci = row->ci;
        if (row->typical_count) s.typical = row->typical;
        if (row->bad_count) s.bad = row->bad;
        if (row->n_count) s.n = row->n;
        if (row->reruns_count) s.reruns = row->reruns;
        sup_walk_series(sup_walk_name(w, "%s/transfer/tau=%" PRId64, name, row->tau), &s);
    }
}

static void channel_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->channels_count; i++) {
        const sup_channel *c = &p->channels[i];
        char name[256];
        snprintf(name, sizeof name, "%.60s/%.60s/%.60s/%s", c->name, c->transport, c->setup,
                 c->cached ? "cached" : "uncached");
        sup_walk_curve(sup_walk_name(w, "%s/overhead_s", name), c->overhead_s, "s", "B");
        sup_walk_curve(sup_walk_name(w, "%s/packing_s", name), c->packing_s, "s", "B");
        transfer_series(c, name, w);
        for (size_t g = 0; g < c->gammas_count; g++)
            sup_walk_curve(sup_walk_name(w, "%s/gamma/%.60s/%.60s/tau=%" PRId64, name, c->gammas[g].operation,
                                         c->gammas[g].type, c->gammas[g].tau),
                           c->gammas[g].time_s, "s", "B");
    }
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

static void channel_figures(const sup_profile *p, sup_figure_list *list) {
    char name[256];
    for (size_t i = 0; i < p->channels_count; i++) {
        const sup_channel *c = &p->channels[i];
        if (!c->transfer || !c->transfer->rows_count || c->transfer->bytes_count < 2) continue;
        snprintf(name, sizeof name, "transfer-%.20s-%.20s-%.20s%s", c->name, c->transport, c->setup,
                 c->cached ? "" : "-uncached");
        sup_figure_add(list, &(sup_figure){.section = "channels", .index = i, .script = transfer_script}, name,
                       "L(m,τ): channel %.30s over %.30s, %.30s, buffers %s cache", c->name, c->transport, c->setup,
                       c->cached ? "in" : "out of");
    }
}

const sup_section sup_section_channels = {
    .name = "channels",
    .tables = channel_tables,
    .series = channel_series,
    .figures = channel_figures,
};
