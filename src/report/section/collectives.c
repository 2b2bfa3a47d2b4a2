/* The page's section "collective operations", term Tcomm: what is chosen for each transport
 * (choose/collective/collective.h) and what it gains, and what the algorithms of the operations that programs use most
 * cost over sizes. */
#include "choose/collective/collective.h"
#include "choose/collective/say.h"
#include "choose/collective/sets.h"
#include "report/certainty.h"
#include "report/draw/plot.h"
#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 7, PROCESSES_MOST = 256 };

/* Of one transport: operations that something is known of, and what is taken. */
typedef struct operations {
    const char *transport;
    int64_t processes;
    int hosts;
    sup_coll_grid at[SUP_OPERATIONS];
    size_t count;
} operations;

static const char *name_of(const sup_coll_grid *g) { return sup_operation_names[g->set.operation]; }

/* ---- ranges of sizes ---- */

/* Neighbouring sizes that take the same instead of the same. */
typedef struct part {
    size_t from, to;            /* sizes, from … below to */
    int choice, usual;          /* candidates; -1: none */
    double predicted, measured; /* greatest gain in it, by the model, by measurement; NaN */
    bool changes;
} part;

static double gain(double with, double without) { return with > 0 && without > 0 ? without / with : NAN; }

static part part_from(const sup_coll_grid *g, size_t from) {
    part p = {from, from + 1, sup_coll_grid_at(g, from), g->usual[from], NAN, NAN, false};
    while (p.to < g->sizes && sup_coll_grid_at(g, p.to) == p.choice &&
           (g->taken[p.to] < 0 || g->usual[p.to] == p.usual))
        p.to++;
    p.changes = g->taken[from] >= 0 && p.choice != p.usual;
    for (size_t s = from; s < p.to && p.changes; s++) {
        const sup_coll_time *c = &g->at[p.choice].time[s], *u = &g->at[p.usual].time[s];
        p.predicted = fmax(p.predicted, gain(c->predicted_s, u->predicted_s)); /* fmax passes NaN over */
        p.measured = fmax(p.measured, gain(c->measured_s, u->measured_s));
    }
    return p;
}

static const char *candidate_text(const sup_coll_grid *g, int candidate) {
    return candidate < 0 ? "–" : g->at[candidate].text;
}

/* ---- table ---- */

static void put_sizes(sup_table *t, const sup_coll_grid *g, const part *p) {
    char from[SUP_UNIT_TEXT], to[SUP_UNIT_TEXT];
    sup_unit_bytes((double)g->total[p->from], from, sizeof from);
    sup_unit_bytes((double)g->total[p->to - 1], to, sizeof to);
    if (p->from == 0 && p->to == g->sizes)
        sup_cell_text(t, "any");
    else if (p->to == g->sizes)
        sup_table_cell(t, "%s and more", from);
    else
        sup_table_cell(t, "%s%s to %s", p->from ? "" : "up ", p->from ? from : "", to);
}

static void put_rows(sup_table *t, const sup_coll_grid *g) {
    for (size_t from = 0; from < g->sizes;) {
        part p = part_from(g, from);
        sup_cell_text(t, from ? "" : name_of(g));
        put_sizes(t, g, &p);
        sup_cell_text(t, candidate_text(g, p.choice));
        sup_cell_text(t, p.changes ? candidate_text(g, p.usual) : NULL);
        sup_cell_factor(t, p.predicted);
        sup_cell_factor(t, p.measured);
        from = p.to;
    }
}

static void put_table(sup_report *report, const operations *o) {
    char title[128];
    int used = snprintf(title, sizeof title, "collective operations of %" PRId64 " processes over %s", o->processes,
                        o->transport);
    if (o->hosts > 1) snprintf(title + used, sizeof title - (size_t)used, ", %d hosts", o->hosts);
    sup_table *t = sup_table_new(title, "operation", "bytes", "algorithm", "instead of", "predicted gain>",
                                 "measured gain>", NULL);
    for (size_t k = 0; k < o->count; k++) put_rows(t, &o->at[k]);
    sup_table_note(t, "Bytes are those of the whole operation. Gains are the greatest in their range, over what holds "
                      "without a plan; `superstep taulop coll` prices any algorithm.");
    sup_report_table(report, t);
}

/* ---- figures ---- */

static bool is_drawn(int operation) {
    return operation == SUP_BROADCAST || operation == SUP_ALLREDUCE || operation == SUP_ALLGATHER ||
           operation == SUP_ALLTOALL;
}

/* Sum over sizes of the logarithm of its time; of sizes that it cannot do, ten times the best of all. */
static double rank_of(const sup_coll_grid *g, size_t i) {
    double sum = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        double v = g->at[i].time[s].cost.value, least = INFINITY;
        for (size_t k = 0; k < g->count; k++) least = fmin(least, g->at[k].time[s].cost.value);
        if (isfinite(least)) sum += log((v > 0 ? v : 10 * least) / least);
    }
    return sum;
}

static void put_line(sup_plot *plot, const sup_coll_grid *g, size_t candidate, double *x, double *y) {
    size_t count = 0;
    for (size_t s = 0; s < g->sizes; s++) {
        double seconds = g->at[candidate].time[s].cost.value;
        if (!(seconds > 0)) continue;
        x[count] = (double)g->total[s];
        y[count++] = seconds;
    }
    if (count) sup_plot_points(plot, g->at[candidate].text, x, y, NULL, count);
}

/* Its best algorithms, best first. */
static void script(const sup_figure *figure, const sup_profile *profile, FILE *out) {
    const sup_coll_grid *g = figure->context;
    sup_plot plot;
    bool *said = calloc(g->count, sizeof *said);
    double *x = malloc(2 * g->sizes * sizeof *x);
    (void)profile;
    sup_plot_begin(&plot, out, true);
    for (size_t n = 0; n < LINES && n < g->count && said && x; n++) {
        size_t best = g->count;
        for (size_t i = 0; i < g->count; i++)
            if (!said[i] && (best == g->count || rank_of(g, i) < rank_of(g, best))) best = i;
        said[best] = true;
        put_line(&plot, g, best, x, x + g->sizes);
    }
    sup_plot_end(&plot, "bytes", "seconds");
    free(x);
    free(said);
}

static void put_figures(sup_report *report, const operations *o) {
    sup_figure figures[SUP_OPERATIONS];
    size_t count = 0;
    for (size_t k = 0; k < o->count; k++) {
        const sup_coll_grid *g = &o->at[k];
        if (!is_drawn(g->set.operation) || !g->count) continue;
        sup_figure *f = &figures[count++];
        *f = (sup_figure){.section = "collectives", .script = script, .context = g};
        snprintf(f->name, sizeof f->name, "collectives-%s-%s", o->transport, name_of(g));
        snprintf(f->title, sizeof f->title, "%s of %" PRId64 " processes over %s, by algorithm", name_of(g),
                 o->processes, o->transport);
    }
    sup_report_draw(report, figures, count);
}

/* ---- the section ---- */

static void put_summary(const sup_report *report, const operations *o) {
    static const char *const sections[] = {"collectives", "channels", NULL};
    const sup_coll_grid *best = NULL;
    part most = {0};
    double most_gain = 1;
    char text[768], size[SUP_UNIT_TEXT], rest[SUP_REST];
    for (size_t k = 0; k < o->count; k++)
        for (size_t from = 0; from < o->at[k].sizes;) {
            part p = part_from(&o->at[k], from);
            double gain_of = isnan(p.measured) ? p.predicted : p.measured;
            from = p.to;
            if (!p.changes || !(gain_of > most_gain)) continue;
            most_gain = gain_of;
            best = &o->at[k];
            most = p;
        }
    if (!best)
        snprintf(text, sizeof text,
                 "Over %s collective operations stay as they are without a plan: nothing is faster by more than is "
                 "unknown of it. `superstep choose --duel` measures what the model does not know.",
                 o->transport);
    else
        snprintf(text, sizeof text,
                 "Over %s other algorithms than those that hold without a plan seem to be faster: %s from %s on most, "
                 "%.2f times, by %s instead of %s (%s). Only what a duel confirms comes into a plan. `superstep choose "
                 "--rules` writes such rules for Open MPI itself.",
                 o->transport, name_of(best), sup_unit_bytes((double)best->total[most.from], size, sizeof size),
                 most_gain, candidate_text(best, most.choice), candidate_text(best, most.usual),
                 sup_certainty_rest(report->profile, sections, o->transport, rest));
    sup_report_commands(report, "lead", text);
}

static void open_operation(const sup_coll_source *source, const sup_coll_sets *sets, int operation, operations *out) {
    sup_diag diag = {0};
    sup_coll_grid *g = &out->at[out->count];
    sup_coll_set set = sup_coll_set_of(sets, sets->count - 1, operation);
    if (sup_coll_grid_open(source, &set, &diag, g)) return;
    if (sup_coll_known(g) && !sup_coll_grid_cover(g))
        out->count++;
    else
        sup_coll_grid_free(g);
}

static void put_operations(sup_report *report, const sup_platform *m, const sup_coll_sets *sets,
                           const sup_collective_platform *costs) {
    operations all = {.transport = m->transport, .processes = m->processes, .hosts = sets->hosts[sets->count - 1]};
    sup_coll_source source = sup_coll_source_of(report->profile, m->transport, costs);
    for (int op = 0; op < SUP_BARRIER; op++) open_operation(&source, sets, op, &all);
    if (all.count) {
        put_summary(report, &all);
        put_table(report, &all);
        put_figures(report, &all);
    }
    for (size_t k = 0; k < all.count; k++) sup_coll_grid_free(&all.at[k]);
}

static void put_platform(sup_report *report, const sup_platform *m) {
    sup_collective_platform *costs = NULL;
    sup_coll_sets sets;
    sup_diag diag = {0};
    if (m->processes < 2 || m->processes > PROCESSES_MOST || sup_coll_sets_open(m, &sets)) return;
    if (!sup_collective_open(report->profile, m->transport, &diag, &costs)) {
        put_operations(report, m, &sets, costs);
        sup_collective_close(costs);
    }
    sup_coll_sets_free(&sets);
}

static void collectives_page(sup_report *report) { sup_report_platforms(report, put_platform); }

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_collectives = {
    .name = "chosen collectives",
    .page = collectives_page,
};
