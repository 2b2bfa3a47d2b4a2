/* Trials and timings as values (trial.h): the usual trial, and what a timing says. Stage "measure". */
#include "measure/trial.h"

#include "base/pace.h"

#include <math.h>

double sup_timing_beside(const sup_timing *t) {
    return t->batches > 0 ? fmin(1.0, (double)(t->rejected + t->disturbed) / (double)t->batches) : 0.0;
}

void sup_timing_widen(sup_timing *t) {
    double share = sup_timing_beside(t) - SUP_PACE_BUSY;
    if (share > 0.0) t->ci = fmax(t->ci, SUP_PACE_COSTS * share * t->seconds);
}

sup_trial sup_trial_of(sup_trial_kind kind, const int *ranks, int groups, int group, size_t bytes) {
    return (sup_trial){.kind = kind,
                       .groups = groups,
                       .group = group,
                       .ranks = ranks,
                       .bytes = bytes,
                       .records = 1,
                       .min_samples = 25,
                       .max_samples = 100,
                       .wanted = 0.01,
                       .max_seconds = 1.0};
}

void sup_timing_count(sup_timing *sum, const sup_timing *t) {
    sum->n += t->n;
    sum->reruns += t->reruns;
    sum->rejected += t->rejected;
}

sup_status sup_number_new(double value, double ci, const sup_timing *counted, sup_number **out) {
    sup_number *number = sup_record_make(&sup_number_record);
    if (!number) return SUP_ENOMEM;
    number->value = value;
    number->ci = isfinite(ci) ? ci : NAN;
    number->n = counted->n > 0 ? counted->n : 1;
    number->reruns = counted->reruns;
    number->rejected = counted->rejected;
    *out = number;
    return SUP_OK;
}

sup_status sup_timing_number(const sup_timing *t, double scale, sup_number **out) {
    return sup_number_new(t->seconds * scale, t->ci * scale, t, out);
}
