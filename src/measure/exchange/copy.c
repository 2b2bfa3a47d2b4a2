/* Copies inside a host, measured (copy.h): sizes chosen while measuring, the slowest process's time (BSP §4.1). Tcomm,
 * stage "measure". */
#include "measure/exchange/copy.h"

#include "measure/pair/sizes.h"

#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)8)
#define MOST ((size_t)4 << 20)
#define METHOD "memcpy"
#define STEP 16.0
enum { SIZES = 8, DEEP_SIZES = 32, ENOUGH = 4 };

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_diag *diag;
    const int *everybody;
    sup_sizes *sizes;
} work;

/* ---- into the profile ---- */

static sup_copy_time *entry(sup_profile *profile, int64_t processes) {
    for (size_t i = 0; i < profile->copies_count; i++) {
        sup_copy_time *c = &profile->copies[i];
        if (strcmp(c->method, METHOD) != 0 || c->level || c->processes != processes) continue;
        sup_record_clear(&sup_copy_record, c);
        return c;
    }
    return SUP_APPEND(&sup_copy_record, profile->copies, profile->copies_count);
}

static sup_status store(const work *w, sup_profile *profile) {
    sup_file_curve *curve;
    sup_status status = sup_sizes_file_curve(w->sizes, w->diag, &curve);
    if (status) return status;
    sup_copy_time *c = entry(profile, w->lab->size);
    if (!c || sup_record_set_string(&c->method, METHOD)) {
        sup_record_clear(&sup_file_curve_record, curve);
        free(curve);
        return sup_diag_no_memory(w->diag);
    }
    c->processes = w->lab->size;
    c->time_s = curve;
    return SUP_OK;
}

/* ---- asking ---- */

static sup_status ask(const work *w, size_t bytes) {
    sup_timing t;
    sup_trial trial = sup_trial_of(SUP_TRIAL_COPY, w->everybody, 1, w->lab->size, bytes);
    sup_status status = sup_lab_ask(w->lab, w->session, "copies", &trial, w->diag, &t);
    if (!status) sup_sizes_add(w->sizes, bytes, &t);
    return status;
}

/* First what visits have found, then sizes that this leaves unexplained, where they can be visited. Half a curve would
 * be trusted beyond its end: too few points leave none. */
static sup_status measure(const work *w, sup_profile *profile) {
    size_t known[SUP_SIZES_MAX];
    sup_trial like = sup_trial_of(SUP_TRIAL_COPY, w->everybody, 1, w->lab->size, LEAST);
    bool deep = sup_lab_is_deep(w->lab, SUP_MEASURE_MEMCPY);
    sup_sizes_init(w->sizes, LEAST, MOST, deep ? DEEP_SIZES : SIZES, deep ? 2.0 : STEP);
    size_t count = sup_lab_known_sizes(w->lab, &like, known, SUP_SIZES_MAX);
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (known[i] >= LEAST && known[i] <= MOST) status = ask(w, known[i]);
    for (size_t bytes; !status && w->lab->visit && (bytes = sup_sizes_next(w->sizes)) > 0;) status = ask(w, bytes);
    if (status) return status == SUP_ENOTSUP ? SUP_OK : status;
    return w->sizes->count < ENOUGH ? SUP_ETIMEOUT : store(w, profile);
}

sup_status sup_measure_memcpy(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2 || strcmp(lab->transport, "shm") != 0) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    work w = {lab, session, diag, everybody, malloc(sizeof *w.sizes)};
    sup_status status = SUP_OK;
    if (!everybody || !w.sizes) status = sup_diag_no_memory(diag);
    for (int i = 0; i < lab->size && !status; i++) everybody[i] = i;
    if (!status) status = measure(&w, profile);
    free(w.sizes);
    free(everybody);
    return status;
}
