/* g and l (classic.h): the line through the times of total exchanges over h, relative errors. bspbench's exchange with
 * the words to one process in one message, as a BSP library sends them. Stage "measure". */
#include "measure/classic.h"

#include "base/lsq.h"
#include "measure/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int words[] = {1, 4, 16, 64, 256, 1024}; /* to each other process */
enum { SIZES = sizeof words / sizeof words[0] };

static sup_classic *entry(sup_profile *profile, const sup_lab *lab) {
    for (size_t i = 0; i < profile->classic_count; i++) {
        sup_classic *c = &profile->classic[i];
        if (!strcmp(c->transport, lab->transport) && c->processes == lab->size) return c;
    }
    sup_classic *c = SUP_APPEND(&sup_classic_record, profile->classic, profile->classic_count);
    if (!c || sup_record_set_string(&c->transport, lab->transport)) return NULL;
    c->processes = lab->size;
    return c;
}

static sup_status replace(sup_number **member, double value, sup_interval ci, const sup_timing *sum) {
    sup_number *number;
    sup_status status = sup_number_new(fmax(value, 0.0), (ci.high - ci.low) / 2.0, sum, &number);
    if (status) return status;
    if (*member) sup_record_clear(&sup_number_record, *member);
    free(*member);
    *member = number;
    return SUP_OK;
}

sup_status sup_measure_classic(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    if (!everybody) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size; i++) everybody[i] = i;
    double h[SIZES], seconds[SIZES];
    sup_timing sum = {0};
    sup_status status = SUP_OK;
    for (int k = 0; k < SIZES && !status; k++) {
        sup_timing t;
        size_t bytes = (size_t)words[k] * SUP_CLASSIC_WORD;
        sup_trial trial = sup_trial_of(SUP_TRIAL_EXCHANGE, everybody, 1, lab->size, bytes);
        trial.max_seconds = fmin(1.0, sup_session_left(session) / (SIZES + 0.5 - k));
        status = sup_lab_try(lab, session, (double)k / SIZES, "classic g and l", &trial, diag, &t);
        if (status) break;
        h[k] = (double)words[k] * (lab->size - 1);
        seconds[k] = t.seconds;
        sup_timing_count(&sum, &t);
    }
    free(everybody);
    sup_line line;
    if (status || sup_line_fit(h, seconds, SIZES, SUP_WEIGHT_RELATIVE, &line)) return status;
    sup_classic *c = entry(profile, lab);
    status = c ? replace(&c->word_s, line.slope, sup_line_slope_interval(&line, 0.95), &sum) : SUP_ENOMEM;
    if (!status) status = replace(&c->sync_s, line.intercept, sup_line_intercept_interval(&line, 0.95), &sum);
    return status ? sup_diag_set(diag, status, NULL, 0, "out of memory") : SUP_OK;
}
