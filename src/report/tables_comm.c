/* Tables of communication and synchronisation: pairs (BSP §5.6), message sizes, τ-Lop channels (TAU §5), vector
 * transfers, barriers, overlap. Tcomm and Tsync. */
#include "report/tables.h"
#include "report/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t samples(const sup_pair_class *c) {
    const sup_number *n = c->latency_s ? c->latency_s : c->overhead_s;
    return n ? n->n : 0;
}

static void pair_row(sup_table *t, const sup_pair_class *c) {
    char text[SUP_UNIT_TEXT], interval[SUP_UNIT_TEXT];
    sup_table_cell(t, "%s", c->name);
    c->measured ? sup_table_cell(t, "%" PRId64, c->measured) : sup_table_cell(t, "–");
    sup_table_cell(t, "%s", sup_unit_number(c->overhead_s, text, sizeof text));
    sup_table_cell(t, "%s", sup_unit_number(c->latency_s, text, sizeof text));
    if (c->per_byte_s && c->per_byte_s->value > 0.0)
        sup_table_cell(t, "%s %s", sup_unit_rate(1.0 / c->per_byte_s->value, "B/s", text, sizeof text),
                       sup_unit_interval(c->per_byte_s->value, c->per_byte_s->ci, interval, sizeof interval));
    else
        sup_table_cell(t, "–");
    sup_table_cell(t, "%" PRId64, samples(c));
}

/* Times of some sizes, and where the library changes its protocol: a jump between two segments. */
static void size_row(sup_table *t, const sup_pair_class *c, const double *sizes, size_t count) {
    char text[SUP_UNIT_TEXT];
    double low, high;
    sup_curve_range(c->time_s, &low, &high);
    sup_table_cell(t, "%s", c->name);
    for (size_t i = 0; i < count; i++) {
        bool known = c->time_s->curve && sizes[i] >= low * 0.99 && sizes[i] <= high * 1.01;
        sup_table_cell(t, "%s",
                       sup_unit_seconds(known ? sup_curve_at(c->time_s->curve, sizes[i]) : NAN, text, sizeof text));
    }
    sup_table_cell(t, "%s", sup_unit_interval(1.0, sup_curve_interval(c->time_s), text, sizeof text));
    sup_table_cell(t, "%zu", c->time_s->points ? c->time_s->points->x_count : 0);
    char jumps[512] = "";
    size_t used = 0;
    for (size_t i = 0; i + 1 < c->time_s->segments_count && used < 400; i++) {
        double from = c->time_s->segments[i].x_hi, to = c->time_s->segments[i + 1].x_lo;
        double before = c->time_s->segments[i].intercept + c->time_s->segments[i].slope * from;
        double after = c->time_s->segments[i + 1].intercept + c->time_s->segments[i + 1].slope * to;
        if (to <= from * 1.001 || after < 1.15 * before) continue; /* the lines meet: a bend, not a jump */
        used += (size_t)snprintf(jumps + used, sizeof jumps - used, "%s%.0f–%.0f B: × %.1f", used ? ", " : "", from, to,
                                 after / before);
    }
    sup_table_cell(t, "%s", used ? jumps : "–");
}

void sup_tables_pairs(const sup_profile *p, sup_sink *sink) {
    static const double sizes[] = {1, 64, 1024, 8192, 65536, 1048576};
    char title[256];
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pairs *pairs = &p->pairs[i];
        snprintf(title, sizeof title, "over %.100s: pairs of %" PRId64 " processes", pairs->transport,
                 pairs->processes);
        sup_table *t =
            sup_table_new(title, "class", "pairs measured>", "overhead O>", "latency L>", "bandwidth 1/B>", "n>", NULL);
        for (size_t c = 0; c < pairs->classes_count; c++) pair_row(t, &pairs->classes[c]);
        if (isfinite(pairs->interference))
            sup_table_note(t, "While other pairs exchange too, a pair takes %.2f times as long.", pairs->interference);
        sup_sink_put(sink, t);
        snprintf(title, sizeof title, "over %.100s: time of a message by size", pairs->transport);
        t = sup_table_new(title, "class", "1 B>", "64 B>", "1 KB>", "8 KB>", "64 KB>", "1 MB>", "95 % interval>",
                          "sizes>", "jumps", NULL);
        for (size_t c = 0; c < pairs->classes_count; c++)
            if (pairs->classes[c].time_s) size_row(t, &pairs->classes[c], sizes, sizeof sizes / sizeof sizes[0]);
        sup_sink_put(sink, t);
    }
}

/* ---- τ-Lop ---- */

static void channel_row(sup_table *t, const sup_channel *c) {
    char text[SUP_UNIT_TEXT];
    sup_table_cell(t, "%s", c->name);
    sup_table_cell(t, "%s", c->transport);
    sup_table_cell(t, "%s", c->setup);
    sup_table_cell(t, "%s", c->mechanism ? c->mechanism : "–");
    sup_table_cell(t, "%s", c->cached ? "cached" : "not cached");
    sup_table_cell(t, "%s",
                   c->threshold_bytes < 0 ? "none" : sup_unit_bytes((double)c->threshold_bytes, text, sizeof text));
    sup_table_cell(t, "%s",
                   sup_unit_seconds(c->overhead_s && c->overhead_s->curve ? sup_curve_at(c->overhead_s->curve, 1.0)
                                                                          : NAN,
                                    text, sizeof text));
    sup_table_cell(t, "%zu", c->transfer ? c->transfer->bytes_count * c->transfer->rows_count : 0);
    sup_table_cell(t, "%" PRId64, c->violations);
}

static void transfer_table(const sup_channel *c, sup_sink *sink) {
    char title[384], text[SUP_UNIT_TEXT], interval[SUP_UNIT_TEXT];
    const sup_transfer *f = c->transfer;
    snprintf(title, sizeof title, "L(m,τ) of channel %.60s over %.60s, %.60s, buffers %s", c->name, c->transport,
             c->setup, c->cached ? "in cache" : "out of cache");
    sup_table *t = sup_table_new(title, "m>", NULL);
    for (size_t r = 0; r < f->rows_count; r++) {
        snprintf(title, sizeof title, "τ = %" PRId64 ">", f->rows[r].tau);
        sup_table_column(t, title);
    }
    for (size_t b = 0; b < f->bytes_count; b++) {
        sup_table_cell(t, "%s", sup_unit_bytes(f->bytes[b], text, sizeof text));
        for (size_t r = 0; r < f->rows_count; r++) {
            const sup_tau_row *row = &f->rows[r];
            sup_unit_seconds(row->seconds[b], text, sizeof text);
            if (row->ci_count)
                sup_table_cell(t, "%s %s", text,
                               sup_unit_interval(row->seconds[b], row->ci[b], interval, sizeof interval));
            else
                sup_table_cell(t, "%s", text);
        }
    }
    sup_sink_put(sink, t);
}

static void gamma_table(const sup_profile *p, sup_sink *sink) {
    static const double sizes[] = {1024, 65536, 1048576};
    char text[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("reductions γ: time by size", "channel", "operation", "type", "τ>", "1 KB>", "64 KB>",
                                 "1 MB>", NULL);
    for (size_t i = 0; i < p->channels_count; i++)
        for (size_t g = 0; g < p->channels[i].gammas_count; g++) {
            const sup_gamma *gamma = &p->channels[i].gammas[g];
            sup_table_cell(t, "%s", p->channels[i].name);
            sup_table_cell(t, "%s", gamma->operation);
            sup_table_cell(t, "%s", gamma->type);
            sup_table_cell(t, "%" PRId64, gamma->tau);
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                sup_table_cell(t, "%s",
                               sup_unit_seconds(gamma->time_s && gamma->time_s->curve
                                                    ? sup_curve_at(gamma->time_s->curve, sizes[s])
                                                    : NAN,
                                                text, sizeof text));
        }
    sup_sink_put(sink, t);
}

void sup_tables_channels(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("τ-Lop channels", "channel", "transport", "setup", "mechanism", "buffers",
                                 "rendezvous from>", "o(1 B)>", "values of L>", "bounds violated>", NULL);
    for (size_t i = 0; i < p->channels_count; i++) channel_row(t, &p->channels[i]);
    sup_sink_put(sink, t);
    for (size_t i = 0; i < p->channels_count; i++)
        if (p->channels[i].transfer) transfer_table(&p->channels[i], sink);
    gamma_table(p, sink);
}

/* ---- the rest ---- */

void sup_tables_vectors(const sup_profile *p, sup_sink *sink) {
    char text[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("vector transfers", "transport", "scope", "active>", "protocol", "regions>",
                                 "bytes each>", "time>", NULL);
    for (size_t i = 0; i < p->vectors_count; i++) {
        const sup_vector_profile *v = &p->vectors[i];
        for (size_t k = 0; k < v->protocols_count; k++)
            for (size_t at = 0; at < v->regions_count * v->bytes_count; at++) {
                sup_table_cell(t, "%s", v->transport);
                sup_table_cell(t, "%s", v->scope == SUP_SCOPE_INTER ? "between hosts" : "inside a host");
                sup_table_cell(t, "%" PRId64, v->active);
                sup_table_cell(t, "%s", v->protocols[k].protocol);
                sup_table_cell(t, "%" PRId64, v->regions[at / v->bytes_count]);
                sup_table_cell(t, "%" PRId64, v->bytes[at % v->bytes_count]);
                sup_table_cell(t, "%s", sup_unit_seconds(v->protocols[k].seconds[at], text, sizeof text));
            }
    }
    sup_sink_put(sink, t);
}

void sup_tables_sync(const sup_profile *p, sup_sink *sink) {
    char text[SUP_UNIT_TEXT];
    sup_table *t =
        sup_table_new("synchronisation", "transport", "algorithm", "processes>", "payload>", "time>", "n>", NULL);
    for (size_t i = 0; i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        sup_table_cell(t, "%s", s->transport);
        sup_table_cell(t, "%s", s->algorithm);
        sup_table_cell(t, "%" PRId64, s->processes);
        sup_table_cell(t, "%s", s->payload_bytes ? sup_unit_bytes((double)s->payload_bytes, text, sizeof text) : "–");
        sup_table_cell(t, "%s", sup_unit_number(s->time_s, text, sizeof text));
        sup_table_cell(t, "%" PRId64, s->time_s ? s->time_s->n : 0);
    }
    sup_sink_put(sink, t);
}

void sup_tables_overlap(const sup_profile *p, sup_sink *sink) {
    char text[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("overlap: share of communication that computation hides", "transport", "engine",
                                 "bytes>", "share>", "n>", NULL);
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        sup_table_cell(t, "%s", o->transport);
        sup_table_cell(t, "%s", o->engine);
        sup_table_cell(t, "%s", sup_unit_bytes((double)o->bytes, text, sizeof text));
        sup_table_cell(t, "%s", sup_unit_share(o->share ? o->share->value : NAN, text, sizeof text));
        sup_table_cell(t, "%" PRId64, o->share ? o->share->n : 0);
    }
    sup_sink_put(sink, t);
}
