/* superstep compare: where the time of a recorded run went, and what of it was predicted how well, term by term and
 * superstep by superstep. The arrow that closes the flow: PROFILE → model → prediction, beside the TRACE of the run.
 *
 * Only what was really predicted is judged: computation that a trace supplied itself is left out of all errors. */
#include "cli/compare/compare.h"
#include "cli/frame/cli.h"
#include "cli/predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define VERB "compare"

static int report(const sup_predict_request *q, const sup_comparison *c) {
    const sup_held_list *t = c->list;
    if (!t->count)
        return sup_cli_fail(VERB, SUP_EXIT_MISMATCH,
                            "no predicted superstep (%zu) can be told to be a recorded one (%zu): numbers of "
                            "repetitions differ",
                            t->predicted_kinds, t->recorded_kinds);
    int code = SUP_EXIT_OK;
    if (q->json)
        code = sup_cli_emit(VERB, sup_comparison_json(c));
    else
        sup_comparison_print(c);
    if (!code && fflush(stdout)) code = sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write");
    if (!code && 100 * t->mean > q->limit)
        code = sup_cli_fail(VERB, SUP_EXIT_FAIL, "mean error %.1f%% is above %g%%", 100 * t->mean, q->limit);
    return code;
}

/* ---- the verb ---- */

/* A trace and a profile. */
static int compare_here(const sup_predict_request *q) {
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
    double clock_s = sup_predict_clock(in.profile);
    if (!st) st = sup_compare_measured(&list, in.program, clock_s, &diag);
    int code = st ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
    if (!st) {
        sup_wall wall;
        sup_wall_make(in.trace, in.program, &list, clock_s, &wall);
        code = report(q, &(sup_comparison){in.program->name, &list, &wall, q->model, m->notes, m->note_count});
    }
    sup_held_free(&list);
    sup_program_cost_free(&cost);
    sup_platform_free(m);
    sup_predict_close(&in);
    return code;
}

/* A prediction and a trace. */
static int compare_files(const sup_predict_request *q, const char *prediction) {
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
    int code = st ? sup_cli_fail_diag(VERB, &diag) : SUP_EXIT_OK;
    if (!st) {
        sup_wall wall;
        sup_wall_make(trace, program, &list, clock_s, &wall);
        code = report(q, &(sup_comparison){.program = program->name, .list = &list, .wall = &wall});
    }
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
    return q.profile ? compare_here(&q) : compare_files(&q, argv[0]);
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
     .help = "end with 1 if the mean error of what was predicted is above"},
    SUP_FLAG("json", sup_predict_request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_compare = {
    .name = VERB,
    .summary = "where a run's time went, and what of it was predicted how well",
    .usage = "superstep compare PREDICTION TRACE [OPTION]...\n"
             "superstep compare TRACE --profile FILE [OPTION]...",
    .about = "Says where the time of a run went, and compares what was predicted with what it took. PREDICTION is what "
             "`superstep predict --json` printed; with a profile the trace is predicted here.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "FILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = -1,
    .run = run_compare,
};
