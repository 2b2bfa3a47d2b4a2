/* Barriers, measured (sync.h). The slowest process's time counts, as in BSP §5.6.6. Each is timed by itself, from when
 * everybody is there: back to back, who is first through one is first in the next, and waits there for those who are
 * still in the last, which no program does that computes in between. Tsync, stage "measure". */
#include "measure/sync.h"

#include "coll/barrier.h"
#include "measure/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [SUP_BARRIER_DISSEMINATION] = "dissemination", [SUP_BARRIER_TREE] = "tree", [SUP_BARRIER_LINEAR] = "linear"};

sup_status sup_lab_try(sup_lab *lab, sup_session *session, double share, const char *text, const sup_trial *trial,
                       sup_diag *diag, sup_timing *out) {
    sup_status status = sup_session_tick(session, share, text);
    if (status) return status;
    double left = sup_session_left(session);
    if (left <= 0.0) return sup_lab_known(lab, trial, out) ? SUP_OK : SUP_ETIMEOUT;
    sup_trial t = *trial;
    t.max_seconds = fmin(t.max_seconds, left);
    status = sup_lab_run(lab, &t, diag, out);
    if (status) return status;
    for (int g = 0; g < t.groups; g++) sup_session_count(session, (uint64_t)out[g].batches, (uint64_t)out[g].rejected);
    sup_session_look(session);
    return out[0].status;
}

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

static sup_status store(sup_lab *lab, sup_profile *profile, int kind, const sup_timing *timing) {
    sup_sync_time *s = entry(profile, lab->transport, names[kind], lab->size);
    if (!s) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&s->transport, lab->transport);
    if (!status) status = sup_record_set_string(&s->algorithm, names[kind]);
    s->processes = lab->size;
    s->payload_bytes = 0;
    return status ? status : sup_timing_number(timing, 1.0, &s->time_s);
}

sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    sup_status status = SUP_OK;
    for (int kind = 0; kind < 3 && !status; kind++) {
        sup_timing timing;
        sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, everybody, 1, lab->size, 0);
        trial.number = kind;
        trial.max_samples = 200;
        trial.max_seconds = fmin(1.0, sup_session_left(session) / (3.5 - kind)); /* as much for each that is to come */
        status = sup_lab_try(lab, session, kind / 3.0, "barriers", &trial, diag, &timing);
        if (!status) status = store(lab, profile, kind, &timing);
    }
    free(everybody);
    return status;
}
