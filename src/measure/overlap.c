/* The share of communication that computation hides (overlap.h). */
#include "measure/overlap.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = {4096, 32768, 262144, 1048576, 4194304};
enum { SIZES = sizeof sizes / sizeof sizes[0], TRANSFER = 0, WORK, BOTH, VALUES };

const char *sup_overlap_engine(const char *engine) { return engine && strcmp(engine, "auto") != 0 ? engine : "eager"; }

static double share_of(double transfer, double work, double both) {
    double share = (transfer + work - both) / fmin(transfer, work);
    return fmin(1.0, fmax(0.0, share));
}

static sup_overlap *entry(sup_profile *profile, const char *transport, const char *engine, size_t bytes) {
    for (size_t i = 0; i < profile->overlap_count; i++) {
        sup_overlap *o = &profile->overlap[i];
        if (strcmp(o->transport, transport) != 0 || strcmp(o->engine, engine) != 0) continue;
        if (o->bytes != (int64_t)bytes) continue;
        sup_record_clear(&sup_overlap_record, o);
        return o;
    }
    return SUP_APPEND(&sup_overlap_record, profile->overlap, profile->overlap_count);
}

static sup_status store(sup_profile *profile, const char *transport, const char *engine, size_t bytes,
                        const sup_timing t[VALUES]) {
    double least = fmin(t[TRANSFER].seconds, t[WORK].seconds);
    if (!(least > 0.0)) return SUP_OK;
    sup_timing share = {.seconds = share_of(t[TRANSFER].seconds, t[WORK].seconds, t[BOTH].seconds),
                        .ci = hypot(hypot(t[TRANSFER].ci, t[WORK].ci), t[BOTH].ci) / least,
                        .typical = share_of(t[TRANSFER].typical, t[WORK].typical, t[BOTH].typical),
                        .bad = NAN,
                        .launches = t[BOTH].launches};
    for (int k = 0; k < VALUES; k++) {
        share.n += t[k].n;
        share.dropped += t[k].dropped;
    }
    sup_overlap *o = entry(profile, transport, engine, bytes);
    sup_status status = o ? sup_record_set_string(&o->transport, transport) : SUP_ENOMEM;
    if (!status) status = sup_record_set_string(&o->engine, engine);
    if (status) return status;
    o->bytes = (int64_t)bytes;
    return sup_timing_number(&share, 1.0, &o->share);
}

sup_status sup_measure_overlap(sup_lab *lab, sup_session *session, const char *engine, sup_profile *profile,
                               sup_diag *diag) {
    bool absent = false;
    if (lab->size < 2) return SUP_OK;
    for (size_t i = 0; i < SIZES; i++) {
        sup_timing t[VALUES];
        sup_trial trial = sup_trial_of(SUP_TRIAL_OVERLAP, NULL, 1, lab->size, sizes[i]);
        trial.engine = engine;
        sup_status status = sup_lab_ask(lab, session, "overlap", &trial, diag, t);
        absent |= status == SUP_ETIMEOUT;
        if (status == SUP_ETIMEOUT || status == SUP_ENOTSUP) continue;
        if (!status) status = store(profile, lab->transport, sup_overlap_engine(engine), sizes[i], t);
        if (status == SUP_ENOMEM) return sup_diag_set(diag, status, NULL, 0, "out of memory");
        if (status) return status;
    }
    return absent ? SUP_ETIMEOUT : SUP_OK;
}
