/* The share of communication that computation hides (overlap.h). */
#include "measure/exchange/overlap.h"

#include "base/number/stats.h"
#include "base/number/student.h"

#include <math.h>
#include <string.h>

/* The first ones are always measured. */
static const size_t sizes[] = {32768, 262144, 1048576, 4096, 4194304};
enum { SIZES = sizeof sizes / sizeof sizes[0], USUAL = 3, TRANSFER = 0, WORK, BOTH, VALUES };
enum { LAUNCHES_MAX = 64, ENOUGH = 3 };
#define LEAST 0.01 /* no share is better known */

/* What a launch with the default engine measures is said of this one. */
static const char *engine_name(const char *engine) { return engine && strcmp(engine, "auto") != 0 ? engine : "eager"; }

static double raw_share(double transfer, double work, double both) {
    return (transfer + work - both) / fmin(transfer, work);
}

static double share_of(double transfer, double work, double both) {
    return fmin(1.0, fmax(0.0, raw_share(transfer, work, both)));
}

/* Each launch has its own amount of work, and differs from others in all three times alike: so shares are those that
 * launches found, unclamped. Returns how many there are. */
static size_t shares_of(const sup_lab *lab, const sup_trial *trial, double out[LAUNCHES_MAX]) {
    const sup_point *p = sup_store_find(lab->store, trial);
    size_t n = 0;
    for (size_t i = 0; p && i < p->found[BOTH].low_count && n < LAUNCHES_MAX; i++) {
        bool all = i < p->found[TRANSFER].low_count && i < p->found[WORK].low_count;
        double share = all ? raw_share(p->found[TRANSFER].low[i], p->found[WORK].low[i], p->found[BOTH].low[i]) : NAN;
        if (isfinite(share)) out[n++] = share;
    }
    return n;
}

/* Of one launch: what is known of the three times. */
static sup_timing share_from(const sup_timing t[VALUES], const double *shares, size_t n) {
    double least = fmin(t[TRANSFER].seconds, t[WORK].seconds);
    sup_timing s = {.seconds = share_of(t[TRANSFER].seconds, t[WORK].seconds, t[BOTH].seconds),
                    .ci = hypot(hypot(t[TRANSFER].ci, t[WORK].ci), t[BOTH].ci) / least,
                    .typical = share_of(t[TRANSFER].typical, t[WORK].typical, t[BOTH].typical),
                    .bad = NAN,
                    .launches = t[BOTH].launches};
    if (n > 0) s.seconds = fmin(1.0, fmax(0.0, sup_stats_median(shares, n)));
    if (n >= ENOUGH)
        s.ci = sup_student_two_sided(0.95, (double)n - 1.0) *
               sqrt(2.0 * (sup_stats_variance(shares, n) / (double)n + LEAST * LEAST));
    s.ci = fmin(s.ci, 1.0);
    for (int k = 0; k < VALUES; k++) {
        s.n += t[k].n;
        s.dropped += t[k].dropped;
    }
    return s;
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
                        const sup_timing *share) {
    sup_overlap *o = entry(profile, transport, engine, bytes);
    sup_status status = o ? sup_record_set_string(&o->transport, transport) : SUP_ENOMEM;
    if (!status) status = sup_record_set_string(&o->engine, engine);
    if (status) return status;
    o->bytes = (int64_t)bytes;
    return sup_timing_number(share, 1.0, &o->share);
}

sup_status sup_measure_overlap(sup_lab *lab, sup_session *session, const char *engine, sup_profile *profile,
                               sup_diag *diag) {
    bool absent = false;
    if (lab->size < 2) return SUP_OK;
    size_t count = sup_lab_is_deep(lab, SUP_MEASURE_OVERLAP) ? SIZES : USUAL;
    for (size_t i = 0; i < count; i++) {
        double shares[LAUNCHES_MAX];
        sup_timing t[VALUES];
        sup_trial trial = sup_trial_of(SUP_TRIAL_OVERLAP, NULL, 1, lab->size, sizes[i]);
        trial.engine = engine;
        sup_status status = sup_lab_ask(lab, session, "overlap", &trial, diag, t);
        absent |= status == SUP_ETIMEOUT && (lab->visit || i < USUAL);
        if (status == SUP_ETIMEOUT || status == SUP_ENOTSUP) continue;
        if (!status) {
            sup_timing share = share_from(t, shares, shares_of(lab, &trial, shares));
            status = store(profile, lab->transport, engine_name(engine), sizes[i], &share);
        }
        if (status == SUP_ENOMEM) return sup_diag_set(diag, status, NULL, 0, "out of memory");
        if (status) return status;
    }
    return absent ? SUP_ETIMEOUT : SUP_OK;
}
