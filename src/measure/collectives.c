/* Collectives of a profile (collectives.h): what is asked of a lab, in which order, and the rows that it becomes. Stage
 * "measure", Tcomm.
 *
 * Every other size comes first, then those between: however short the time, the curves reach far. What takes FAR times
 * as long as the best at a size is not visited at the sizes beside it: nobody would choose it there. */
#include "measure/collectives_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR 5.0

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_diag *diag;
    int hosts, *everybody;
    bool missing;
    /* the operation at hand */
    int operation;
    sup_choice choices[SUP_COLLECTIVES_CHOICES];
    int64_t bytes[SUP_COLLECTIVES_SIZES];
    size_t choice_count, size_count;
    sup_timing times[SUP_COLLECTIVES_CHOICES][SUP_COLLECTIVES_SIZES]; /* n 0: not known */
} work;

static int hosts_of(const sup_lab *lab) {
    int most = 0;
    for (int i = 0; i < lab->size && lab->places; i++)
        if (lab->places[i].host > most) most = lab->places[i].host;
    return most + 1;
}

/* ---- asking ---- */

static sup_trial trial_of(const work *w, size_t c, size_t k, char word[SUP_COLLECTIVE_WORD]) {
    const sup_collective_case one = {w->operation, w->choices[c], w->bytes[k]};
    return sup_collective_trial(&one, w->lab->size, w->everybody, false, word);
}

static double best_at(const work *w, size_t k) {
    double best = INFINITY;
    for (size_t c = 0; c < w->choice_count; c++)
        if (w->times[c][k].n) best = fmin(best, w->times[c][k].seconds);
    return best;
}

static bool is_far(const work *w, size_t c, size_t k) {
    return k < w->size_count && w->times[c][k].n && w->times[c][k].seconds > FAR * best_at(w, k);
}

static sup_status ask(work *w, size_t c, size_t k) {
    char word[SUP_COLLECTIVE_WORD];
    sup_timing t;
    if (!sup_collectives_fit(w->operation, w->lab->size, &w->choices[c], w->bytes[k])) return SUP_OK;
    sup_trial trial = trial_of(w, c, k, word);
    const sup_point *known = sup_store_find(w->lab->store, &trial);
    bool skipped = is_far(w, c, k + 1) || (k && is_far(w, c, k - 1));
    if (skipped && !(known && sup_point_known(known))) return SUP_OK;
    sup_status status = sup_lab_ask(w->lab, w->session, "collectives", &trial, w->diag, &t);
    w->missing |= status == SUP_ETIMEOUT && w->lab->visit;
    if (!status) w->times[c][k] = t;
    return status == SUP_ETIMEOUT || status == SUP_ENOTSUP ? SUP_OK : status;
}

static void begin_operation(work *w, int operation) {
    w->operation = operation;
    w->choice_count = sup_collectives_choices(operation, w->lab->size, w->hosts, w->choices);
    w->size_count = sup_collectives_sizes(operation, w->lab->size, w->bytes);
    memset(w->times, 0, sizeof w->times);
}

static sup_status ask_sizes(work *w, size_t first) {
    sup_status status = SUP_OK;
    for (size_t k = first; k < w->size_count && !status; k += 2)
        for (size_t c = 0; c < w->choice_count && !status; c++) status = ask(w, c, k);
    return status;
}

/* However short the time of a launch is, something has been visited in it. */
static sup_status visit_one(work *w) {
    char word[SUP_COLLECTIVE_WORD];
    if (!w->lab->visit || !w->choice_count || sup_store_count(w->lab->store)) return SUP_OK;
    sup_trial trial = trial_of(w, 0, 0, word);
    sup_point *p = sup_store_get(w->lab->store, &trial);
    return p ? sup_lab_visit(w->lab, w->session, p, w->diag) : SUP_ENOMEM;
}

/* ---- rows ---- */

static sup_collective_time *row_of(const work *w, sup_profile *profile, const char *algorithm) {
    for (size_t i = 0; i < profile->collectives_count; i++) {
        sup_collective_time *r = &profile->collectives[i];
        bool same = !strcmp(r->transport, w->lab->transport) && !strcmp(r->algorithm, algorithm) &&
                    !strcmp(r->operation, sup_operation_names[w->operation]);
        if (!same || r->processes != w->lab->size || r->hosts != w->hosts) continue;
        sup_record_clear(&sup_collective_time_record, r);
        return r;
    }
    return SUP_APPEND(&sup_collective_time_record, profile->collectives, profile->collectives_count);
}

static sup_status keep(const work *w, size_t c, sup_profile *profile) {
    int64_t bytes[SUP_COLLECTIVES_SIZES] = {0};
    double seconds[SUP_COLLECTIVES_SIZES] = {0}, ci[SUP_COLLECTIVES_SIZES] = {0}, typical[SUP_COLLECTIVES_SIZES] = {0};
    char text[SUP_CHOICE_TEXT];
    size_t n = 0;
    for (size_t k = 0; k < w->size_count; k++) {
        const sup_timing *t = &w->times[c][k];
        if (!t->n) continue;
        bytes[n] = w->bytes[k];
        seconds[n] = t->seconds;
        typical[n] = t->typical;
        ci[n++] = isfinite(t->ci) ? t->ci : t->seconds; /* of one launch nothing is known about the next */
    }
    if (!n) return SUP_OK;
    sup_collective_time *r = row_of(w, profile, sup_choice_text(&w->choices[c], text));
    if (!r) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&r->transport, w->lab->transport);
    if (!status) status = sup_record_set_string(&r->operation, sup_operation_names[w->operation]);
    if (!status) status = sup_record_set_string(&r->algorithm, text);
    r->processes = w->lab->size;
    r->hosts = w->hosts;
    if (!status) status = sup_record_set_ints(&r->bytes, &r->bytes_count, bytes, n);
    if (!status) status = sup_record_set_reals(&r->seconds, &r->seconds_count, seconds, n);
    if (!status) status = sup_record_set_reals(&r->ci, &r->ci_count, ci, n);
    return status ? status : sup_record_set_reals(&r->typical, &r->typical_count, typical, n);
}

/* All operations at every other size, then all of them again: those that are known cost nothing. */
static sup_status ask_all(work *w, sup_profile *profile) {
    sup_status status = SUP_OK;
    for (size_t first = 0; first < 2 && !status; first++)
        for (int operation = 0; operation < SUP_OPERATIONS && !status; operation++) {
            begin_operation(w, operation);
            status = visit_one(w);
            if (!status) status = ask_sizes(w, 0);
            if (!status && first) status = ask_sizes(w, 1);
            for (size_t c = 0; c < w->choice_count && !status && first; c++) status = keep(w, c, profile);
        }
    return status;
}

sup_status sup_measure_collectives(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    work *w = calloc(1, sizeof *w);
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    sup_status status = w && everybody ? SUP_OK : SUP_ENOMEM;
    if (!status) {
        *w = (work){.lab = lab, .session = session, .diag = diag, .hosts = hosts_of(lab), .everybody = everybody};
        status = ask_all(w, profile);
        if (!status && w->missing) status = SUP_ETIMEOUT;
    }
    free(everybody);
    free(w);
    return status == SUP_ENOMEM ? sup_diag_set(diag, status, NULL, 0, "out of memory") : status;
}
