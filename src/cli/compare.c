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

/* A superstep on both sides. */
typedef struct line {
    const char *name;
    double count;
    sup_prediction total;
    double compute, rest;                             /* predicted */
    double measured, measured_compute, measured_rest; /* of the trace */
} line;

typedef struct table {
    line *lines;
    size_t count;
    size_t predicted, recorded; /* how many there were on either side */
} table;

static double error_of(double predicted, double measured) {
    return measured > 0 ? (predicted - measured) / measured : 0;
}

/* ---- the two sides ---- */

typedef struct forecast {
    const char *name;
    double repeat;
    sup_prediction total;
    double compute, rest;
} forecast;

static sup_status prediction_at(const sup_json *doc, const json_t *step, const char *key, sup_diag *diag,
                                sup_prediction *out) {
    const json_t *o = NULL;
    sup_status st = sup_json_get_object(doc, step, key, true, diag, &o);
    if (!st) st = sup_json_get_real(doc, o, "value", true, 0, 1e18, diag, &out->value);
    if (!st) st = sup_json_get_real(doc, o, "low", true, 0, 1e18, diag, &out->low);
    if (!st) st = sup_json_get_real(doc, o, "high", true, 0, 1e18, diag, &out->high);
    return st;
}

static sup_status read_forecast(const sup_json *doc, const json_t *step, sup_diag *diag, forecast *f) {
    sup_prediction comp, comm, sync;
    double hidden = 0;
    if (!json_is_object(step))
        return sup_json_error(doc, sup_json_root(doc), "supersteps", -1, diag, "a superstep is not an object");
    f->name = json_string_value(json_object_get(step, "name"));
    sup_status st = sup_json_get_real(doc, step, "repeat", true, 0, 1e18, diag, &f->repeat);
    if (!st) st = prediction_at(doc, step, "total_s", diag, &f->total);
    if (!st) st = prediction_at(doc, step, "compute_s", diag, &comp);
    if (!st) st = prediction_at(doc, step, "communicate_s", diag, &comm);
    if (!st) st = prediction_at(doc, step, "sync_s", diag, &sync);
    if (!st) st = sup_json_get_real(doc, step, "hidden_s", false, 0, 1e18, diag, &hidden);
    if (st) return st;
    f->compute = comp.value;
    f->rest = comm.value + sync.value - hidden;
    return SUP_OK;
}

static sup_status read_forecasts(const sup_json *doc, sup_diag *diag, forecast **out, size_t *count) {
    const json_t *steps = NULL, *root = sup_json_root(doc);
    const char *kind = NULL;
    sup_status st = sup_json_get_string(doc, root, "kind", true, diag, &kind);
    if (!st && strcmp(kind, SUP_PREDICTION_KIND) != 0)
        st = sup_json_error(doc, root, "kind", -1, diag,
                            "not a prediction: the kind must be \"" SUP_PREDICTION_KIND "\"");
    if (!st) st = sup_json_get_array(doc, root, "supersteps", true, diag, &steps);
    if (st) return st;
    size_t n = json_array_size(steps);
    forecast *list = calloc(n ? n : 1, sizeof *list);
    if (!list) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < n && !st; i++) st = read_forecast(doc, json_array_get(steps, i), diag, &list[i]);
    if (st) {
        free(list);
        return st;
    }
    *out = list;
    *count = n;
    return SUP_OK;
}

/* A recorded time is between two looks at the clock, one of which is in it. */
static line line_of(const forecast *f, const sup_step *s, double clock_s) {
    double compute = sup_predict_without(s->measured_compute_s, clock_s),
           rest = sup_predict_without(s->measured_sync_s, clock_s);
    return (line){.name = f->name ? f->name : s->name,
                  .count = (double)s->repeat,
                  .total = f->total,
                  .compute = f->compute,
                  .rest = f->rest,
                  .measured = compute + rest,
                  .measured_compute = compute,
                  .measured_rest = rest};
}

/* One to one where there are as many on both sides; else a predicted superstep belongs to the recorded one that was met
 * as often, if there is just one. */
static bool pair_up(const forecast *f, size_t n, const sup_program *p, double clock_s, table *t) {
    *t = (table){calloc(n + 1, sizeof(line)), 0, n, p->step_count};
    if (!t->lines) return false;
    for (size_t i = 0; i < n; i++) {
        size_t match = p->step_count, others = 0;
        for (size_t s = 0; s < p->step_count; s++)
            if ((double)p->steps[s].repeat == f[i].repeat) {
                match = s;
                others++;
            }
        if (n == p->step_count)
            t->lines[t->count++] = line_of(&f[i], &p->steps[i], clock_s);
        else if (others == 1)
            t->lines[t->count++] = line_of(&f[i], &p->steps[match], clock_s);
    }
    return true;
}

/* ---- results ---- */

typedef struct summary {
    double mean, worst, inside;
    size_t worst_at;
    double predicted_s, measured_s;
} summary;

static bool inside(const line *l) { return l->measured >= l->total.low && l->measured <= l->total.high; }

static summary summarise(const table *t) {
    summary s = {0};
    for (size_t i = 0; i < t->count; i++) {
        const line *l = &t->lines[i];
        double e = fabs(error_of(l->total.value, l->measured));
        s.mean += e / (double)t->count;
        if (e >= s.worst) {
            s.worst = e;
            s.worst_at = i;
        }
        s.inside += (inside(l) ? 1.0 : 0.0) / (double)t->count;
        s.predicted_s += l->count * l->total.value;
        s.measured_s += l->count * l->measured;
    }
    return s;
}

static void print_table(const table *t, const summary *s) {
    char a[8][24];
    printf("%-22s %9s %10s %10s %8s %6s  %10s %10s %8s  %10s %10s %8s\n", "superstep", "times", "measured", "predicted",
           "error", "inside", "computed", "predicted", "error", "sync", "predicted", "error");
    size_t shown = t->count < 200 ? t->count : 200;
    for (size_t i = 0; i < shown; i++) {
        const line *l = &t->lines[i];
        printf("%-22.22s %9.0f %10s %10s %+7.1f%% %6s  %10s %10s %+7.1f%%  %10s %10s %+7.1f%%\n",
               l->name ? l->name : "-", l->count, sup_time_text(l->measured, a[0], 24),
               sup_time_text(l->total.value, a[1], 24), 100 * error_of(l->total.value, l->measured),
               inside(l) ? "yes" : "no", sup_time_text(l->measured_compute, a[2], 24),
               sup_time_text(l->compute, a[3], 24), 100 * error_of(l->compute, l->measured_compute),
               sup_time_text(l->measured_rest, a[4], 24), sup_time_text(l->rest, a[5], 24),
               100 * error_of(l->rest, l->measured_rest));
    }
    if (shown < t->count) printf("… %zu more (--json has them all)\n", t->count - shown);
    if (t->count < t->recorded)
        printf("%zu of %zu recorded supersteps have no prediction\n", t->recorded - t->count, t->recorded);
    printf("\nall: measured %s, predicted %s, error %+.1f%%\n", sup_time_text(s->measured_s, a[0], 24),
           sup_time_text(s->predicted_s, a[1], 24), 100 * error_of(s->predicted_s, s->measured_s));
    printf("supersteps: mean error %.1f%%, worst %.1f%% (%s), %.0f%% inside their interval\n", 100 * s->mean,
           100 * s->worst, t->lines[s->worst_at].name ? t->lines[s->worst_at].name : "-", 100 * s->inside);
}

static json_t *line_json(const line *l) {
    json_t *j =
        json_pack("{s:f, s:f, s:o, s:f, s:b}", "times", l->count, "measured_s", l->measured, "predicted_s",
                  sup_prediction_json(l->total), "error", error_of(l->total.value, l->measured), "inside", inside(l));
    json_object_set_new(j, "name", l->name ? json_string(l->name) : json_null());
    json_object_set_new(j, "compute",
                        json_pack("{s:f, s:f, s:f}", "measured_s", l->measured_compute, "predicted_s", l->compute,
                                  "error", error_of(l->compute, l->measured_compute)));
    json_object_set_new(j, "sync",
                        json_pack("{s:f, s:f, s:f}", "measured_s", l->measured_rest, "predicted_s", l->rest, "error",
                                  error_of(l->rest, l->measured_rest)));
    return j;
}

static int emit_json(const table *t, const summary *s) {
    json_t *lines = json_array();
    for (size_t i = 0; i < t->count; i++) json_array_append_new(lines, line_json(&t->lines[i]));
    return sup_cli_emit(VERB,
                        json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:o}", "kind", "superstep-comparison",
                                  "measured_s", s->measured_s, "predicted_s", s->predicted_s, "mean_error", s->mean,
                                  "worst_error", s->worst, "inside", s->inside, "recorded", (json_int_t)t->recorded,
                                  "predicted", (json_int_t)t->predicted, "supersteps", lines));
}

/* ---- the verb ---- */

static sup_status forecast_of(const sup_program_cost *c, sup_diag *diag, forecast **out) {
    forecast *list = calloc(c->step_count ? c->step_count : 1, sizeof *list);
    if (!list) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < c->step_count; i++) {
        const sup_superstep_cost *x = &c->steps[i].cost;
        list[i] = (forecast){c->steps[i].step->name, c->steps[i].repeat, x->total, x->comp.value,
                             x->comm.value + x->sync.value - x->hidden_s};
    }
    *out = list;
    return SUP_OK;
}

static int report(const sup_predict_request *q, double limit, const forecast *f, size_t n, const sup_program *p,
                  double clock_s) {
    table t;
    if (!pair_up(f, n, p, clock_s, &t)) return sup_cli_fail(VERB, SUP_EXIT_SYSTEM, "out of memory");
    int code;
    if (!t.count) {
        code = sup_cli_fail(VERB, SUP_EXIT_MISMATCH,
                            "no predicted superstep (%zu) can be told to be a recorded one (%zu): numbers of "
                            "repetitions differ",
                            n, p->step_count);
    } else {
        summary s = summarise(&t);
        code = SUP_EXIT_OK;
        if (q->json)
            code = emit_json(&t, &s);
        else
            print_table(&t, &s);
        if (!code && fflush(stdout)) code = sup_cli_fail(VERB, SUP_EXIT_FILE, "cannot write");
        if (!code && 100 * s.mean > limit)
            code = sup_cli_fail(VERB, SUP_EXIT_FAIL, "mean error %.1f%% is above %g%%", 100 * s.mean, limit);
    }
    free(t.lines);
    return code;
}

/* A trace and a profile. */
static int compare_here(const sup_predict_request *q, double limit) {
    sup_diag diag = {0};
    sup_predict_input in;
    sup_platform *m = NULL;
    sup_program_cost cost = {0};
    forecast *f = NULL;
    int code;
    if (sup_predict_open(q, &diag, &in)) return sup_cli_fail_diag(VERB, &diag);
    sup_status st = in.trace ? SUP_OK
                             : sup_diag_set(&diag, SUP_EINVAL, q->program, 0,
                                            "not a trace: nothing was measured that could be compared");
    if (!st) st = sup_predict_platform(q, &in, 0, true, &diag, &m);
    if (!st) st = sup_model_program(sup_model_find(q->model), m, in.program, &diag, &cost);
    if (!st) st = forecast_of(&cost, &diag, &f);
    code = st ? sup_cli_fail_diag(VERB, &diag)
              : report(q, limit, f, cost.step_count, in.program, sup_predict_clock(in.profile));
    free(f);
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
    forecast *f = NULL;
    size_t n = 0;
    sup_status st = sup_json_load(prediction, &diag, &doc);
    double clock_s = 0;
    if (!st) st = read_forecasts(doc, &diag, &f, &n);
    if (!st) st = sup_json_get_real(doc, sup_json_root(doc), "clock_s", false, 0, 1, &diag, &clock_s);
    if (!st) st = sup_trace_read(q->program, false, &diag, &trace);
    if (!st) st = sup_program_from_trace(trace, &diag, &program);
    int code = st ? sup_cli_fail_diag(VERB, &diag) : report(q, limit, f, n, program, clock_s);
    sup_program_free(program);
    sup_trace_free(trace);
    free(f);
    sup_json_free(doc);
    return code;
}

/* ---- for the report ---- */

/* What rank 0 asks for: "2.5 KB to each of 2". */
static void describe(const sup_step *s, const char *symbol, char *name, size_t size) {
    double messages = 0, bytes = 0, partners = 0;
    const sup_flow *f = s->flow_count ? &s->flows[0] : NULL;
    for (size_t i = 0; f && i < f->edge_count; i++) {
        const sup_edge *e = &f->edges[i];
        if (e->from != 0 || e->to == 0) continue;
        partners++;
        messages += e->messages;
        bytes += e->bytes;
    }
    const char *head = symbol ? symbol : "", *glue = symbol ? ": " : "";
    if (partners < 1)
        snprintf(name, size, "%s%snothing to move", head, glue);
    else if (messages > partners)
        snprintf(name, size, "%s%s%.4g × %.0f B to %.0f other%s", head, glue, messages / partners, bytes / messages,
                 partners, partners > 1 ? "s" : "");
    else
        snprintf(name, size, "%s%s%.0f B to %.0f other%s", head, glue, bytes / partners, partners,
                 partners > 1 ? "s" : "");
}

/* Nothing is computed between calls, and calls are not taken from the recording. */
static void forget_recorded(sup_program *p) {
    for (size_t i = 0; i < p->step_count; i++) {
        sup_step *s = &p->steps[i];
        s->recorded = false;
        for (size_t w = 0; w < s->work_count; w++) {
            s->works[w].deviation_s = 0;
            for (size_t r = 0; r < s->works[w].units.count; r++) s->works[w].units.each[r] = 0;
        }
    }
}

static sup_status hold(const table *t, const sup_program *p, bool described, sup_diag *diag, sup_held_list *out) {
    summary s = summarise(t);
    sup_held_list list = {.count = t->count, .parts = !described, .mean = s.mean, .worst = s.worst, .inside = s.inside};
    snprintf(list.title, sizeof list.title, "%.120s on %" PRId64 " processes",
             described ? "Supersteps of the runtime, of sizes that nothing was fitted to," : p->name, p->processes);
    list.at = calloc(t->count ? t->count : 1, sizeof *list.at);
    if (!list.at) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (size_t i = 0; i < t->count; i++) {
        const line *l = &t->lines[i];
        list.at[i] = (sup_held){.count = l->count,
                                .measured = l->measured,
                                .predicted = l->total.value,
                                .low = l->total.low,
                                .high = l->total.high,
                                .measured_compute = l->measured_compute,
                                .compute = l->compute,
                                .measured_sync = l->measured_rest,
                                .sync = l->rest};
        describe(&p->steps[i], described ? NULL : l->name, list.at[i].name, sizeof list.at[i].name);
    }
    *out = list;
    return SUP_OK;
}

sup_status sup_compare_held(const sup_profile *profile, const sup_trace *trace, bool described, sup_diag *diag,
                            sup_held_list *out) {
    sup_program *program = NULL;
    sup_platform *m = NULL;
    sup_program_cost cost = {0};
    forecast *f = NULL;
    table t = {0};
    sup_status st = sup_program_from_trace(trace, diag, &program);
    if (st) return st;
    const char *transport = trace->signature.transport;
    if (transport && !sup_profile_pairs(profile, transport)) transport = NULL;
    sup_platform_options o = {.transport = transport, .processes = program->processes};
    if (described)
        forget_recorded(program);
    else
        sup_predict_forget_clock(program, sup_predict_clock(profile));
    st = sup_platform_open(profile, &o, diag, &m);
    if (!st) st = sup_program_fit(program, m->processes, diag);
    if (!st) st = sup_model_program(sup_model_find(SUP_MODEL_DEFAULT), m, program, diag, &cost);
    if (!st) st = forecast_of(&cost, diag, &f);
    if (!st && !pair_up(f, cost.step_count, program, sup_predict_clock(profile), &t))
        st = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    if (!st) st = hold(&t, program, described, diag, out);
    free(t.lines);
    free(f);
    sup_program_cost_free(&cost);
    sup_platform_free(m);
    sup_program_free(program);
    return st;
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

static const char *model_word(size_t index) { return sup_models[index] ? sup_models[index]->name : NULL; }

static const sup_option options[] = {
    SUP_FILE("profile", sup_predict_request, profile, "predict the trace from this profile"),
    {"model", .value = "NAME", .kind = SUP_VALUE_WORD, SUP_TO(sup_predict_request, model), .word = model_word,
     .help = "with --profile: {words} (default " SUP_MODEL_DEFAULT ")"},
    SUP_PREDICT_NET("with --profile: transport"),
    SUP_PREDICT_BARRIER("with --profile: of bsp_sync: {words}, or a plan's file"),
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
