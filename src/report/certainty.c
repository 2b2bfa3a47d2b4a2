/* How well the numbers of a profile are known (certainty.h). */
#include "report/certainty.h"

#include "base/list.h"
#include "base/stats.h"
#include "report/series.h"
#include "report/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

char *sup_certainty_advice(const sup_profile *p, const sup_certainty *c, char buf[SUP_ADVICE]) {
    const sup_quality *q = p->quality;
    bool wide = (double)c->wide > SUP_WIDE_ALLOWED * (double)c->known, unfinished = q && !q->complete;
    char time[32];
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
    snprintf(buf + used, SUP_ADVICE - (size_t)used,
             "Measure longer, which goes on from here: `superstep measure --resume --budget %s --out FILE`, where FILE "
             "is the profile%s.",
             longer(p, time, sizeof time),
             q && q->busy ? "; better while nothing else runs, for the machine was busy" : "");
    return buf;
}
