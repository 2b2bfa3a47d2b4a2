/* Supersteps to calibrate predictions with (calibration.h): which there are, and their entries in the profile. */
#include "measure/calibration.h"

#include "base/pattern.h"

#include <math.h>
#include <string.h>

/* Not twice as far apart; and on both sides of where the runtime does something else: a log in one cache line, in its
 * first chunk, with a length that fits into 16 bits. */
static const size_t calibrated[] = {8,    24,    32,    56,    100,   180,   320,   570,    1000,   1800,   3300,
                                    6000, 11000, 20000, 32000, 34000, 60000, 70000, 120000, 220000, 400000, 800000};
enum { CALIBRATED = sizeof calibrated / sizeof calibrated[0], FEW = 4, FEW_ONLY = 3300, ALL = 64 };

const size_t sup_step_others[] = {16, 128, 512, 4096, 16000, 65536, 250000, 600000, 0};

int sup_step_patterns(int processes, sup_step_pattern out[SUP_STEP_PATTERNS_MAX]) {
    int all = processes - 1 < ALL ? processes - 1 : ALL, count = 0;
    out[count++] = (sup_step_pattern){all < 2 ? all : 2, 1};
    out[count++] = (sup_step_pattern){all < 2 ? all : 2, 2};
    if (all > FEW) out[count++] = (sup_step_pattern){FEW, 1};
    if (all > 2) out[count++] = (sup_step_pattern){all, 1};
    return count;
}

bool sup_step_allowed(const sup_step_pattern *p, size_t bytes) { return p->partners <= FEW || bytes <= FEW_ONLY; }

bool sup_step_calibrates(size_t bytes) {
    for (size_t i = 0; i < CALIBRATED; i++)
        if (calibrated[i] == bytes) return (bytes & (bytes - 1)) != 0; /* powers of two are where curves begin */
    return false;
}

static void forget(sup_profile *profile, const sup_lab *lab) {
    size_t kept = 0;
    for (size_t i = 0; i < profile->calibration_count; i++) {
        sup_calibration *c = &profile->calibration[i];
        if (!strcmp(c->transport, lab->transport) && c->processes == lab->size)
            sup_record_clear(&sup_calibration_record, c);
        else
            profile->calibration[kept++] = *c;
    }
    profile->calibration_count = kept;
}

/* Calls and sync together. */
static sup_timing sum_of(const sup_timing t[2]) {
    sup_timing s = t[0];
    s.seconds = t[0].seconds + t[1].seconds;
    s.ci = hypot(t[0].ci, t[1].ci);
    s.typical = t[0].typical + t[1].typical;
    s.bad = t[0].bad + t[1].bad;
    return s;
}

static sup_status store(sup_profile *profile, const sup_lab *lab, const sup_trial *trial, const sup_timing t[2]) {
    sup_calibration *c = SUP_APPEND(&sup_calibration_record, profile->calibration, profile->calibration_count);
    if (!c) return SUP_ENOMEM;
    sup_timing whole = sum_of(t);
    bool empty = trial->number == 0;
    sup_status status = sup_record_set_string(&c->transport, lab->transport);
    if (!status && empty) status = sup_record_set_string(&c->algorithm, sup_generator_dissemination.name);
    c->processes = lab->size;
    c->messages = trial->number;
    c->bytes = (int64_t)trial->bytes;
    c->records = trial->records;
    c->stride = trial->stride;
    if (!status && !empty) status = sup_timing_number(&t[0], 1.0, &c->calls_s);
    return status ? status : sup_timing_number(empty ? &t[1] : &whole, 1.0, &c->time_s);
}

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_profile *profile;
    sup_diag *diag;
    bool begun;  /* what was there before is gone */
    bool absent; /* something is not known */
} work;

static sup_status ask(work *w, const sup_step_pattern *p, size_t bytes) {
    sup_timing t[2];
    sup_trial trial = sup_trial_of(SUP_TRIAL_STEP, NULL, 1, w->lab->size, bytes);
    trial.number = p->partners;
    trial.records = p->records;
    trial.stride = w->lab->size >= 8 ? w->lab->size / 4 : 1;
    sup_status status = sup_lab_ask(w->lab, w->session, "supersteps", &trial, w->diag, t);
    if (status == SUP_ETIMEOUT || status == SUP_ENOTSUP) {
        w->absent |= status == SUP_ETIMEOUT;
        return SUP_OK;
    }
    if (status) return status;
    if (!w->begun) forget(w->profile, w->lab);
    w->begun = true;
    status = store(w->profile, w->lab, &trial, t);
    return status ? sup_diag_set(w->diag, status, NULL, 0, "out of memory") : SUP_OK;
}

sup_status sup_measure_calibration(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2 || lab->oversubscribed || strcmp(lab->transport, "shm") != 0) return SUP_OK;
    sup_step_pattern patterns[SUP_STEP_PATTERNS_MAX];
    int kinds = sup_step_patterns(lab->size, patterns);
    work w = {lab, session, profile, diag, false, false};
    sup_status status = ask(&w, &(sup_step_pattern){0, 1}, 0);
    for (int k = 0; k < kinds && !status; k++)
        for (size_t i = 0; i < CALIBRATED && !status; i++)
            if (sup_step_allowed(&patterns[k], calibrated[i])) status = ask(&w, &patterns[k], calibrated[i]);
    return status ? status : w.absent ? SUP_ETIMEOUT : SUP_OK;
}
