/* Tsync over shared memory: a barrier is signals through the stages of its pattern, at what calibration found them to
 * cost (calibrate.c). */
#include "model/sync/sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNCALIBRATED 0.25 /* relative deviation assumed where no barrier was measured */

/* Half width of what calibration leaves. An algorithm that was measured itself with so many processes is off by what
 * one launch is from the next; any other by what fitting signals to all of them leaves; one that was not measured, by
 * how far off those are that were, if they are told from the others. */
static double spread_of(const sup_platform *m, const sup_pattern_ratio *r) {
    double z = 1.96 * m->widen, s = z * (isnan(m->signal_spread) ? UNCALIBRATED : m->signal_spread);
    if (!r && !isnan(m->unlike_spread)) s = z * m->unlike_spread;
    return r && r->distance == 0 && !isnan(m->again_spread) ? m->again_spread : s;
}

/* Tables in which only links, or only what is inside hosts, costs anything. */
static void keep(const sup_platform *m, bool links, sup_signal *signals) {
    for (size_t c = 0; c < m->class_count; c++)
        signals[c] = m->classes[c].network == links ? m->signals[c] : (sup_signal){0};
}

/* The same barrier inside a node; a pattern of listed edges has none. */
static bool inside_of(const sup_platform *m, const sup_pattern *p, sup_pattern *out) {
    if (p->edges || m->per_host < 2) return false;
    *out = sup_pattern_of((sup_pattern_kind){p->generator, p->radix}, m->per_host);
    return true;
}

/* Its ratio: with links in it nothing is known. */
static double ratio_inside(const sup_platform *m, const sup_pattern *p, const sup_pattern_ratio **known) {
    sup_pattern own;
    *known = NULL;
    if (m->per_host < 2) return 1;
    return sup_pattern_ratio_of(m, inside_of(m, p, &own) ? &own : p, known);
}

/* Seconds of it, before the ratio. t: room. */
static sup_status time_inside(const sup_platform *m, const sup_pattern *p, double *t, double *longest) {
    sup_path path = {.signals = m->signals, .words = m->words};
    sup_pattern own;
    *longest = 0;
    if (!inside_of(m, p, &own)) return SUP_OK;
    memset(t, 0, (size_t)own.processes * sizeof *t);
    sup_status st = sup_path_run(m, &own, &path, t);
    for (int64_t i = 0; i < own.processes && !st; i++) *longest = fmax(*longest, t[i]);
    return st;
}

/* Where no measured barrier crossed a link, the ratio is of what goes on inside hosts: what links take stays, and all
 * of it takes no less than what goes on inside. high: NULL, or signals and their half widths. */
static sup_status add_split(const sup_platform *m, const sup_pattern *p, double ratio, sup_path *high, double spread,
                            double times, sup_terms *t, sup_diag *diag) {
    double *all = t->scratch[0], *some = t->scratch[1], *more = t->scratch[2];
    size_t bytes = (size_t)p->processes * sizeof(double);
    sup_path path = {.signals = m->signals, .words = m->words}, part = {.words = m->words};
    sup_status st = sup_sync_tables(m, 1, diag, &part.signals);
    if (st) return st;
    double least;
    st = time_inside(m, p, all, &least);
    for (int k = 0; k < 3; k++) memset(t->scratch[k], 0, bytes);
    if (!st) st = sup_path_run(m, p, &path, all);
    keep(m, true, part.signals);
    if (!st) st = sup_path_run(m, p, &part, some);
    keep(m, false, part.signals);
    if (!st) st = sup_path_run(m, p, &part, more);
    for (int64_t i = 0; i < p->processes; i++)
        some[i] = fmax(some[i] + ratio * fmax(0, all[i] - some[i]), ratio * fmax(more[i], least));
    memcpy(more, all, bytes);
    if (high) memset(more, 0, bytes);
    if (!st && high) st = sup_path_run(m, p, high, more);
    times *= m->sync_factor;
    for (int64_t i = 0; i < p->processes; i++) {
        t->sync[i] += times * some[i];
        t->d_sync[i] += times * (more[i] - all[i] + spread * some[i]);
    }
    free(part.signals);
    return st ? sup_diag_set(diag, st, NULL, 0, "out of memory") : SUP_OK;
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
    bool apart = m->inside && p->processes > m->per_host;
    double ratio = apart ? ratio_inside(m, p, &measured) : sup_pattern_ratio_of(m, p, &measured);
    double spread = spread_of(m, measured) + (exact ? 0 : most);
    if (apart)
        st = add_split(m, p, ratio, exact ? &above : NULL, spread, times, t, diag);
    else
        st = sup_sync_add_path(m, p, &path, exact ? &above : NULL, spread, ratio * times, t, diag);
    free(high);
    return st;
}
