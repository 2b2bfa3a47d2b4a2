/* What `superstep machine` prints: reference profiles, links, and what a machine is composed of; for people and as
 * JSON. */
#include "cli/machine/machine.h"

#include "base/file/json.h"
#include "base/text.h"
#include "profile/composed.h"
#include "report/data.h"
#include "report/page/table.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_MACHINE_VERB

static int put(sup_table *t) {
    int code = sup_table_status(t) ? sup_cli_no_memory(VERB) : SUP_EXIT_OK;
    if (!code) sup_table_text(t, stdout);
    sup_table_free(t);
    return code;
}

/* ---- a profile in short ---- */

/* "shm, openmpi": those whose pairs were measured. */
static char *transports(const sup_profile *p, char *buf, size_t size) {
    size_t used = 0;
    buf[0] = 0;
    for (size_t i = 0; i < p->pairs_count && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%.40s", i ? ", " : "", p->pairs[i].transport);
    return buf;
}

static json_t *composed_json(const sup_profile *p) {
    json_t *j = NULL;
    if (!p->composed || sup_record_write(&sup_composed_record, p->composed, NULL, &j)) return json_null();
    return j;
}

static json_t *profile_json(const char *name, const sup_profile *p) {
    const sup_origin *o = &p->signature;
    json_t *nets = json_array();
    for (size_t i = 0; i < p->pairs_count; i++) json_array_append_new(nets, json_string(p->pairs[i].transport));
    return json_pack("{s:o, s:s, s:o, s:I, s:I, s:I, s:s, s:o, s:s, s:s, s:o}", "name", sup_cli_name(name), "processor",
                     o->cpu, "machine", sup_cli_name(o->machine), "cores", (json_int_t)o->cores, "hosts",
                     (json_int_t)o->hosts, "processes", (json_int_t)o->processes, "transport", o->transport,
                     "transports", nets, "created", p->created, "tool", p->tool, "composed", composed_json(p));
}

/* ---- list ---- */

static void list_row(sup_table *t, const char *name, const sup_profile *p) {
    char nets[256];
    sup_table_cell(t, "%s", name);
    sup_table_cell(t, "%s", p->signature.cpu);
    sup_table_cell(t, "%" PRId64, p->signature.cores);
    sup_table_cell(t, "%" PRId64, p->signature.processes);
    sup_table_cell(t, "%s", transports(p, nets, sizeof nets));
    sup_table_cell(t, "%.10s", p->created);
}

int sup_machine_list(bool json) {
    static char names[SUP_MACHINES][SUP_MACHINE_NAME];
    size_t count = sup_machine_names(names);
    json_t *all = json ? json_array() : NULL;
    sup_table *t = json ? NULL
                        : sup_table_new("reference profiles", "name", "processor", "cores>", "processes>", "transports",
                                        "measured", NULL);
    int code = SUP_EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        sup_profile *p = NULL;
        sup_diag diag = {0};
        if (sup_machine_read(names[i], &diag, &p)) {
            code = sup_cli_fail_diag(VERB, &diag);
            continue;
        }
        if (json)
            json_array_append_new(all, profile_json(names[i], p));
        else
            list_row(t, names[i], p);
        sup_profile_free(p);
    }
    int end = json ? sup_cli_emit(VERB, json_pack("{s:o}", "machines", all)) : SUP_EXIT_OK;
    if (!json && count) end = put(t);
    if (!json && !count) {
        sup_table_free(t);
        printf("no reference profiles are installed\n");
    }
    return code ? code : end;
}

/* ---- links ---- */

static void link_row(sup_table *t, const sup_link *l) {
    char text[SUP_UNIT_TEXT];
    sup_table_cell(t, "%s", l->name);
    sup_table_cell(t, "%s", sup_link_kinds[l->kind]);
    sup_table_cell(t, "%s", sup_unit_seconds(l->latency_s, text, sizeof text));
    sup_table_cell(t, "± %.0f %%", 100 * l->uncertainty);
    sup_table_cell(t, "%s", sup_unit_rate(l->bandwidth_bytes_per_s, "B/s", text, sizeof text));
    sup_table_cell(t, "%s", sup_unit_seconds(l->overhead_s, text, sizeof text));
    sup_table_cell(t, "%s", l->source);
}

int sup_machine_links(const char *name, bool json) {
    const sup_link *first = name ? sup_link_find(name) : sup_links;
    size_t count = name ? 1 : sup_links_count;
    if (!first) {
        const char *meant = sup_link_nearest(name);
        return sup_cli_usage(VERB, "there is no link \"%.64s\"%s%s%s", name, meant ? ": did you mean " : "",
                             meant ? meant : "", meant ? "?" : "");
    }
    if (json) return sup_cli_emit(VERB, sup_links_json(first, count));
    sup_table *t = sup_table_new("links between nodes", "name", "kind", "latency>", "known to>", "bandwidth a node>",
                                 "overhead>", "source", NULL);
    for (size_t i = 0; i < count; i++) link_row(t, &first[i]);
    return put(t);
}

/* ---- what a machine is composed of ---- */

static void print_parts(const sup_profile *p) {
    char text[SUP_COMPOSED_TEXT], nets[256];
    const sup_origin *o = &p->signature;
    sup_text_print(stdout, "  machine    %s\n",
                   p->composed ? sup_composed_text(p->composed, text, sizeof text) : "measured as it is");
    sup_text_print(stdout, "  processor  %s\n", o->cpu);
    if (o->machine) sup_text_print(stdout, "  cores      %s\n", o->machine);
    sup_text_print(stdout, "  processes  %" PRId64 " on %" PRId64 " host%s over %s\n", o->processes, o->hosts,
                   o->hosts == 1 ? "" : "s", transports(p, nets, sizeof nets));
    for (size_t i = 0; p->composed && i < p->composed->rules_count; i++)
        sup_text_print(stdout, "  %s  %s\n", i ? "         " : "assumed  ", p->composed->rules[i]);
}

int sup_machine_show(const char *name, bool json) {
    sup_profile *p = NULL;
    sup_diag diag = {0};
    if (sup_machine_read(name, &diag, &p)) return sup_cli_fail_diag(VERB, &diag);
    int code = SUP_EXIT_OK;
    if (json) {
        code = sup_cli_emit(VERB, profile_json(sup_machine_called(name), p));
    } else {
        sup_text_print(stdout, "%s: made %s by %s\n", sup_machine_called(name), p->created, p->tool);
        print_parts(p);
    }
    sup_profile_free(p);
    return code;
}

int sup_machine_composed(const char *file, const sup_profile *p, bool json) {
    if (json) {
        json_t *j = profile_json(sup_machine_called(file), p);
        if (j) json_object_set_new(j, "file", sup_cli_name(file));
        return sup_cli_emit(VERB, j);
    }
    sup_text_print(stdout, "%s: profile of a machine of %" PRId64 " processes\n", file, p->signature.processes);
    print_parts(p);
    return SUP_EXIT_OK;
}
