/* Trials and timings as values (trial.h): the kinds, the usual trial, and what a timing says. Stage "measure". */
#include "measure/lab/trial.h"

#include <math.h>

const sup_trial_row sup_trial_kinds[SUP_TRIAL_KINDS] = {
    [SUP_TRIAL_EMPTY] = {"empty requests", .term = 'm'},
    [SUP_TRIAL_ROUND_TRIP] = {"round trip", .term = 'm'},
    [SUP_TRIAL_STARTS] = {"message starts", .term = 'm'},
    [SUP_TRIAL_SYNC_SEND] = {"synchronous send", .term = 'm'},
    [SUP_TRIAL_EAGER] = {"eager send", .once = true},
    [SUP_TRIAL_RING] = {"ring", .term = 'm'},
    [SUP_TRIAL_STREAM] = {"couples", .term = 'm'},
    [SUP_TRIAL_BROADCAST] = {"broadcast", .term = 'm'},
    [SUP_TRIAL_EXCHANGE] = {"total exchange", .term = 'm'},
    [SUP_TRIAL_REDUCE] = {"reduction", .term = 'c'},
    [SUP_TRIAL_COPY] = {"copy", .term = 'm'},
    [SUP_TRIAL_SYNC] = {"barrier", .term = 's'},
    [SUP_TRIAL_INTERRUPTIONS] = {"interruptions", .share = 0.08}, /* what is rare is seen by who looks for long */
    [SUP_TRIAL_PACK] = {"packing", .term = 'm'},
    [SUP_TRIAL_SEGMENT] = {"segments", .check = true},
    [SUP_TRIAL_FETCH] = {"fetching", .check = true},
    [SUP_TRIAL_SIGNAL] = {"signal", .term = 's'},
    [SUP_TRIAL_SIGNAL_OUT] = {"signals to many", .term = 's'},
    [SUP_TRIAL_SIGNAL_BACK] = {"signals to many and back", .term = 's'},
    [SUP_TRIAL_PUBLISH] = {"published word", .term = 's'},
    [SUP_TRIAL_COLLECTIVE] = {"collective", .term = 'm'},
    [SUP_TRIAL_RATE] = {"rate", .quantities = 1, .term = 'c'},
    [SUP_TRIAL_LONG_RUN] = {"long run", .quantities = 1, .check = true},
    [SUP_TRIAL_STEP] = {"exchange", .quantities = 2, .term = 'm'},
    [SUP_TRIAL_OVERLAP] = {"overlap", .quantities = 3},
    [SUP_TRIAL_FIRST] = {"first time", .quantities = SUP_FIRST_VALUES},
};

int sup_trial_values(const sup_trial *t) {
    int quantities = sup_trial_kinds[t->kind].quantities;
    return quantities ? quantities : t->groups > 0 ? t->groups : 1;
}

sup_trial sup_trial_of(sup_trial_kind kind, const int *ranks, int groups, int group, size_t bytes) {
    return (sup_trial){
        .kind = kind, .groups = groups, .group = group, .ranks = ranks, .bytes = bytes, .records = 1, .use = 1.0};
}

void sup_timing_count(sup_timing *sum, const sup_timing *t) {
    sum->n += t->n;
    sum->dropped += t->dropped;
    sum->launches = t->launches > sum->launches ? t->launches : sum->launches;
}

sup_status sup_number_new(double value, double ci, const sup_timing *counted, sup_number **out) {
    sup_number *number = sup_record_make(&sup_number_record);
    if (!number) return SUP_ENOMEM;
    number->value = value;
    number->ci = isfinite(ci) ? ci : NAN;
    number->n = counted->n > 0 ? counted->n : 1;
    number->launches = counted->launches;
    number->rejected = counted->dropped;
    *out = number;
    return SUP_OK;
}

sup_status sup_timing_number(const sup_timing *t, double scale, sup_number **out) {
    sup_status status = sup_number_new(t->seconds * scale, t->ci * scale, t, out);
    if (status) return status;
    (*out)->typical = t->typical * scale;
    (*out)->bad = t->bad * scale;
    return SUP_OK;
}
