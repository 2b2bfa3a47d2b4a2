/* The page's section "barriers" (barriers.h): candidates for each transport, predicted beside measured, and the chosen
 * one drawn stage by stage. */
#include "report/barriers.h"

#include "report/certainty.h"
#include "report/draw/pattern.h"
#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sup_barriers_list_free(sup_barriers_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->at[i].at);
        free(list->at[i].host_of);
        sup_pattern_free(&list->at[i].chosen);
    }
    free(list->at);
    *list = (sup_barriers_list){0};
}

static double seconds(const sup_barrier_shown *b) { return isfinite(b->measured) ? b->measured : b->predicted; }

static void put_table(sup_report *report, const sup_barriers_of *b) {
    char title[96];
    snprintf(title, sizeof title, "barriers of %" PRId64 " processes over %s", b->processes, b->transport);
    sup_table *t =
        sup_table_new(title, "barrier", "stages>", "signals>", "predicted>", "from>", "to>", "measured>", "", NULL);
    for (size_t i = 0; i < b->count; i++) {
        const sup_barrier_shown *r = &b->at[i];
        sup_cell_text(t, r->name);
        sup_table_cell(t, "%d", r->stages);
        sup_table_cell(t, "%" PRId64, r->signals);
        sup_cell_seconds(t, r->predicted);
        sup_cell_seconds(t, r->low);
        sup_cell_seconds(t, r->high);
        sup_cell_seconds(t, r->measured);
        sup_table_cell(t, "%s%s%s%s%s", r->chosen ? "chosen" : "", r->chosen && r->usual ? ", " : "",
                       r->usual ? "usual" : "", (r->chosen || r->usual) && r->greedy ? ", " : "",
                       r->greedy ? "greedy" : "");
    }
    sup_table_note(t,
                   "Shown are %zu of %zu candidates. Predictions are fitted to what was measured here: "
                   "`superstep barrier bench --profile` holds them against times of its own.",
                   b->count, b->all);
    sup_report_table(report, t);
}

/* "…: tree:4, 1.26 times as fast as linear, which holds without a plan." */
static void put_choice(const sup_report *report, const sup_barriers_of *b) {
    const sup_barrier_shown *chosen = NULL, *usual = NULL;
    static const char *const sections[] = {"pairs", "sync", "signals", NULL};
    char text[768], rest[SUP_REST];
    for (size_t i = 0; i < b->count; i++) {
        if (b->at[i].chosen) chosen = &b->at[i];
        if (b->at[i].usual) usual = &b->at[i];
    }
    if (!chosen || !usual) return;
    if (chosen == usual)
        snprintf(text, sizeof text,
                 "Over %s the usual barrier, %s, stays: nothing is quicker by more than is unknown of it.",
                 b->transport, chosen->name);
    else
        snprintf(text, sizeof text,
                 "Over %s: %s should be %.2f times as fast as %s, which holds without a plan (%s); only what a duel "
                 "confirms "
                 "comes into the plan of `superstep choose`. `superstep barrier synth` writes one with it, `superstep "
                 "barrier "
                 "emit` the barrier as C.",
                 b->transport, chosen->name, seconds(usual) / seconds(chosen), usual->name,
                 sup_certainty_rest(report->profile, sections, b->transport, rest));
    sup_report_commands(report, NULL, text);
}

/* With ids of its own: pages have several such pictures. */
static void put_svg(const char *svg, const char *prefix, FILE *out) {
    static const char *const before[] = {" id=\"", "url(#", "href=\"#"};
    while (*svg) {
        size_t length = 0;
        for (size_t k = 0; k < sizeof before / sizeof *before && !length; k++)
            if (!strncmp(svg, before[k], strlen(before[k]))) length = strlen(before[k]);
        fwrite(svg, 1, length ? length : 1, out);
        if (length) fputs("barrier-", out), sup_html_text(prefix, out), fputc('-', out);
        svg += length ? length : 1;
    }
}

/* The picture is a document of its own: its head stays out of the page. */
static void put_picture(sup_report *report, const sup_barriers_of *b) {
    char *svg = NULL;
    size_t length = 0;
    if (sup_pattern_draw_svg(&b->chosen, b->host_of, &svg, &length)) {
        report->status = sup_diag_set(&report->diag, SUP_ENOMEM, NULL, 0, "out of memory");
        return;
    }
    const char *width = strstr(svg, " width=\""), *rest = strstr(svg, " viewBox");
    if (width && rest) {
        char caption[160];
        snprintf(caption, sizeof caption, "The chosen barrier over %s, stage by stage", b->transport);
        fputs("<figure class=\"barrier\">\n", report->out);
        sup_report_text(report, "figcaption", NULL, caption);
        /* As large as it is, up to the page; its colours are for paper. */
        fputs("<svg aria-label=\"", report->out);
        sup_html_text(caption, report->out);
        fprintf(report->out, "\" style=\"max-width:%ldpx;background:#fff\"",
                strtol(width + strlen(" width=\""), NULL, 10));
        put_svg(rest, b->transport, report->out);
        fputs("</figure>\n", report->out);
    }
    free(svg);
}

static void barriers_page(sup_report *report) {
    const sup_barriers_list *list = report->barriers;
    for (size_t i = 0; i < list->count && !report->status; i++) {
        put_choice(report, &list->at[i]);
        put_table(report, &list->at[i]);
        put_picture(report, &list->at[i]);
    }
}

static bool has_barriers(const sup_report *report) { return report->barriers && report->barriers->count; }

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_barriers = {
    .name = "barriers",
    .has = has_barriers,
    .page = barriers_page,
};
