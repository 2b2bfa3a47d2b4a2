/* What a measurement has to say for itself: the numbers one should remember, what is uncertain, and why. */
#include "base/text.h"
#include "cli/measure/measure.h"
#include "report/certainty.h"
#include "report/page/page.h"
#include "report/page/table.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORST 5
#define NOTES 12

void sup_measuring_summary(const sup_profile *profile, FILE *out) {
    sup_fact facts[SUP_FACTS];
    size_t count = sup_report_facts(profile, facts), width = 0, second = 0;
    for (size_t i = 0; i < count; i++) {
        if (sup_text_width(facts[i].value) > width) width = sup_text_width(facts[i].value);
        if (sup_text_width(facts[i].interval) > second) second = sup_text_width(facts[i].interval);
    }
    for (size_t i = 0; i < count; i++)
        sup_text_print(out, "  %*s%s %s%*s  %s\n", (int)(width - sup_text_width(facts[i].value)), "", facts[i].value,
                       facts[i].interval, (int)(second - sup_text_width(facts[i].interval)), "", facts[i].what);
}

struct doubt {
    char name[SUP_SERIES_NAME + 32];
    double x, share;
};

struct doubts {
    size_t numbers, loose, single; /* with an interval or from one sample; wide, or from one; from one */
    struct doubt worst[WORST];     /* widest first, one a series */
    size_t count;
};

static void place_doubt(struct doubts *d, const sup_series *s, size_t i, double share) {
    size_t at = d->count;
    while (at > 0 && d->worst[at - 1].share < share) at--;
    if (at == WORST) return;
    if (d->count < WORST) d->count++;
    memmove(&d->worst[at + 1], &d->worst[at], (d->count - at - 1) * sizeof d->worst[0]);
    snprintf(d->worst[at].name, sizeof d->worst[at].name, "%s %s", s->section, s->name);
    d->worst[at].x = s->x ? s->x[i] : NAN;
    d->worst[at].share = share;
}

static bool look(void *context, const sup_series *s) {
    struct doubts *d = context;
    size_t worst = 0;
    double widest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        double share = sup_series_relative(s, i);
        if (!(share > SUP_WIDE) || share <= widest) continue;
        widest = share;
        worst = i;
    }
    if (widest > 0.0) place_doubt(d, s, worst, widest);
    return true;
}

static struct doubts doubts_of(const sup_profile *profile) {
    struct doubts d = {0};
    sup_certainty certainty;
    if (!sup_certainty_of(profile, sup_sections, &certainty)) {
        d.numbers = certainty.known;
        d.loose = certainty.wide;
        d.single = certainty.single;
    }
    sup_series_each(profile, NULL, look, &d);
    return d;
}

void sup_measuring_doubts(const sup_profile *profile, FILE *out) {
    char text[SUP_UNIT_TEXT], where[SUP_UNIT_TEXT];
    const sup_quality *q = profile->quality;
    struct doubts d = doubts_of(profile);
    if (d.loose) {
        fprintf(out, "uncertain: %zu of %zu numbers have an interval wider than ± %.0f %%", d.loose, d.numbers,
                100.0 * SUP_WIDE);
        if (d.single) fprintf(out, ", or none: %zu are from one sample", d.single);
        fputc('\n', out);
    } else
        fprintf(out, "certain: all %zu numbers have an interval within ± %.0f %%\n", d.numbers, 100.0 * SUP_WIDE);
    for (size_t i = 0; i < d.count; i++) {
        sup_text_print(out, "  ± %s  %s", sup_unit_share(d.worst[i].share, text, sizeof text), d.worst[i].name);
        if (isfinite(d.worst[i].x)) fprintf(out, " at %s", sup_unit_bytes(d.worst[i].x, where, sizeof where));
        fputc('\n', out);
    }
    if (q && q->warnings_count) fprintf(out, "notes:\n");
    for (size_t i = 0; q && i < q->warnings_count && i < NOTES; i++) sup_text_print(out, "  %s\n", q->warnings[i].text);
    if (q && q->warnings_count > NOTES)
        fprintf(out, "  and %zu more, which `superstep show --section quality` lists\n", q->warnings_count - NOTES);
}

static json_t *facts_json(const sup_profile *profile) {
    sup_fact facts[SUP_FACTS];
    size_t count = sup_report_facts(profile, facts);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:f, s:o, s:s, s:s}", "what", facts[i].what, "value",
                                              facts[i].number, "ci",
                                              isfinite(facts[i].share) ? json_real(facts[i].share * facts[i].number)
                                                                       : json_null(),
                                              "unit", facts[i].unit, "text", facts[i].value));
    return list;
}

static json_t *doubts_json(const sup_profile *profile) {
    struct doubts d = doubts_of(profile);
    json_t *list = json_array();
    for (size_t i = 0; i < d.count; i++) {
        json_t *one = json_pack("{s:s, s:f}", "name", d.worst[i].name, "relative", d.worst[i].share);
        if (isfinite(d.worst[i].x)) json_object_set_new(one, "bytes", json_real(d.worst[i].x));
        json_array_append_new(list, one);
    }
    return json_pack("{s:I, s:I, s:f, s:o}", "numbers", (json_int_t)d.numbers, "wide", (json_int_t)d.loose,
                     "wider_than", SUP_WIDE, "widest", list);
}

static json_t *notes_json(const sup_quality *q) {
    json_t *notes = json_array(), *one;
    for (size_t i = 0; q && i < q->warnings_count; i++)
        if (!sup_record_write(&sup_warning_record, &q->warnings[i], NULL, &one)) json_array_append_new(notes, one);
    return notes;
}

json_t *sup_measuring_json(const sup_measuring *m) {
    const sup_quality *q = m->profile->quality;
    return json_pack("{s:o, s:b, s:b, s:f, s:o, s:o, s:o}", "profile", sup_cli_name(m->file), "complete",
                     q && q->complete, "interrupted", m->interrupted, "spent_s", q ? q->spent_s : 0.0, "facts",
                     facts_json(m->profile), "uncertain", doubts_json(m->profile), "notes", notes_json(q));
}
