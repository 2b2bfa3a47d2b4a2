/* First times, asked for and stored (first.h). */
#include "measure/exchange/first.h"

#include "measure/pair/sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first ones are always measured. */
static const size_t memory[] = {65536, 1048576, 16384, 4194304}, used[] = {8, 32768, 1048576, 1024, 262144, 4194304};
static const int late_us[] = {500, 4000, 20000, 100, 50000};
enum { USUAL_MEMORY = 2, USUAL_USED = 3, USUAL_LATE = 3 };
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define LEAST_S 1e-9 /* nothing takes less the first time */

enum { LATE_MOST = sizeof late_us / sizeof *late_us };

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_profile *profile;
    sup_diag *diag;
    sup_sizes *calls, *sync;
    bool deep, absent;
} work;

/* How much more the one took than the other. */
static sup_timing beyond(const sup_timing *first, const sup_timing *again) {
    sup_timing t = *first;
    t.seconds = fmax(first->seconds - again->seconds, LEAST_S);
    t.ci = hypot(first->ci, again->ci);
    t.typical = fmax(first->typical - again->typical, t.seconds);
    t.bad = fmax(first->bad - again->typical, t.typical);
    return t;
}

static sup_timing both(const sup_timing *a, const sup_timing *b) {
    sup_timing t = *a;
    t.seconds += b->seconds;
    t.ci = hypot(a->ci, b->ci);
    t.typical += b->typical;
    t.bad += b->bad;
    return t;
}

/* SUP_ETIMEOUT: not known. */
static sup_status ask(work *w, sup_first what, size_t bytes, int late, sup_timing out[SUP_FIRST_VALUES]) {
    sup_trial trial = sup_trial_of(SUP_TRIAL_FIRST, NULL, 1, w->lab->size, bytes);
    trial.number = (int)what;
    trial.stride = late;
    sup_status status = sup_lab_ask(w->lab, w->session, "first times", &trial, w->diag, out);
    return status == SUP_ENOTSUP ? SUP_ETIMEOUT : status;
}

static sup_status set_curve(const work *w, const sup_sizes *sizes, sup_file_curve **to) {
    if (!sizes->count) return SUP_OK;
    return sup_sizes_file_curve(sizes, w->diag, to);
}

/* ---- memory, and what is used first ---- */

static sup_status ask_sizes(work *w, sup_first what, const size_t *bytes, int usual, int all) {
    sup_sizes_init(w->calls, 1, (size_t)4 << 20, SUP_SIZES_MAX, 2.0);
    sup_sizes_init(w->sync, 1, (size_t)4 << 20, SUP_SIZES_MAX, 2.0);
    for (int i = 0; i < (w->deep ? all : usual); i++) {
        sup_timing t[SUP_FIRST_VALUES];
        sup_status status = ask(w, what, bytes[i], 0, t);
        w->absent |= status == SUP_ETIMEOUT && (w->lab->visit || i < usual);
        if (status == SUP_ETIMEOUT) continue;
        if (status) return status;
        sup_timing calls = beyond(&t[SUP_FIRST_CALLS], &t[SUP_AGAIN_CALLS]),
                   sync = beyond(&t[SUP_FIRST_SYNC], &t[SUP_AGAIN_SYNC]);
        if (what == SUP_FIRST_MEMORY) sync = both(&calls, &sync);
        sup_sizes_add(w->calls, bytes[i], &calls);
        sup_sizes_add(w->sync, bytes[i], &sync);
    }
    return SUP_OK;
}

/* ---- waking ---- */

static int by_lateness(const void *a, const void *b) {
    int x = late_us[*(const int *)a], y = late_us[*(const int *)b];
    return (x > y) - (x < y);
}

static sup_status ask_waking(work *w, sup_first_time *out) {
    sup_timing t[LATE_MOST];
    int known[LATE_MOST], n = 0;
    for (int i = 0; i < (w->deep ? COUNT(late_us) : USUAL_LATE); i++) {
        sup_timing all[SUP_FIRST_VALUES];
        sup_status status = ask(w, SUP_FIRST_WAKING, 0, late_us[i], all);
        w->absent |= status == SUP_ETIMEOUT && (w->lab->visit || i < USUAL_LATE);
        if (status == SUP_ETIMEOUT) continue;
        if (status) return status;
        t[i] = beyond(&all[SUP_FIRST_SYNC], &all[SUP_AGAIN_SYNC]);
        known[n++] = i;
    }
    double late[LATE_MOST], waking[LATE_MOST], ci[LATE_MOST], typical[LATE_MOST];
    qsort(known, (size_t)n, sizeof *known, by_lateness);
    for (int k = 0; k < n; k++) {
        const sup_timing *x = &t[known[k]];
        late[k] = 1e-6 * late_us[known[k]];
        waking[k] = x->seconds;
        ci[k] = isfinite(x->ci) ? x->ci : x->seconds;
        typical[k] = x->typical;
    }
    /* Disturbances only add: who sleeps no longer is woken no later. */
    for (int k = n - 2; k >= 0; k--) {
        waking[k] = fmin(waking[k], waking[k + 1]);
        typical[k] = fmax(waking[k], fmin(typical[k], typical[k + 1]));
    }
    size_t count = (size_t)n;
    sup_status status = sup_record_set_reals(&out->late_s, &out->late_s_count, late, count);
    if (!status) status = sup_record_set_reals(&out->waking_s, &out->waking_s_count, waking, count);
    if (!status) status = sup_record_set_reals(&out->ci, &out->ci_count, ci, count);
    if (!status) status = sup_record_set_reals(&out->typical, &out->typical_count, typical, count);
    return status;
}

/* ---- all of it ---- */

static sup_status ask_all(work *w, sup_first_time *out) {
    sup_status status = ask_sizes(w, SUP_FIRST_MEMORY, memory, USUAL_MEMORY, COUNT(memory));
    if (!status) status = set_curve(w, w->sync, &out->memory_s);
    if (!status) status = ask_sizes(w, SUP_FIRST_USE, used, USUAL_USED, COUNT(used));
    if (!status) status = set_curve(w, w->calls, &out->use_calls_s);
    if (!status) status = set_curve(w, w->sync, &out->use_sync_s);
    return status ? status : ask_waking(w, out);
}

static sup_first_time *entry(const work *w) {
    sup_profile *p = w->profile;
    for (size_t i = 0; i < p->first_count; i++) {
        sup_first_time *f = &p->first[i];
        if (f->processes != w->lab->size || strcmp(f->transport, w->lab->transport) != 0) continue;
        sup_record_clear(&sup_first_time_record, f);
        return f;
    }
    return SUP_APPEND(&sup_first_time_record, p->first, p->first_count);
}

static sup_status keep(const work *w, sup_first_time *found) {
    if (!found->memory_s && !found->use_sync_s && !found->late_s_count) return SUP_OK;
    found->processes = w->lab->size;
    if (sup_record_set_string(&found->transport, w->lab->transport)) return SUP_ENOMEM;
    sup_first_time *to = entry(w);
    if (!to) return SUP_ENOMEM;
    *to = *found;
    sup_record_init(&sup_first_time_record, found);
    return SUP_OK;
}

sup_status sup_measure_first(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    if (lab->size < 2) return SUP_OK;
    work w = {.lab = lab,
              .session = session,
              .profile = profile,
              .diag = diag,
              .calls = malloc(sizeof(sup_sizes)),
              .sync = malloc(sizeof(sup_sizes)),
              .deep = sup_lab_is_deep(lab, SUP_MEASURE_FIRST)};
    sup_first_time found;
    sup_record_init(&sup_first_time_record, &found);
    sup_status status = w.calls && w.sync ? ask_all(&w, &found) : SUP_ENOMEM;
    if (!status) status = keep(&w, &found);
    sup_record_clear(&sup_first_time_record, &found);
    free(w.calls);
    free(w.sync);
    if (status == SUP_ENOMEM) return sup_diag_no_memory(diag);
    return !status && w.absent ? SUP_ETIMEOUT : status;
}
