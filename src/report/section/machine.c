/* Section "machine": cores and caches, and where the measured processes ran. */
#include "report/section/sections.h"

#include "profile/composed.h"
#include "report/page/page.h"

#include <inttypes.h>

static void machine_tables(const sup_profile *p, sup_sink *sink) {
    const sup_origin *o = &p->signature;
    char text[SUP_COMPOSED_TEXT];
    sup_table *t = sup_table_new("machine", "", "", NULL);
    if (p->composed) sup_table_row(t, "not measured", "%s", sup_composed_text(p->composed, text, sizeof text));
    sup_table_row(t, "processor", "%s", o->cpu);
    if (o->machine)
        sup_table_row(t, "cores and caches", "%s", o->machine);
    else
        sup_table_row(t, "cores", "%" PRId64 " core%s a host", o->cores, o->cores == 1 ? "" : "s");
    sup_table_row(t, "run", "%" PRId64 " process%s on %" PRId64 " host%s", o->processes, o->processes == 1 ? "" : "es",
                  o->hosts, o->hosts == 1 ? "" : "s");
    sup_table_row(t, "transport", "%s", o->transport);
    if (o->policy) sup_table_row(t, "placement", "%s", o->policy);
    sup_table_row(t, "topology digest", "%s", o->topology);
    sup_table_row(t, p->composed ? "made" : "measured", "%s by %s", p->created, p->tool);
    for (size_t i = 0; p->composed && i < p->composed->rules_count; i++)
        sup_table_row(t, i ? "" : "assumed", "%s", p->composed->rules[i]);
    sup_sink_put(sink, t);
}

static void machine_page(sup_report *report) {
    if (report->topology)
        sup_report_drawing(report->topology, report->out);
    else if (!report->profile->composed)
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
