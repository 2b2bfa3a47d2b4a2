/* Tcomp: requirements R times costs C, element by element, row sums (BSP §3.3, §4). The cost of a unit depends on the
 * memory footprint (curves with a break at each cache), on the kind of core and on how many cores of the host work at
 * the same time. */
#include "model/equation/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half width, relative, of what a program's own loop takes that a kernel stands for: other memory, other surroundings.
 */
#define OTHER_LOOP 0.17
/* The same of recorded seconds: how far two launches of a program differ, also where a recording met its superstep once
 * and so saw no scatter. */
#define AGAIN 0.05

static const char *kind_of(const sup_platform *m, int64_t rank) {
    const sup_kinds *k = m->profile->kinds;
    if (!k || !k->names_count) return NULL;
    return k->names[sup_kinds_of(k, rank)];
}

static bool of_kind(const sup_kernel_rate *r, const char *kind) { return !r->kind || !kind || !strcmp(r->kind, kind); }

/* The rates with the nearest numbers of active cores at or below, and above, what runs here. */
static void around(const sup_kernel_profile *k, const char *kind, int64_t active, const sup_kernel_rate **low,
                   const sup_kernel_rate **high) {
    *low = *high = NULL;
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        if (!of_kind(r, kind) || !r->unit_s || !r->unit_s->curve) continue;
        if (r->active <= active && (!*low || r->active > (*low)->active)) *low = r;
        if (r->active > active && (!*high || r->active < (*high)->active)) *high = r;
    }
}

/* The curve's own interval, but not less than what it was off by on footprints that it was not fitted to: the largest
 * of the few that were tried is about where one more falls in nine cases of ten. */
static sup_prediction at(const sup_platform *m, const sup_kernel_rate *r, double footprint) {
    sup_prediction p = sup_platform_curve(m, r->unit_s, footprint);
    double z90 = 1.645, off = r->prediction_error * 1.96 * m->widen / z90;
    if (m->typical) { /* a run falls somewhere between calm and twice as far, and a program's loop is not the kernel's
                         own */
        double typical = sup_file_curve_typical(r->unit_s, footprint);
        off = fmax(off > 0 ? off : 0, fmax(OTHER_LOOP, (typical - 1) / typical / 2));
    }
    if (!(off > 0)) return p;
    return (sup_prediction){p.value, fmax(0, fmin(p.low, p.value * (1 - off))), fmax(p.high, p.value * (1 + off))};
}

static sup_status not_measured(const char *kernel, sup_diag *diag) {
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                        "the profile has no rate of kernel \"%.60s\"; `superstep measure` measures the built-in ones, "
                        "`superstep measure --kernel FILE.so` others",
                        kernel);
}

static sup_status unit_of(const sup_platform *m, const sup_kernel_profile *k, double footprint, int64_t rank,
                          sup_diag *diag, sup_prediction *out) {
    const sup_kernel_rate *low, *high;
    around(k, kind_of(m, rank), m->per_host, &low, &high);
    if (!low && !high) return not_measured(k->name, diag);
    sup_prediction p = at(m, low ? low : high, footprint);
    if (low && high && low->active < m->per_host) {
        sup_prediction q = at(m, high, footprint);
        double w = (double)(m->per_host - low->active) / (double)(high->active - low->active);
        p = (sup_prediction){p.value + w * (q.value - p.value), p.low + w * (q.low - p.low),
                             p.high + w * (q.high - p.high)};
    }
    *out = p;
    return SUP_OK;
}

sup_status sup_comp_unit(const sup_platform *m, const char *kernel, double footprint, sup_diag *diag,
                         sup_prediction *out) {
    const sup_kernel_profile *k = sup_profile_kernel(m->profile, kernel);
    return k ? unit_of(m, k, footprint, 0, diag, out) : not_measured(kernel, diag);
}

/* ---- a superstep ---- */

static void in_seconds(const sup_platform *m, const sup_work *w, bool recorded, sup_terms *t) {
    double scale = w->foretold ? 1 : m->compute_scale, spread = w->foretold ? 0 : m->compute_spread;
    double least = recorded && !w->foretold ? AGAIN : 0;
    for (int64_t p = 0; p < t->processes; p++) {
        double rate = sup_edits_rate(m->edits, m->edit_count, p) / scale, s = sup_vector_at(&w->units, p) / rate;
        t->comp[p] += s;
        t->comp_over[p] += w->overlap * s;
        t->d_comp[p] += hypot(fmax(1.645 * w->deviation_s / rate, least * s), spread * s);
    }
}

static sup_status measured(const sup_platform *m, const sup_work *w, sup_terms *t, sup_diag *diag) {
    const sup_kernel_profile *k = sup_profile_kernel(m->profile, w->kernel);
    if (!k) return not_measured(w->kernel, diag);
    bool alike = !w->units.each && !w->bytes.each && !kind_of(m, 0);
    sup_prediction unit = {0};
    double last = -1;
    for (int64_t p = 0; p < t->processes; p++) {
        double units = sup_work_units(w, t->processes, p), bytes = sup_vector_at(&w->bytes, p);
        if (bytes < 0) bytes = units * k->bytes_per_unit;
        if (isnan(bytes))
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                                "kernel \"%s\" has no bytes per unit in the profile: \"footprint_bytes\" is needed",
                                w->kernel);
        if (!alike || bytes != last) { /* equal processes have equal costs */
            sup_status st = unit_of(m, k, bytes, p, diag, &unit);
            if (st) return st;
            last = bytes;
        }
        double rate = sup_edits_rate(m->edits, m->edit_count, p), s = units * unit.value / rate;
        t->comp[p] += s;
        t->comp_over[p] += w->overlap * s;
        t->d_comp[p] += units * fmax(unit.high - unit.value, unit.value - unit.low) / rate;
    }
    return SUP_OK;
}

sup_status sup_comp_terms(const sup_platform *m, const sup_step *step, sup_terms *t, sup_diag *diag) {
    for (size_t i = 0; i < step->work_count; i++) {
        sup_status st = SUP_OK;
        if (!step->works[i].kernel)
            in_seconds(m, &step->works[i], step->recorded, t);
        else
            st = measured(m, &step->works[i], t, diag);
        if (st) return st;
    }
    return SUP_OK;
}
