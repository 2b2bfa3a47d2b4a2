/* Copies inside a host, measured (copy.h): sizes chosen while measuring, the slowest process's time, medians of batches
 * (BSP §4.1). Tcomm, stage "measure". */
#include "measure/copy.h"

#include "measure/pair_sizes.h"
#include "measure/sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)8)
#define MOST ((size_t)4 << 20)
#define HASTE_S 1.0                         /* with less time than this for all curves … */
enum { SIZES = 24, FEWER = 12, AGAIN = 4 }; /* … fewer sizes; some of them are measured twice */

static const struct {
    const char *name;
    sup_trial_kind kind;
} methods[] = {{"log", SUP_TRIAL_LOG}, {"replay", SUP_TRIAL_REPLAY}, {"memcpy", SUP_TRIAL_COPY}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static sup_copy_time *entry(sup_profile *profile, const char *method, int64_t processes) {
    for (size_t i = 0; i < profile->copies_count; i++) {
        sup_copy_time *c = &profile->copies[i];
        if (strcmp(c->method, method) != 0 || c->level || c->processes != processes) continue;
        sup_record_clear(&sup_copy_record, c);
        return c;
    }
    return SUP_APPEND(&sup_copy_record, profile->copies, profile->copies_count);
}

static sup_status store(sup_profile *profile, const char *method, int64_t processes, const sup_sizes *sizes,
                        sup_diag *diag) {
    sup_file_curve *curve;
    sup_status status = sup_sizes_file_curve(sizes, diag, &curve);
    if (status) return status;
    sup_copy_time *c = entry(profile, method, processes);
    if (!c || sup_record_set_string(&c->method, method)) {
        sup_record_clear(&sup_file_curve_record, curve);
        free(curve);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    }
    c->processes = processes;
    c->time_s = curve;
    return SUP_OK;
}

/* One curve. Time that runs out leaves none: half a curve would be trusted beyond its end. */
static sup_status measure(sup_lab *lab, sup_session *session, const int *everybody, int method, sup_sizes *sizes,
                          sup_diag *diag) {
    int most = sup_session_left(session) < HASTE_S * (METHODS - method) / METHODS ? FEWER : SIZES;
    int done = 0, all = most + AGAIN;
    sup_sizes_init(sizes, LEAST, MOST, (size_t)most);
    for (size_t bytes; (bytes = sup_sizes_next(sizes)) > 0; done++) {
        sup_timing t;
        sup_trial trial = sup_trial_of(methods[method].kind, everybody, 1, lab->size, bytes);
        double left = fmax(1.5, (METHODS - method) * all - done + 0.5), share = (method + (double)done / all) / METHODS;
        trial.min_samples = most == FEWER ? 7 : 15;
        trial.max_seconds = fmin(0.5, sup_session_left(session) / left);
        sup_status status = sup_lab_try(lab, session, fmin(1.0, share), "copies", &trial, diag, &t);
        if (status) return status;
        sup_sizes_add(sizes, bytes, &t);
    }
    return SUP_OK;
}

sup_status sup_measure_copies(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    sup_sizes *sizes = malloc(sizeof *sizes);
    sup_status status = SUP_OK;
    if (!everybody || !sizes) status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size && !status; i++) everybody[i] = i;
    for (int k = 0; k < METHODS && !status; k++) {
        status = measure(lab, session, everybody, k, sizes, diag);
        if (!status) status = store(profile, methods[k].name, lab->size, sizes, diag);
    }
    free(sizes);
    free(everybody);
    return status == SUP_ENOTSUP ? SUP_OK : status;
}
