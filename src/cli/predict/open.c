/* Reading for predict and compare: a program's requirements from a description or a recording, a profile, and the
 * barrier that a plan or a name says. */
#include "cli/machine/machine.h"
#include "cli/predict/predict.h"

#include "model/equation/program_kernels.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *sup_model_word(size_t index) { return sup_models[index] ? sup_models[index]->name : NULL; }

static void name_file(sup_diag *diag, const char *path) {
    if (!diag->file[0]) snprintf(diag->file, sizeof diag->file, "%s", path);
}

static sup_status open_program(const char *path, sup_diag *diag, sup_predict_input *in) {
    sup_json *doc = NULL;
    const char *kind = NULL;
    int64_t schema = 0;
    sup_status st = sup_json_load(path, diag, &doc);
    if (!st) st = sup_record_file_kind(doc, diag, &kind, &schema);
    if (!st && !strcmp(kind, SUP_TRACE_KIND)) {
        st = sup_trace_parse(doc, false, diag, &in->trace);
        if (!st) st = sup_program_from_trace(in->trace, diag, &in->program);
    } else if (!st && !strcmp(kind, SUP_PROGRAM_KIND)) {
        st = sup_program_parse(doc, path, diag, &in->program);
    } else if (!st) {
        st = sup_json_error(doc, sup_json_root(doc), "kind", -1, diag,
                            "a program is a \"" SUP_PROGRAM_KIND "\" or a \"" SUP_TRACE_KIND "\"");
    }
    sup_json_free(doc);
    if (st) name_file(diag, path);
    return st;
}

double sup_predict_without(double seconds, double clock_s) {
    return seconds > 2 * clock_s ? seconds - clock_s : seconds / 2;
}

void sup_predict_forget_clock(sup_program *p, double clock_s) {
    for (size_t i = 0; i < p->step_count; i++)
        for (size_t w = 0; w < p->steps[i].work_count; w++) {
            sup_vector *seconds = &p->steps[i].works[w].units;
            for (size_t r = 0; r < seconds->count; r++)
                seconds->each[r] = sup_predict_without(seconds->each[r], clock_s);
        }
}

/* ---- recorded computation on another machine ---- */

static const char *cpu_of(const sup_origin *o) { return o->cpu ? o->cpu : "an unknown processor"; }

/* A machine that is made of such nodes has their rates, however many there are. */
static bool carries_over(const sup_origin *there, const sup_profile *profile) {
    const sup_origin *here = &profile->signature;
    if (sup_carry_same(there, here)) return true;
    return profile->composed && there->cpu && here->cpu && !strcmp(there->cpu, here->cpu);
}

sup_status sup_predict_carries(const sup_trace *trace, const sup_profile *profile, sup_diag *diag) {
    const sup_origin *there = &trace->signature, *here = &profile->signature;
    if (carries_over(there, profile)) return SUP_OK;
    bool processor = there->cpu && here->cpu && strcmp(there->cpu, here->cpu) != 0;
    return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0,
                        "recorded on %.60s, and the profile is of %.60s%s: computation does not carry over; with "
                        "predict and compare, --recorded-on PROFILE of that machine scales it by measured rates, "
                        "--recorded-scale X by a factor of your own",
                        cpu_of(there), cpu_of(here), processor ? "" : " in a machine of another shape");
}

static sup_status open_recorded_on(const sup_predict_request *q, sup_predict_input *in, sup_diag *diag) {
    sup_status st = sup_machine_read(q->recorded_on, diag, &in->recorded_on);
    if (st) name_file(diag, q->recorded_on);
    if (st || !in->trace || sup_carry_same(&in->trace->signature, &in->recorded_on->signature)) return st;
    return sup_diag_set(diag, SUP_EMISMATCH, q->recorded_on, 0,
                        "is of %.60s, and not of the machine on which the trace was recorded (%.60s)",
                        cpu_of(&in->recorded_on->signature), cpu_of(&in->trace->signature));
}

/* Recorded seconds are those of the profile's machine, or become them, or there is no prediction. */
static sup_status open_computation(const sup_predict_request *q, sup_predict_input *in, sup_diag *diag) {
    sup_status st = SUP_OK;
    if (q->recorded_on && q->recorded_scale > 0)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--recorded-on and --recorded-scale exclude each other");
    if (q->recorded_on) st = open_recorded_on(q, in, diag);
    if (st || !in->trace) return st;
    sup_predict_forget_clock(in->program, sup_predict_clock(in->recorded_on ? in->recorded_on : in->profile));
    size_t known = sup_program_kernels(in->profile, in->trace, in->program, in->known, sizeof in->known);
    if (known < in->program->step_count && !q->recorded_on && !(q->recorded_scale > 0))
        st = sup_predict_carries(in->trace, in->profile, diag);
    if (st) name_file(diag, q->program);
    return st;
}

/* Processes of a host of the run. */
static int64_t active_of(const sup_origin *o) {
    return o->hosts > 0 ? (o->processes + o->hosts - 1) / o->hosts : o->processes;
}

static sup_status carry(const sup_predict_request *q, const sup_predict_input *in, sup_platform *m, sup_diag *diag) {
    if (q->recorded_scale > 0) {
        sup_platform_scale(m, q->recorded_scale, 0);
        sup_platform_note(m, "recorded computation times %.4g, as asked for", q->recorded_scale);
    }
    if (!in->recorded_on) return SUP_OK;
    sup_carry c;
    int64_t there = active_of(in->trace ? &in->trace->signature : &in->recorded_on->signature);
    sup_status st = sup_carry_ratio(in->recorded_on, there, in->profile, m->per_host, m->confidence, diag, &c);
    if (st) return st;
    double half = fmax(c.ratio.high - c.ratio.value, c.ratio.value - c.ratio.low);
    sup_platform_scale(m, c.ratio.value, half / c.ratio.value);
    sup_platform_note(m, "recorded computation times %.3g (%.3g to %.3g), by %zu kernels of both profiles",
                      c.ratio.value, c.ratio.low, c.ratio.high, c.kernels);
    return SUP_OK;
}

/* ---- the rest ---- */

static sup_status barrier_of_plan(const char *path, sup_diag *diag, sup_pattern *out) {
    sup_plan *plan = NULL;
    sup_status st = sup_plan_read(path, false, diag, &plan);
    if (st) {
        name_file(diag, path);
        return st;
    }
    if (!plan->barrier) {
        st = sup_diag_set(diag, SUP_EINVAL, path, 0, "the plan has no barrier");
    } else {
        st = sup_plan_barrier_pattern(plan->barrier, out);
        if (st) sup_diag_set(diag, st, path, 0, "the barrier cannot be expanded: %s", sup_status_text(st));
    }
    sup_plan_free(plan);
    return st;
}

static sup_status open_barrier(const sup_predict_request *q, sup_predict_input *in, sup_diag *diag) {
    if (!q->barrier) return SUP_OK;
    if (sup_pattern_kind_read(q->barrier, &in->barrier_asked)) return SUP_OK;
    in->barrier_asked.generator = NULL;
    char name[SUP_PATTERN_WORD], why[200];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(q->barrier, ":"), q->barrier);
    if (!sup_generator_find(name)) return barrier_of_plan(q->barrier, diag, &in->barrier);
    sup_pattern_kind_why(q->barrier, why, sizeof why);
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--barrier %.40s: %s", q->barrier, why);
}

sup_status sup_predict_open(const sup_predict_request *q, sup_diag *diag, sup_predict_input *out) {
    sup_predict_input in = {0};
    sup_status st = open_program(q->program, diag, &in);
    if (!st) {
        st = sup_machine_read(q->profile, diag, &in.profile);
        if (st) name_file(diag, q->profile);
    }
    if (!st) st = open_computation(q, &in, diag);
    if (!st) st = open_barrier(q, &in, diag);
    if (st)
        sup_predict_close(&in);
    else
        *out = in;
    return st;
}

void sup_predict_close(sup_predict_input *in) {
    sup_pattern_free(&in->barrier);
    sup_profile_free(in->recorded_on);
    sup_profile_free(in->profile);
    sup_program_free(in->program);
    sup_trace_free(in->trace);
    *in = (sup_predict_input){0};
}

/* What was recorded with: "auto" is the runtime's default. */
static const char *engine_of(const sup_predict_request *q, const sup_predict_input *in) {
    const char *engine = q->engine ? q->engine : in->program->engine;
    return engine && strcmp(engine, "auto") != 0 ? engine : NULL;
}

sup_status sup_predict_platform(const sup_predict_request *q, sup_predict_input *in, int64_t processes, bool what_if,
                                sup_diag *diag, sup_platform **out) {
    sup_platform_options o = {.transport = q->net,
                              .processes = processes ? processes : q->processes,
                              .confidence = q->confidence,
                              .what_if = what_if ? q->what_if : NULL,
                              .extend = q->extend,
                              .extends = q->extends,
                              .counts = q->counts,
                              .engine = engine_of(q, in)};
    if (!o.processes) o.processes = in->program->processes;
    sup_platform *m;
    if (!q->net && in->trace && in->trace->signature.transport &&
        sup_profile_pairs(in->profile, in->trace->signature.transport))
        o.transport = in->trace->signature.transport; /* recorded over it */
    sup_status st = sup_platform_open(in->profile, &o, diag, &m);
    if (st) {
        name_file(diag, q->profile); /* unless it is about the what-if, which has its name already */
        return st;
    }
    if (in->barrier_asked.generator) in->barrier = sup_pattern_of(in->barrier_asked, m->processes);
    if (in->barrier.processes) sup_platform_barrier(m, &in->barrier);
    st = sup_program_fit(in->program, m->processes, diag);
    if (st) {
        sup_platform_free(m);
        name_file(diag, q->program);
        return st;
    }
    st = carry(q, in, m, diag);
    if (st) {
        sup_platform_free(m);
        return st;
    }
    if (in->known[0]) sup_platform_note(m, "%s", in->known);
    *out = m;
    return SUP_OK;
}
