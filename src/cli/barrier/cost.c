/* superstep barrier cost: what barriers are predicted to take on the machine of a profile, stage by stage, and what
 * they took where the profile knows. Term Tsync, stage model. */
#include "cli/barrier/price.h"

#include "base/text.h"
#include "report/data.h"
#include "report/page/table.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_BARRIER_VERB

/* ---- opening ---- */

int sup_barrier_open_platform(const sup_barrier_request *r, int64_t processes, sup_barrier_machine *out) {
    sup_diag diag = {0};
    *out = (sup_barrier_machine){0};
    if (!r->profile) return sup_cli_usage(VERB, "%s: --profile FILE is missing", r->what);
    if (sup_machine_read(r->profile, &diag, &out->profile)) return sup_cli_fail_diag(VERB, &diag);
    sup_platform_options o = {.transport = r->net, .processes = processes};
    if (sup_platform_open(out->profile, &o, &diag, &out->platform)) {
        if (!diag.file[0]) snprintf(diag.file, sizeof diag.file, "%s", r->profile);
        sup_barrier_close_platform(out);
        return sup_cli_fail_diag(VERB, &diag);
    }
    return -1;
}

void sup_barrier_close_platform(sup_barrier_machine *m) {
    sup_platform_free(m->platform);
    sup_profile_free(m->profile);
    *m = (sup_barrier_machine){0};
}

/* ---- one barrier ---- */

/* The pattern's first stages alone, as signals one by one. */
static sup_status first_stages(const sup_pattern *p, int stages, sup_pattern *out) {
    size_t n = 0, all = 0;
    for (int s = 0; s < stages; s++) all += sup_pattern_stage(p, s, NULL);
    sup_pattern_edge *edges = calloc(all + 1, sizeof *edges);
    if (!edges) return SUP_ENOMEM;
    for (int s = 0; s < stages; s++) n += sup_pattern_stage(p, s, edges + n);
    return sup_pattern_from_edges(p->processes, stages, edges, n, out);
}

/* When the last one is through these stages, by what signals cost: without what measured barriers say of whole ones. */
static sup_status through(const sup_platform *m, const sup_pattern *p, int stages, double *last) {
    sup_pattern part;
    double *t = calloc((size_t)p->processes, sizeof *t);
    sup_status status = t ? first_stages(p, stages, &part) : SUP_ENOMEM;
    if (!status) {
        status = sup_path_run(m, &part, &(sup_path){.signals = m->signals, .words = m->words}, t);
        sup_pattern_free(&part);
    }
    *last = 0;
    for (int64_t i = 0; i < p->processes && !status; i++) *last = fmax(*last, t[i]);
    free(t);
    return status;
}

/* share[s]: of the whole time, until everybody is through stage s. */
static sup_status account(const sup_platform *m, const sup_pattern *p, sup_diag *diag, double *share) {
    sup_status status = SUP_OK;
    for (int s = 0; s < p->stages && !status; s++) {
        status = through(m, p, s + 1, &share[s]);
        if (status) sup_diag_set(diag, status, NULL, 0, "out of memory");
    }
    double whole = p->stages ? share[p->stages - 1] : 0;
    for (int s = 0; s < p->stages; s++) share[s] = whole > 0 ? fmin(share[s] / whole, 1) : 0;
    return status;
}

/* Of the profile; NaN: it does not know. */
static double measured_of(const sup_barrier_machine *m, const char *word) {
    const sup_profile *p = m->profile;
    for (size_t i = 0; p && i < p->sync_count; i++) {
        const sup_sync_time *s = &p->sync[i];
        if (s->processes == m->platform->processes && !s->payload_bytes && s->time_s && s->transport && s->algorithm &&
            sup_platform_holds(m->platform, s->processes) && !strcmp(s->transport, m->platform->transport) &&
            !strcmp(s->algorithm, word))
            return s->time_s->value;
    }
    return NAN;
}

static json_t *one_json(const sup_barrier_machine *m, const sup_barrier_given *b, sup_prediction cost,
                        const double *share) {
    json_t *stages = json_array();
    for (int s = 0; s < b->pattern.stages; s++)
        json_array_append_new(stages,
                              json_pack("{s:I,s:f,s:f}", "signals", (json_int_t)sup_pattern_stage(&b->pattern, s, NULL),
                                        "until_s", share[s] * cost.value, "takes_s",
                                        (share[s] - (s ? share[s - 1] : 0)) * cost.value));
    return json_pack("{s:o,s:s,s:I,s:f,s:f,s:f,s:o,s:o}", "barrier", sup_cli_name(b->name), "transport",
                     m->platform->transport, "processes", (json_int_t)b->pattern.processes, "predicted_s", cost.value,
                     "low_s", cost.low, "high_s", cost.high, "measured_s", sup_data_real(measured_of(m, b->name)),
                     "stages", stages);
}

/* "1.20 us (1.10 to 1.31)" */
static void print_one(const sup_barrier_machine *m, const sup_barrier_given *b, sup_prediction cost,
                      const double *share) {
    char text[4][SUP_UNIT_TEXT];
    double measured = measured_of(m, b->name);
    sup_text_print(stdout, "%s, %" PRId64 " processes over %s: predicted %s (%s to %s)", b->name, b->pattern.processes,
                   m->platform->transport, sup_unit_seconds(cost.value, text[0], SUP_UNIT_TEXT),
                   sup_unit_seconds(cost.low, text[1], SUP_UNIT_TEXT),
                   sup_unit_seconds(cost.high, text[2], SUP_UNIT_TEXT));
    if (isfinite(measured)) printf(", measured %s", sup_unit_seconds(measured, text[3], SUP_UNIT_TEXT));
    printf("\n");
    sup_table *t = sup_table_new("", "stage>", "signals>", "takes>", "until>", NULL);
    for (int s = 0; s < b->pattern.stages; s++) {
        sup_table_cell(t, "%d", s);
        sup_table_cell(t, "%zu", sup_pattern_stage(&b->pattern, s, NULL));
        sup_table_cell(t, "%s",
                       sup_unit_seconds((share[s] - (s ? share[s - 1] : 0)) * cost.value, text[0], SUP_UNIT_TEXT));
        sup_table_cell(t, "%s", sup_unit_seconds(share[s] * cost.value, text[0], SUP_UNIT_TEXT));
    }
    if (t) sup_table_text(t, stdout);
    sup_table_free(t);
}

/* A plan of another machine or placement says nothing about this profile's. */
static int check_plan(const sup_barrier_given *b, const sup_barrier_machine *m, const char *profile) {
    sup_diag diag = {0};
    if (!b->origin) return -1;
    sup_origin run = m->profile->signature;
    sup_status status =
        sup_origin_match(b->origin, &run, b->pattern.processes == run.processes ? 0 : SUP_SIGNATURE_ANY_RUN, &diag);
    if (!status) return -1;
    return sup_cli_fail(VERB, sup_cli_exit_code(status), "the plan and %.200s do not belong together: %s", profile,
                        diag.text);
}

static int price_one(const sup_barrier_request *r, const sup_barrier_machine *m, const sup_barrier_given *b) {
    sup_diag diag = {0};
    sup_prediction cost = {0};
    double *share = calloc((size_t)b->pattern.stages + 1, sizeof *share);
    if (!share) return sup_cli_no_memory(VERB);
    sup_status status = sup_barrier_cost(m->platform, &b->pattern, false, &diag, &cost);
    if (!status) status = account(m->platform, &b->pattern, &diag, share);
    int code = SUP_EXIT_OK;
    if (status)
        code = sup_cli_fail_diag(VERB, &diag);
    else if (r->json)
        code = sup_cli_emit(VERB, one_json(m, b, cost, share));
    else
        print_one(m, b, cost, share);
    free(share);
    return code;
}

/* Its number of processes is that of the profile, or the one that was asked for. */
static int price_given(const sup_barrier_request *r) {
    sup_barrier_machine m;
    sup_barrier_given b;
    int code = sup_barrier_open_platform(r, r->processes, &m);
    if (code >= 0 || !m.platform) return code;
    code =
        sup_barrier_open(r, r->given[0], sup_barrier_is_word(r->given[0]) ? m.platform->processes : r->processes, &b);
    if (code >= 0) {
        sup_barrier_close_platform(&m);
        return code;
    }
    if (b.pattern.processes != m.platform->processes) {
        sup_barrier_close_platform(&m);
        code = sup_barrier_open_platform(r, b.pattern.processes, &m);
    }
    if (code < 0 && m.profile) code = check_plan(&b, &m, r->profile);
    if (code < 0 && m.platform) code = price_one(r, &m, &b);
    sup_barrier_close(&b);
    sup_barrier_close_platform(&m);
    return code;
}

/* ---- all of them ---- */

json_t *sup_barrier_candidate_json(const sup_candidate *c) {
    return json_pack("{s:s,s:s,s:f,s:f,s:f,s:o,s:i,s:I}", "barrier", c->name, "origin", c->origin, "predicted_s",
                     c->cost.value, "low_s", c->cost.low, "high_s", c->cost.high, "measured_s",
                     sup_data_real(c->measured_s), "stages", c->stages, "signals", (json_int_t)c->signals);
}

static int all_json(const sup_barrier_machine *m, const sup_candidates *all, size_t choice) {
    json_t *rows = json_array();
    for (size_t i = 0; i < all->count; i++) json_array_append_new(rows, sup_barrier_candidate_json(&all->at[i]));
    return sup_cli_emit(VERB, json_pack("{s:s,s:I,s:o,s:s,s:s,s:s}", "transport", m->platform->transport, "processes",
                                        (json_int_t)m->platform->processes, "candidates", rows, "choice",
                                        all->at[choice].name, "usual", all->at[all->usual].name, "greedy",
                                        all->at[all->greedy].name));
}

void sup_barrier_candidates_text(const sup_candidates *all, size_t choice, size_t most) {
    char text[SUP_UNIT_TEXT];
    sup_table *t = sup_table_new("", "barrier", "from", "stages>", "signals>", "predicted>", "low>", "high>",
                                 "measured>", "", NULL);
    for (size_t i = 0; i < all->count; i++) {
        const sup_candidate *c = &all->at[i];
        if (i >= most && i != choice && i != all->usual && i != all->greedy) continue;
        sup_table_cell(t, "%s", c->name);
        sup_table_cell(t, "%s", c->origin);
        sup_table_cell(t, "%d", c->stages);
        sup_table_cell(t, "%" PRId64, c->signals);
        sup_table_cell(t, "%s", sup_unit_seconds(c->cost.value, text, sizeof text));
        sup_table_cell(t, "%s", sup_unit_seconds(c->cost.low, text, sizeof text));
        sup_table_cell(t, "%s", sup_unit_seconds(c->cost.high, text, sizeof text));
        sup_table_cell(t, "%s", isfinite(c->measured_s) ? sup_unit_seconds(c->measured_s, text, sizeof text) : "");
        sup_table_cell(t, "%s%s%s", i == choice ? "chosen" : "", i == choice && i == all->usual ? ", " : "",
                       i == all->usual ? "usual" : "");
    }
    if (t) sup_table_text(t, stdout);
    sup_table_free(t);
}

static int price_all(const sup_barrier_request *r) {
    sup_diag diag = {0};
    sup_barrier_machine m;
    sup_candidates all = {0};
    int code = sup_barrier_open_platform(r, r->processes, &m);
    if (code >= 0 || !m.platform) return code;
    if (sup_candidates_find(m.platform, &diag, &all)) {
        code = sup_cli_fail_diag(VERB, &diag);
    } else {
        size_t choice = 0;
        sup_candidates_choice(&all, &choice);
        code = SUP_EXIT_OK;
        if (r->json)
            code = all_json(&m, &all, choice);
        else
            sup_barrier_candidates_text(&all, choice, SIZE_MAX);
    }
    sup_candidates_free(&all);
    sup_barrier_close_platform(&m);
    return code;
}

int sup_barrier_prices(const sup_barrier_request *r) {
    return strcmp(r->given[0], SUP_BARRIER_ALL) ? price_given(r) : price_all(r);
}
