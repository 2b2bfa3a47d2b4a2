/* The page's section "larger machines": the measured node many times over, joined by a common link, and what programs
 * that everybody knows would take there. All terms, as the model adds them up. */
#include "model/compose/compose.h"
#include "model/equation/model.h"
#include "profile/composed.h"
#include "report/certainty.h"
#include "report/page/page.h"
#include "report/page/units.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINK "ib-ndr"
#define STEP(text) "{\"kind\":\"superstep-program\",\"schema\":1,\"supersteps\":[" text "]}"

static const struct {
    const char *name, *text;
} programs[] = {
    {"halo exchange, 8 KiB to each of 4", STEP("{\"communicate\":[{\"pattern\":\"stencil-2d\",\"bytes\":8192,"
                                               "\"periodic\":true}]}")},
    {"broadcast of 1 MiB in two phases", STEP("{\"communicate\":[{\"pattern\":\"broadcast\",\"bytes\":1048576,"
                                              "\"algorithm\":\"two-phase\"}]}")},
    {"all-to-all, 64 bytes to each", STEP("{\"communicate\":[{\"pattern\":\"all-to-all\",\"bytes\":64}]}")},
    {"inner product's sum, 8 bytes in and out", STEP("{\"communicate\":[{\"pattern\":\"gather\",\"bytes\":8}]},"
                                                     "{\"communicate\":[{\"pattern\":\"broadcast\",\"bytes\":8}]}")},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };
static const int64_t nodes[] = {1, 16, 256, 4096};
enum { NODES = sizeof nodes / sizeof *nodes };

/* A program on so many nodes. */
typedef struct row {
    int64_t processes; /* 0: it could not be predicted */
    sup_prediction superstep;
    const char *bound; /* what most of it is */
} row;

typedef struct larger {
    char machine[240]; /* what the largest is composed of */
    row at[PROGRAMS][NODES];
    size_t count;
} larger;

static sup_status predict(const sup_platform *m, const char *text, sup_diag *diag, sup_program_cost *out) {
    sup_json *doc = NULL;
    sup_program *program = NULL;
    sup_status st = sup_json_parse("report", text, strlen(text), diag, &doc);
    if (!st) st = sup_program_parse(doc, "report", diag, &program);
    if (!st) st = sup_program_fit(program, m->processes, diag);
    if (!st) st = sup_model_program(sup_model_find(SUP_MODEL_DEFAULT), m, program, diag, out);
    sup_program_free(program);
    sup_json_free(doc);
    return st;
}

static void add_rows(const sup_profile *made, size_t n, larger *out) {
    sup_platform_options o = {0};
    sup_diag diag = {0};
    sup_platform *m = NULL;
    if (sup_platform_open(made, &o, &diag, &m)) return;
    for (size_t k = 0; k < PROGRAMS && m->processes > 1; k++) {
        sup_program_cost c = {0};
        if (predict(m, programs[k].text, &diag, &c)) continue;
        double steps = 0;
        for (size_t s = 0; s < c.step_count; s++) steps += c.steps[s].repeat;
        bool noise = c.typical.value - c.total.value > c.part_s[c.bound];
        out->at[k][n] = (row){.processes = m->processes,
                              .superstep = {.value = c.typical.value / steps,
                                            .low = c.typical.low / steps,
                                            .high = c.typical.high / steps},
                              .bound = noise ? "noise" : sup_bound_names[c.bound]};
        out->count++;
        sup_program_cost_free(&c);
    }
    sup_platform_free(m);
}

static void predict_all(const sup_profile *profile, larger *out) {
    sup_compose_options o = {.node = "this machine", .link.link = sup_link_find(LINK), .now_unix_s = -1};
    for (size_t n = 0; o.link.link && n < NODES; n++) {
        char text[SUP_COMPOSED_TEXT];
        sup_diag diag = {0};
        sup_profile *made = NULL;
        o.nodes = nodes[n];
        if (profile->composed || sup_compose(profile, &o, &diag, &made)) break;
        if (made->composed)
            snprintf(out->machine, sizeof out->machine, "The largest: %s.",
                     sup_composed_text(made->composed, text, sizeof text));
        add_rows(made, n, out);
        sup_profile_free(made);
    }
}

static void put_row(sup_table *t, size_t program, size_t n, const row *r) {
    sup_cell_text(t, programs[program].name);
    sup_table_cell(t, "%" PRId64, nodes[n]);
    sup_table_cell(t, "%" PRId64, r->processes);
    sup_cell_seconds(t, r->superstep.value);
    sup_cell_seconds(t, r->superstep.low);
    sup_cell_seconds(t, r->superstep.high);
    sup_cell_text(t, r->bound);
}

static void larger_page(sup_report *report) {
    static const char *const sections[] = {"pairs", "exchanges", "sync", NULL};
    const sup_profile *profile = report->profile;
    char buffer[SUP_REST];
    larger all = {0};
    predict_all(profile, &all);
    if (!all.count) return;
    const char *rest = sup_certainty_rest(profile, sections, profile->signature.transport, buffer);
    sup_report_text(report, "p", NULL, all.machine);
    sup_table *t =
        sup_table_new("larger", "program", "nodes>", "processes>", "one superstep>", "from>", "to>", "mostly", NULL);
    for (size_t k = 0; k < PROGRAMS; k++)
        for (size_t n = 0; n < NODES; n++)
            if (all.at[k][n].processes) put_row(t, k, n, &all.at[k][n]);
    if (!strncmp(rest, "not certain", 11)) sup_report_text(report, "p", "warn", rest);
    sup_table_note(t,
                   "Predicted, not measured; the node it is composed of rests on: %s. `superstep machine compose` "
                   "makes such a profile, with other links too; "
                   "`superstep predict --sweep` asks it about a program.",
                   rest);
    sup_report_table(report, t);
}

/* Not in a profile's file, and so in the page only. */
const sup_section sup_section_larger = {
    .name = "larger",
    .page = larger_page,
};
