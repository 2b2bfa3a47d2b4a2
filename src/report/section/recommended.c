/* The page's first section: what should be done on this machine (recommended.h), what is worth changing before what is
 * right as it is. All terms; the stage "choose" looked at. */
#include "report/recommended.h"

#include "base/text.h"
#include "report/draw/tile_sweep.h"
#include "report/page/page.h"
#include "report/section/sections.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A size class is for programs: "matmult, 512x512x512 e8,8,8 w2". */
static void put_where(const sup_recommended *r, char *text, size_t size) {
    const char *class = r->where && !strcmp(r->about, "tiles") ? strstr(r->where, ", ") : NULL;
    char words[128];
    text[0] = 0;
    if (class)
        snprintf(text, size, "%.*s, %s: ", (int)(class - r->where), r->where,
                 sup_tile_class_text(class + 2, true, words, sizeof words));
    else if (r->where)
        snprintf(text, size, "%s: ", r->where);
}

static void put_command(sup_table *t, const char *command, const char *plan) {
    bool planned = command && !strcmp(command, SUP_RECOMMENDED_PLAN);
    char word[PATH_MAX + 8];
    if (planned && plan)
        sup_table_cell(t, "`%s %s`", command, sup_text_word(plan, word, sizeof word));
    else if (command && !strncmp(command, "superstep ", 10))
        sup_table_cell(t, "`%s`", command);
    else
        sup_cell_text(t, command);
}

typedef enum part { CHANGES, OPEN, KEPT, PARTS } part;
static part part_of(const sup_recommended *r) { return r->changes ? CHANGES : r->open ? OPEN : KEPT; }

static void cell_range(sup_table *t, double low, double high) {
    if (low > 0 && high > 0)
        sup_table_cell(t, "%.2f to %.2f", low, high);
    else
        sup_cell_text(t, NULL);
}

static void put_rows(sup_report *report, part which, const char *title, const char *note) {
    const sup_recommended_list *list = report->recommended;
    sup_table *t = sup_table_new(title, "about", "recommended", which == KEPT ? "next best" : "instead of",
                                 "predicted gain>", "measured gain>", NULL);
    if (which != KEPT) sup_table_column(t, "interval>");
    if (which == CHANGES) sup_table_column(t, "in a duel>");
    sup_table_column(t, "rests on");
    sup_table_column(t, "apply it with");
    sup_table_column(t, "why");
    for (size_t i = 0; i < list->count; i++) {
        const sup_recommended *r = &list->at[i];
        if (part_of(r) != which) continue;
        char where[256];
        put_where(r, where, sizeof where);
        sup_cell_text(t, r->about);
        sup_cell_text(t, r->choice);
        sup_cell_text(t, r->instead);
        sup_cell_factor(t, r->predicted);
        sup_cell_factor(t, r->measured);
        if (which != KEPT) cell_range(t, r->low, r->high);
        if (which == CHANGES) sup_table_cell(t, "%.2f × ± %.2f", r->duel, r->duel_ci);
        sup_cell_text(t, r->rest);
        put_command(t, r->command, list->plan);
        sup_table_cell(t, "%s%s", where, r->reason ? r->reason : "");
    }
    sup_table_note(t, "%s", note);
    sup_report_table(report, t);
}

static void put_plan(const sup_report *report) {
    const sup_recommended_list *list = report->recommended;
    char text[3 * PATH_MAX + 512], word[PATH_MAX + 8], profile[PATH_MAX + 8];
    sup_text_word(list->plan, word, sizeof word);
    sup_text_word(list->profile ? list->profile : "PROFILE", profile, sizeof profile);
    snprintf(
        text, sizeof text,
        "What is confirmed is in the plan: `superstep show %s` prints it, and `superstep run --plan %s` follows it. "
        "`superstep choose --default %s` makes the plans that `superstep run` follows by itself.",
        word, word, profile);
    sup_report_commands(report, "lead", text);
}

static void recommended_page(sup_report *report) {
    const sup_recommended_list *list = report->recommended;
    bool any[PARTS] = {false};
    for (size_t i = 0; i < list->count; i++) any[part_of(&list->at[i])] = true;
    if (*list->lacks) {
        char text[sizeof list->lacks + 96];
        snprintf(text, sizeof text, "Too little is sure to decide by it, and there is no plan: %s.", list->lacks);
        sup_report_text(report, "p", "warn", text);
    }
    if (any[CHANGES])
        put_rows(
            report, CHANGES, "worth changing",
            "Gains are times faster than without the decision, beyond the intervals of both; each was confirmed by a "
            "duel of the two, interleaved, in launches of its own.");
    else if (!*list->lacks)
        sup_report_text(report, "p", NULL, "Nothing is worth changing that a duel has confirmed: the defaults stay.");
    if (any[OPEN])
        put_rows(
            report, OPEN, "promised, but not confirmed",
            "No duel was fought about these, so the plan leaves them as they are: they rest on this profile alone.");
    if (any[KEPT])
        put_rows(report, KEPT, "right as it is", "Gains are times faster than the next best of what was measured.");
    if (list->plan) put_plan(report);
}

static bool has_recommended(const sup_report *report) {
    return report->recommended && (report->recommended->count || *report->recommended->lacks);
}

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_recommended = {
    .name = "recommended",
    .has = has_recommended,
    .page = recommended_page,
};
