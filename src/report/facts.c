/* What one should remember of a profile (page.h): rates, latencies and how quiet the machine was. */
#include "report/page.h"

#include "report/tables.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

typedef struct facts {
    sup_fact *at;
    size_t count;
} facts;

/* One more, if there is room; what it is: as printf has it. */
static __attribute__((format(printf, 5, 6))) void add(facts *f, double number, const char *unit, const char *value,
                                                      const char *what, ...) {
    if (f->count == SUP_FACTS) return;
    sup_fact *fact = &f->at[f->count++];
    fact->number = number;
    fact->unit = unit;
    snprintf(fact->value, sizeof fact->value, "%s", value);
    va_list args;
    va_start(args, what);
    vsnprintf(fact->what, sizeof fact->what, what, args);
    va_end(args);
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

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
    facts f = {.at = out};
    const char *name = "";
    int64_t active = 0, cores = p->signature.cores, processes = p->signature.processes;
    char text[SUP_UNIT_TEXT], more[SUP_UNIT_TEXT];
    snprintf(text, sizeof text, "%" PRId64 " core%s", cores, plural(cores));
    add(&f, (double)cores, "core", text, "%" PRId64 " process%s measured", processes, processes == 1 ? "" : "es");
    double rate = flop_rate(p, &name, &active);
    if (isfinite(rate))
        add(&f, rate, "flop/s", sup_unit_rate(rate, "flop/s", text, sizeof text),
            "best rate: %.40s on %" PRId64 " core%s", name, active, plural(active));
    rate = memory_rate(p, &name, &active);
    if (isfinite(rate))
        add(&f, rate, "B/s", sup_unit_rate(rate, "B/s", text, sizeof text), "from memory: %.40s on %" PRId64 " core%s",
            name, active, plural(active));
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pair_class *c = nearest_class(&p->pairs[i]);
        if (!c) continue;
        double latency = c->latency_s->value;
        double bandwidth = c->per_byte_s && c->per_byte_s->value > 0.0 ? 1.0 / c->per_byte_s->value : NAN;
        add(&f, latency, "s", sup_unit_seconds(latency, text, sizeof text), "latency over %.30s; %s",
            p->pairs[i].transport,
            isfinite(bandwidth) ? sup_unit_rate(bandwidth, "B/s", more, sizeof more) : "bandwidth not measured");
    }
    const sup_quality *q = p->quality;
    if (q)
        add(&f, q->rejection_rate, "1", sup_unit_share(q->rejection_rate, text, sizeof text),
            "of batches disturbed%s%s", q->busy ? "; the machine was busy" : "", q->complete ? "" : "; not complete");
    return f.count;
}
