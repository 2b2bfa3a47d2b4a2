/* Checks (check.h): the barriers, and supersteps of sizes that no curve was measured at, to partners
 * that none was measured with. Tcomm and Tsync, stage "measure". */
#include "measure/check.h"

#include "measure/sync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const barriers[] = {"dissemination", "tree", "linear"}; /* sup_barrier_kind */
enum { BARRIERS = 3 };

/* About one each three octaves; not powers of two, for curves are measured there. */
static const int64_t sizes[] = {8, 56, 360, 2600, 11000, 50000, 200000, 700000};
enum { SIZES = sizeof sizes / sizeof sizes[0], PARTNERS = 2 };

static sup_status store(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_trial *trial,
                        const sup_timing *timing) {
    sup_check *c = SUP_APPEND(&sup_check_record, profile->checks, profile->checks_count);
    if (!c) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&c->transport, lab->transport);
    if (!status && algorithm) status = sup_record_set_string(&c->algorithm, algorithm);
    c->processes = lab->size;
    c->stride = 1;
    if (!algorithm) {
        c->messages = trial->number;
        c->bytes = (int64_t)trial->bytes;
        c->stride = trial->stride;
    }
    return status ? status : sup_timing_number(timing, 1.0, &c->time_s);
}

/* Partners a quarter of the processes away, or the next; two, then four of them. */
static sup_trial make_trial(const sup_lab *lab, const int *everybody, int number) {
    int size = number / PARTNERS, more = number % PARTNERS, most = lab->size - 1;
    int partners = lab->size > 4 && more ? 4 : lab->size > 2 ? 2 : 1;
    sup_trial t = sup_trial_of(SUP_TRIAL_SUPERSTEP, everybody, 1, lab->size, (size_t)sizes[size]);
    t.number = partners < most ? partners : most;
    t.stride = lab->size / 4 > 0 ? lab->size / 4 : 1;
    return t;
}

sup_status sup_measure_checks(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    int all = SIZES * PARTNERS + BARRIERS;
    sup_status status = SUP_OK;
    for (int k = 0; k < all && !status; k++) {
        sup_timing timing;
        bool step = k < SIZES * PARTNERS;
        const char *algorithm = step ? NULL : barriers[k % BARRIERS];
        sup_trial trial =
            step ? make_trial(lab, everybody, k) : sup_trial_of(SUP_TRIAL_SYNC, everybody, 1, lab->size, 0);
        if (!step) trial.number = k % BARRIERS;
        trial.min_samples = 7;
        trial.max_seconds = fmin(0.3, sup_session_left(session) / (all + 0.5 - k));
        status = sup_lab_try(lab, session, (double)k / all, "checks", &trial, diag, &timing);
        if (step && status == SUP_ENOTSUP)
            status = SUP_OK; /* memory is not shared: barriers alone */
        else if (!status)
            status = store(profile, lab, algorithm, &trial, &timing);
    }
    free(everybody);
    return status;
}
