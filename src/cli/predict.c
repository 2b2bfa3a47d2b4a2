/* superstep predict: what a program will take on a machine of which there is a profile. Model stage of the flow:
 * profile and requirements in, time out, term by term, with intervals. */
#include "cli/predict.h"
#include "cli/cli.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "predict"

static const char help_text[] =
    "usage: superstep predict PROGRAM --profile FILE [OPTION]...\n"
    "\n"
    "Says what a program takes on the machine of a profile: each superstep and all, each term, with intervals.\n"
    "PROGRAM is a description, superstep-program(5), or a trace of a run, superstep-trace(5).\n"
    "\n"
    "      --profile FILE     what was measured on the machine\n"
    "  -P, --processes N      number of processes; that of the program or of the profile otherwise\n"
    "      --net NAME         transport: shm, openmpi, mpich\n"
    "      --model NAME       flow (default), pair, meyer, hockney, loggp, lognp, bsp, or all\n"
    "      --barrier NAME     of bsp_sync: linear, tree, dissemination, or a plan's file\n"
    "      --counts NAME      of bsp_sync over messages: direct, map, reduce-scatter\n"
    "      --what-if LIST     change the machine: 'L*0.5,B[0:7,8:15]*2,rate[3]*4,sync/2'\n"
    "      --extend nodes=N   as many hosts like the measured ones\n"
    "      --recorded-on FILE profile of the machine of the trace: scales its computation\n"
    "      --sweep P=A..B     for A, 2A, 4A, … B processes; or P=A,B,C\n"
    "      --confidence X     of the intervals, 0.5 … 0.99 (0.9)\n"
    "      --plot DIR         with --sweep: data and gnuplot figure there\n"
    "      --json             JSON instead of text\n"
    "  -h, --help             this text\n";

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
    if (!all)
        printf("%-8s %10s %10s %10s %11s %10s %10s %10s  %s\n", "model", "total", "from", "to", "computation",
               "bandwidth", "latency", "sync", "bound by");
    for (size_t i = 0; sup_models[i]; i++) {
        sup_program_cost cost;
        sup_status st = sup_model_program(sup_models[i], m, in->program, &diag, &cost);
        if (st && all)
            json_array_append_new(all, json_pack("{s:s, s:s}", "model", sup_models[i]->name, "error", diag.text));
        else if (st)
            printf("%-8s %s\n", sup_models[i]->name, diag.text);
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

enum {
    OPT_PROFILE = 256,
    OPT_NET,
    OPT_MODEL,
    OPT_BARRIER,
    OPT_COUNTS,
    OPT_IF,
    OPT_EXTEND,
    OPT_ON,
    OPT_SWEEP,
    OPT_CONF,
    OPT_PLOT,
    OPT_JSON
};

static const struct option options[] = {
    {"profile", required_argument, NULL, OPT_PROFILE},
    {"processes", required_argument, NULL, 'P'},
    {"net", required_argument, NULL, OPT_NET},
    {"model", required_argument, NULL, OPT_MODEL},
    {"barrier", required_argument, NULL, OPT_BARRIER},
    {"counts", required_argument, NULL, OPT_COUNTS},
    {"what-if", required_argument, NULL, OPT_IF},
    {"extend", required_argument, NULL, OPT_EXTEND},
    {"recorded-on", required_argument, NULL, OPT_ON},
    {"sweep", required_argument, NULL, OPT_SWEEP},
    {"confidence", required_argument, NULL, OPT_CONF},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"json", no_argument, NULL, OPT_JSON},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int check_request(const sup_predict_request *q) {
    static const char *const counts[] = {"direct", "map", "reduce-scatter", NULL};
    if (!q->program) return sup_cli_usage(VERB, "no program given");
    if (!q->profile) return sup_cli_usage(VERB, "no profile given: --profile FILE, which `superstep measure` writes");
    if (q->plot && !q->sweep) return sup_cli_usage(VERB, "--plot needs --sweep");
    if (q->sweep && q->processes) return sup_cli_usage(VERB, "--sweep and -P exclude each other");
    if (strcmp(q->model, "all") != 0 && !sup_model_find(q->model))
        return sup_cli_usage(VERB, "no model \"%.40s\": flow, pair, meyer, hockney, loggp, lognp, bsp, all", q->model);
    if (q->sweep && !strcmp(q->model, "all")) return sup_cli_usage(VERB, "--sweep needs one model");
    for (size_t i = 0; q->counts && strcmp(counts[i], q->counts) != 0; i++)
        if (!counts[i + 1]) return sup_cli_usage(VERB, "no counts \"%.40s\": direct, map, reduce-scatter", q->counts);
    return -1;
}

/* -1: go on. */
static int parse(int argc, char **argv, sup_predict_request *q) {
    int c;
    long n;
    char *end;
    optind = 0;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":hP:", options, NULL)) != -1) {
        switch (c) {
        case OPT_PROFILE: q->profile = optarg; break;
        case 'P':
            if (!sup_cli_int(optarg, 1, SUP_PROGRAM_PROCESSES_MAX, &n))
                return sup_cli_usage(VERB, "-P %.40s: a number of processes is expected", optarg);
            q->processes = n;
            break;
        case OPT_NET: q->net = optarg; break;
        case OPT_MODEL: q->model = optarg; break;
        case OPT_BARRIER: q->barrier = optarg; break;
        case OPT_COUNTS: q->counts = optarg; break;
        case OPT_IF: q->what_if = optarg; break;
        case OPT_EXTEND: q->extend = optarg; break;
        case OPT_ON: q->recorded_on = optarg; break;
        case OPT_SWEEP: q->sweep = optarg; break;
        case OPT_CONF:
            q->confidence = strtod(optarg, &end);
            if (end == optarg || *end || !(q->confidence >= 0.5 && q->confidence <= 0.99))
                return sup_cli_usage(VERB, "--confidence %.40s: 0.5 … 0.99 is expected", optarg);
            break;
        case OPT_PLOT: q->plot = optarg; break;
        case OPT_JSON: q->json = true; break;
        case 'h': return sup_cli_help(&sup_verb_predict);
        case ':': return sup_cli_usage(VERB, "%.80s needs a value", argv[optind - 1]);
        default: return sup_cli_usage(VERB, "unknown option %.80s", argv[optind - 1]);
        }
    }
    if (argc - optind > 1) return sup_cli_usage(VERB, "one program at a time, not also %.80s", argv[optind + 1]);
    q->program = argv[optind];
    return check_request(q);
}

static int run_predict(int argc, char **argv) {
    sup_predict_request q = {.model = SUP_MODEL_DEFAULT};
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

const sup_verb sup_verb_predict = {VERB, "say what a program will take on a machine, with intervals", help_text,
                                   run_predict};
