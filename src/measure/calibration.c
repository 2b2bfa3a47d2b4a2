/* Calibration runs (calibration.h): the barriers. Tsync, stage "measure". */
#include "measure/calibration.h"

#include "measure/sync.h"

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
    const sup_barrier_trials how = {.text = "calibration", .min_samples = 7, .max_seconds = 0.3, .store = store};
    return sup_measure_barriers(lab, session, &how, profile, diag);
}
