/* superstep predict: what a program will take on a machine of which there is a profile. Model stage of the flow:
 * profile and requirements in, time out, term by term, with intervals. */
#include "cli/predict/predict.h"
#include "base/text.h"
#include "cli/frame/cli.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "predict"

/* ---- one model, all models, what-if ---- */

static int predict_one(const sup_predict_request *q, sup_predict_input *in, const sup_model *model) {
    sup_diag diag = {0};
    sup_platform *m = NULL, *before = NULL;
    sup_program_cost cost = {0}, old = {0};
    sup_status st = sup_predict_platform(q, in, 0, true, &diag, &m);
    if (!st) st = sup_model_program(model, m, in->program, &diag, &cost);
    if (!st && q->what_if) {
        st = sup_predict_platform(q, in, 0, false, &diag, &before);
        if (!st) st = sup_model_program(model, before, in->program, &diag, &old);
    }
    int code = SUP_EXIT_OK;
    if (st) {
        code = sup_cli_fail_diag(VERB, &diag);
    } else if (q->json) {
        json_t *j = sup_predict_json(in, m, model, &cost);
        if (before) json_object_set_new(j, "without_what_if_s", sup_prediction_json(old.total));
        code = sup_cli_emit(VERB, j);
    } else {
        char a[24];
        sup_predict_print(in, m, model, &cost);
        if (before)
            printf("without the what-if %s: %.3gx%s\n", sup_time_text(old.total.value, a, sizeof a),
                   cost.total.value > 0 ? old.total.value / cost.total.value : 1,
                   sup_prediction_tie(cost.total, old.total) ? ", a tie within the intervals" : "");
    }
    sup_program_cost_free(&old);
    sup_program_cost_free(&cost);
    sup_platform_free(before);
    sup_platform_free(m);
    return code;
}

static void print_model(const sup_model *model, const sup_program_cost *c) {
    printf("%-8s", model->name);
    sup_predict_columns(c);
    printf("  %s%s\n", sup_bound_names[c->bound], c->tie ? " ~" : "");
}

static int predict_all(const sup_predict_request *q, sup_predict_input *in) {
    sup_diag diag = {0};
    sup_platform *m = NULL;
    if (sup_predict_platform(q, in, 0, true, &diag, &m)) return sup_cli_fail_diag(VERB, &diag);
    json_t *all = q->json ? json_array() : NULL;
    int good = 0, code = SUP_EXIT_OK;
    if (!all) sup_predict_machine(in->profile);
    if (!all)
        printf("%-8s %10s %10s %10s %11s %10s %10s %10s  %s\n", "model", "total", "from", "to", "computation",
               "bandwidth", "latency", "sync", "bound by");
    for (size_t i = 0; sup_models[i]; i++) {
        sup_program_cost cost;
        sup_status st = sup_model_program(sup_models[i], m, in->program, &diag, &cost);
        if (st && all)
            json_array_append_new(all, json_pack("{s:s, s:s}", "model", sup_models[i]->name, "error", diag.text));
        else if (st)
            sup_text_print(stdout, "%-8s %s\n", sup_models[i]->name, diag.text);
        if (st) continue;
        good++;
        if (all)
            json_array_append_new(all, sup_predict_json(in, m, sup_models[i], &cost));
        else
            print_model(sup_models[i], &cost);
        sup_program_cost_free(&cost);
    }
    if (all) code = sup_cli_emit(VERB, json_pack("{s:o}", "models", all));
    sup_platform_free(m);
    if (!good) return sup_cli_fail_diag(VERB, &diag);
    return code;
}

/* ---- the command line ---- */

/* -1: go on. */
static int parse(int argc, char **argv, sup_predict_request *q) {
    int code = sup_options_parse(&sup_verb_predict, q, &argc, &argv);
    if (code >= 0) return code;
    if (!argc) return sup_cli_usage(VERB, "no program given");
    q->program = argv[0];
    for (int k = 1; k < argc; k++) q->more[q->more_count++] = argv[k];
    if (!q->profile) return sup_cli_usage(VERB, "no profile given: --profile FILE, which `superstep measure` writes");
    if (q->plot && !q->sweep) return sup_cli_usage(VERB, "--plot needs --sweep");
    if (q->force && !q->plot) return sup_cli_usage(VERB, "--force is for --plot");
    if (!q->sweep && q->more_count)
        return sup_cli_usage(VERB, "several traces say how a program scales, for which --sweep asks");
    if (!q->sweep && (q->scaling || q->rule || q->check))
        return sup_cli_usage(VERB, "--%s needs --sweep", q->scaling ? "scaling" : q->rule ? "rule" : "check");
    if (q->sweep && q->processes) return sup_cli_usage(VERB, "--sweep and -P exclude each other");
    if (q->sweep && !strcmp(q->model, "all")) return sup_cli_usage(VERB, "--sweep needs one model");
    return -1;
}

static int run_predict(int argc, char **argv) {
    sup_predict_request q = {.model = SUP_MODEL_DEFAULT, .extends = true};
    sup_predict_input in;
    sup_diag diag = {0};
    int code = parse(argc, argv, &q);
    if (code >= 0) return code;
    if (sup_predict_open(&q, &diag, &in)) return sup_cli_fail_diag(VERB, &diag);
    assert(q.model); /* the default, or what was asked for */
    if (q.sweep)
        code = sup_predict_sweep(&q, &in, sup_model_find(q.model));
    else if (!strcmp(q.model, "all"))
        code = predict_all(&q, &in);
    else
        code = predict_one(&q, &in, sup_model_find(q.model));
    sup_predict_close(&in);
    if (fflush(stdout) && !code) return sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write");
    return code;
}

static const sup_option options[] = {
    SUP_FILE("profile", sup_predict_request, profile, "what was measured on the machine"),
    {"processes", 'P', .value = "N", SUP_TO(sup_predict_request, processes), .low = 1,
     .high = SUP_PROGRAM_PROCESSES_MAX, .what = "a number of processes",
     .help = "number of processes; that of the program or of the profile otherwise"},
    SUP_PREDICT_NET("transport: {words}"),
    {"model", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(sup_predict_request, model), .word = sup_model_word,
     SUP_WORDS("all"), .help = "{words} (default " SUP_MODEL_DEFAULT ")"},
    SUP_PREDICT_BARRIER("of bsp_sync: {words}, or a plan's file"),
    {"counts", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(sup_predict_request, counts),
     .word = sup_sync_counts_word, .help = "of bsp_sync over messages: {words}"},
    SUP_PREDICT_ENGINE,
    {"what-if", .value = "LIST", SUP_TO(sup_predict_request, what_if),
     .help = "change the machine: 'L*0.5,B[0:7,8:15]*2,rate[3]*4,sync/2'"},
    {"extend", .value = "nodes=N", SUP_TO(sup_predict_request, extend), .help = "as many hosts like the measured ones"},
    SUP_PREDICT_RECORDED_ON,
    SUP_PREDICT_RECORDED_SCALE,
    {"sweep", .value = "P=A..B", SUP_TO(sup_predict_request, sweep),
     .help = "for A, 2A, 4A, … B processes; or P=A,B,C"},
    {"scaling", .value = "KIND", .kind = SUP_VALUE_WORD, SUP_TO(sup_predict_request, scaling),
     SUP_WORDS("strong", "weak"), .help = "of a sweep: {words}; as the program says otherwise"},
    {"rule", .value = "RULE", SUP_TO(sup_predict_request, rule),
     .help = "how a trace changes with P: 'work=n/P, bytes=1, partners=const'"},
    SUP_FILE("check", sup_predict_request, check, "trace that says how good the sweep is"),
    {"confidence", .value = "X", SUP_TO(sup_predict_request, confidence), .low = 0.5, .high = 0.99,
     .help = "of the intervals, 0.5 … 0.99 (0.9)"},
    {"plot", .value = "DIR", .kind = SUP_VALUE_FOLDER, SUP_TO(sup_predict_request, plot),
     .help = "with --sweep: data and gnuplot figure there"},
    SUP_FLAG("force", sup_predict_request, force, "replace what an earlier --plot left"),
    SUP_FLAG("json", sup_predict_request, json, "JSON instead of text"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_predict = {
    .name = VERB,
    .summary = "say what a program will take on a machine, with intervals",
    .usage = "superstep predict PROGRAM [TRACE]... --profile FILE [OPTION]...",
    .about = "Says what a program takes on the machine of a profile: each superstep and all, each term, with "
             "intervals. PROGRAM is a description, superstep-program(5), or a trace of a run, superstep-trace(5). "
             "Traces of several numbers of processes say how a program scales (--sweep).",
    .options = options,
    .arguments = (const sup_option[]){{.value = "PROGRAM", .kind = SUP_VALUE_FILE}, {0}},
    .most = 1 + SUP_PREDICT_PROGRAMS_MAX,
    .run = run_predict,
};
