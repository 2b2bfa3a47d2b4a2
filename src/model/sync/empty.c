/* Tsync of a superstep that asks for nothing, from the profile's measurement of such supersteps (SUP_SYNC_EMPTY):
 * counts, barrier and all that the runtime does around them.
 *
 *     as many processes          what was measured
 *     others                     computed(P) · measured(P0) / computed(P0), P0 the nearest by ratio; 20 % less sure
 *                                with every doubling between the two
 *     a what-if about pairs      computed with it / computed without it, times what was measured
 *     another barrier, counts    what was measured + computed(these) − computed(the runtime's own)
 *     nodes that were put        the ratio holds inside a node: what links take by themselves stays
 *     together
 */
#include "model/sync/sync.h"

#include <math.h>
#include <stdlib.h>

#define EACH_DOUBLING 0.2
#define OF_90 (1.96 / 1.645) /* half width of 90 % → of 95 % */

/* ---- the measurement ---- */

static double distance(int64_t processes, int64_t measured) { return fabs(log2((double)processes / (double)measured)); }

/* The nearest; of two that are equally near the one of fewer processes. NULL: none. */
static const sup_sync_time *nearest(const sup_platform *m) {
    const sup_sync_time *best = NULL;
    for (size_t i = 0; i < m->profile->sync_count; i++) {
        const sup_sync_time *s = &m->profile->sync[i];
        if (!s->transport || !s->algorithm || strcmp(s->transport, m->transport) != 0) continue;
        if (strcmp(s->algorithm, SUP_SYNC_EMPTY) != 0 || s->payload_bytes > 0) continue;
        if (!s->time_s || !(s->time_s->value > 0) || s->processes < 2 || !sup_platform_holds(m, s->processes)) continue;
        double d = distance(m->processes, s->processes), known = best ? distance(m->processes, best->processes) : 0;
        if (!best || d < known || (d == known && s->processes < best->processes)) best = s;
    }
    return best;
}

/* ---- what paths say ---- */

/* The platform as it was measured: so many processes where they were, and no what-ifs. Its tables are to be freed. */
static sup_status as_measured(const sup_platform *m, int64_t processes, sup_platform *out, sup_diag *diag) {
    size_t n = m->class_count;
    *out = *m;
    out->processes = processes;
    out->barrier = NULL;
    out->counts = NULL;
    out->sync_factor = 1;
    out->ranged = false;
    out->edit_count = 0;
    out->stride = NULL;
    out->block = 0;
    out->classes = calloc(n + 1, sizeof *out->classes);
    out->signals = calloc(n + 1, sizeof *out->signals);
    if (!out->classes || !out->signals) return sup_diag_no_memory(diag);
    for (size_t c = 0; c < n; c++) {
        const sup_class_cost *k = &m->classes[c];
        const sup_signal *s = &m->signals[c];
        out->classes[c] = *k;
        out->classes[c].overhead /= k->overhead_f;
        out->classes[c].latency /= k->latency_f;
        out->classes[c].per_byte /= k->byte_f;
        out->classes[c].overhead_f = out->classes[c].latency_f = out->classes[c].byte_f = 1;
        out->signals[c] = (sup_signal){.gap = s->gap / k->overhead_f,
                                       .wire = s->wire / k->latency_f,
                                       .recv = s->recv / k->overhead_f,
                                       .word = s->word / k->latency_f};
    }
    return SUP_OK;
}

/* Into t, of as many processes. */
static sup_status compute(const sup_platform *m, sup_terms *t, sup_diag *diag, sup_prediction *out) {
    sup_pattern p;
    sup_sync_clear(t);
    sup_status st = SUP_OK;
    if (!sup_platform_shared_memory(m))
        st = sup_sync_add_counts(m, m->counts, t, diag);
    else if (!(st = sup_sync_pattern(m, NULL, diag, &p)))
        st = sup_sync_add_signals(m, &p, 1, t, diag);
    *out = sup_sync_longest(t);
    return st;
}

static sup_status compute_measured(const sup_platform *m, int64_t processes, sup_diag *diag, double *out) {
    sup_platform base;
    sup_terms t;
    sup_prediction p = {0};
    sup_status st = sup_terms_open(processes, diag, &t);
    if (st) return st;
    st = as_measured(m, processes, &base, diag);
    if (!st) st = compute(&base, &t, diag, &p);
    free(base.classes);
    free(base.signals);
    sup_terms_close(&t);
    *out = p.value;
    return st;
}

/* ---- both together ---- */

static bool changed(const sup_platform *m) {
    for (size_t i = 0; i < m->edit_count; i++)
        if (m->edits[i].what <= SUP_EDIT_B) return true;
    return false;
}

/* Multiplies *p to this platform's processes and what-ifs. */
static sup_status carry(const sup_platform *usual, const sup_sync_time *from, sup_terms *t, sup_diag *diag,
                        sup_prediction *p) {
    sup_prediction here;
    double there = 0;
    sup_status st = compute(usual, t, diag, &here);
    if (!st) st = compute_measured(usual, from->processes, diag, &there);
    if (st || !(there > 0) || !(here.value > 0)) return st;
    double factor = here.value / there, half = p->high - p->value;
    half += EACH_DOUBLING * OF_90 * usual->widen * distance(usual->processes, from->processes) * p->value;
    *p = (sup_prediction){factor * p->value, fmax(0, factor * (p->value - half)), factor * (p->value + half)};
    return SUP_OK;
}

/* As m, with costs of links alone, or of pairs inside nodes. Its tables are to be freed. */
static sup_status part_of(const sup_platform *m, bool links, sup_platform *out, sup_diag *diag) {
    size_t n = m->class_count;
    *out = *m;
    out->classes = calloc(n + 1, sizeof *out->classes);
    out->signals = calloc(n + 1, sizeof *out->signals);
    if (!out->classes || !out->signals) return sup_diag_no_memory(diag);
    for (size_t c = 0; c < n; c++) {
        sup_class_cost *k = &out->classes[c];
        *k = m->classes[c];
        if (k->network == links) {
            out->signals[c] = m->signals[c];
            continue;
        }
        k->known = false;
        k->overhead = k->d_overhead = k->latency = k->d_latency = k->per_byte = k->d_per_byte = 0;
    }
    return SUP_OK;
}

static sup_status compute_part(const sup_platform *m, bool links, sup_terms *t, sup_diag *diag, double *out) {
    sup_platform part;
    sup_prediction p = {0};
    sup_status st = part_of(m, links, &part, diag);
    if (!st) st = compute(&part, t, diag, &p);
    free(part.classes);
    free(part.signals);
    *out = p.value;
    return st;
}

/* From inside a node to several of them, with m's barrier and counts. */
static sup_status carry_out(const sup_platform *m, const sup_sync_time *from, sup_terms *t, sup_diag *diag,
                            sup_prediction *p) {
    sup_prediction here;
    double there = 0, links = 0, inside = 0;
    sup_status st = compute(m, t, diag, &here);
    if (!st) st = compute_measured(m, from->processes, diag, &there);
    if (!st) st = compute_part(m, true, t, diag, &links);
    if (!st) st = compute_part(m, false, t, diag, &inside);
    if (st || !(there > 0)) return st;
    double ratio = p->value / there, half = (p->high - p->value) / p->value;
    half += EACH_DOUBLING * OF_90 * m->widen * distance(m->processes, from->processes);
    double value = fmax(links + ratio * fmax(0, here.value - links), ratio * inside);
    half *= value - fmin(links, value);
    half = hypot(half, here.high - here.value);
    *p = (sup_prediction){value, sup_prediction_least(value, half), value + half};
    return SUP_OK;
}

/* The difference that another barrier or other counts make. */
static sup_status replace(const sup_platform *m, const sup_platform *usual, sup_terms *t, sup_diag *diag,
                          sup_prediction *p) {
    sup_prediction own, other;
    sup_status st = compute(usual, t, diag, &own);
    sup_platform chosen = *m;
    chosen.sync_factor = 1;
    if (!st) st = compute(&chosen, t, diag, &other);
    if (st || other.value == own.value) return st;
    /* paths may say more than was measured: then it is the ratio */
    double ratio = own.value > 0 ? fmin(1, p->value / own.value) : 1;
    double value = fmax(p->value + other.value - own.value, ratio * other.value);
    double half = hypot(p->high - p->value, other.high - other.value);
    *p = (sup_prediction){value, fmax(0, value - half), value + half};
    return SUP_OK;
}

sup_status sup_sync_add_empty(const sup_platform *m, sup_terms *t, sup_diag *diag) {
    const sup_sync_time *s = nearest(m);
    if (!s) return SUP_ENOENT;
    sup_prediction p = sup_platform_number(m, s->time_s);
    bool shared = sup_platform_shared_memory(m), other = shared ? m->barrier != NULL : m->counts != NULL;
    sup_platform usual = *m; /* the runtime's own barrier and counts */
    usual.barrier = NULL;
    usual.counts = NULL;
    usual.sync_factor = 1;
    bool apart = sup_platform_nodes(m) && m->processes > m->per_host;
    sup_platform own = *m;
    own.sync_factor = 1;
    sup_status st = apart ? carry_out(&own, s, t, diag, &p) : SUP_OK;
    if (!apart && (s->processes != m->processes || changed(m))) st = carry(&usual, s, t, diag, &p);
    if (!st && other && !apart) st = replace(m, &usual, t, diag, &p);
    for (int64_t i = 0; i < t->processes; i++) {
        t->sync[i] = m->sync_factor * p.value;
        t->d_sync[i] = m->sync_factor * (p.high - p.value);
    }
    return st;
}
