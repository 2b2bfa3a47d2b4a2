/* What one should remember of a profile (page.h): rates, latencies and how certain it is. Each number is one of the
 * tables below, rounded alike. */
#include "report/page/page.h"

#include "report/certainty.h"
#include "report/page/units.h"
#include "report/rates.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct facts {
    sup_fact *at;
    size_t count;
} facts;

/* One more, if there is room; share: of its interval, NaN: it has none; what it is: as printf has it. */
static __attribute__((format(printf, 6, 7))) void add(facts *f, double number, double share, const char *unit,
                                                      const char *value, const char *what, ...) {
    if (f->count == SUP_FACTS) return;
    sup_fact *fact = &f->at[f->count++];
    fact->number = number;
    fact->unit = unit;
    fact->share = share;
    sup_unit_interval(1, share, fact->interval, sizeof fact->interval);
    if (isnan(share)) fact->interval[0] = 0;
    snprintf(fact->value, sizeof fact->value, "%s", value);
    va_list args;
    va_start(args, what);
    vsnprintf(fact->what, sizeof fact->what, what, args);
    va_end(args);
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* ---- rates ---- */

/* A row of the table of rates, and what counts of it. */
typedef struct row {
    const sup_kernel_profile *kernel;
    const sup_kernel_rate *rate;
    double value; /* NaN: none */
} row;

/* The quickest of kernels with these names (NULL: of all), in flop/s. */
static row best_flops(const sup_profile *p, const char *const *names) {
    row best = {.value = NAN};
    for (size_t i = 0; i < p->kernels_count; i++) {
        const sup_kernel_profile *k = &p->kernels[i];
        const char *const *name = names;
        while (name && *name && strcmp(*name, k->name)) name++;
        for (size_t j = 0; (!name || *name) && j < k->rates_count; j++) {
            if (!k->rates[j].unit_s) continue;
            double value = sup_rate_flops(k, &k->rates[j], sup_rate_reached(p, &k->rates[j]).best_s);
            if (isfinite(value) && !(value <= best.value)) best = (row){k, &k->rates[j], value};
        }
    }
    return best;
}

/* What most cores that were measured beyond the last cache get from memory, in B/s. */
static row from_memory(const sup_profile *p, const char *name) {
    const sup_kernel_profile *k = sup_profile_kernel(p, name);
    row found = {.value = NAN};
    for (size_t j = 0; k && j < k->rates_count; j++) {
        const sup_kernel_rate *r = &k->rates[j];
        if (!r->unit_s || (found.rate && r->active < found.rate->active)) continue;
        double value = sup_rate_bytes(k, r, sup_rate_reached(p, r).memory_s);
        if (!isfinite(value) || (found.rate && r->active == found.rate->active && value <= found.value)) continue;
        found = (row){k, r, value};
    }
    return found;
}

static void add_rate(facts *f, const char *unit, const char *what, const row *r) {
    char text[SUP_UNIT_TEXT];
    if (isfinite(r->value))
        add(f, r->value, sup_curve_interval(r->rate->unit_s), unit, sup_unit_rate(r->value, unit, text, sizeof text),
            "%s: %.40s on %" PRId64 " core%s", what, r->kernel->name, r->rate->active, plural(r->rate->active));
}

static void add_rates(facts *f, const sup_profile *p) {
    static const char *const products[] = {"dgemm_blas", "dgemm", NULL};
    row best = best_flops(p, NULL), product = best_flops(p, products);
    bool same = isfinite(product.value) && product.rate == best.rate;
    add_rate(f, "flop/s", same ? "best rate, a matrix product" : "best rate", &best);
    if (!same) add_rate(f, "flop/s", "matrix product", &product);
    row copy = from_memory(p, "copy"), triad = from_memory(p, "triad");
    add_rate(f, "B/s", "memory bandwidth", &copy);
    add_rate(f, "B/s", "memory bandwidth", &triad);
}

/* ---- communication and quality ---- */

/* The nearest pair that are two. */
static const sup_pair_class *nearest_class(const sup_pairs *pairs) {
    const sup_pair_class *best = NULL;
    for (size_t i = 0; i < pairs->classes_count; i++) {
        const sup_pair_class *c = &pairs->classes[i];
        if (c->latency_s && (!best || c->latency_s->value < best->latency_s->value)) best = c;
    }
    return best;
}

static void add_pairs(facts *f, const sup_pairs *pairs) {
    char text[SUP_UNIT_TEXT], more[SUP_UNIT_TEXT];
    const sup_pair_class *c = nearest_class(pairs);
    if (!c) return;
    double latency = c->latency_s->value;
    double bandwidth = c->per_byte_s && c->per_byte_s->value > 0.0 ? 1.0 / c->per_byte_s->value : NAN;
    double share = sup_unit_ci(c->latency_s->ci, c->latency_s->n) / latency;
    char interval[SUP_UNIT_TEXT] = "";
    if (isfinite(bandwidth) && isfinite(c->per_byte_s->ci)) {
        interval[0] = ' ';
        sup_unit_interval(c->per_byte_s->value, c->per_byte_s->ci, interval + 1, sizeof interval - 1);
    }
    add(f, latency, share, "s", sup_unit_seconds(latency, text, sizeof text), "latency over %.30s; %s%s",
        pairs->transport,
        isfinite(bandwidth) ? sup_unit_rate(bandwidth, "B/s", more, sizeof more) : "bandwidth not measured", interval);
}

static void add_certainty(facts *f, const sup_profile *p) {
    const sup_quality *q = p->quality;
    sup_certainty c;
    char text[SUP_UNIT_TEXT];
    if (!q || sup_certainty_of(p, sup_sections, &c) || !c.known) return;
    double within = sup_certainty_within(&c);
    add(f, within, NAN, "1", sup_unit_share(within, text, sizeof text), "of numbers are within ± %.0f %%%s%s",
        100.0 * SUP_WIDE, q->busy ? "; the machine was busy" : "", q->complete ? "" : "; not complete");
}

size_t sup_report_facts(const sup_profile *p, sup_fact out[SUP_FACTS]) {
    facts f = {.at = out};
    int64_t cores = p->signature.cores, processes = p->signature.processes;
    char text[SUP_UNIT_TEXT];
    snprintf(text, sizeof text, "%" PRId64 " core%s", cores, plural(cores));
    add(&f, (double)cores, NAN, "core", text, "%" PRId64 " process%s %s", processes, processes == 1 ? "" : "es",
        p->composed ? "composed" : "measured");
    add_rates(&f, p);
    for (size_t i = 0; i < p->pairs_count; i++) add_pairs(&f, &p->pairs[i]);
    add_certainty(&f, p);
    return f.count;
}
