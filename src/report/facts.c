/* What one should remember of a profile (page.h): rates, latencies and how quiet the machine was. */
#include "report/page.h"

#include "report/tables.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>

static sup_fact *next_fact(sup_fact *facts, size_t *count, double number, const char *unit) {
    if (*count == SUP_FACTS) return NULL;
    sup_fact *f = &facts[(*count)++];
    f->number = number;
    f->unit = unit;
    return f;
}

/* What all cores together get of the largest footprint, by the kernel that streams most. */
static double memory_rate(const sup_profile *p, const char **name, int64_t *active) {
    static const char *const streams[] = {"triad", "copy", "daxpy", "scal", "dot"};
    double best = NAN;
    sup_cache_mark caches[SUP_CACHE_MARKS];
    int count = sup_cache_marks(p, caches);
    double cached = count ? caches[count - 1].bytes : 0.0; /* up to there it is no memory that is measured */
    for (size_t s = 0; s < sizeof streams / sizeof streams[0] && isnan(best); s++) {
        const sup_kernel_profile *k = sup_profile_kernel(p, streams[s]);
        for (size_t i = 0; k && i < k->rates_count; i++) {
            const sup_kernel_rate *r = &k->rates[i];
            double low, high;
            if (!r->unit_s || !r->unit_s->curve || !(k->bytes_per_unit > 0.0)) continue;
            sup_curve_range(r->unit_s, &low, &high);
            if (high < 2.0 * cached) continue;
            double rate = (double)r->active * k->bytes_per_unit / sup_curve_at(r->unit_s->curve, high);
            if (!isfinite(rate) || rate < best) continue;
            best = rate;
            *name = k->name;
            *active = r->active;
        }
    }
    return best;
}

static double flop_rate(const sup_profile *p, const char **name, int64_t *active) {
    double best = NAN;
    for (size_t i = 0; i < p->kernels_count; i++)
        for (size_t j = 0; j < p->kernels[i].rates_count; j++) {
            const sup_kernel_rate *r = &p->kernels[i].rates[j];
            for (size_t s = 0; r->unit_s && r->unit_s->curve && s < r->unit_s->segments_count; s++) {
                double time = sup_curve_at(r->unit_s->curve, r->unit_s->segments[s].x_hi);
                double rate = (double)r->active * p->kernels[i].flops_per_unit / time;
                if (!isfinite(rate) || !(rate > 0.0) || rate <= best) continue;
                best = rate;
                *name = p->kernels[i].name;
                *active = r->active;
            }
        }
    return best;
}

/* The nearest pair that are two. */
static const sup_pair_class *nearest_class(const sup_pairs *pairs) {
    const sup_pair_class *best = NULL;
    for (size_t i = 0; i < pairs->classes_count; i++) {
        const sup_pair_class *c = &pairs->classes[i];
        if (c->latency_s && (!best || c->latency_s->value < best->latency_s->value)) best = c;
    }
    return best;
}

size_t sup_report_facts(const sup_profile *p, sup_fact out[SUP_FACTS]) {
    size_t count = 0;
    const char *name = "";
    int64_t active = 0;
    char text[SUP_UNIT_TEXT], more[SUP_UNIT_TEXT];
    sup_fact *f = next_fact(out, &count, (double)p->signature.cores, "core");
    snprintf(f->value, sizeof f->value, "%" PRId64 " core%s", p->signature.cores, p->signature.cores == 1 ? "" : "s");
    snprintf(f->what, sizeof f->what, "%" PRId64 " process%s measured", p->signature.processes,
             p->signature.processes == 1 ? "" : "es");
    double rate = flop_rate(p, &name, &active);
    if (isfinite(rate) && (f = next_fact(out, &count, rate, "flop/s"))) {
        snprintf(f->value, sizeof f->value, "%s", sup_unit_rate(rate, "flop/s", text, sizeof text));
        snprintf(f->what, sizeof f->what, "best rate: %.40s on %" PRId64 " core%s", name, active,
                 active == 1 ? "" : "s");
    }
    rate = memory_rate(p, &name, &active);
    if (isfinite(rate) && (f = next_fact(out, &count, rate, "B/s"))) {
        snprintf(f->value, sizeof f->value, "%s", sup_unit_rate(rate, "B/s", text, sizeof text));
        snprintf(f->what, sizeof f->what, "from memory: %.40s on %" PRId64 " core%s", name, active,
                 active == 1 ? "" : "s");
    }
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pair_class *c = nearest_class(&p->pairs[i]);
        if (!c || !(f = next_fact(out, &count, c->latency_s->value, "s"))) continue;
        snprintf(f->value, sizeof f->value, "%s", sup_unit_seconds(c->latency_s->value, text, sizeof text));
        double bandwidth = c->per_byte_s && c->per_byte_s->value > 0.0 ? 1.0 / c->per_byte_s->value : NAN;
        snprintf(f->what, sizeof f->what, "latency over %.30s; %s", p->pairs[i].transport,
                 isfinite(bandwidth) ? sup_unit_rate(bandwidth, "B/s", more, sizeof more) : "bandwidth not measured");
    }
    if (p->quality && (f = next_fact(out, &count, p->quality->rejection_rate, "1"))) {
        snprintf(f->value, sizeof f->value, "%s", sup_unit_share(p->quality->rejection_rate, text, sizeof text));
        snprintf(f->what, sizeof f->what, "of batches disturbed%s%s", p->quality->busy ? "; the machine was busy" : "",
                 p->quality->complete ? "" : "; not complete");
    }
    return count;
}
