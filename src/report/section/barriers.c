/* The page's section "barriers", term Tsync: what is found for each transport (choose/barrier/barrier.h), predicted
 * beside measured, and the chosen one drawn stage by stage. */
#include "choose/barrier/barrier.h"
#include "report/certainty.h"
#include "report/draw/pattern.h"
#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHEAPEST = 5, PROCESSES_MOST = 256 }; /* candidates of more take longer than a report may */

/* Of one transport. */
typedef struct barriers {
    const sup_platform *platform;
    sup_candidates all;
    const sup_candidate *chosen, *usual, *greedy;
    const sup_candidate **shown; /* what was measured, and what one asks about; by time */
    size_t count;
} barriers;

static double seconds(const sup_candidate *c) { return isfinite(c->measured_s) ? c->measured_s : c->cost.value; }

static int by_time(const void *a, const void *b) {
    const sup_candidate *const *one = a, *const *other = b;
    double x = seconds(*one), y = seconds(*other);
    return (x > y) - (x < y);
}

static void pick(barriers *b) {
    for (size_t i = 0; i < b->all.count; i++) {
        const sup_candidate *c = &b->all.at[i];
        bool measured = isfinite(c->measured_s) && c->measured_s > 0;
        if (measured || i < CHEAPEST || c == b->chosen || c == b->usual || c == b->greedy) b->shown[b->count++] = c;
    }
    qsort(b->shown, b->count, sizeof *b->shown, by_time);
}

static void put_table(sup_report *report, const barriers *b) {
    char title[96];
    snprintf(title, sizeof title, "barriers of %" PRId64 " processes over %s", b->platform->processes,
             b->platform->transport);
    sup_table *t =
        sup_table_new(title, "barrier", "stages>", "signals>", "predicted>", "from>", "to>", "measured>", "", NULL);
    for (size_t i = 0; i < b->count; i++) {
        const sup_candidate *c = b->shown[i];
        bool chosen = c == b->chosen, usual = c == b->usual, greedy = c == b->greedy;
        sup_cell_text(t, c->name);
        sup_table_cell(t, "%d", c->stages);
        sup_table_cell(t, "%" PRId64, c->signals);
        sup_cell_seconds(t, c->cost.value);
        sup_cell_seconds(t, c->cost.low);
        sup_cell_seconds(t, c->cost.high);
        sup_cell_seconds(t, c->measured_s);
        sup_table_cell(t, "%s%s%s%s%s", chosen ? "chosen" : "", chosen && usual ? ", " : "", usual ? "usual" : "",
                       (chosen || usual) && greedy ? ", " : "", greedy ? "greedy" : "");
    }
    sup_table_note(t,
                   "Shown are %zu of %zu candidates. Predictions are fitted to what was measured here: "
                   "`superstep barrier bench --profile` holds them against times of its own.",
                   b->count, b->all.count);
    sup_report_table(report, t);
}

/* "…: tree:4, 1.26 times as fast as linear, which holds without a plan." */
static void put_choice(const sup_report *report, const barriers *b) {
    static const char *const sections[] = {"pairs", "sync", "signals", NULL};
    const char *transport = b->platform->transport;
    char text[768], rest[SUP_REST];
    if (b->chosen == b->usual)
        snprintf(text, sizeof text,
                 "Over %s the usual barrier, %s, stays: nothing is quicker by more than is unknown of it.", transport,
                 b->chosen->name);
    else
        snprintf(text, sizeof text,
                 "Over %s: %s should be %.2f times as fast as %s, which holds without a plan (%s); only what a duel "
                 "confirms comes into the plan of `superstep choose`. `superstep barrier synth` writes one with it, "
                 "`superstep barrier emit` the barrier as C.",
                 transport, b->chosen->name, seconds(b->usual) / seconds(b->chosen), b->usual->name,
                 sup_certainty_rest(report->profile, sections, transport, rest));
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
static void put_picture(sup_report *report, const barriers *b, const sup_pattern *pattern, const int *host_of) {
    char *svg = NULL;
    size_t length = 0;
    if (sup_pattern_draw_svg(pattern, host_of, &svg, &length)) {
        report->status = sup_diag_no_memory(&report->diag);
        return;
    }
    const char *width = strstr(svg, " width=\""), *rest = strstr(svg, " viewBox");
    if (width && rest) {
        char caption[160];
        snprintf(caption, sizeof caption, "The chosen barrier over %s, stage by stage", b->platform->transport);
        fputs("<figure class=\"barrier\">\n", report->out);
        sup_report_text(report, "figcaption", NULL, caption);
        /* As large as it is, up to the page; its colours are for paper. */
        fputs("<svg aria-label=\"", report->out);
        sup_html_text(caption, report->out);
        fprintf(report->out, "\" style=\"max-width:%ldpx;background:#fff\"",
                strtol(width + strlen(" width=\""), NULL, 10));
        put_svg(rest, b->platform->transport, report->out);
        fputs("</figure>\n", report->out);
    }
    free(svg);
}

static int *hosts_of(const sup_platform *m) {
    int64_t hosts = 0;
    int *host = calloc((size_t)m->processes, sizeof *host);
    if (host && !sup_barrier_hosts(m, host, &hosts) && hosts > 1) return host;
    free(host);
    return NULL;
}

static void put_barriers(sup_report *report, barriers *b) {
    sup_pattern pattern;
    if (!b->chosen->record || sup_plan_barrier_pattern(b->chosen->record, &pattern)) return;
    int *host_of = hosts_of(b->platform);
    pick(b);
    put_choice(report, b);
    put_table(report, b);
    put_picture(report, b, &pattern, host_of);
    free(host_of);
    sup_pattern_free(&pattern);
}

static void put_platform(sup_report *report, const sup_platform *m) {
    barriers b = {.platform = m};
    size_t choice = 0;
    sup_diag diag = {0};
    if (m->processes < 2 || m->processes > PROCESSES_MOST || sup_candidates_find(m, &diag, &b.all)) return;
    sup_candidates_choice(&b.all, &choice);
    b.chosen = &b.all.at[choice];
    b.usual = &b.all.at[b.all.usual];
    b.greedy = &b.all.at[b.all.greedy];
    b.shown = calloc(b.all.count, sizeof *b.shown);
    if (b.shown) put_barriers(report, &b);
    free(b.shown);
    sup_candidates_free(&b.all);
}

static void barriers_page(sup_report *report) { sup_report_platforms(report, put_platform); }

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_barriers = {
    .name = "barriers",
    .page = barriers_page,
};
