/* g and l (classic.h): the line through the times of total exchanges over h, relative errors. bspbench's exchange with
 * the words to one process in one message, as a BSP library sends them. Stage "measure". */
#include "measure/exchange/classic.h"

#include "measure/lab/timing_line.h"

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

static void replace(sup_number **member, sup_number *number) {
    if (*member) sup_record_clear(&sup_number_record, *member);
    free(*member);
    *member = number;
}

/* All sizes or none: a line through some of them would be another line. */
static sup_status ask(sup_lab *lab, sup_session *session, sup_diag *diag, sup_timing timings[SIZES]) {
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    sup_status status = everybody ? SUP_OK : SUP_ENOMEM, missing = SUP_OK;
    for (int i = 0; i < lab->size && !status; i++) everybody[i] = i;
    for (int k = 0; k < SIZES && !status; k++) {
        size_t bytes = (size_t)words[k] * SUP_CLASSIC_WORD;
        sup_trial trial = sup_trial_of(SUP_TRIAL_EXCHANGE, everybody, 1, lab->size, bytes);
        status = sup_lab_ask(lab, session, "classic g and l", &trial, diag, &timings[k]);
        if (status == SUP_ETIMEOUT) missing = status, status = SUP_OK;
    }
    free(everybody);
    return status ? status : missing;
}

sup_status sup_measure_classic(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    sup_timing timings[SIZES];
    sup_status status = ask(lab, session, diag, timings);
    sup_number *word, *sync;
    double h[SIZES];
    for (int k = 0; k < SIZES; k++) h[k] = (double)words[k] * (lab->size - 1);
    if (!status) status = sup_timing_line(h, timings, SIZES, &sync, &word);
    if (status == SUP_EINVAL) return SUP_OK; /* a clock that saw nothing */
    if (!status) {
        sup_classic *c = entry(profile, lab);
        if (c) {
            replace(&c->word_s, word);
            replace(&c->sync_s, sync);
            return SUP_OK;
        }
        free(word);
        free(sync);
        status = SUP_ENOMEM;
    }
    return status == SUP_ENOMEM ? sup_diag_set(diag, status, NULL, 0, "out of memory") : status;
}
