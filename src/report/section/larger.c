/* The page's section "larger machines" (larger.h): a table of programs on machines of many nodes. */
#include "report/larger.h"

#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sup_larger_free(sup_larger_list *list) {
    free(list->at);
    *list = (sup_larger_list){0};
}

static void larger_page(sup_report *report) {
    const sup_larger_list *list = report->larger;
    sup_report_text(report, "p", NULL, list->machine);
    sup_table *t =
        sup_table_new("larger", "program", "nodes>", "processes>", "one superstep>", "from>", "to>", "mostly", NULL);
    for (size_t i = 0; i < list->count; i++) {
        const sup_larger *r = &list->at[i];
        sup_cell_text(t, r->program);
        sup_table_cell(t, "%" PRId64, r->nodes);
        sup_table_cell(t, "%" PRId64, r->processes);
        sup_cell_seconds(t, r->time);
        sup_cell_seconds(t, r->low);
        sup_cell_seconds(t, r->high);
        sup_cell_text(t, r->bound);
    }
    bool certain = strncmp(list->rest, "not certain", 11) != 0;
    if (!certain) sup_report_text(report, "p", "warn", list->rest);
    sup_table_note(t,
                   "Predicted, not measured; the node it is composed of rests on: %s. `superstep machine compose` "
                   "makes such a profile, with other links too; "
                   "`superstep predict --sweep` asks it about a program.",
                   list->rest);
    sup_report_table(report, t);
}

static bool has_larger(const sup_report *report) { return report->larger && report->larger->count; }

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_larger = {
    .name = "larger",
    .has = has_larger,
    .page = larger_page,
};
