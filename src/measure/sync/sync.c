/* Barriers (sync.h). The slowest process's time counts, as in BSP §5.6.6. Each is timed by itself, from when everybody
 * is there: back to back, who is first through one is first in the next, and waits there for those who are still in the
 * last, which no program does that computes in between. Tsync, stage "measure". */
#include "measure/sync/sync.h"

#include "base/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

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

sup_status sup_sync_keep(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_timing *timing) {
    sup_sync_time *s = entry(profile, lab->transport, algorithm, lab->size);
    if (!s) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&s->transport, lab->transport);
    if (!status) status = sup_record_set_string(&s->algorithm, algorithm);
    s->processes = lab->size;
    s->payload_bytes = 0;
    return status ? status : sup_timing_number(timing, 1.0, &s->time_s);
}

sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_no_memory(diag);
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    sup_status status = SUP_OK;
    bool missing = false;
    sup_sync_words words;
    sup_sync_words_find(lab->places, lab->size, &words);
    for (size_t k = 0; k < words.count && !status; k++) {
        sup_timing timing;
        sup_trial trial = sup_trial_of(SUP_TRIAL_SYNC, everybody, 1, lab->size, 0);
        trial.kernel = words.at[k];
        trial.use = 2.0; /* every superstep has one */
        status = sup_lab_ask(lab, session, "barriers", &trial, diag, &timing);
        missing |= status == SUP_ETIMEOUT;
        if (!status) status = sup_sync_keep(profile, lab, words.at[k], &timing);
        if (status == SUP_ETIMEOUT) status = SUP_OK;
    }
    free(everybody);
    return status ? status : missing ? SUP_ETIMEOUT : SUP_OK;
}
