/* superstep predict --sweep: where the program of each number of processes comes from. A description is taken as it is
 * or made strong or weak; a trace needs a rule, or traces of other numbers of processes. */
#include "cli/predict/predict.h"

#include <inttypes.h>
#include <string.h>

static sup_status open_more(const sup_predict_request *q, sup_diag *diag, sup_predict_scale *s) {
    for (int k = 0; k < q->more_count; k++) {
        sup_predict_request one = *q;
        one.program = q->more[k];
        sup_status st = sup_predict_open(&one, diag, &s->more[k]);
        if (st) return st;
        s->more_count++;
        if (!s->more[k].trace)
            return sup_diag_set(diag, SUP_EINVAL, q->more[k], 0, "this is no trace; a description is for any number");
    }
    return SUP_OK;
}

static sup_status fit(const sup_predict_request *q, const sup_predict_input *in, sup_diag *diag, sup_predict_scale *s) {
    const sup_program *all[1 + SUP_PREDICT_PROGRAMS_MAX] = {in->program};
    if (q->scaling || q->rule)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--%s: several traces say themselves how they scale",
                            q->scaling ? "scaling" : "rule");
    sup_status st = open_more(q, diag, s);
    for (int k = 0; k < s->more_count; k++) all[1 + k] = s->more[k].program;
    if (!st) st = sup_scaling_fit(all, 1 + s->more_count, diag, &s->law);
    if (!st) s->kind = sup_scaling_strong(s->law) ? SUP_SCALING_STRONG : SUP_SCALING_WEAK;
    return st;
}

static int kind_asked(const sup_predict_request *q) {
    if (!q->scaling) return SUP_SCALING_AS_IS;
    return !strcmp(q->scaling, "weak") ? SUP_SCALING_WEAK : SUP_SCALING_STRONG;
}

static sup_status by_rule(const sup_predict_request *q, const sup_predict_input *in, sup_diag *diag,
                          sup_predict_scale *s) {
    s->kind = kind_asked(q) == SUP_SCALING_WEAK ? SUP_SCALING_WEAK : SUP_SCALING_STRONG;
    sup_status st = sup_rule_parse(q->rule, diag, &s->rule);
    if (st) return st;
    return sup_scaling_rule(in->program, &s->rule, s->kind == SUP_SCALING_WEAK, diag, &s->law);
}

static sup_status one_trace(const sup_predict_request *q, const sup_predict_input *in, const sup_sweep *sweep,
                            sup_diag *diag, sup_predict_scale *s) {
    s->kind = SUP_SCALING_STRONG;
    bool other = q->scaling != NULL;
    for (int k = 0; k < sweep->count; k++) other |= sweep->at[k] != in->program->processes;
    if (!other) return SUP_OK;
    return sup_diag_set(diag, SUP_EINVAL, q->program, 0,
                        "a trace of %" PRId64 " processes does not say how it scales: give traces of other numbers of "
                        "processes too, or --rule 'work=n/P, bytes=...'",
                        in->program->processes);
}

static sup_status describe(const sup_predict_request *q, const sup_predict_input *in, sup_diag *diag,
                           sup_predict_scale *s) {
    int own = (int)sup_program_scaling(in->program);
    if (q->rule || q->check || q->more_count)
        return sup_diag_set(diag, SUP_EINVAL, q->program, 0, "%s for traces, and this is a description",
                            q->rule    ? "--rule is"
                            : q->check ? "--check is"
                                       : "several files are");
    s->kind = q->scaling ? kind_asked(q) : own;
    s->changed = q->scaling != NULL;
    return SUP_OK;
}

sup_status sup_predict_scale_open(const sup_predict_request *q, const sup_predict_input *in, const sup_sweep *sweep,
                                  sup_diag *diag, sup_predict_scale *out) {
    sup_predict_scale s = {.first = sweep->at[0]};
    sup_status st;
    for (int k = 0; k < sweep->count; k++)
        if (sweep->at[k] < s.first) s.first = sweep->at[k];
    if (!in->trace)
        st = describe(q, in, diag, &s);
    else if (q->more_count)
        st = fit(q, in, diag, &s);
    else if (q->rule)
        st = by_rule(q, in, diag, &s);
    else
        st = one_trace(q, in, sweep, diag, &s);
    if (!st && q->check && !s.law)
        st = sup_diag_set(diag, SUP_EINVAL, NULL, 0, "--check: there is no rule and there are no traces to check");
    if (st)
        sup_predict_scale_close(&s);
    else
        *out = s;
    return st;
}

void sup_predict_scale_close(sup_predict_scale *s) {
    sup_scaling_free(s->law);
    sup_rule_free(&s->rule);
    for (int k = 0; k < s->more_count; k++) sup_predict_close(&s->more[k]);
    *s = (sup_predict_scale){0};
}

sup_status sup_predict_scale_at(const sup_predict_scale *s, const sup_predict_input *in, int64_t processes,
                                sup_diag *diag, sup_program **out) {
    *out = NULL;
    if (s->law) return sup_scaling_at(s->law, processes, diag, out);
    if (!s->changed) return SUP_OK;
    return sup_program_scaled(in->program, s->kind, s->first, processes, diag, out);
}
