/* Section "overlap", T' of the equation: the share of communication that computation hides. */
#include "report/section/sections.h"

#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SIZES 12

/* The sizes that were measured, ascending; how many, at most SIZES. */
static size_t find_sizes(const sup_profile *p, int64_t sizes[SIZES + 1]) {
    size_t count = 0;
    for (size_t i = 0; i < p->overlap_count; i++) {
        size_t at = 0;
        while (at < count && sizes[at] < p->overlap[i].bytes) at++;
        if ((at < count && sizes[at] == p->overlap[i].bytes) || count == SIZES) continue;
        memmove(&sizes[at + 1], &sizes[at], (count++ - at) * sizeof *sizes);
        sizes[at] = p->overlap[i].bytes;
    }
    return count;
}

static bool same_row(const sup_overlap *a, const sup_overlap *b) {
    return !strcmp(a->transport, b->transport) && !strcmp(a->engine, b->engine);
}

static const sup_number *find_share(const sup_profile *p, const sup_overlap *row, int64_t bytes) {
    for (size_t i = 0; i < p->overlap_count; i++)
        if (same_row(&p->overlap[i], row) && p->overlap[i].bytes == bytes) return p->overlap[i].share;
    return NULL;
}

/* In points of a hundred: a share of a share would be read as one of the whole. */
static void cell_points(sup_table *t, double widest, bool single) {
    if (single)
        sup_cell_text(t, "one sample");
    else if (widest >= 1.0)
        sup_cell_text(t, "over ± 100 points");
    else
        isfinite(widest) ? sup_table_cell(t, "± %.0f points", 100.0 * widest) : sup_cell_text(t, NULL);
}

static void share_row(sup_table *t, const sup_profile *p, const sup_overlap *row, const int64_t *sizes, size_t count) {
    double widest = NAN;
    bool single = false;
    sup_cell_text(t, row->transport);
    sup_cell_text(t, row->engine);
    for (size_t s = 0; s < count; s++) {
        const sup_number *share = find_share(p, row, sizes[s]);
        sup_cell_share(t, share ? share->value : NAN);
        if (share) widest = fmax(widest, share->ci);
        single |= share && share->n == 1;
    }
    cell_points(t, widest, single);
}

static void overlap_tables(const sup_profile *p, sup_sink *sink) {
    int64_t sizes[SIZES + 1];
    char text[SUP_UNIT_TEXT + 1];
    size_t count = find_sizes(p, sizes);
    sup_table *t = sup_table_new("overlap: share of communication that computation hides, by bytes sent", "transport",
                                 "engine", NULL);
    for (size_t s = 0; s < count; s++) {
        sup_unit_bytes((double)sizes[s], text, sizeof text - 1);
        sup_table_column(t, strcat(text, ">"));
    }
    sup_table_column(t, "widest 95 % interval>");
    for (size_t i = 0; i < p->overlap_count; i++) {
        size_t first = 0;
        while (!same_row(&p->overlap[first], &p->overlap[i])) first++;
        if (first == i) share_row(t, p, &p->overlap[i], sizes, count);
    }
    sup_sink_put(sink, t);
}

static void overlap_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        sup_walk_number(sup_walk_name(w, "%.100s/%.100s/bytes=%" PRId64, o->transport, o->engine, o->bytes), o->share,
                        "");
    }
}

const sup_section sup_section_overlap = {
    .name = "overlap",
    .tables = overlap_tables,
    .series = overlap_series,
};
