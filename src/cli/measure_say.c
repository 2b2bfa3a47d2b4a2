/* What a measurement has to say for itself: the numbers one should remember, what is uncertain, and why. */
#include "cli/measure.h"
#include "report/page.h"
#include "report/series.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORST 5
#define LOOSE 0.10
#define NOTES 12

void sup_measuring_summary(const sup_profile *profile, FILE *out) {
    sup_fact facts[SUP_FACTS];
    size_t count = sup_report_facts(profile, facts), width = 0;
    for (size_t i = 0; i < count; i++)
        if (sup_text_width(facts[i].value) > width) width = sup_text_width(facts[i].value);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %*s%s  %s\n", (int)(width - sup_text_width(facts[i].value)), "", facts[i].value, facts[i].what);
}

struct doubt {
    char name[SUP_SERIES_NAME + 32];
    double x, share;
};

struct doubts {
    size_t numbers, loose;
    struct doubt worst[WORST]; /* widest first, one a series */
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
        double share = s->y[i] > 0.0 ? sup_series_ci(s, i) / s->y[i] : NAN;
        d->numbers++;
        if (!(share > LOOSE)) continue;
        d->loose++;
        if (share <= widest) continue;
        widest = share;
        worst = i;
    }
    if (widest > 0.0) place_doubt(d, s, worst, widest);
    return true;
}

void sup_measuring_doubts(const sup_profile *profile, FILE *out) {
    static struct doubts d;
    char text[SUP_UNIT_TEXT], where[SUP_UNIT_TEXT];
    const sup_quality *q = profile->quality;
    memset(&d, 0, sizeof d);
    sup_series_each(profile, NULL, look, &d);
    if (d.loose)
        fprintf(out, "uncertain: %zu of %zu numbers have an interval wider than ± %.0f %%\n", d.loose, d.numbers,
                100.0 * LOOSE);
    else
        fprintf(out, "certain: all %zu numbers have an interval within ± %.0f %%\n", d.numbers, 100.0 * LOOSE);
    for (size_t i = 0; i < d.count; i++) {
        fprintf(out, "  ± %s  %s", sup_unit_share(d.worst[i].share, text, sizeof text), d.worst[i].name);
        if (isfinite(d.worst[i].x)) fprintf(out, " at %s", sup_unit_bytes(d.worst[i].x, where, sizeof where));
        fputc('\n', out);
    }
    if (q && q->warnings_count) fprintf(out, "notes:\n");
    for (size_t i = 0; q && i < q->warnings_count && i < NOTES; i++) fprintf(out, "  %s\n", q->warnings[i]);
    if (q && q->warnings_count > NOTES)
        fprintf(out, "  and %zu more, which `superstep show --section quality` lists\n", q->warnings_count - NOTES);
}
