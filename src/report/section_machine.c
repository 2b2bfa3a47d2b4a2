/* Section "machine": cores and caches, and where the measured processes ran. */
#include "report/sections.h"

#include "report/page.h"

#include <inttypes.h>

static void machine_tables(const sup_profile *p, sup_sink *sink) {
    const sup_origin *o = &p->signature;
    sup_table *t = sup_table_new("machine", "", "", NULL);
    sup_table_cell(t, "processor");
    sup_table_cell(t, "%s", o->cpu);
    if (o->machine) {
        sup_table_cell(t, "cores and caches");
        sup_table_cell(t, "%s", o->machine);
    } else {
        sup_table_cell(t, "cores");
        sup_table_cell(t, "%" PRId64 " a host", o->cores);
    }
    sup_table_cell(t, "run");
    sup_table_cell(t, "%" PRId64 " process%s on %" PRId64 " host%s", o->processes, o->processes == 1 ? "" : "es",
                   o->hosts, o->hosts == 1 ? "" : "s");
    sup_table_cell(t, "transport");
    sup_table_cell(t, "%s", o->transport);
    if (o->policy) {
        sup_table_cell(t, "placement");
        sup_table_cell(t, "%s", o->policy);
    }
    sup_table_cell(t, "topology digest");
    sup_table_cell(t, "%s", o->topology);
    sup_table_cell(t, "measured");
    sup_table_cell(t, "%s by %s", p->created, p->tool);
    sup_sink_put(sink, t);
}

static void machine_page(sup_report *report) {
    if (report->topology)
        sup_report_drawing(report->topology, report->out);
    else
        sup_report_text(report, "p", "note",
                        "The profile is of another machine than the one that wrote this page, so that "
                        "there is no drawing of it.");
    sup_report_tables(report, machine_tables);
}

const sup_section sup_section_machine = {
    .name = "machine",
    .tables = machine_tables,
    .page = machine_page,
};
