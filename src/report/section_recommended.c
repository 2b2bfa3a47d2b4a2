/* The page's first section: what should be done on this machine (recommended.h), what is worth changing before what is
 * right as it is. All terms; the stage "choose" looked at. */
#include "report/recommended.h"

#include "base/text.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/tile_sweep.h"

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

static void put_rows(sup_report *report, bool changes, const char *title, const char *note) {
    const sup_recommended_list *list = report->recommended;
    sup_table *t = sup_table_new(title, "about", "recommended", changes ? "instead of" : "next best", "predicted gain>",
                                 "measured gain>", "apply it with", "why", NULL);
    for (size_t i = 0; i < list->count; i++) {
        const sup_recommended *r = &list->at[i];
        if (r->changes != changes) continue;
        char where[256];
        put_where(r, where, sizeof where);
        sup_cell_text(t, r->about);
        sup_cell_text(t, r->choice);
        sup_cell_text(t, r->instead);
        sup_cell_factor(t, r->predicted);
        sup_cell_factor(t, r->measured);
        put_command(t, r->command, list->plan);
        sup_table_cell(t, "%s%s", where, r->reason ? r->reason : "");
    }
    sup_table_note(t, "%s", note);
    sup_report_table(report, t);
}

static void recommended_page(sup_report *report) {
    const sup_recommended_list *list = report->recommended;
    char text[2 * PATH_MAX + 512], word[PATH_MAX + 8];
    bool any[2] = {false, false};
    for (size_t i = 0; i < list->count; i++) any[list->at[i].changes] = true;
    if (any[true])
        put_rows(
            report, true, "worth changing",
            "Gains are times faster than without the decision; each is beyond the interval of what it comes from.");
    else
        sup_report_text(report, "p", NULL,
                        "Nothing that was measured is worth changing: the defaults fit this machine.");
    if (any[false])
        put_rows(report, false, "right as it is", "Gains are times faster than the next best of what was measured.");
    if (!list->plan) return;
    sup_text_word(list->plan, word, sizeof word);
    snprintf(text, sizeof text,
             "All of it is in the plan: `superstep show %s` prints it, and `superstep run --plan %s` follows it. "
             "`superstep choose --default` of the profile makes it the plan that `superstep run` follows by itself.",
             word, word);
    sup_report_commands(report, "lead", text);
}

static bool has_recommended(const sup_report *report) { return report->recommended && report->recommended->count; }

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_recommended = {
    .name = "recommended",
    .has = has_recommended,
    .page = recommended_page,
};
