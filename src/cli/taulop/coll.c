/* superstep taulop coll: the τ-Lop expression of a collective algorithm under a mapping, as the papers write it and
 * simplified, stage by stage if wanted, and what evaluators and models make of it on a profile. Term Tcomm. */
#include "cli/taulop/taulop.h"

#include "base/text.h"
#include "model/collective/build.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_TAULOP_VERB

/* What is known of one size. */
typedef struct answer {
    sup_job job;
    sup_exprs *x;
    sup_stages stages;
    const sup_expr **each; /* [stages] */
    const sup_expr *whole, *simple;
    const sup_taulop_costs *costs; /* NULL: without a profile */
} answer;

static void answer_free(answer *a) {
    free(a->each);
    sup_stages_free(&a->stages);
    sup_exprs_free(a->x);
    *a = (answer){0};
}

/* Expressions are those of the papers, without signals. */
static sup_status work_out(const sup_taulop_job *j, int64_t bytes, sup_diag *diag, answer *a) {
    *a = (answer){.job = j->job, .x = sup_exprs_new()};
    a->job.bytes = bytes;
    if (!a->x) return sup_diag_no_memory(diag);
    if (j->platform) a->costs = sup_collective_costs(j->platform);
    sup_status status = sup_stages_make(&j->choice, &a->job, &j->mapping, diag, &a->stages);
    if (status) return status;
    a->each = malloc((a->stages.stages_count + 1) * sizeof *a->each);
    if (!a->each) return sup_diag_no_memory(diag);
    status = sup_stages_expressions(a->x, &a->stages, diag, a->each);
    if (!status) status = sup_stages_expression(a->x, &a->stages, diag, &a->whole);
    if (!status && a->costs) status = sup_taulop_check(a->costs, a->whole, diag);
    if (status) return status;
    status = sup_expr_simplify(a->x, a->whole, a->costs, &a->simple);
    return status ? sup_diag_set(diag, status, NULL, 0, "cannot simplify: %s", sup_status_text(status)) : status;
}

/* To be freed; NULL: no memory. */
static char *text_of(const sup_expr *e, bool plain) {
    size_t length = sup_expr_print(e, plain, NULL, 0);
    char *text = malloc(length + 1);
    if (text) sup_expr_print(e, plain, text, length + 1);
    return text;
}

static double stage_seconds(const answer *a, size_t i) {
    double s = NAN;
    if (!a->costs || !a->each[i] || sup_taulop_cost(a->costs, sup_evaluators[0], a->each[i], NULL, &s)) return NAN;
    return s;
}

static bool is_wanted(const sup_taulop_request *r, const sup_evaluator *e) {
    return !r->evaluator || !strcmp(r->evaluator, e->name);
}

/* ---- JSON ---- */

static json_t *expression_json(const sup_expr *e, bool plain) {
    char *text = text_of(e, plain);
    json_t *json = text ? json_string(text) : NULL;
    free(text);
    return json;
}

static json_t *stages_json(const answer *a) {
    json_t *all = json_array();
    for (size_t i = 0; i < a->stages.stages_count; i++) {
        if (!a->each[i]) continue;
        json_t *one = json_pack("{s:I,s:o,s:o}", "times", (json_int_t)a->stages.stages[i].times, "expression",
                                expression_json(a->each[i], false), "plain", expression_json(a->each[i], true));
        double s = stage_seconds(a, i);
        if (isfinite(s)) json_object_set_new(one, "seconds", json_real(s));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *models_json(const sup_taulop_job *j, const answer *a) {
    json_t *all = json_object();
    for (size_t i = 0; sup_collective_models[i]; i++) {
        sup_prediction p;
        bool known = !sup_collective_models[i]->cost(j->platform, &j->choice, &a->job, &j->mapping, NULL, &p);
        json_object_set_new(all, sup_collective_models[i]->name,
                            known ? json_pack("{s:f,s:f,s:f}", "seconds", p.value, "low", p.low, "high", p.high)
                                  : json_null());
    }
    return all;
}

static json_t *answer_json(const sup_taulop_job *j, const sup_taulop_request *r, const answer *a) {
    json_t *all = json_pack("{s:I,s:o,s:o,s:o,s:o}", "bytes", (json_int_t)a->job.bytes, "expression",
                            expression_json(a->whole, false), "plain", expression_json(a->whole, true), "simplified",
                            expression_json(a->simple, false), "simplified_plain", expression_json(a->simple, true));
    if (r->expand) json_object_set_new(all, "stages", stages_json(a));
    if (!j->platform) return all;
    json_t *seconds = json_object();
    for (size_t i = 0; sup_evaluators[i]; i++) {
        double s;
        if (is_wanted(r, sup_evaluators[i]) && !sup_taulop_cost(a->costs, sup_evaluators[i], a->whole, NULL, &s))
            json_object_set_new(seconds, sup_evaluators[i]->name, json_real(s));
    }
    json_object_set_new(all, "evaluators", seconds);
    json_object_set_new(all, "models", models_json(j, a));
    return all;
}

/* ---- text ---- */

static void print_expression(const char *label, const sup_expr *e) {
    char *text = text_of(e, false);
    printf("%-12s %s\n", label, text ? text : "?");
    free(text);
}

static void print_stages(const answer *a) {
    char unit[SUP_UNIT_TEXT], label[32];
    int64_t first = 1;
    for (size_t i = 0; i < a->stages.stages_count; i++) {
        int64_t times = a->stages.stages[i].times;
        if (!a->each[i]) continue;
        if (times > 1)
            snprintf(label, sizeof label, "stages %" PRId64 "-%" PRId64, first, first + times - 1);
        else
            snprintf(label, sizeof label, "stage %" PRId64, first);
        first += times;
        char *text = text_of(a->each[i], false);
        double s = stage_seconds(a, i);
        printf("%-12s %s%s%s%s\n", label, text ? text : "?", isfinite(s) ? "   " : "",
               isfinite(s) ? sup_unit_seconds(s, unit, sizeof unit) : "", isfinite(s) && times > 1 ? " each" : "");
        free(text);
    }
}

static void print_costs(const sup_taulop_job *j, const sup_taulop_request *r, const answer *a) {
    char text[3][SUP_UNIT_TEXT];
    for (size_t i = 0; sup_evaluators[i]; i++) {
        double s;
        if (is_wanted(r, sup_evaluators[i]) && !sup_taulop_cost(a->costs, sup_evaluators[i], a->whole, NULL, &s))
            printf("%-12s %s, %s\n", sup_evaluators[i]->name, sup_unit_seconds(s, text[0], SUP_UNIT_TEXT),
                   sup_evaluators[i]->summary);
    }
    for (size_t i = 0; sup_collective_models[i]; i++) {
        const sup_collective_model *m = sup_collective_models[i];
        sup_prediction p;
        sup_diag diag = {0};
        if (m->cost(j->platform, &j->choice, &a->job, &j->mapping, &diag, &p))
            sup_text_print(stdout, "%-12s –, %s\n", m->name, diag.text);
        else
            printf("%-12s %s (%s to %s), %s\n", m->name, sup_unit_seconds(p.value, text[0], SUP_UNIT_TEXT),
                   sup_unit_seconds(p.low, text[1], SUP_UNIT_TEXT), sup_unit_seconds(p.high, text[2], SUP_UNIT_TEXT),
                   m->summary);
    }
}

static void print_answer(const sup_taulop_job *j, const sup_taulop_request *r, const answer *a) {
    char name[SUP_CHOICE_TEXT], size[SUP_UNIT_TEXT], about[96] = "";
    int64_t nodes = sup_mapping_used(&j->mapping);
    if (r->simplify) {
        char *text = text_of(a->simple, true);
        puts(text ? text : "?");
        free(text);
        return;
    }
    if (j->job.operation != SUP_BARRIER)
        snprintf(about, sizeof about, ", %s", sup_unit_bytes((double)a->job.bytes, size, sizeof size));
    printf("%s %s%s, %" PRId64 " process%s on %" PRId64 " node%s\n", sup_operation_names[j->job.operation],
           sup_choice_text(&j->choice, name), about, j->job.processes, j->job.processes == 1 ? "" : "es", nodes,
           nodes == 1 ? "" : "s");
    if (r->expand) print_stages(a);
    print_expression("expression", a->whole);
    print_expression("simplified", a->simple);
    if (j->platform) print_costs(j, r, a);
}

/* ---- all sizes ---- */

static int one_algorithm(const sup_taulop_job *j, const sup_taulop_request *r) {
    sup_diag diag = {0};
    char name[SUP_CHOICE_TEXT];
    json_t *sizes = json_array();
    int code = SUP_EXIT_OK;
    for (size_t i = 0; i < j->size_count && code == SUP_EXIT_OK; i++) {
        answer a;
        if (work_out(j, j->sizes[i], &diag, &a))
            code = sup_cli_fail_diag(VERB, &diag);
        else if (r->json)
            json_array_append_new(sizes, answer_json(j, r, &a));
        else
            printf("%s", i && !r->simplify ? "\n" : ""), print_answer(j, r, &a);
        answer_free(&a);
    }
    if (!r->json || code != SUP_EXIT_OK) {
        json_decref(sizes);
        return code;
    }
    json_t *all = json_pack("{s:s,s:s,s:I,s:I,s:I,s:o,s:o}", "operation", sup_operation_names[j->job.operation],
                            "algorithm", sup_choice_text(&j->choice, name), "processes", (json_int_t)j->job.processes,
                            "nodes", (json_int_t)sup_mapping_used(&j->mapping), "root", (json_int_t)j->job.root, "map",
                            sup_cli_name(j->map), "sizes", sizes);
    if (j->platform && all) json_object_set_new(all, "transport", sup_cli_name(j->transport));
    return sup_cli_emit(VERB, all);
}

int sup_taulop_coll(const sup_taulop_request *r) {
    sup_taulop_job j;
    int code = sup_taulop_open_job(r, &j);
    if (code >= 0) return code;
    code = r->compare ? sup_taulop_compare(&j, r) : one_algorithm(&j, r);
    sup_taulop_close_job(&j);
    return code;
}
