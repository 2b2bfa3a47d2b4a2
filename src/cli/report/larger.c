/* superstep report, chapter "Larger machines": the measured node many times over, joined by a common link, and what
 * programs that everybody knows would take there. Model stage, for the page. */
#include "cli/report/larger.h"

#include "model/compose/compose.h"
#include "model/equation/model.h"
#include "profile/composed.h"
#include "report/certainty.h"

#include <stdio.h>
#include <stdlib.h>
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

static void add_rows(const sup_profile *made, int64_t count, sup_larger_list *out) {
    sup_platform_options o = {0};
    sup_diag diag = {0};
    sup_platform *m = NULL;
    if (sup_platform_open(made, &o, &diag, &m)) return;
    for (size_t k = 0; k < PROGRAMS && m->processes > 1; k++) {
        sup_program_cost c = {0};
        if (predict(m, programs[k].text, &diag, &c)) continue;
        double steps = 0;
        for (size_t s = 0; s < c.step_count; s++) steps += c.steps[s].repeat;
        sup_larger *row = &out->at[k * NODES + (size_t)count];
        *row = (sup_larger){.program = programs[k].name,
                            .nodes = nodes[count],
                            .processes = m->processes,
                            .time = c.typical.value / steps,
                            .low = c.typical.low / steps,
                            .high = c.typical.high / steps,
                            .bound = c.typical.value - c.total.value > c.part_s[c.bound] ? "noise"
                                                                                         : sup_bound_names[c.bound]};
        sup_program_cost_free(&c);
    }
    sup_platform_free(m);
}

void sup_report_larger(const sup_profile *profile, sup_larger_list *out) {
    static const char *const sections[] = {"pairs", "exchanges", "sync", NULL};
    const sup_link *link = sup_link_find(LINK);
    *out = (sup_larger_list){.at = calloc((size_t)PROGRAMS * NODES, sizeof *out->at)};
    sup_certainty_rest(profile, sections, profile->signature.transport, out->rest);
    for (int64_t n = 0; out->at && link && n < NODES; n++) {
        sup_compose_options o = {.node = "this machine", .nodes = nodes[n], .now_unix_s = -1};
        sup_diag diag = {0};
        sup_profile *made = NULL;
        o.link.link = link;
        if (profile->composed || sup_compose(profile, &o, &diag, &made)) break;
        char text[SUP_COMPOSED_TEXT];
        if (made->composed)
            snprintf(out->machine, sizeof out->machine, "The largest: %s.",
                     sup_composed_text(made->composed, text, sizeof text));
        add_rows(made, n, out);
        sup_profile_free(made);
    }
    for (size_t k = 0; out->at && k < (size_t)PROGRAMS * NODES; k++) /* what could not be predicted is left out */
        if (out->at[k].program) out->at[out->count++] = out->at[k];
    if (!out->count) sup_larger_free(out);
}
