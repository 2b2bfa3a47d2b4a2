/* Section "exchanges", Tcomm and Tsync: whole supersteps by who sends to whom (base/exchange.h), how, and how much. */
#include "report/section/sections.h"

#include "report/draw/plot.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of one transport and number of processes stand together. */
static bool are_together(const sup_exchange_time *a, const sup_exchange_time *b) {
    return a->processes == b->processes && !strcmp(a->transport, b->transport);
}

static bool is_first(const sup_profile *p, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (are_together(&p->exchanges[i], &p->exchanges[at])) return false;
    return true;
}

/* ---- tables ---- */

static void cell_both(sup_table *t, const sup_exchange_time *x, double bytes) {
    char calls[SUP_UNIT_TEXT], sync[SUP_UNIT_TEXT];
    double c = sup_curve_measured(x->calls_s, bytes), s = sup_curve_measured(x->sync_s, bytes);
    if (isfinite(c + s))
        sup_table_cell(t, "%s + %s", sup_unit_seconds(c, calls, sizeof calls), sup_unit_seconds(s, sync, sizeof sync));
    else
        sup_cell_text(t, NULL);
}

static void exchange_row(sup_table *t, const sup_exchange_time *x) {
    static const double sizes[] = {8, 4096, 65536, 1048576};
    sup_cell_text(t, sup_exchange_names[x->shape]);
    sup_cell_text(t, sup_move_names[x->move]);
    sup_cell_count(t, x->records);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) cell_both(t, x, sizes[s]);
    sup_cell_interval(t, 1.0, sup_curve_interval(x->sync_s));
    sup_cell_factor(t, sup_curve_typical(x->sync_s));
    sup_cell_factor(t, sup_curve_bad(x->sync_s));
}

static void exchange_tables(const sup_profile *p, sup_sink *sink) {
    char title[256];
    for (size_t i = 0; i < p->exchanges_count; i++) {
        const sup_exchange_time *first = &p->exchanges[i];
        if (!is_first(p, i)) continue;
        snprintf(title, sizeof title,
                 "over %.100s: supersteps of %" PRId64 " processes by bytes of a message, calls + sync",
                 first->transport, first->processes);
        sup_table *t = sup_table_new(title, "exchange", "by", "messages each>", "8 B>", "4 KB>", "64 KB>", "1 MB>",
                                     "95 % interval>", "typical>", "bad>", NULL);
        for (size_t k = i; k < p->exchanges_count; k++)
            if (are_together(&p->exchanges[k], first)) exchange_row(t, &p->exchanges[k]);
        if (i == 0)
            sup_table_note(t,
                           "The slowest process counts in each part. Interval, typical and bad are of the sync, in the "
                           "middle over all sizes.");
        sup_sink_put(sink, t);
    }
}

/* ---- numbers ---- */

static void exchange_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->exchanges_count; i++) {
        const sup_exchange_time *x = &p->exchanges[i];
        char name[256], each[32] = "";
        if (x->records > 1) snprintf(each, sizeof each, "/records=%" PRId64, x->records);
        snprintf(name, sizeof name, "%.60s/%s/%s/P=%" PRId64 "%s", x->transport, sup_exchange_names[x->shape],
                 sup_move_names[x->move], x->processes, each);
        sup_walk_part(sup_walk_name(w, "%s/calls_s", name), x->calls_s, x->sync_s, "s", "B");
        sup_walk_part(sup_walk_name(w, "%s/sync_s", name), x->sync_s, x->calls_s, "s", "B");
    }
}

/* ---- figures ---- */

static bool is_drawn(const sup_exchange_time *x) {
    const sup_points *c = x->calls_s->points, *s = x->sync_s->points;
    return x->move == SUP_MOVE_PUT && x->records == 1 && c && s && c->x_count == s->x_count && c->x_count > 1;
}

static void shapes_script(const sup_figure *f, const sup_profile *p, FILE *out) {
    const sup_exchange_time *first = &p->exchanges[f->index];
    sup_plot plot;
    sup_plot_begin(&plot, out, true);
    for (size_t i = f->index; i < p->exchanges_count; i++) {
        const sup_exchange_time *x = &p->exchanges[i];
        if (!are_together(x, first) || !is_drawn(x)) continue;
        const sup_points *calls = x->calls_s->points, *sync = x->sync_s->points;
        double *whole = malloc(sync->x_count * sizeof *whole);
        if (!whole) break; /* a figure with fewer lines */
        for (size_t k = 0; k < sync->x_count; k++) whole[k] = calls->y[k] + sync->y[k];
        sup_plot_points(&plot, sup_exchange_names[x->shape], sync->x, whole, NULL, sync->x_count);
        free(whole);
    }
    sup_plot_end(&plot, "bytes of a message", "calls and sync");
}

static void exchange_figures(const sup_profile *p, sup_figure_list *list) {
    char name[128];
    for (size_t i = 0; i < p->exchanges_count; i++) {
        const sup_exchange_time *first = &p->exchanges[i];
        bool any = false;
        if (!is_first(p, i)) continue;
        for (size_t k = i; k < p->exchanges_count; k++)
            any |= are_together(&p->exchanges[k], first) && is_drawn(&p->exchanges[k]);
        if (!any) continue;
        snprintf(name, sizeof name, "exchanges-%.60s-%" PRId64, first->transport, first->processes);
        sup_figure_add(list, &(sup_figure){.section = "exchanges", .index = i, .script = shapes_script}, name,
                       "%.60s: supersteps of puts, %" PRId64 " processes, by who puts to whom", first->transport,
                       first->processes);
    }
}

const sup_section sup_section_exchanges = {
    .name = "exchanges",
    .tables = exchange_tables,
    .series = exchange_series,
    .figures = exchange_figures,
};
