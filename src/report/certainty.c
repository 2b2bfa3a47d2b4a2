/* How well the numbers of a profile are known (certainty.h). */
#include "report/certainty.h"

#include "base/list.h"
#include "base/number/stats.h"
#include "base/text.h"
#include "profile/evidence.h"
#include "report/draw/series.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
    sup_certainty found;
    double *shares;
    size_t count;
    bool failed;
};

static bool count_series(void *context, const sup_series *s) {
    struct count *c = context;
    for (size_t i = 0; i < s->count; i++) {
        int64_t n = sup_series_n(s, i);
        double share = sup_series_relative(s, i);
        c->found.numbers++;
        c->found.samples += n;
        c->found.reruns += s->reruns ? s->reruns[i] : 0;
        c->found.single += n == 1;
        c->found.wide += n == 1 || share > SUP_WIDE;
        c->found.known += n == 1 || isfinite(share);
        if (!isfinite(share)) continue;
        if (!sup_list_room(&c->shares, c->count, sizeof *c->shares)) return !(c->failed = true);
        c->shares[c->count++] = share;
    }
    return true;
}

sup_status sup_certainty_of(const sup_profile *profile, const struct sup_section *const *sections, sup_certainty *out) {
    struct count c = {0};
    sup_walk_sections(sections, profile, NULL, count_series, &c);
    sup_stats_sort(c.shares, c.count);
    c.found.middle = c.count ? c.shares[c.count / 2] : NAN;
    c.found.most = c.count ? c.shares[(c.count - 1) * 95 / 100] : NAN;
    free(c.shares);
    *out = c.found;
    return c.failed ? SUP_ENOMEM : SUP_OK;
}

double sup_certainty_within(const sup_certainty *c) {
    return c->known ? 1.0 - (double)c->wide / (double)c->known : NAN;
}

/* Intervals shrink with the square root of the time: four times as long makes them half as wide. */
static const char *longer(const sup_profile *p, char *buf, size_t size) {
    double spent = p->quality && isfinite(p->quality->spent_s) ? p->quality->spent_s : 0.0;
    double wanted = fmax(60.0, 4.0 * spent);
    if (wanted < 3600.0)
        snprintf(buf, size, "%.0fm", ceil(wanted / 60.0));
    else
        snprintf(buf, size, "%.0fh", ceil(wanted / 3600.0));
    return buf;
}

/* Both steps; and where nothing was kept, how to keep it. */
static void put_commands(const sup_profile *p, const char *file, const char *page, char *buf, size_t size) {
    char time[32], word[2048], at[1024];
    longer(p, time, sizeof time);
    sup_text_word(page ? page : "report.html", at, sizeof at);
    if (!file) {
        snprintf(buf, size,
                 "Its profile was not kept, so only a longer measurement helps: `superstep report --budget %s --keep "
                 "profile.json --force --out %s`",
                 time, at);
        return;
    }
    sup_text_word(file, word, sizeof word);
    snprintf(buf, size,
             "Measure on, from the profile %s: `superstep measure --resume --budget %s --out %s`; then make the report "
             "again "
             "from it: `superstep report --profile %s --force --out %s`",
             word, time, word, word, at);
}

char *sup_certainty_advice(const sup_profile *p, const sup_certainty *c, const char *file, const char *page,
                           char buf[SUP_ADVICE]) {
    const sup_quality *q = p->quality;
    bool wide = (double)c->wide > SUP_WIDE_ALLOWED * (double)c->known, unfinished = q && !q->complete;
    int used = 0;
    buf[0] = 0;
    if (!wide && !unfinished) return buf;
    if (wide)
        used = snprintf(buf, SUP_ADVICE,
                        "%zu of %zu numbers are wider than ± %.0f %%, more than the tenth that this report allows. ",
                        c->wide, c->known, 100.0 * SUP_WIDE);
    if (unfinished)
        used += snprintf(buf + used, SUP_ADVICE - (size_t)used,
                         "The measurement is not complete: it was interrupted, or its time ran out. ");
    put_commands(p, file, page, buf + used, SUP_ADVICE - (size_t)used - 128);
    used += (int)strlen(buf + used);
    snprintf(buf + used, SUP_ADVICE - (size_t)used, "%s.",
             q && q->busy ? "; better while nothing else runs, for the machine was busy" : "");
    return buf;
}

const char *sup_certainty_rest(const sup_profile *p, const char *const *sections, const char *transport,
                               char buf[SUP_REST]) {
    const char *least = NULL;
    sup_evidence worst = {.complete = true, .launches = -1};
    for (; *sections; sections++) {
        sup_evidence e = sup_profile_evidence(p, *sections, transport);
        bool fewer = e.launches >= 0 && (worst.launches < 0 || e.launches < worst.launches);
        if (fewer) worst.launches = e.launches;
        if (fewer || !least || !e.complete) least = *sections;
        worst.complete = worst.complete && e.complete;
    }
    if (!sup_evidence_enough(&worst) && worst.launches >= 0)
        snprintf(buf, SUP_REST, "not certain: %s from %" PRId64 " launch%s", least, worst.launches,
                 worst.launches == 1 ? "" : "es");
    else if (!worst.complete)
        snprintf(buf, SUP_REST, "not certain: not complete");
    else if (worst.launches >= 0)
        snprintf(buf, SUP_REST, "%" PRId64 " launches", worst.launches);
    else
        snprintf(buf, SUP_REST, "launches not known");
    return buf;
}
