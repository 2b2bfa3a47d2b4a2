/* Section "vectors", Tcomm: vector transfers by protocol, number of regions and their size. */
#include "report/section/sections.h"

#include <inttypes.h>
#include <stdlib.h>

static void vector_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("vector transfers", "transport", "scope", "active>", "protocol", "regions>",
                                 "bytes each>", "time>", NULL);
    for (size_t i = 0; i < p->vectors_count; i++) {
        const sup_vector_profile *v = &p->vectors[i];
        for (size_t k = 0; k < v->protocols_count; k++)
            for (size_t at = 0; at < v->regions_count * v->bytes_count; at++) {
                sup_cell_text(t, v->transport);
                sup_cell_text(t, v->scope == SUP_SCOPE_INTER ? "between hosts" : "inside a host");
                sup_cell_count(t, v->active);
                sup_cell_text(t, v->protocols[k].protocol);
                sup_cell_count(t, v->regions[at / v->bytes_count]);
                sup_cell_count(t, v->bytes[at % v->bytes_count]);
                sup_cell_seconds(t, v->protocols[k].seconds[at]);
            }
    }
    sup_sink_put(sink, t);
}

/* One series for each number of regions: seconds over bytes. */
static void vector_times(const sup_vector_profile *v, const sup_vector_times *t, sup_walk *w) {
    double *bytes = malloc((v->bytes_count + !v->bytes_count) * sizeof *bytes);
    if (!bytes) return;
    for (size_t b = 0; b < v->bytes_count; b++) bytes[b] = (double)v->bytes[b];
    for (size_t r = 0; r < v->regions_count; r++) {
        size_t at = r * v->bytes_count;
        sup_series s = {.unit = "s", .x_unit = "B", .count = v->bytes_count, .x = bytes, .y = t->seconds + at};
        if (t->ci_count) s.ci = t->ci + at;
        if (t->n_count) s.n = t->n + at;
        sup_walk_series(sup_walk_name(w, "%.60s/%s/active=%" PRId64 "/%.60s/regions=%" PRId64, v->transport,
                                      v->scope == SUP_SCOPE_INTER ? "inter" : "intra", v->active, t->protocol,
                                      v->regions[r]),
                        &s);
    }
    free(bytes);
}

static void vector_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->vectors_count; i++)
        for (size_t k = 0; k < p->vectors[i].protocols_count; k++)
            vector_times(&p->vectors[i], &p->vectors[i].protocols[k], w);
}

const sup_section sup_section_vectors = {
    .name = "vectors",
    .tables = vector_tables,
    .series = vector_series,
};
