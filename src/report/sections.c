/* The report's sections (page.h). A part of the flow that has something to say adds a line to the table at the end. */
#include "report/page.h"

#include "report/tables.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool always(const sup_report *report) {
    (void)report;
    return true;
}

/* ---- facts ---- */

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

/* ---- the sections ---- */

static void put_machine(sup_report *report) {
    if (report->topology)
        sup_report_drawing(report->topology, report->out);
    else
        sup_report_text(report, "p", "note",
                        "The profile is of another machine than the one that wrote this page, so that "
                        "there is no drawing of it.");
    sup_report_tables(report, "machine");
}

static bool has_computation(const sup_report *report) { return report->profile->kernels_count > 0; }

static void put_computation(sup_report *report) {
    sup_report_tables(report, "kernels");
    sup_report_figures(report, "kernels");
}

static bool has_communication(const sup_report *report) {
    const sup_profile *p = report->profile;
    return p->pairs_count || p->channels_count || p->sync_count || p->classic_count || p->copies_count;
}

static void put_communication(sup_report *report) {
    const sup_profile *p = report->profile;
    if (p->pairs_count) sup_report_text(report, "h3", NULL, "Pairs of processes");
    sup_report_tables(report, "pairs");
    sup_report_figures(report, "pairs");
    if (p->sync_count || p->classic_count)
        sup_report_text(report, "h3", NULL, "Synchronisation and classic parameters");
    sup_report_tables(report, "sync");
    sup_report_tables(report, "classic");
    if (p->channels_count) sup_report_text(report, "h3", NULL, "Concurrent transfers (τ-Lop)");
    sup_report_tables(report, "channels");
    sup_report_figures(report, "channels");
    sup_report_tables(report, "copies");
}

static bool has_decomposition(const sup_report *report) { return report->profile->tiles_count > 0; }

static void put_decomposition(sup_report *report) {
    sup_report_figures(report, "tiles");
    sup_report_tables(report, "tiles");
}

static bool has_held(const sup_report *report) { return report->held && report->held->count; }

static void put_quality(sup_report *report) {
    const sup_quality *q = report->profile->quality;
    if (q && !q->complete)
        sup_report_text(report, "p", "warn",
                        "The measurement is not complete: it was interrupted, or its time ran out before "
                        "every number was as certain as wanted.");
    if (q && q->busy)
        sup_report_text(report, "p", "warn",
                        "The machine was busy while it was measured. Measure again when it is idle.");
    sup_report_tables(report, "quality");
}

const sup_report_section sup_report_sections[] = {
    {"machine", "Machine", "Cores, the caches they share, and where the measured processes ran.", always, put_machine},
    {"computation", "Computation",
     "How long one unit of work takes, by how much memory the data needs. Curves bend where data no longer fits into a "
     "cache, and rise when more cores share one memory.",
     has_computation, put_computation},
    {"communication", "Communication",
     "What it costs to send something from one process to another: O to start a message, L until it arrives, B for "
     "each "
     "byte; and how these change when several processes communicate at once.",
     has_communication, put_communication},
    {"decomposition", "Decomposition",
     "What it brings to cut the data of plain loops into parts that fit the caches. Each point is a shape of parts; "
     "where nothing lies below one band a worker, there is nothing to gain.",
     has_decomposition, put_decomposition},
    {"predicted", "Predicted and measured",
     "What the numbers above are good for: supersteps of a program, as the model predicts them from this profile, and "
     "as "
     "they took.",
     has_held, sup_report_held},
    {"quality", "Quality of the measurement",
     "How far the numbers above can be trusted. A batch during which something else ran does not count and is measured "
     "again.",
     always, put_quality},
    {0},
};
