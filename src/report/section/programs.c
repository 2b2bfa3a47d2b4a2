/* Section "programs", Tcomp: what the supersteps of programs that were measured as kernels compute, by size. */
#include "report/section/sections.h"

#include "report/page/units.h"

#include <inttypes.h>

static void programs_tables(const sup_profile *p, sup_sink *sink) {
    sup_table *t = sup_table_new("programs: computation of a superstep, by size", "program", "transport", "processes>",
                                 "superstep", "grows like", "n>", "typical>", "95 % interval>", NULL);
    for (size_t i = 0; i < p->programs_count; i++)
        for (size_t k = 0; k < p->programs[i].sites_count; k++)
            for (size_t n = 0; n < p->programs[i].sizes_count; n++) {
                const sup_program_times *o = &p->programs[i];
                const sup_program_site *s = &o->sites[k];
                sup_cell_text(t, o->program);
                sup_cell_text(t, o->transport);
                sup_table_cell(t, "%" PRId64, o->processes);
                sup_cell_text(t, s->site);
                sup_cell_text(t, sup_growth_text(s->law));
                sup_table_cell(t, "%" PRId64, o->sizes[n]);
                sup_cell_seconds(t, s->typical[n]);
                sup_cell_interval(t, s->typical[n], s->ci[n]);
            }
    sup_sink_put(sink, t);
}

static void site_series(const sup_program_times *o, const sup_program_site *s, sup_walk *w) {
    double sizes[SUP_PROGRAM_SIZES_MOST];
    for (size_t n = 0; n < o->sizes_count; n++) sizes[n] = (double)o->sizes[n];
    sup_series series = {.unit = "s", .x_unit = "", .count = o->sizes_count, .x = sizes, .y = s->typical, .ci = s->ci};
    sup_walk_series(sup_walk_name(w, "%.150s/%.60s/P=%" PRId64 "/%.150s", o->program, o->transport, o->processes,
                                  s->site),
                    &series);
}

static void programs_series(const sup_profile *p, sup_walk *w) {
    for (size_t i = 0; i < p->programs_count; i++)
        for (size_t k = 0; k < p->programs[i].sites_count; k++)
            site_series(&p->programs[i], &p->programs[i].sites[k], w);
}

const sup_section sup_section_programs = {
    .name = "programs",
    .tables = programs_tables,
    .series = programs_series,
};
