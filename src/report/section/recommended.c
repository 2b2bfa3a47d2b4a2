/* The page's first section: what should be done on this machine by the decisions of a plan (choose/choose.h), what is
 * worth changing before what is right as it is. All terms; the stage "choose" looked at. */
#include "base/text.h"
#include "choose/choose.h"
#include "report/certainty.h"
#include "report/draw/tile_sweep.h"
#include "report/page/page.h"
#include "report/plan_text.h"
#include "report/section/sections.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a decision, as it is shown ---- */

typedef enum part {
    CHANGES, /* it is not the default, and a duel has confirmed that it is better */
    OPEN,    /* it would be better than the default if a duel confirmed it */
    KEPT,
    PARTS
} part;

typedef struct recommended {
    part part;
    const char *choice;
    const char *instead;        /* what it is compared with: the default, or the next best; NULL: nothing */
    double predicted, measured; /* times faster than that; NaN: not known */
} recommended;

static const sup_plan_beaten *beaten_of(const sup_plan_decision *d, const char *choice) {
    for (size_t i = 0; i < d->beaten_count; i++)
        if (!choice || !strcmp(d->beaten[i].choice, choice)) return &d->beaten[i];
    return NULL;
}

static part part_of(const sup_plan_decision *d) {
    if (sup_plan_decision_confirmed(d)) return CHANGES;
    return d->proposed && !d->duels_count && !sup_plan_decision_changes(d) ? OPEN : KEPT;
}

/* Of what is as it would be anyway, the next best says what that is worth; of what nobody confirmed what it promises.
 */
static recommended recommend(const sup_plan_decision *d) {
    recommended r = {.part = part_of(d),
                     .choice = d->choice,
                     .predicted = sup_decision_predicted(d),
                     .measured = sup_decision_measured(d)};
    const sup_plan_beaten *other = r.part == CHANGES ? NULL : beaten_of(d, r.part == OPEN ? d->proposed : NULL);
    if (r.part == CHANGES) r.instead = d->otherwise;
    if (r.part == OPEN) {
        r.choice = d->proposed;
        r.instead = d->choice;
        if (other) r.predicted = d->predicted_s / other->predicted_s;
        if (other) r.measured = d->measured_s / other->measured_s;
    } else if (other) {
        r.instead = other->choice;
        r.predicted = other->predicted_s / d->predicted_s;
        r.measured = other->measured_s / d->measured_s;
    }
    return r;
}

/* ---- cells ---- */

/* What it rests on. */
static void cell_rest(sup_table *t, const sup_report *report, const char *about) {
    const char *sections[SUP_CHOOSE_RESTS + 1] = {0};
    bool over = false;
    char text[SUP_REST] = "";
    for (const sup_decider *const *d = sup_deciders; *d; d++)
        for (int i = 0; i < SUP_CHOOSE_RESTS && !strcmp((*d)->name, about); i++) {
            sections[i] = (*d)->rests[i].section;
            over = over || (*d)->rests[i].over;
        }
    const char *transport = over ? report->plan->signature.transport : NULL;
    sup_cell_text(t, sections[0] ? sup_certainty_rest(report->profile, sections, transport, text) : text);
}

/* The command that does it. */
static void cell_command(sup_table *t, const sup_report *report, const sup_plan_decision *d, part of) {
    char word[PATH_MAX + 8];
    if (of == OPEN)
        sup_cell_text(t, "nothing yet: superstep choose, on the machine of the profile, fights the duel");
    else if (d->command && !strncmp(d->command, "superstep ", 10))
        sup_table_cell(t, "`%s`", d->command);
    else if (d->command || of == KEPT)
        sup_cell_text(t, d->command ? d->command : "nothing to do: the default");
    else if (report->plan_file)
        sup_table_cell(t, "`superstep run --plan %s`", sup_text_word(report->plan_file, word, sizeof word));
    else
        sup_cell_text(t, "`superstep run --plan`");
}

/* A size class is for programs: "matmult, 512x512x512 e8,8,8 w2". */
static void cell_why(sup_table *t, const sup_plan_decision *d) {
    const char *class = d->where && !strcmp(d->about, "tiles") ? strstr(d->where, ", ") : NULL;
    const char *reason = d->reason ? d->reason : "";
    char words[128], where[256] = "";
    if (class)
        snprintf(where, sizeof where, "%.*s, %s: ", (int)(class - d->where), d->where,
                 sup_tile_class_text(class + 2, true, words, sizeof words));
    else if (d->where)
        snprintf(where, sizeof where, "%s: ", d->where);
    if (!strncmp(reason, "kept: ", 6)) reason += 6;
    sup_table_cell(t, "%s%s", where, reason);
}

static void cell_duel(sup_table *t, const sup_plan_decision *d) {
    double ci, duel = sup_decision_duel(d, &ci);
    sup_table_cell(t, "%.2f × ± %.2f", duel, ci);
}

/* ---- tables ---- */

static void put_rows(sup_report *report, part which, const char *title, const char *note) {
    sup_table *t = sup_table_new(title, "about", "recommended", which == KEPT ? "next best" : "instead of",
                                 "predicted gain>", "measured gain>", NULL);
    if (which != KEPT) sup_table_column(t, "interval>");
    if (which == CHANGES) sup_table_column(t, "in a duel>");
    sup_table_column(t, "rests on");
    sup_table_column(t, "apply it with");
    sup_table_column(t, "why");
    for (size_t i = 0; i < report->plan->decisions_count; i++) {
        const sup_plan_decision *d = &report->plan->decisions[i];
        recommended r = recommend(d);
        if (r.part != which) continue;
        sup_cell_text(t, d->about);
        sup_cell_text(t, r.choice);
        sup_cell_text(t, r.instead);
        sup_cell_factor(t, r.predicted);
        sup_cell_factor(t, r.measured);
        if (which != KEPT) sup_cell_range(t, d->gain_low, d->gain_high);
        if (which == CHANGES) cell_duel(t, d);
        cell_rest(t, report, d->about);
        cell_command(t, report, d, which);
        cell_why(t, d);
    }
    sup_table_note(t, "%s", note);
    sup_report_table(report, t);
}

static void put_plan(const sup_report *report) {
    char text[3 * PATH_MAX + 512], word[PATH_MAX + 8], profile[PATH_MAX + 8];
    sup_text_word(report->plan_file, word, sizeof word);
    sup_text_word(report->profile_file ? report->profile_file : "PROFILE", profile, sizeof profile);
    snprintf(
        text, sizeof text,
        "What is confirmed is in the plan: `superstep show %s` prints it, and `superstep run --plan %s` follows it. "
        "`superstep choose --default %s` makes the plans that `superstep run` follows by itself.",
        word, word, profile);
    sup_report_commands(report, "lead", text);
}

static void recommended_page(sup_report *report) {
    const char *lacks = report->lacks ? report->lacks : "";
    bool any[PARTS] = {false};
    const sup_plan *plan = report->plan;
    if (!plan || (!plan->decisions_count && !*lacks)) return;
    for (size_t i = 0; i < plan->decisions_count; i++) any[part_of(&plan->decisions[i])] = true;
    if (*lacks) {
        char text[SUP_LACKS_TEXT + 96];
        snprintf(text, sizeof text, "Too little is sure to decide by it, and there is no plan: %s.", lacks);
        sup_report_text(report, "p", "warn", text);
    }
    if (any[CHANGES])
        put_rows(
            report, CHANGES, "worth changing",
            "Gains are times faster than without the decision, beyond the intervals of both; each was confirmed by a "
            "duel of the two, interleaved, in launches of its own.");
    else if (!*lacks)
        sup_report_text(report, "p", NULL, "Nothing is worth changing that a duel has confirmed: the defaults stay.");
    if (any[OPEN])
        put_rows(
            report, OPEN, "promised, but not confirmed",
            "No duel was fought about these, so the plan leaves them as they are: they rest on this profile alone.");
    if (any[KEPT])
        put_rows(report, KEPT, "right as it is", "Gains are times faster than the next best of what was measured.");
    if (report->plan_file) put_plan(report);
}

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_recommended = {
    .name = "recommended",
    .page = recommended_page,
};
