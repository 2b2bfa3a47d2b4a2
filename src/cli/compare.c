/* superstep compare: predicted against measured, term by term and superstep by superstep. The arrow that closes the
 * flow: PROFILE → model → prediction, beside the TRACE of the run.
 *
 * A trace has, for each superstep, the longest computation (calls that copy included) and the longest sync; their sum
 * is what the superstep took. Prediction: Tcomp against the first, Tcomm + Tsync against the second, T against the sum.
 */
#include "cli/compare.h"
#include "cli/cli.h"
#include "cli/predict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "compare"

/* ---- results ---- */

/* Measured, predicted and the error, in as many columns. */
static void print_terms(double measured, double predicted) {
    char a[24], b[24];
    printf("  %10s %10s %+7.1f%%", sup_time_text(measured, a, sizeof a), sup_time_text(predicted, b, sizeof b),
           100 * sup_compare_error(predicted, measured));
}

static const char *name_of(const sup_held *h) { return h->name ? h->name : "-"; }

static void print_table(const sup_held_list *t) {
    char a[24], b[24];
    printf("%-22s %9s %10s %10s %8s %6s  %10s %10s %8s  %10s %10s %8s\n", "superstep", "times", "measured", "predicted",
           "error", "inside", "computed", "predicted", "error", "sync", "predicted", "error");
    size_t shown = t->count < 200 ? t->count : 200;
    for (size_t i = 0; i < shown; i++) {
        const sup_held *h = &t->at[i];
        printf("%-22.22s %9.0f %10s %10s %+7.1f%% %6s", name_of(h), h->count, sup_time_text(h->measured, a, sizeof a),
               sup_time_text(h->predicted, b, sizeof b), 100 * sup_compare_error(h->predicted, h->measured),
               sup_held_inside(h) ? "yes" : "no");
        print_terms(h->measured_compute, h->compute);
        print_terms(h->measured_sync, h->sync);
        printf("\n");
    }
    if (shown < t->count) printf("… %zu more (--json has them all)\n", t->count - shown);
    if (t->count < t->recorded_kinds)
        printf("%zu of %zu recorded supersteps have no prediction\n", t->recorded_kinds - t->count, t->recorded_kinds);
    printf("\nall: measured %s, predicted %s, error %+.1f%%\n", sup_time_text(t->measured_s, a, sizeof a),
           sup_time_text(t->predicted_s, b, sizeof b), 100 * sup_compare_error(t->predicted_s, t->measured_s));
    printf("supersteps: mean error %.1f%%, worst %.1f%% (%s), %.0f%% inside their interval\n", 100 * t->mean,
           100 * t->worst, name_of(&t->at[t->worst_at]), 100 * t->inside);
}

static json_t *terms_json(double measured, double predicted) {
    return json_pack("{s:f, s:f, s:f}", "measured_s", measured, "predicted_s", predicted, "error",
                     sup_compare_error(predicted, measured));
}

static json_t *superstep_json(const sup_held *h) {
    return json_pack("{s:f, s:f, s:o, s:f, s:b, s:o, s:o, s:o}", "times", h->count, "measured_s", h->measured,
                     "predicted_s", sup_prediction_json((sup_prediction){h->predicted, h->low, h->high}), "error",
                     sup_compare_error(h->predicted, h->measured), "inside", sup_held_inside(h), "name",
                     sup_cli_name(h->name), "compute", terms_json(h->measured_compute, h->compute), "sync",
                     terms_json(h->measured_sync, h->sync));
}

static int emit_json(const sup_held_list *t) {
    json_t *all = json_array();
    for (size_t i = 0; i < t->count; i++) json_array_append_new(all, superstep_json(&t->at[i]));
    return sup_cli_emit(VERB, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:o}", "kind", "superstep-comparison",
                                        "measured_s", t->measured_s, "predicted_s", t->predicted_s, "mean_error",
                                        t->mean, "worst_error", t->worst, "inside", t->inside, "recorded",
                                        (json_int_t)t->recorded_kinds, "predicted", (json_int_t)t->predicted_kinds,
                                        "supersteps", all));
}

static int report(const sup_predict_request *q, double limit, const sup_held_list *t) {
    if (!t->count)
        return sup_cli_fail(VERB, SUP_EXIT_MISMATCH,
                            "no predicted superstep (%zu) can be told to be a recorded one (%zu): numbers of "
                            "repetitions differ",
                            t->predicted_kinds, t->recorded_kinds);
    int code = SUP_EXIT_OK;
    if (q->json)
        code = emit_json(t);
    else
        print_table(t);
    if (!code && fflush(stdout)) code = sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write");
    if (!code && 100 * t->mean > limit)
        code = sup_cli_fail(VERB, SUP_EXIT_FAIL, "mean error %.1f%% is above %g%%", 100 * t->mean, limit);
    return code;
}

/* ---- the verb ---- */

/* A trace and a profile. */
static int compare_here(const sup_predict_request *q, double limit) {
    sup_diag diag = {0};
    sup_predict_input in;
    sup_platform *m = NULL;
    sup_program_cost cost = {0};
    sup_held_list list = {0};
    if (sup_predict_open(q, &diag, &in)) return sup_cli_fail_diag(VERB, &diag);
    sup_status st = in.trace ? SUP_OK
                             : sup_diag_set(&diag, SUP_EINVAL, q->program, 0,
                                            "not a trace: nothing was measured that could be compared");
    if (!st) st = sup_predict_platform(q, &in, 0, true, &diag, &m);
    if (!st) st = sup_model_program(sup_model_find(q->model), m, in.program, &diag, &cost);
    if (!st) st = sup_compare_predicted(&cost, &diag, &list);
    if (!st) st = sup_compare_measured(&list, in.program, sup_predict_clock(in.profile), &diag);
    int code = st ? sup_cli_fail_diag(VERB, &diag) : report(q, limit, &list);
    sup_held_free(&list);
    sup_program_cost_free(&cost);
    sup_platform_free(m);
    sup_predict_close(&in);
    return code;
}

/* A prediction and a trace. */
static int compare_files(const sup_predict_request *q, const char *prediction, double limit) {
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_trace *trace = NULL;
    sup_program *program = NULL;
    sup_held_list list = {0};
    sup_status st = sup_json_load(prediction, &diag, &doc);
    double clock_s = 0;
    if (!st) st = sup_compare_read(doc, &diag, &list);
    if (!st) st = sup_json_get_real(doc, sup_json_root(doc), "clock_s", false, 0, 1, &diag, &clock_s);
    if (!st) st = sup_trace_read(q->program, false, &diag, &trace);
    if (!st) st = sup_program_from_trace(trace, &diag, &program);
    if (!st) st = sup_compare_measured(&list, program, clock_s, &diag);
    int code = st ? sup_cli_fail_diag(VERB, &diag) : report(q, limit, &list);
    sup_program_free(program);
    sup_trace_free(trace);
    sup_held_free(&list);
    sup_json_free(doc);
    return code;
}

/* ---- the command line ---- */

static int run_compare(int argc, char **argv) {
    sup_predict_request q = {.model = SUP_MODEL_DEFAULT, .limit = INFINITY};
    int code = sup_options_parse(&sup_verb_compare, &q, &argc, &argv);
    if (code >= 0) return code;
    if (argc != (q.profile ? 1 : 2))
        return sup_cli_usage(VERB, "a prediction and a trace, or a trace and --profile FILE, are expected");
    q.program = argv[argc - 1];
    return q.profile ? compare_here(&q, q.limit) : compare_files(&q, argv[0], q.limit);
}

static const sup_option options[] = {
    SUP_FILE("profile", sup_predict_request, profile, "predict the trace from this profile"),
    {"model", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(sup_predict_request, model), .word = sup_model_word,
     .help = "with --profile: {words} (default " SUP_MODEL_DEFAULT ")"},
    SUP_PREDICT_NET("with --profile: transport"),
    SUP_PREDICT_BARRIER("with --profile: of bsp_sync: {words}, or a plan's file"),
    SUP_PREDICT_ENGINE,
    SUP_PREDICT_RECORDED_ON,
    SUP_PREDICT_RECORDED_SCALE,
    {"limit", .value = "PERCENT", SUP_TO(sup_predict_request, limit), .high = INFINITY, .what = "a percentage",
     .help = "end with 1 if the mean error is above"},
    SUP_FLAG("json", sup_predict_request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_compare = {
    .name = VERB,
    .summary = "predicted against measured, term by term",
    .usage = "superstep compare PREDICTION TRACE [OPTION]...\n"
             "superstep compare TRACE --profile FILE [OPTION]...",
    .about = "Compares what was predicted with what a run took. PREDICTION is what `superstep predict --json` printed; "
             "with a profile the trace is predicted here.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "FILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = -1,
    .run = run_compare,
};
