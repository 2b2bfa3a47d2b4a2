/* Calibration runs (calibration.h): the barriers. Tsync, stage "measure". */
#include "measure/calibration.h"

#include "measure/sync.h"

#include <math.h>
#include <stdlib.h>

static const char *const barriers[] = {"dissemination", "tree", "linear"}; /* sup_barrier_kind */
enum { BARRIERS = 3 };

static sup_status store(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_timing *timing) {
    sup_calibration *c = SUP_APPEND(&sup_calibration_record, profile->calibration, profile->calibration_count);
    if (!c) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&c->transport, lab->transport);
    if (!status) status = sup_record_set_string(&c->algorithm, algorithm);
    c->processes = lab->size;
    c->stride = c->records = 1;
    return status ? status : sup_timing_number(timing, 1.0, &c->time_s);
}

sup_status sup_measure_calibration(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    sup_status status = SUP_OK;
    for (int k = 0; k < BARRIERS && !status; k++) {
        sup_timing timing;
        sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, everybody, 1, lab->size, 0);
        trial.number = k;
        trial.min_samples = 7;
        trial.max_seconds = fmin(0.3, sup_session_left(session) / (BARRIERS + 0.5 - k));
        status = sup_lab_try(lab, session, (double)k / BARRIERS, "calibration", &trial, diag, &timing);
        if (!status) status = store(profile, lab, barriers[k], &timing);
    }
    free(everybody);
    return status;
}
