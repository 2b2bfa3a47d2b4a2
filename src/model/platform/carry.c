/* Tcomp of a recording, carried over to another machine (carry.h).
 *
 * What a program computes is no kernel of ours, but it uses the machine in one of the ways that kernels do. Each kernel
 * of both profiles, at each footprint that both have measured, says how much longer the one machine takes than the
 * other. Their median is the ratio; how far they lie apart is how well it can be known. */
#include "model/platform/carry.h"

#include "base/number/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOOTPRINTS = 5 };

/* Relative half widths that are assumed: a program is like no kernel, and one kernel alone tells nothing of others. */
#define LEAST 0.05
#define ALONE 0.5

static bool differs(const char *a, const char *b) { return a && b && strcmp(a, b) != 0; }

bool sup_carry_same(const sup_origin *a, const sup_origin *b) {
    return !differs(a->cpu, b->cpu) && !differs(a->topology, b->topology);
}

/* The rate at which the number of active cores is nearest. */
static const sup_curve *nearest(const sup_kernel_profile *k, int64_t active) {
    const sup_kernel_rate *best = NULL;
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        if (!r->unit_s || !r->unit_s->curve || !r->unit_s->curve->count) continue;
        if (!best || llabs(r->active - active) < llabs(best->active - active)) best = r;
    }
    return best ? best->unit_s->curve : NULL;
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Kernels of one name may be different ones where a user brought them. */
static bool same_kernel(const sup_kernel_profile *a, const sup_kernel_profile *b) {
    return !differs(a->unit, b->unit) && same_number(a->bytes_per_unit, b->bytes_per_unit) &&
           same_number(a->flops_per_unit, b->flops_per_unit);
}

/* Ratios at footprints that both curves have, in equal steps of the logarithm: how many there are. */
static size_t compare(const sup_curve *there, const sup_curve *here, double ratio[FOOTPRINTS]) {
    double low = fmax(there->segments[0].x_lo, here->segments[0].x_lo);
    double high = fmin(there->segments[there->count - 1].x_hi, here->segments[here->count - 1].x_hi);
    size_t count = 0;
    low = fmax(low, 1);
    for (int i = 0; i < FOOTPRINTS && high >= low; i++) {
        double x = low * pow(high / low, (double)i / (FOOTPRINTS - 1)), a = sup_curve_at(there, x),
               b = sup_curve_at(here, x);
        if (a > 0 && b > 0 && isfinite(b / a)) ratio[count++] = b / a;
    }
    return count;
}

typedef struct ratios {
    double *all, *middle; /* of all footprints, and of each kernel */
    size_t count, kernels;
} ratios;

static void collect(const sup_profile *there, int64_t active_there, const sup_profile *here, int64_t active_here,
                    ratios *r) {
    for (size_t i = 0; i < there->kernels_count; i++) {
        const sup_kernel_profile *a = &there->kernels[i], *b = sup_profile_kernel(here, a->name);
        const sup_curve *x = nearest(a, active_there), *y = b && same_kernel(a, b) ? nearest(b, active_here) : NULL;
        size_t count = x && y ? compare(x, y, r->all + r->count) : 0;
        if (!count) continue;
        r->middle[r->kernels++] = sup_stats_median(r->all + r->count, count);
        r->count += count;
    }
}

static sup_prediction spread(ratios *r, double confidence) {
    sup_stats_sort(r->middle, r->kernels);
    double value = sup_stats_median_sorted(r->middle, r->kernels), least = r->kernels > 1 ? LEAST : ALONE;
    double low = sup_stats_quantile(r->all, r->count, (1 - confidence) / 2);
    double high = sup_stats_quantile(r->all, r->count, (1 + confidence) / 2);
    return (sup_prediction){value, fmin(low, value * (1 - least)), fmax(high, value * (1 + least))};
}

sup_status sup_carry_ratio(const sup_profile *there, int64_t active_there, const sup_profile *here, int64_t active_here,
                           double confidence, sup_diag *diag, sup_carry *out) {
    size_t n = there->kernels_count + 1;
    ratios r = {.all = calloc(n * FOOTPRINTS, sizeof *r.all), .middle = calloc(n, sizeof *r.middle)};
    sup_status st = SUP_OK;
    if (!r.all || !r.middle)
        st = sup_diag_no_memory(diag);
    else
        collect(there, active_there, here, active_here, &r);
    if (!st && !r.kernels)
        st = sup_diag_set(diag, SUP_ENOENT, NULL, 0,
                          "the two profiles have no rate of a kernel in common by which recorded computation could be "
                          "scaled; `superstep measure` measures them");
    if (!st) *out = (sup_carry){spread(&r, confidence), r.kernels};
    free(r.all);
    free(r.middle);
    return st;
}
