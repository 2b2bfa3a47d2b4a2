/* The page's section "collective operations" (collectives.h): what is chosen where and what it gains, and what the
 * algorithms of the operations that programs use most cost over sizes. */
#include "report/collectives.h"

#include "report/certainty.h"
#include "report/draw/plot.h"
#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sup_collectives_list_free(sup_collectives_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < list->at[i].count; k++) {
            sup_collective_shown *c = &list->at[i].at[k];
            for (size_t n = 0; n < c->line_count; n++) free(c->lines[n].seconds);
            free(c->lines);
            free(c->parts);
            free(c->bytes);
        }
        free(list->at[i].at);
    }
    free(list->at);
    *list = (sup_collectives_list){0};
}

/* ---- table ---- */

static void put_sizes(sup_table *t, const sup_collective_shown *c, const sup_collective_part *p) {
    char from[SUP_UNIT_TEXT], to[SUP_UNIT_TEXT];
    sup_unit_bytes(c->bytes[p->from], from, sizeof from);
    sup_unit_bytes(c->bytes[p->to - 1], to, sizeof to);
    if (p->from == 0 && p->to == c->sizes)
        sup_cell_text(t, "any");
    else if (p->to == c->sizes)
        sup_table_cell(t, "%s and more", from);
    else
        sup_table_cell(t, "%s%s to %s", p->from ? "" : "up ", p->from ? from : "", to);
}

static void put_table(sup_report *report, const sup_collectives_of *o) {
    char title[128];
    int used = snprintf(title, sizeof title, "collective operations of %" PRId64 " processes over %s", o->processes,
                        o->transport);
    if (o->hosts > 1) snprintf(title + used, sizeof title - (size_t)used, ", %" PRId64 " hosts", o->hosts);
    sup_table *t = sup_table_new(title, "operation", "bytes", "algorithm", "instead of", "predicted gain>",
                                 "measured gain>", NULL);
    for (size_t k = 0; k < o->count; k++)
        for (size_t i = 0; i < o->at[k].part_count; i++) {
            const sup_collective_part *p = &o->at[k].parts[i];
            sup_cell_text(t, i ? "" : o->at[k].operation);
            put_sizes(t, &o->at[k], p);
            sup_cell_text(t, p->choice);
            sup_cell_text(t, p->changes ? p->instead : NULL);
            sup_cell_factor(t, p->predicted);
            sup_cell_factor(t, p->measured);
        }
    sup_table_note(t, "Bytes are those of the whole operation. Gains are the greatest in their range, over what holds "
                      "without a plan; `superstep taulop coll` prices any algorithm.");
    sup_report_table(report, t);
}

/* ---- figures ---- */

static void script(const sup_figure *figure, const sup_profile *profile, FILE *out) {
    const sup_collective_shown *c = figure->context;
    sup_plot plot;
    (void)profile;
    sup_plot_begin(&plot, out, true);
    for (size_t n = 0; n < c->line_count; n++) {
        double *x = malloc(c->sizes * sizeof *x), *y = malloc(c->sizes * sizeof *y);
        size_t count = 0;
        for (size_t s = 0; s < c->sizes && x && y; s++) {
            if (!(c->lines[n].seconds[s] > 0)) continue;
            x[count] = c->bytes[s];
            y[count++] = c->lines[n].seconds[s];
        }
        if (count) sup_plot_points(&plot, c->lines[n].name, x, y, NULL, count);
        free(x);
        free(y);
    }
    sup_plot_end(&plot, "bytes", "seconds");
}

static void put_figures(sup_report *report, const sup_collectives_of *o) {
    bool open = false;
    for (size_t k = 0; k < o->count && report->draw && !report->status; k++) {
        const sup_collective_shown *c = &o->at[k];
        sup_figure f = {.section = "collectives", .script = script, .context = c};
        char *svg = NULL;
        size_t length = 0;
        if (!c->drawn || !c->line_count) continue;
        snprintf(f.name, sizeof f.name, "collectives-%s-%s", o->transport, c->operation);
        snprintf(f.title, sizeof f.title, "%s of %" PRId64 " processes over %s, by algorithm", c->operation,
                 o->processes, o->transport);
        report->status = sup_figure_draw(&f, report->profile, SUP_PICTURE_INLINE, &report->diag, &svg, &length);
        if (report->status) break;
        if (!open) fputs("<div class=\"figures\">\n", report->out);
        open = true;
        fputs("<figure>\n", report->out);
        sup_report_text(report, "figcaption", NULL, f.title);
        fwrite(svg, 1, length, report->out);
        fputs("</figure>\n", report->out);
        free(svg);
        report->drawn++;
    }
    if (open) fputs("</div>\n", report->out);
}

/* ---- the section ---- */

static void put_summary(const sup_report *report, const sup_collectives_of *o) {
    const sup_collective_shown *best = NULL;
    const sup_collective_part *part = NULL;
    double most = 1;
    static const char *const sections[] = {"collectives", "channels", NULL};
    char text[768], size[SUP_UNIT_TEXT], rest[SUP_REST];
    for (size_t k = 0; k < o->count; k++)
        for (size_t i = 0; i < o->at[k].part_count; i++) {
            const sup_collective_part *p = &o->at[k].parts[i];
            double gain = isnan(p->measured) ? p->predicted : p->measured;
            if (!p->changes || !(gain > most)) continue;
            most = gain;
            best = &o->at[k];
            part = p;
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
                 o->transport, best->operation, sup_unit_bytes(best->bytes[part->from], size, sizeof size), most,
                 part->choice, part->instead, sup_certainty_rest(report->profile, sections, o->transport, rest));
    sup_report_commands(report, "lead", text);
}

static void collectives_page(sup_report *report) {
    const sup_collectives_list *list = report->collectives;
    for (size_t i = 0; i < list->count && !report->status; i++) {
        put_summary(report, &list->at[i]);
        put_table(report, &list->at[i]);
        put_figures(report, &list->at[i]);
    }
}

static bool has_collectives(const sup_report *report) { return report->collectives && report->collectives->count; }

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_collectives = {
    .name = "chosen collectives",
    .has = has_collectives,
    .page = collectives_page,
};
