/* Reading for predict and compare: a program's requirements from a description or a recording, a profile, and the
 * barrier that a plan or a name says. */
#include "cli/predict.h"

#include "model/program_kernels.h"
#include "plan/plan.h"

#include <inttypes.h>
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

static double flops(const sup_profile *p) {
    return p->classic_count && p->classic[0].flops_per_s ? p->classic[0].flops_per_s->value : 0;
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

/* Recorded seconds become those of the profile's machine by the ratio of r. */
static sup_status scale_computation(const sup_predict_request *q, sup_predict_input *in, sup_diag *diag) {
    in->compute_scale = 1;
    if (in->trace && !q->recorded_on) sup_predict_forget_clock(in->program, sup_predict_clock(in->profile));
    if (!q->recorded_on) return SUP_OK;
    sup_status st = sup_profile_read(q->recorded_on, false, diag, &in->recorded_on);
    if (st) {
        name_file(diag, q->recorded_on);
        return st;
    }
    double there = flops(in->recorded_on), here = flops(in->profile);
    if (!(there > 0) || !(here > 0))
        return sup_diag_set(diag, SUP_ENOENT, there > 0 ? q->profile : q->recorded_on, 0,
                            "no rate r (classic) to scale recorded computation by; `superstep measure` measures it");
    in->compute_scale = there / here;
    if (in->trace) sup_predict_forget_clock(in->program, sup_predict_clock(in->recorded_on));
    return SUP_OK;
}

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
    in->barrier_asked = sup_generator_find(q->barrier);
    return in->barrier_asked ? SUP_OK : barrier_of_plan(q->barrier, diag, &in->barrier);
}

sup_status sup_predict_open(const sup_predict_request *q, sup_diag *diag, sup_predict_input *out) {
    sup_predict_input in = {0};
    sup_status st = open_program(q->program, diag, &in);
    if (!st) {
        st = sup_profile_read(q->profile, false, diag, &in.profile);
        if (st) name_file(diag, q->profile);
    }
    if (!st) st = scale_computation(q, &in, diag);
    if (!st && in.trace) sup_program_kernels(in.profile, in.trace, in.program, in.known, sizeof in.known);
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

static void note_origin(const sup_predict_request *q, const sup_predict_input *in, sup_platform *m) {
    if (in->known[0]) sup_platform_note(m, "%s", in->known);
    if (!in->trace || q->recorded_on) return;
    const sup_origin *a = &in->trace->signature, *b = &in->profile->signature;
    if (a->cpu && b->cpu && strcmp(a->cpu, b->cpu) != 0)
        sup_platform_note(m, "computation is as recorded on %s; --recorded-on PROFILE scales it", a->cpu);
}

sup_status sup_predict_platform(const sup_predict_request *q, sup_predict_input *in, int64_t processes, bool what_if,
                                sup_diag *diag, sup_platform **out) {
    sup_platform_options o = {.transport = q->net,
                              .processes = processes ? processes : q->processes,
                              .confidence = q->confidence,
                              .what_if = what_if ? q->what_if : NULL,
                              .extend = q->extend,
                              .counts = q->counts,
                              .compute_scale = in->compute_scale};
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
    if (in->barrier_asked) in->barrier = sup_pattern_make(in->barrier_asked, m->processes);
    if (in->barrier.processes) m->barrier = &in->barrier;
    st = sup_program_fit(in->program, m->processes, diag);
    if (st) {
        sup_platform_free(m);
        name_file(diag, q->program);
        return st;
    }
    note_origin(q, in, m);
    *out = m;
    return SUP_OK;
}
