/* Barriers, measured (sync.h). The slowest process's time counts, as in BSP §5.6.6. Each is timed by itself, from when
 * everybody is there: back to back, who is first through one is first in the next, and waits there for those who are
 * still in the last, which no program does that computes in between. Tsync, stage "measure". */
#include "measure/sync.h"

#include "base/pattern.h"
#include "measure/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often and how long each barrier is run (0: as usual), and where the time goes. */
typedef struct manner {
    const char *text; /* for the session's progress */
    int min_samples, max_samples;
    double max_seconds;
    sup_status (*store)(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_timing *timing);
} manner;

static sup_sync_time *entry(sup_profile *profile, const char *transport, const char *algorithm, int64_t processes) {
    for (size_t i = 0; i < profile->sync_count; i++) {
        sup_sync_time *s = &profile->sync[i];
        bool same = !strcmp(s->transport, transport) && !strcmp(s->algorithm, algorithm);
        if (!same || s->processes != processes || s->payload_bytes != 0) continue;
        sup_record_clear(&sup_sync_record, s);
        return s;
    }
    return SUP_APPEND(&sup_sync_record, profile->sync, profile->sync_count);
}

static sup_status store_sync(sup_profile *profile, const sup_lab *lab, const char *algorithm,
                             const sup_timing *timing) {
    sup_sync_time *s = entry(profile, lab->transport, algorithm, lab->size);
    if (!s) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&s->transport, lab->transport);
    if (!status) status = sup_record_set_string(&s->algorithm, algorithm);
    s->processes = lab->size;
    s->payload_bytes = 0;
    return status ? status : sup_timing_number(timing, 1.0, &s->time_s);
}

static sup_status store_calibration(sup_profile *profile, const sup_lab *lab, const char *algorithm,
                                    const sup_timing *timing) {
    sup_calibration *c = SUP_APPEND(&sup_calibration_record, profile->calibration, profile->calibration_count);
    if (!c) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&c->transport, lab->transport);
    if (!status) status = sup_record_set_string(&c->algorithm, algorithm);
    c->processes = lab->size;
    c->stride = c->records = 1;
    return status ? status : sup_timing_number(timing, 1.0, &c->time_s);
}

/* The table backwards: dissemination, which bsp_sync uses, is measured before time runs out. */
static sup_status measure(sup_lab *lab, sup_session *session, const manner *how, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    int last = 0, count = 0, done = 0;
    for (; sup_generators[last]; last++) count += sup_generators[last]->barrier;
    sup_status status = SUP_OK;
    for (int number = last - 1; number >= 0 && !status; number--) {
        if (!sup_generators[number]->barrier) continue;
        sup_timing timing;
        sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, everybody, 1, lab->size, 0);
        trial.number = number;
        if (how->min_samples) trial.min_samples = how->min_samples;
        if (how->max_samples) trial.max_samples = how->max_samples;
        /* as much for each that is to come */
        trial.max_seconds = fmin(how->max_seconds, sup_session_left(session) / (count + 0.5 - done));
        status = sup_lab_try(lab, session, (double)done++ / count, how->text, &trial, diag, &timing);
        if (!status) status = how->store(profile, lab, sup_generators[number]->name, &timing);
    }
    free(everybody);
    return status;
}

sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    const manner how = {.text = "barriers", .max_samples = 200, .max_seconds = 1.0, .store = store_sync};
    return measure(lab, session, &how, profile, diag);
}

sup_status sup_measure_calibration(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    const manner how = {.text = "calibration", .min_samples = 7, .max_seconds = 0.3, .store = store_calibration};
    return measure(lab, session, &how, profile, diag);
}
