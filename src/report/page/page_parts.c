/* What sections put into the page (page.h): text, figures and tables. */
#include "report/page/page.h"

#include <stdlib.h>
#include <string.h>

void sup_report_text(const sup_report *report, const char *tag, const char *class, const char *text) {
    fprintf(report->out, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    sup_html_text(text, report->out);
    fprintf(report->out, "</%s>\n", tag);
}

void sup_report_commands(const sup_report *report, const char *class, const char *text) {
    fprintf(report->out, "<p class=\"%s\">", class);
    for (bool code = false; *text; code = !code) {
        char part[4096];
        int length = (int)strcspn(text, "`");
        snprintf(part, sizeof part, "%.*s", length, text);
        if (code) fputs("<code>", report->out);
        sup_html_text(part, report->out);
        if (code) fputs("</code>", report->out);
        text += length + (text[length] == '`');
    }
    fputs("</p>\n", report->out);
}

void sup_report_draw(sup_report *report, const sup_figure *figures, size_t count) {
    bool open = false;
    for (size_t i = 0; i < count && report->draw && !report->status; i++) {
        const sup_figure *f = &figures[i];
        char *svg = NULL;
        size_t length = 0;
        report->status = sup_figure_draw(f, report->profile, SUP_PICTURE_INLINE, &report->diag, &svg, &length);
        if (report->status) break;
        if (!open) fputs("<div class=\"figures\">\n", report->out);
        open = true;
        fputs("<figure>\n", report->out);
        sup_report_text(report, "figcaption", NULL, f->title);
        fwrite(svg, 1, length, report->out);
        fputs("</figure>\n", report->out);
        free(svg);
        report->drawn++;
    }
    if (open) fputs("</div>\n", report->out);
}

/* They lie side by side. */
void sup_report_figures(sup_report *report, const char *section) {
    size_t from = 0, to;
    while (from < report->figure_count && strcmp(report->figures[from].section, section) != 0) from++;
    for (to = from; to < report->figure_count && !strcmp(report->figures[to].section, section);) to++;
    sup_report_draw(report, &report->figures[from], to - from);
}

void sup_report_platforms(sup_report *report, void (*put)(sup_report *report, const sup_platform *platform)) {
    const sup_profile *profile = report->profile;
    for (size_t i = 0; i < profile->pairs_count && !report->status; i++) {
        sup_platform_options o = {.transport = profile->pairs[i].transport};
        sup_diag diag = {0};
        sup_platform *m = NULL;
        if (!o.transport || sup_platform_open(profile, &o, &diag, &m)) continue;
        put(report, m);
        sup_platform_free(m);
    }
}

#define FOLD_ROWS 16

/* A table that fills the screen is there for those who want it. */
static void write_table(const sup_table *table, FILE *out) {
    bool fold = sup_table_rows(table) > FOLD_ROWS;
    if (fold) {
        fputs("<details><summary>", out);
        sup_table_heading(table, out);
        fprintf(out, " (%zu rows)</summary>\n", sup_table_rows(table));
    }
    sup_table_html(table, out);
    if (fold) fputs("</details>\n", out);
}

static void finish(sup_report *report, const sup_sink *sink) {
    if (sink->status && !report->status)
        report->status = sup_diag_set(&report->diag, sink->status, NULL, 0, "out of memory");
}

void sup_report_tables(sup_report *report, void (*tables)(const sup_profile *profile, sup_sink *sink)) {
    sup_sink sink = {.write = write_table, .out = report->out, .sections = report->sections};
    tables(report->profile, &sink);
    finish(report, &sink);
}

void sup_report_table(sup_report *report, sup_table *table) {
    sup_sink sink = {.write = sup_table_html, .out = report->out};
    sup_sink_put(&sink, table);
    finish(report, &sink);
}
