/* Section "collectives", Tcomm: what collective operations take by each algorithm, over bytes. */
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool are_together(const sup_collective_time *a, const sup_collective_time *b) {
    return !strcmp(a->transport, b->transport) && a->processes == b->processes && a->hosts == b->hosts;
}

static bool is_first(const sup_profile *p, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (are_together(&p->collectives[i], &p->collectives[at])) return false;
    return true;
}

/* ---- tables ---- */

static double at_bytes(const sup_collective_time *c, int64_t bytes) {
    for (size_t i = 0; i < c->bytes_count; i++)
        if (c->bytes[i] == bytes) return c->seconds[i];
    return NAN;
}

static double middle_interval(const sup_collective_time *c) {
    return c->ci_count && c->seconds[c->ci_count / 2] > 0 ? c->ci[c->ci_count / 2] / c->seconds[c->ci_count / 2] : NAN;
}

static void row(sup_table *t, const sup_collective_time *c) {
    static const int64_t sizes[] = {64, 4096, 32768, 262144, 2097152};
    bool barrier = c->bytes_count == 1 && c->bytes[0] == 0;
    sup_cell_text(t, c->operation);
    sup_cell_text(t, c->algorithm);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        sup_cell_seconds(t, barrier && s == 0 ? c->seconds[0] : at_bytes(c, sizes[s]));
    sup_cell_interval(t, 1.0, middle_interval(c));
}

static void collective_tables(const sup_profile *p, sup_sink *sink) {
    char title[256];
    for (size_t i = 0; i < p->collectives_count; i++) {
        const sup_collective_time *first = &p->collectives[i];
        if (!is_first(p, i)) continue;
        int length = snprintf(title, sizeof title, "over %.100s: collective operations of %" PRId64 " processes",
                              first->transport, first->processes);
        if (first->hosts > 1)
            snprintf(title + length, sizeof title - (size_t)length, " on %" PRId64 " hosts", first->hosts);
        sup_table *t = sup_table_new(title, "operation", "algorithm", "64 B>", "4 KB>", "32 KB>", "256 KB>", "2 MB>",
                                     "95 % interval>", NULL);
        for (size_t k = i; k < p->collectives_count; k++)
            if (are_together(&p->collectives[k], first)) row(t, &p->collectives[k]);
        if (i == 0)
            sup_table_note(t,
                           "From all having begun until the last is done; bytes are a block's where each process has "
                           "one. A barrier has no bytes.");
        sup_sink_put(sink, t);
    }
}

/* ---- numbers ---- */

static void collective_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->collectives_count; i++) {
        const sup_collective_time *c = &p->collectives[i];
        double *bytes = malloc((c->bytes_count + 1) * sizeof *bytes);
        if (!bytes) return;
        for (size_t k = 0; k < c->bytes_count; k++) bytes[k] = (double)c->bytes[k];
        sup_series s = {.unit = "s", .x_unit = "B", .count = c->bytes_count, .x = bytes, .y = c->seconds};
        if (c->ci_count) s.ci = c->ci;
        if (c->typical_count) s.typical = c->typical;
        if (c->bytes_count)
            sup_walk_series(sup_walk_name(w, "%.60s/%.40s/%.100s/P=%" PRId64 "/hosts=%" PRId64, c->transport,
                                          c->operation, c->algorithm, c->processes, c->hosts),
                            &s);
        free(bytes);
    }
}

const sup_section sup_section_collective_times = {
    .name = "collectives",
    .tables = collective_tables,
    .series = collective_series,
};
