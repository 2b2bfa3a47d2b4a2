/* The report's page: head, style, navigation, sections, foot (page.h). Everything is in the one file; colours follow
 * the reader's choice of light or dark, tables scroll by themselves where the screen is narrow. */
#include "report/page/page.h"

#include "profile/composed.h"
#include "report/certainty.h"
#include "report/page/table.h"
#include "report/section/sections.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1c2127;--muted:#5a6470;--line:#d8dee5;--card:#f5f7f9;"
    "--accent:#1f66b5;--warn:#8a5300;--warnbg:#fff4df}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#13171b;--fg:#e3e7eb;--muted:#9ba6b2;--line:#2d343c;--card:#1a1f25;"
    "--accent:#79b4f2;--warn:#f0c277;--warnbg:#2b2415}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Noto Sans\",\"Liberation Sans\",sans-serif}\n"
    "header,main,footer{max-width:72rem;margin:0 auto;padding:0 clamp(1rem,4vw,2.5rem)}\n"
    "header{padding-top:clamp(1.5rem,5vw,3.5rem)}\n"
    ".over{margin:0;color:var(--muted);font-size:.875rem;letter-spacing:.02em}\n"
    "h1{margin:.15rem 0 .35rem;font-size:clamp(1.5rem,4.5vw,2.25rem);line-height:1.2;font-weight:650;"
    "overflow-wrap:anywhere}\n"
    "h2{margin:3rem 0 .4rem;padding-top:.6rem;border-top:1px solid var(--line);font-size:1.375rem;line-height:1.3;"
    "font-weight:650}\n"
    "h3{margin:2rem 0 .5rem;font-size:1.0625rem;font-weight:650}\n"
    "p{margin:.4rem 0 1rem;max-width:44rem}\n"
    "a{color:var(--accent)}\n"
    ".lead,.note,figcaption,footer{color:var(--muted)}\n"
    ".note{font-size:.875rem;margin:.25rem 0 1.25rem}\n"
    ".warn{color:var(--warn);background:var(--warnbg);border-radius:.4rem;padding:.6rem .9rem;max-width:none}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0 0;padding:0;list-style:none;"
    "font-size:.9375rem}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,10.4rem),1fr));gap:.75rem;"
    "margin:1.5rem 0 0;padding:0}\n"
    "@media(min-width:60rem){.facts{grid-template-columns:repeat(4,1fr)}}\n"
    ".facts div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}\n"
    ".facts dt{font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums;line-height:1.3}\n"
    ".facts dt small{font-size:.8rem;font-weight:400}\n"
    ".facts dd{margin:0;color:var(--muted);font-size:.875rem;line-height:1.4}\n"
    ".scroll{overflow-x:auto;margin:1.25rem 0 .5rem;background:" /* a shade where more is to the right */
    "linear-gradient(to left,var(--bg) 30%,transparent) right/3rem 100% no-repeat local,"
    "linear-gradient(to left,var(--line),transparent) right/1rem 100% no-repeat scroll}\n"
    "table{border-collapse:collapse;min-width:100%;font-size:.875rem;line-height:1.4;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;font-size:.9375rem;font-weight:600;padding:0 0 .45rem}\n"
    "th,td{padding:.36rem .8rem .36rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--muted);font-weight:500;white-space:nowrap;vertical-align:bottom}\n"
    "td:first-child,th:first-child{position:sticky;left:0;background:var(--bg)}\n"
    "th:last-child,td:last-child{padding-right:0}\n"
    "td:last-child:not(.r){min-width:11rem}\n"
    ".r{text-align:right;white-space:nowrap;padding-left:.8rem}\n"
    ".r+td:not(.r),.r+th:not(.r){padding-left:1.2rem}\n"
    "details{margin:1rem 0}\n"
    "summary{cursor:pointer;font-size:.9375rem;font-weight:600}\n"
    "details caption{display:none}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,27rem),1fr));gap:1rem;"
    "margin:1.25rem 0}\n"
    "figure{margin:0;border:1px solid var(--line);border-radius:.5rem;padding:.8rem .8rem .4rem;min-width:0}\n"
    "figcaption{font-size:.875rem;margin-bottom:.3rem;overflow-wrap:anywhere}\n"
    "figure svg{display:block;width:100%;height:auto}\n"
    "svg text,svg tspan{font-family:inherit}\n"
    ".box{border:1px solid var(--line);border-radius:.4rem;padding:.45rem .6rem .6rem;background:rgba(127,140,155,.07);"
    "flex:1 1 auto;min-width:0}\n"
    ".box>b{display:block;font-weight:500;font-size:.8125rem;color:var(--muted);margin-bottom:.35rem}\n"
    ".box>b:last-child{margin-bottom:0}\n"
    ".box small{display:block;font-size:.8125rem;color:var(--muted);line-height:1.4}\n"
    ".row{display:flex;flex-wrap:wrap;gap:.5rem}\n"
    ".core{flex:1 1 7rem;text-align:center}\n"
    ".core>b{color:var(--fg);font-weight:600;margin-bottom:.1rem}\n"
    "footer{padding-top:2rem;padding-bottom:3rem;margin-top:3rem;font-size:.875rem}\n"
    "code{font-size:.9em;overflow-wrap:anywhere}\n@media(min-width:40rem){code{white-space:nowrap}}\n"
    "header .warn{margin:1.25rem 0 0}\n"
    "@media print{.scroll{overflow:visible}figure{break-inside:avoid}}\n";

/* ---- chapters ---- */

static void put_section(sup_report *report, const sup_section *s) {
    if (s->page) {
        s->page(report);
        return;
    }
    sup_report_tables(report, s->tables);
    sup_report_figures(report, s->name);
}

typedef struct text {
    char *at;
    size_t length;
} text;

/* What is written between the two is a text. Without memory nothing is, and the report says so. */
static FILE *begin_text(sup_report *report, text *to) {
    FILE *page = report->out, *out = report->status ? NULL : open_memstream(&to->at, &to->length);
    if (!out && !report->status) report->status = sup_diag_no_memory(&report->diag);
    if (out) report->out = out;
    return out ? page : NULL;
}

static void end_text(sup_report *report, FILE *page) {
    if (fclose(report->out) && !report->status) report->status = sup_diag_no_memory(&report->diag);
    report->out = page;
}

/* Its sections under their heading; nothing where they have nothing to say. */
static void put_part(sup_report *report, const struct sup_chapter_part *part) {
    text body = {0};
    FILE *page = begin_text(report, &body);
    if (!page) return;
    for (int k = 0; k < SUP_PART_SECTIONS && part->of[k]; k++) put_section(report, part->of[k]);
    end_text(report, page);
    if (body.length && part->heading) sup_report_text(report, "h3", NULL, part->heading);
    fwrite(body.at, 1, body.length, report->out);
    free(body.at);
}

static text chapter_text(sup_report *report, const sup_chapter *c) {
    text body = {0};
    FILE *page = begin_text(report, &body);
    if (!page) return body;
    for (int i = 0; i < SUP_CHAPTER_PARTS; i++) put_part(report, &c->parts[i]);
    end_text(report, page);
    return body;
}

/* ---- the page ---- */

static void put_head(const sup_report *report) {
    FILE *out = report->out;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"generator\" content=\"",
          out);
    sup_html_text(report->profile->tool, out);
    fputs("\"/>\n<title>Superstep report: ", out);
    sup_html_text(report->profile->signature.cpu, out);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

/* What to do about the numbers, where there is anything to do. */
static void put_banner(const sup_report *report) {
    sup_certainty certainty;
    char advice[SUP_ADVICE], machine[SUP_COMPOSED_TEXT], words[SUP_COMPOSED_TEXT + 64];
    if (report->profile->composed) {
        snprintf(words, sizeof words, "Nobody measured this machine as a whole: it is %s.",
                 sup_composed_text(report->profile->composed, machine, sizeof machine));
        sup_report_text(report, "p", "warn", words);
        return; /* measuring more is no advice here */
    }
    if (sup_certainty_of(report->profile, sup_sections, &certainty)) return;
    if (*sup_certainty_advice(report->profile, &certainty, report->profile_file, report->page_file, advice))
        sup_report_commands(report, "warn", advice);
}

static void put_top(const sup_report *report, const text *chapters) {
    FILE *out = report->out;
    const sup_profile *p = report->profile;
    sup_fact facts[SUP_FACTS];
    size_t count = sup_report_facts(p, facts);
    fputs("<header>\n<p class=\"over\">Superstep report · ", out);
    sup_html_text(p->created, out);
    fputs("</p>\n", out);
    sup_report_text(report, "h1", NULL, p->signature.cpu);
    sup_report_text(report, "p", "lead", p->signature.machine ? p->signature.machine : "");
    fputs("<nav aria-label=\"Sections\"><ul>", out);
    for (const sup_chapter *c = sup_chapters; c->id; c++)
        if (chapters[c - sup_chapters].length) fprintf(out, "<li><a href=\"#%s\">%s</a></li>", c->id, c->title);
    fputs("</ul></nav>\n", out);
    if (count) fputs("<dl class=\"facts\">\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("<div><dt>", out);
        sup_html_text(facts[i].value, out);
        if (*facts[i].interval) fprintf(out, " <small>%s</small>", facts[i].interval);
        fputs("</dt><dd>", out);
        sup_html_text(facts[i].what, out);
        fputs("</dd></div>\n", out);
    }
    if (count) fputs("</dl>\n", out);
    put_banner(report);
    fputs("</header>\n", out);
}

static void put_main(sup_report *report, const text *chapters) {
    fputs("<main>\n", report->out);
    if (!report->draw && report->figure_count)
        sup_report_text(report, "p", "warn",
                        "The figures are missing because gnuplot was not installed where this report was made.");
    for (const sup_chapter *c = sup_chapters; c->id; c++) {
        const text *body = &chapters[c - sup_chapters];
        if (!body->length) continue;
        fprintf(report->out, "<section id=\"%s\">\n<h2>%s</h2>\n", c->id, c->title);
        sup_report_text(report, "p", "lead", c->intro);
        fwrite(body->at, 1, body->length, report->out);
        fputs("</section>\n", report->out);
    }
    fputs("</main>\n<footer>Measured and written by ", report->out);
    sup_html_text(report->profile->tool, report->out);
    fprintf(report->out, ". Intervals are 95 %% confidence; times are %s.</footer>\n</body>\n</html>\n",
            report->profile->visits_count ? "calm ones: a low quantile of all batches of all launches" : "medians");
}

sup_status sup_report_write(sup_report *report, sup_diag *diag, size_t *figures) {
    text chapters[SUP_CHAPTERS] = {0};
    sup_figure *all = NULL;
    report->sections = sup_sections;
    if (sup_figures(report->profile, &all, &report->figure_count)) return sup_diag_no_memory(diag);
    report->figures = all;
    for (const sup_chapter *c = sup_chapters; c->id; c++) chapters[c - sup_chapters] = chapter_text(report, c);
    put_head(report);
    put_top(report, chapters);
    put_main(report, chapters);
    for (int i = 0; i < SUP_CHAPTERS; i++) free(chapters[i].at);
    free(all);
    report->figures = NULL;
    if (report->status) {
        if (diag) *diag = report->diag;
        return report->status;
    }
    if (ferror(report->out)) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot write");
    if (figures) *figures = report->drawn;
    return SUP_OK;
}
