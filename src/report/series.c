/* A profile as one flat list (series.h). */
#include "report/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const char *wanted, *section;
    char name[SUP_SERIES_NAME];
    sup_series_visit visit;
    void *context;
    bool stopped;
};

int64_t sup_series_n(const sup_series *s, size_t i) { return s->n ? s->n[i] : 0; }
double sup_series_ci(const sup_series *s, size_t i) { return s->ci ? s->ci[i] : NAN; }

static void name_it(struct walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void name_it(struct walk *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->name, sizeof w->name, format, args);
    va_end(args);
}

static void give(struct walk *w, sup_series *s) {
    if (w->stopped || !s->count) return;
    s->section = w->section;
    s->name = w->name;
    w->stopped = !w->visit(w->context, s);
}

static void number(struct walk *w, const sup_number *number, const char *unit) {
    if (!number) return;
    sup_series s = {
        .unit = unit, .count = 1, .y = &number->value, .ci = &number->ci, .n = &number->n, .reruns = &number->reruns};
    give(w, &s);
}

/* Of a curve that came without its points: the ends of the lines, and the scatter around them as interval. */
static void segments(struct walk *w, const sup_file_curve *file, const char *unit, const char *x_unit) {
    size_t count = 2 * file->segments_count;
    double *room = malloc(3 * count * sizeof *room);
    int64_t *n = malloc(count * sizeof *n);
    if (room && n) {
        double *x = room, *y = room + count, *ci = room + 2 * count;
        for (size_t i = 0; i < count; i++) {
            const sup_file_segment *line = &file->segments[i / 2];
            x[i] = i % 2 ? line->x_hi : line->x_lo;
            y[i] = fmax(0.0, line->intercept + line->slope * x[i]);
            ci[i] = line->residual * y[i];
            n[i] = line->n;
        }
        sup_series s = {.unit = unit, .x_unit = x_unit, .count = count, .x = x, .y = y, .ci = ci, .n = n};
        s.curve = file->curve;
        give(w, &s);
    }
    free(n);
    free(room);
}

static void curve(struct walk *w, const sup_file_curve *file, const char *unit, const char *x_unit) {
    if (!file) return;
    const sup_points *p = file->points;
    if (!p || !p->x_count) {
        segments(w, file, unit, x_unit);
        return;
    }
    sup_series s = {.unit = unit, .x_unit = x_unit, .count = p->x_count, .x = p->x, .y = p->y, .curve = file->curve};
    if (p->ci_count) s.ci = p->ci;
    if (p->n_count) s.n = p->n;
    if (p->reruns_count) s.reruns = p->reruns;
    give(w, &s);
}

/* ---- the sections ---- */

static void kernels(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->kernels_count; i++) {
        const sup_kernel_profile *k = &p->kernels[i];
        for (size_t j = 0; j < k->rates_count; j++) {
            const sup_kernel_rate *r = &k->rates[j];
            name_it(w, "%.200s%s%.100s/active=%" PRId64 "/unit_s", k->name, r->kind ? "/" : "", r->kind ? r->kind : "",
                    r->active);
            curve(w, r->unit_s, "s", "B");
        }
    }
}

static void classic(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->classic_count; i++) {
        const sup_classic *c = &p->classic[i];
        name_it(w, "%.200s/P=%" PRId64 "/flops_per_s", c->transport, c->processes);
        number(w, c->flops_per_s, "1/s");
        name_it(w, "%.200s/P=%" PRId64 "/word_s", c->transport, c->processes);
        number(w, c->word_s, "s");
        name_it(w, "%.200s/P=%" PRId64 "/sync_s", c->transport, c->processes);
        number(w, c->sync_s, "s");
    }
}

static void pairs(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->pairs_count; i++)
        for (size_t j = 0; j < p->pairs[i].classes_count; j++) {
            const char *net = p->pairs[i].transport;
            const sup_pair_class *c = &p->pairs[i].classes[j];
            name_it(w, "%.100s/%.200s/overhead_s", net, c->name);
            number(w, c->overhead_s, "s");
            name_it(w, "%.100s/%.200s/latency_s", net, c->name);
            number(w, c->latency_s, "s");
            name_it(w, "%.100s/%.200s/per_byte_s", net, c->name);
            number(w, c->per_byte_s, "s/B");
            name_it(w, "%.100s/%.200s/time_s", net, c->name);
            curve(w, c->time_s, "s", "B");
        }
}

static void channel_rows(struct walk *w, const sup_channel *c, const char *name) {
    for (size_t r = 0; c->transfer && r < c->transfer->rows_count; r++) {
        const sup_tau_row *row = &c->transfer->rows[r];
        sup_series s = {
            .unit = "s", .x_unit = "B", .count = c->transfer->bytes_count, .x = c->transfer->bytes, .y = row->seconds};
        if (row->ci_count) s.ci = row->ci;
        if (row->n_count) s.n = row->n;
        if (row->reruns_count) s.reruns = row->reruns;
        name_it(w, "%s/transfer/tau=%" PRId64, name, row->tau);
        give(w, &s);
    }
}

static void channels(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->channels_count; i++) {
        const sup_channel *c = &p->channels[i];
        char name[256];
        snprintf(name, sizeof name, "%.60s/%.60s/%.60s/%s", c->name, c->transport, c->setup,
                 c->cached ? "cached" : "uncached");
        name_it(w, "%s/overhead_s", name);
        curve(w, c->overhead_s, "s", "B");
        name_it(w, "%s/packing_s", name);
        curve(w, c->packing_s, "s", "B");
        channel_rows(w, c, name);
        for (size_t g = 0; g < c->gammas_count; g++) {
            name_it(w, "%s/gamma/%.60s/%.60s/tau=%" PRId64, name, c->gammas[g].operation, c->gammas[g].type,
                    c->gammas[g].tau);
            curve(w, c->gammas[g].time_s, "s", "B");
        }
    }
}

/* One series for each number of regions: seconds over bytes. */
static void vector_times(struct walk *w, const sup_vector_profile *v, const sup_vector_times *t) {
    double *bytes = malloc((v->bytes_count + !v->bytes_count) * sizeof *bytes);
    if (!bytes) return;
    for (size_t b = 0; b < v->bytes_count; b++) bytes[b] = (double)v->bytes[b];
    for (size_t r = 0; r < v->regions_count; r++) {
        size_t at = r * v->bytes_count;
        sup_series s = {.unit = "s", .x_unit = "B", .count = v->bytes_count, .x = bytes, .y = t->seconds + at};
        if (t->ci_count) s.ci = t->ci + at;
        if (t->n_count) s.n = t->n + at;
        name_it(w, "%.60s/%s/active=%" PRId64 "/%.60s/regions=%" PRId64, v->transport,
                v->scope == SUP_SCOPE_INTER ? "inter" : "intra", v->active, t->protocol, v->regions[r]);
        give(w, &s);
    }
    free(bytes);
}

static void vectors(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->vectors_count; i++)
        for (size_t k = 0; k < p->vectors[i].protocols_count; k++)
            vector_times(w, &p->vectors[i], &p->vectors[i].protocols[k]);
}

static void sync_times(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        name_it(w, "%.60s/%.100s/P=%" PRId64 "/payload=%" PRId64, s->transport, s->algorithm, s->processes,
                s->payload_bytes);
        number(w, s->time_s, "s");
    }
}

static void copies(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->copies_count; i++) {
        const sup_copy_time *c = &p->copies[i];
        char active[32] = "", to[32] = "", each[32] = "";
        if (c->processes) snprintf(active, sizeof active, "/P=%" PRId64, c->processes);
        if (c->messages > 1) snprintf(to, sizeof to, "/messages=%" PRId64, c->messages);
        if (c->records > 1) snprintf(each, sizeof each, "/records=%" PRId64, c->records);
        name_it(w, "%.200s%s%.200s%s%s%s", c->method, c->level ? "/" : "", c->level ? c->level : "", active, to, each);
        curve(w, c->time_s, "s", "B");
    }
}

static void overlap(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        name_it(w, "%.100s/%.100s/bytes=%" PRId64, o->transport, o->engine, o->bytes);
        number(w, o->share, "");
    }
}

static void tiles(struct walk *w, const sup_profile *p) {
    for (size_t i = 0; i < p->tiles_count; i++) {
        const sup_tile_time *t = &p->tiles[i];
        name_it(w, "%.80s/%.80s/%.80s/workers=%" PRId64 "/", t->kernel, t->size_class, t->strategy, t->workers);
        for (size_t d = 0; d < t->shape_count; d++) {
            size_t used = strlen(w->name);
            snprintf(w->name + used, sizeof w->name - used, "%s%" PRId64, d ? "x" : "", t->shape[d]);
        }
        number(w, t->time_s, "s");
    }
}

void sup_series_each(const sup_profile *profile, const char *section, sup_series_visit visit, void *context) {
    static const struct {
        const char *name;
        void (*walk)(struct walk *w, const sup_profile *p);
    } sections[] = {{"kernels", kernels},   {"classic", classic}, {"pairs", pairs},
                    {"channels", channels}, {"vectors", vectors}, {"sync", sync_times},
                    {"copies", copies},     {"overlap", overlap}, {"tiles", tiles}};
    struct walk w = {.visit = visit, .context = context};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0] && !w.stopped; i++) {
        if (section && strcmp(section, sections[i].name)) continue;
        w.section = sections[i].name;
        sections[i].walk(&w, profile);
    }
}
