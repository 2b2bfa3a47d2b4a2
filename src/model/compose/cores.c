/* More cores in a node than were measured (compose.h): rules in place of measurements, with intervals of ± 50 %.
 *
 *   Tcomp  what a core does in caches of its own stays; beyond its share of the last cache all cores of the node have
 *          together the memory bandwidth that those measured had.
 *   Tsync  barriers as the logarithm of the number of processes, the linear one as that number.
 *   Tcomm  exchanges stay those of fewer processes; the model prices others by them (exchanges.c). */
#include "model/compose/compose.h"

#include "profile/caches.h"
#include "profile/composed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESIDUAL (SUP_COMPOSE_DOUBT / 1.96) /* as a deviation */

/* ---- computation ---- */

/* From which footprint on memory decides: a core's share of the last cache. 0: the profile's words do not say. */
static double last_cache_share(const sup_profile *p, int64_t active) {
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    return count ? sup_cache_share(&caches[count - 1], active) : 0;
}

/* The rate of a kind of core (NULL: any) with most cores at once. */
static const sup_kernel_rate *fullest(const sup_kernel_profile *k, const char *kind) {
    const sup_kernel_rate *best = NULL;
    for (size_t i = 0; i < k->rates_count; i++) {
        const sup_kernel_rate *r = &k->rates[i];
        bool same = kind && r->kind ? !strcmp(kind, r->kind) : kind == r->kind;
        if (same && r->unit_s && r->unit_s->curve && (!best || r->active > best->active)) best = r;
    }
    return best;
}

static double end_of(const sup_file_curve *c) {
    return c->segments_count ? c->segments[c->segments_count - 1].x_hi : 0;
}

/* Bytes a second that all cores get from memory, by the kernel that gets most. 0: none was measured there. */
static double memory_bandwidth(const sup_profile *p) {
    double best = 0;
    for (size_t i = 0; i < p->kernels_count; i++) {
        const sup_kernel_profile *k = &p->kernels[i];
        for (size_t j = 0; j < k->rates_count; j++) {
            const sup_kernel_rate *r = &k->rates[j];
            if (!r->unit_s || !r->unit_s->curve) continue;
            double from = last_cache_share(p, r->active), at = end_of(r->unit_s);
            if (!(from > 0) || at < 1.3 * from) continue;
            double unit = sup_curve_at(r->unit_s->curve, at);
            if (unit > 0) best = fmax(best, (double)r->active * k->bytes_per_unit / unit);
        }
    }
    return best;
}

typedef struct stretch {
    const sup_curve *old;
    double from;  /* up to here as it was; twice that, and beyond: */
    double least; /* seconds of a unit, at least */
} stretch;

static double stretched(const stretch *s, double x) {
    double unit = sup_curve_at(s->old, x);
    if (x <= s->from || unit >= s->least) return unit;
    double share = x >= 2 * s->from ? 1 : (x - s->from) / s->from;
    return unit + share * (s->least - unit);
}

/* Ends of segments, and where the stretch begins and is full, ascending, without repetition. */
static size_t knots(const stretch *s, double *x) {
    size_t n = 0;
    for (size_t i = 0; i < s->old->count; i++) {
        x[n++] = s->old->segments[i].x_lo;
        x[n++] = s->old->segments[i].x_hi;
    }
    double end = x[n - 1];
    if (s->from < end && s->from > x[0]) x[n++] = s->from;
    if (2 * s->from < end && 2 * s->from > x[0]) x[n++] = 2 * s->from;
    for (size_t i = 1; i < n; i++) /* few */
        for (size_t j = i; j && x[j - 1] > x[j]; j--) {
            double swap = x[j];
            x[j] = x[j - 1];
            x[j - 1] = swap;
        }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || x[i] > x[kept - 1]) x[kept++] = x[i];
    return kept;
}

static double residual_at(const sup_curve *c, double x) {
    size_t i = 0;
    while (i + 1 < c->count && c->segments[i].x_hi < x) i++;
    return c->segments[i].residual;
}

/* The curve with all units of at least `least` seconds beyond `from` bytes; those are in doubt. */
static sup_status stretch_curve(const stretch *s, sup_file_curve *out) {
    size_t most = 2 * s->old->count + 2;
    double *x = calloc(most, sizeof *x);
    sup_segment *segments = calloc(most, sizeof *segments);
    sup_curve *curve = NULL;
    sup_status status = x && segments ? SUP_OK : SUP_ENOMEM;
    if (!status) {
        size_t n = knots(s, x), count = n > 1 ? n - 1 : 1;
        for (size_t i = 0; i < count; i++) {
            double a = x[i], b = n > 1 ? x[i + 1] : x[i], at_a = stretched(s, a), at_b = stretched(s, b);
            double slope = b > a ? (at_b - at_a) / (b - a) : 0, middle = (a + b) / 2;
            double residual = residual_at(s->old, middle);
            segments[i] =
                (sup_segment){a, b, at_a - slope * a, slope, middle > s->from ? fmax(residual, RESIDUAL) : residual, 3};
        }
        status = sup_curve_make(segments, count, 0, NULL, &curve);
    }
    if (!status) status = sup_file_curve_set(out, curve);
    sup_curve_free(curve);
    free(segments);
    free(x);
    return status;
}

static sup_status add_rate(sup_kernel_profile *k, const sup_kernel_rate *from, int64_t cores, double share,
                           double bandwidth) {
    sup_kernel_rate made;
    stretch s = {.old = from->unit_s->curve,
                 .from = share > 0 ? share : INFINITY,
                 .least = bandwidth > 0 ? (double)cores * k->bytes_per_unit / bandwidth : 0};
    sup_record_init(&sup_kernel_rate_record, &made);
    sup_status status = sup_record_set_string(&made.kind, from->kind);
    made.active = cores;
    made.prediction_error = from->prediction_error;
    if (!status && !(made.unit_s = sup_record_make(&sup_file_curve_record))) status = SUP_ENOMEM;
    if (!status) status = stretch_curve(&s, made.unit_s);
    sup_kernel_rate *r = status ? NULL : SUP_APPEND(&sup_kernel_rate_record, k->rates, k->rates_count);
    if (!r) {
        sup_record_clear(&sup_kernel_rate_record, &made);
        return status ? status : SUP_ENOMEM;
    }
    *r = made;
    return SUP_OK;
}

static sup_status more_rates(sup_profile *made, int64_t cores) {
    double bandwidth = memory_bandwidth(made);
    for (size_t i = 0; i < made->kernels_count; i++) {
        sup_kernel_profile *k = &made->kernels[i];
        size_t kinds = made->kinds ? made->kinds->names_count : 0;
        for (size_t j = 0; j <= kinds; j++) {
            const sup_kernel_rate *from = fullest(k, j < kinds ? made->kinds->names[j] : NULL);
            if (!from || from->active >= cores) continue;
            sup_status status = add_rate(k, from, cores, last_cache_share(made, from->active), bandwidth);
            if (status) return status;
        }
    }
    if (!made->kernels_count) return SUP_OK;
    if (!(bandwidth > 0))
        return sup_composed_rule(made->composed, "more cores of a node: rates as measured, for nothing says what they "
                                                 "get from memory together");
    return sup_composed_rule(made->composed,
                             "more cores of a node: rates within a core's caches as measured; beyond its share of the "
                             "last cache all share %.3g GB/s of memory bandwidth, +- %.0f %%",
                             bandwidth / 1e9, 100 * SUP_COMPOSE_DOUBT);
}

/* ---- barriers and exchanges ---- */

static void stretch_number(sup_number *n, double factor) {
    n->value *= factor;
    n->typical *= factor;
    n->bad *= factor;
    n->ci = fmax(isnan(n->ci) ? 0 : n->ci * factor, SUP_COMPOSE_DOUBT * n->value);
}

static sup_status more_barriers(sup_profile *made, int64_t cores) {
    int64_t measured = made->composed->measured;
    size_t count = made->sync_count;
    double logarithm = log2((double)cores) / log2((double)measured), linear = (double)cores / (double)measured;
    for (size_t i = 0; i < count; i++) {
        if (made->sync[i].processes != measured) continue;
        sup_sync_time *s = SUP_APPEND(&sup_sync_record, made->sync, made->sync_count);
        sup_status status = s ? sup_record_copy(&sup_sync_record, &made->sync[i], s) : SUP_ENOMEM;
        if (status) return status;
        s->processes = cores;
        stretch_number(s->time_s, !strcmp(s->algorithm, "linear") ? linear : logarithm);
    }
    if (made->sync_count == count) return SUP_OK;
    return sup_composed_rule(made->composed,
                             "barriers of %" PRId64 " processes in a node: those of %" PRId64
                             " times the ratio of logarithms (linear: of numbers), +- %.0f %%",
                             cores, measured, 100 * SUP_COMPOSE_DOUBT);
}

sup_status sup_compose_cores(sup_profile *made) {
    int64_t cores = made->composed->node_processes, measured = made->composed->measured;
    if (cores <= measured) return SUP_OK;
    sup_status status = more_rates(made, cores);
    if (!status && measured > 1) status = more_barriers(made, cores);
    if (!status && made->exchanges_count)
        status = sup_composed_rule(made->composed,
                                   "exchanges of %" PRId64 " processes in a node are priced by those of %" PRId64
                                   ": a process that moves as many bytes takes as long",
                                   cores, measured);
    if (!status)
        status = sup_composed_rule(made->composed,
                                   "cores of a node that nobody measured are as far apart as the farthest measured "
                                   "ones, +- %.0f %%",
                                   100 * SUP_COMPOSE_DOUBT);
    return status;
}
