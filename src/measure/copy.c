/* Copies inside a host, measured (copy.h): sizes chosen while measuring, the slowest process's time, medians of batches
 * (BSP §4.1). Tcomm, stage "measure". */
#include "measure/copy.h"

#include "measure/lab_net.h"
#include "measure/launches.h"
#include "measure/pair_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)8)
#define MOST ((size_t)4 << 20)
#define MANY_MOST ((size_t)512)             /* of records of which there are many */
#define HASTE_S 0.3                         /* with less time than this for a curve … */
enum { SIZES = 24, FEWER = 12, AGAIN = 4 }; /* … fewer sizes; some of them are measured twice */
enum { MANY = 16, CURVES_MAX = 12 };

/* A curve to measure. */
typedef struct plan {
    const char *method;
    sup_trial_kind kind;
    int messages, records;
} plan;

static sup_copy_time *entry(sup_profile *profile, const plan *p, int64_t processes) {
    for (size_t i = 0; i < profile->copies_count; i++) {
        sup_copy_time *c = &profile->copies[i];
        bool same = !strcmp(c->method, p->method) && c->messages == p->messages && c->records == p->records;
        if (!same || c->level || c->processes != processes) continue;
        sup_record_clear(&sup_copy_record, c);
        return c;
    }
    return SUP_APPEND(&sup_copy_record, profile->copies, profile->copies_count);
}

static sup_status store(sup_profile *profile, const plan *p, int64_t processes, const sup_sizes *sizes,
                        sup_diag *diag) {
    sup_file_curve *curve;
    sup_status status = sup_sizes_file_curve(sizes, diag, &curve);
    if (status) return status;
    sup_copy_time *c = entry(profile, p, processes);
    if (!c || sup_record_set_string(&c->method, p->method)) {
        sup_record_clear(&sup_file_curve_record, curve);
        free(curve);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    }
    c->processes = processes;
    c->messages = p->messages;
    c->records = p->records;
    c->time_s = curve;
    return SUP_OK;
}

/* What there is to measure with so many processes: one partner, two, four, all; many records for one. */
static int make_plans(int processes, plan *out) {
    static const int fans[] = {1, 2, 4};
    int count = 0, all = processes - 1 < SUP_LAB_FAN_MAX ? processes - 1 : SUP_LAB_FAN_MAX, last = 0;
    for (size_t k = 0; k < 4; k++) {
        int fan = k < 3 ? fans[k] : all;
        if (fan > all || fan <= last) continue;
        out[count++] = (plan){"log", SUP_TRIAL_LOG, fan, 1};
        out[count++] = (plan){"deliver", SUP_TRIAL_DELIVER, fan, 1};
        last = fan;
    }
    out[count++] = (plan){"log", SUP_TRIAL_LOG, 1, MANY};
    out[count++] = (plan){"deliver", SUP_TRIAL_DELIVER, 1, MANY};
    out[count++] = (plan){"memcpy", SUP_TRIAL_COPY, 1, 1};
    return count;
}

/* One curve. Time that runs out leaves none: half a curve would be trusted beyond its end. */
static sup_status measure(sup_lab *lab, sup_session *session, const int *everybody, const plan *p, double from,
                          double to, double left_curves, sup_sizes *sizes, sup_diag *diag) {
    bool copy = p->kind == SUP_TRIAL_COPY;
    int most = sup_session_left(session) < HASTE_S * left_curves || p->records > 1 ? FEWER : SIZES;
    int done = 0, all = most + AGAIN;
    sup_sizes_init(sizes, LEAST, p->records > 1 ? MANY_MOST : MOST / (size_t)p->messages, (size_t)most);
    for (size_t bytes; (bytes = sup_sizes_next(sizes)) > 0; done++) {
        sup_timing t;
        sup_trial trial = sup_trial_of(p->kind, everybody, 1, lab->size, bytes);
        double left = fmax(1.5, left_curves * all - done + 0.5);
        if (!copy) trial.number = p->messages;
        trial.records = p->records;
        trial.min_samples = most == FEWER ? 7 : 15;
        trial.max_seconds = fmin(0.5, sup_session_left(session) / left);
        double share = from + (to - from) * fmin(1.0, (double)done / all);
        sup_status status = sup_lab_try(lab, session, share, "copies", &trial, diag, &t);
        if (status) return status;
        sup_sizes_add(sizes, bytes, &t);
    }
    return SUP_OK;
}

/* What was held against older curves says nothing about new ones. */
static void forget_calibration(sup_profile *profile, const sup_lab *lab) {
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

sup_status sup_measure_copies(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    plan plans[CURVES_MAX];
    int count = make_plans(lab->size, plans);
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    sup_sizes *sizes = malloc(sizeof *sizes);
    sup_status status = SUP_OK;
    if (!everybody || !sizes) status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size && !status; i++) everybody[i] = i;
    forget_calibration(profile, lab);
    for (int k = 0; k < count && !status; k++) {
        double from = (double)k / count, to = (k + 1.0) / count;
        status = measure(lab, session, everybody, &plans[k], from, to, count - k, sizes, diag);
        if (!status) status = store(profile, &plans[k], lab->size, sizes, diag);
    }
    free(sizes);
    free(everybody);
    return status == SUP_ENOTSUP ? SUP_OK : status;
}
