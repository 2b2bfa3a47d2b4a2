/* Section "overlap", T' of the equation: the share of communication that computation hides. */
#include "report/sections.h"

#include "report/units.h"

#include <inttypes.h>
#include <math.h>

/* In points of a hundred: a share of a share would be read as one of the whole. */
static void cell_points(sup_table *t, const sup_number *share) {
    double ci = share ? sup_unit_ci(share->ci, share->n) : NAN;
    isfinite(ci) ? sup_table_cell(t, "± %.0f points", 100.0 * ci) : sup_cell_text(t, NULL);
}

static void overlap_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("overlap: share of communication that computation hides", "transport", "engine",
                                 "bytes>", "share>", "95 % interval>", "n>", NULL);
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        sup_cell_text(t, o->transport);
        sup_cell_text(t, o->engine);
        sup_cell_bytes(t, (double)o->bytes);
        sup_cell_share(t, o->share ? o->share->value : NAN);
        cell_points(t, o->share);
        sup_cell_samples(t, o->share);
    }
    sup_sink_put(sink, t);
}

static void overlap_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->overlap_count; i++) {
        const sup_overlap *o = &p->overlap[i];
        sup_walk_share(sup_walk_name(w, "%.100s/%.100s/bytes=%" PRId64, o->transport, o->engine, o->bytes), o->share);
    }
}

const sup_section sup_section_overlap = {
    .name = "overlap",
    .tables = overlap_tables,
    .series = overlap_series,
    .counted = offsetof(sup_profile, overlap_count),
};
