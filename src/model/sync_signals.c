/* Tsync over shared memory: a barrier is signals through the stages of its pattern, at what calibration found them to
 * cost (calibrate.c). */
#include "model/sync.h"

#include <math.h>
#include <stdlib.h>

#define UNCALIBRATED 0.25 /* relative deviation assumed where no barrier was measured */

/* Half width of what calibration leaves. An algorithm that was measured itself with so many processes is off by what
 * one launch is from the next; any other by what fitting signals to all of them leaves; one that was not measured, by
 * how far off those are that were, if they are told from the others. */
static double spread_of(const sup_platform *m, const sup_pattern_ratio *r) {
    double z = 1.96 * m->widen, s = z * (isnan(m->signal_spread) ? UNCALIBRATED : m->signal_spread);
    if (!r && !isnan(m->unlike_spread)) s = z * m->unlike_spread;
    return r && r->distance == 0 && !isnan(m->again_spread) ? m->again_spread : s;
}

/* Paths scale with their signals, so the greatest relative half width bounds the path's. Small machines get the exact
 * second pass instead, large ones save it. */
enum { EXACT_MAX = 4096 };

sup_status sup_sync_add_signals(const sup_platform *m, const sup_pattern *p, double times, sup_terms *t,
                                sup_diag *diag) {
    sup_signal *high;
    double most = 0;
    sup_status st = sup_sync_tables(m, 1, diag, &high);
    if (st) return st;
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_signal *s = &m->signals[c], *d = &m->d_signals[c];
        high[c] =
            (sup_signal){.gap = s->gap + d->gap, .wire = s->wire + d->wire, .recv = s->recv + d->recv, .word = s->word};
        if (s->gap > 0) most = fmax(most, d->gap / s->gap);
        if (s->wire > 0) most = fmax(most, d->wire / s->wire);
    }
    bool exact = most > 0 && p->processes <= EXACT_MAX;
    sup_path path = {.signals = m->signals, .words = m->words}, above = {.signals = high, .words = m->words};
    const sup_pattern_ratio *measured;
    times *= sup_pattern_ratio_of(m, p, &measured);
    st = sup_sync_add_path(m, p, &path, exact ? &above : NULL, spread_of(m, measured) + (exact ? 0 : most), times, t,
                           diag);
    free(high);
    return st;
}
