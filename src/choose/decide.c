/* What deciders share (decide.h). */
#include "choose/decide.h"

#include "model/sync/sync.h"
#include "plan/defaults.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define LEAST 1.03 /* times faster: two runs of one program differ by as much */
#define SENTENCE 480

bool sup_choose_better(sup_prediction chosen, sup_prediction usual) {
    return chosen.value > 0 && chosen.high < usual.low && usual.value >= LEAST * chosen.value;
}

sup_plan_decision *sup_choose_say(sup_plan *plan, const char *about, const char *choice, const char *otherwise) {
    sup_plan_decision *d = SUP_APPEND(&sup_plan_decision_record, plan->decisions, plan->decisions_count);
    if (!d || sup_record_set_string(&d->about, about) || sup_record_set_string(&d->choice, choice) ||
        sup_record_set_string(&d->otherwise, otherwise))
        return NULL;
    return d;
}

sup_status sup_choose_because(sup_plan_decision *d, const char *format, ...) {
    char text[SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sup_record_set_string(&d->reason, text);
}

sup_status sup_choose_where(sup_plan_decision *d, const char *format, ...) {
    char text[SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sup_record_set_string(&d->where, text);
}

void sup_choose_gain(sup_plan_decision *d, sup_prediction chosen, sup_prediction usual) {
    if (!(chosen.value > 0) || !(usual.value > 0)) return;
    d->gain_low = chosen.high > 0 ? usual.low / chosen.high : NAN;
    d->gain_high = chosen.low > 0 ? usual.high / chosen.low : NAN;
}

sup_status sup_choose_beat(sup_plan_decision *d, const char *choice, double predicted_s, double measured_s) {
    sup_plan_beaten *b = SUP_APPEND(&sup_plan_beaten_record, d->beaten, d->beaten_count);
    if (!b) return SUP_ENOMEM;
    b->predicted_s = predicted_s;
    b->measured_s = measured_s;
    return sup_record_set_string(&b->choice, choice);
}

/* A section that does not say where the progress thread runs has none; only the defaults have one by themselves. */
sup_plan_bsp *sup_choose_bsp(sup_plan *plan) {
    if (plan->bsp) return plan->bsp;
    plan->bsp = sup_record_make(&sup_plan_bsp_record);
    if (plan->bsp) plan->bsp->progress = sup_plan_defaults.bsp->progress;
    return plan->bsp;
}

double sup_choose_measured(const sup_profile *profile, const char *transport, const char *algorithm,
                           int64_t processes) {
    for (size_t i = 0; i < profile->sync_count; i++) {
        const sup_sync_time *s = &profile->sync[i];
        if (s->time_s && s->processes == processes && !s->payload_bytes && !strcmp(s->transport, transport) &&
            !strcmp(s->algorithm, algorithm))
            return s->time_s->value;
    }
    return NAN;
}

sup_status sup_choose_empty(const sup_platform *platform, sup_diag *diag, sup_prediction *out) {
    const sup_step nothing = {.repeat = 1};
    sup_terms t;
    sup_status st = sup_terms_open(platform->processes, diag, &t);
    if (st) return st;
    sup_terms_clear(&t);
    st = sup_sync_flow(platform, &nothing, &t, diag);
    if (!st) *out = sup_sync_longest(&t);
    sup_terms_close(&t);
    return st;
}
