/* Recommends a number of processes for a job that can be cut into any (Tcomp): of the numbers of cores that kernels
 * were measured on, the one on which they do the most work together, data that fits a cache and data that does not. */
#include "choose/decide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 64 };

typedef struct count {
    int64_t active;
    double sum, worst; /* of logarithms of speedups; the least of them */
    double unsure;     /* sum of their intervals, relative */
    size_t kernels;
} count;

static const sup_kernel_rate *rate_of(const sup_kernel_profile *k, int64_t active) {
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        if (r->active == active && r->unit_s && r->unit_s->curve) return r;
    }
    return NULL;
}

static const sup_curve *curve_of(const sup_kernel_profile *k, int64_t active) {
    const sup_kernel_rate *r = rate_of(k, active);
    return r ? r->unit_s->curve : NULL;
}

static void ends_of(const sup_file_curve *file, double *low, double *high) {
    *low = file->segments_count ? file->segments[0].x_lo : NAN;
    *high = file->segments_count ? file->segments[file->segments_count - 1].x_hi : NAN;
}

/* Of its points in the middle, as a share; without points what the curve is off by. */
static double interval_of(const sup_file_curve *file) {
    const sup_points *p = file->points;
    double sum = 0, most = 0, known = 0;
    for (size_t i = 0; p && i < p->y_count && i < p->ci_count; i++) {
        if (!(p->y[i] > 0) || !isfinite(p->ci[i])) continue;
        sum += p->ci[i] / p->y[i];
        known++;
    }
    for (size_t i = 0; i < file->segments_count; i++) most = fmax(most, file->segments[i].residual);
    return known > 0 ? sum / known : most > 0 ? most : SUP_CHOOSE_UNSURE;
}

/* How many times the work of one core so many do, at both ends of what was measured. */
static void add(const sup_kernel_profile *k, const sup_kernel_rate *r, count *out) {
    const sup_kernel_rate *first = rate_of(k, 1);
    const sup_curve *alone = curve_of(k, 1);
    double low, high;
    ends_of(r->unit_s, &low, &high);
    for (int end = 0; alone && end < 2; end++) {
        double x = end ? high : low, one = sup_curve_at(alone, x), many = sup_curve_at(r->unit_s->curve, x);
        if (!(one > 0) || !(many > 0)) return;
        double gain = log((double)r->active * one / many);
        out->sum += gain;
        out->unsure += r == first ? 0 : interval_of(r->unit_s) + interval_of(first->unit_s);
        if (!end) out->kernels++;
        if (gain < out->worst) out->worst = gain;
    }
}

static size_t gather(const sup_profile *p, count *counts) {
    size_t n = 0;
    for (size_t i = 0; i < p->kernels_count; i++) {
        const sup_kernel_profile *k = &p->kernels[i];
        for (size_t j = 0; j < k->rates_count; j++) {
            const sup_kernel_rate *r = &k->rates[j];
            if (!r->unit_s || !r->unit_s->curve || curve_of(k, r->active) != r->unit_s->curve) continue;
            size_t at = 0;
            while (at < n && counts[at].active != r->active) at++;
            if (at == MOST) continue;
            if (at == n) counts[n++] = (count){.active = r->active, .worst = INFINITY};
            add(k, r, &counts[at]);
        }
    }
    return n;
}

static double speedup(const count *c) { return exp(c->sum / (2.0 * (double)c->kernels)); }

/* Time of the work of one core. */
static sup_prediction time_of(const count *c) {
    double v = 1 / speedup(c), off = c->unsure / (2.0 * (double)c->kernels);
    return (sup_prediction){v, v * fmax(0, 1 - off), v * (1 + off)};
}

static sup_status say(const sup_choosing *c, sup_plan *plan, const count *counts, size_t n, size_t proposed,
                      size_t usual) {
    size_t best = proposed != usual && !sup_choose_takes(c, NULL) ? usual : proposed;
    char choice[32], otherwise[32], command[64];
    int64_t hosts = c->profile->signature.hosts;
    snprintf(choice, sizeof choice, "%" PRId64, (counts[best].active * hosts));
    snprintf(otherwise, sizeof otherwise, "%" PRId64, (counts[usual].active * hosts));
    snprintf(command, sizeof command, "superstep run -n %s", choice);
    sup_plan_decision *d = sup_choose_say(plan, "processes", choice, otherwise);
    if (!d) return SUP_ENOMEM;
    double one = sup_curve_at(curve_of(&c->profile->kernels[0], 1), 0);
    d->predicted_s = d->measured_s = one / speedup(&counts[best]);
    d->otherwise_s = d->measured_otherwise_s = one / speedup(&counts[usual]);
    if (proposed != usual) sup_choose_gain(d, time_of(&counts[proposed]), time_of(&counts[usual]));
    sup_status st = sup_record_set_string(&d->command, command);
    if (!st)
        st = sup_choose_where(d, "work of %zu kernel%s, shown as a unit of %s", counts[best].kernels,
                              counts[best].kernels == 1 ? "" : "s", c->profile->kernels[0].name);
    char other[32];
    snprintf(other, sizeof other, "%" PRId64, counts[proposed].active * hosts);
    if (!st && best != proposed)
        st = sup_choose_not(d, NULL, other, speedup(&counts[proposed]) / speedup(&counts[usual]));
    else if (!st)
        st = sup_choose_because(d,
                                "%s%" PRId64
                                " cores of a host do %.2f × the work of one, %.2f × in the kernel that gains "
                                "least",
                                best == usual ? "kept: " : "", counts[best].active, speedup(&counts[best]),
                                exp(counts[best].worst));
    for (size_t i = 0; i < n && !st; i++) {
        if (i == best || !counts[i].kernels) continue;
        snprintf(other, sizeof other, "%" PRId64, (counts[i].active * hosts));
        st = sup_choose_beat(d, other, one / speedup(&counts[i]), one / speedup(&counts[i]));
    }
    return st;
}

static sup_status decide(const sup_choosing *c, sup_plan *plan, sup_diag *diag) {
    (void)diag;
    count counts[MOST];
    size_t n = gather(c->profile, counts), usual = n;
    for (size_t i = 0; i < n; i++)
        if (counts[i].active == c->profile->signature.cores && counts[i].kernels) usual = i;
    if (usual == n || !curve_of(&c->profile->kernels[0], 1)) return SUP_OK;
    size_t best = usual;
    for (size_t i = 0; i < n; i++)
        if (counts[i].kernels == counts[usual].kernels &&
            sup_choose_better(time_of(&counts[i]), time_of(&counts[usual])) &&
            speedup(&counts[i]) > speedup(&counts[best]))
            best = i;
    return say(c, plan, counts, n, best, usual);
}

/* Nobody launches kernels for a duel: what promises to be better stays a promise. */
const sup_decider sup_decider_processes = {.name = "processes",
                                           .help = "how many processes share the work",
                                           .rests = {{"kernels", false}},
                                           .decide = decide};
