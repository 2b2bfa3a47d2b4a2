/* Copies inside a host, measured (copy.h): sizes chosen while measuring, the slowest process's time (BSP §4.1). Tcomm,
 * stage "measure". */
#include "measure/copy.h"

#include "measure/calibration.h"
#include "measure/pair_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST ((size_t)8)
#define MOST ((size_t)4 << 20)  /* bytes of a process in a superstep */
#define MANY_MOST ((size_t)512) /* of records of which there are many */
enum { SIZES = 32, FEWER = 14, ENOUGH = 4, MANY = 16, PARTNERS_MAX = 64, CURVES_MAX = 8 };

/* Curves to measure: times of one trial over its bytes, one of each of its values, and of all together, by which sizes
 * are chosen. */
typedef struct plan {
    sup_trial_kind kind;
    int messages, records;
} plan;

typedef struct curves {
    sup_sizes value[2], whole;
} curves;

/* ---- into the profile ---- */

static sup_copy_time *entry(sup_profile *profile, const char *method, const plan *p, int64_t processes) {
    for (size_t i = 0; i < profile->copies_count; i++) {
        sup_copy_time *c = &profile->copies[i];
        bool same = !strcmp(c->method, method) && c->messages == p->messages && c->records == p->records;
        if (!same || c->level || c->processes != processes) continue;
        sup_record_clear(&sup_copy_record, c);
        return c;
    }
    return SUP_APPEND(&sup_copy_record, profile->copies, profile->copies_count);
}

static sup_status store(sup_profile *profile, const char *method, const plan *p, int64_t processes,
                        const sup_sizes *sizes, sup_diag *diag) {
    sup_file_curve *curve;
    sup_status status = sup_sizes_file_curve(sizes, diag, &curve);
    if (status) return status;
    sup_copy_time *c = entry(profile, method, p, processes);
    if (!c || sup_record_set_string(&c->method, method)) {
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

/* ---- asking ---- */

typedef struct work {
    sup_lab *lab;
    sup_session *session;
    sup_profile *profile;
    sup_diag *diag;
    const int *everybody;
    curves *c;
} work;

static sup_trial trial_of(const work *w, const plan *p, size_t bytes) {
    bool step = p->kind == SUP_TRIAL_STEP;
    sup_trial t = sup_trial_of(p->kind, step ? NULL : w->everybody, 1, w->lab->size, bytes);
    if (step) t.number = p->messages;
    t.records = p->records;
    t.stride = step ? 1 : 0;
    return t;
}

static sup_status ask(const work *w, const plan *p, size_t bytes) {
    sup_timing t[2] = {{0}, {0}};
    sup_trial trial = trial_of(w, p, bytes);
    sup_status status = sup_lab_ask(w->lab, w->session, "copies", &trial, w->diag, t);
    if (status) return status;
    sup_timing whole = t[0];
    whole.seconds += t[1].seconds;
    whole.ci = hypot(t[0].ci, t[1].ci);
    sup_sizes_add(&w->c->value[0], bytes, &t[0]);
    sup_sizes_add(&w->c->value[1], bytes, &t[1]);
    sup_sizes_add(&w->c->whole, bytes, &whole);
    return SUP_OK;
}

/* First what visits have found, then sizes that this leaves unexplained, where they can be visited. */
static sup_status measure(const work *w, const plan *p) {
    size_t known[SUP_SIZES_MAX], most = p->records > 1 ? FEWER : SIZES;
    size_t high = p->records > 1 ? MANY_MOST : MOST / (size_t)p->messages;
    sup_sizes_init(&w->c->value[0], LEAST, high, most);
    sup_sizes_init(&w->c->value[1], LEAST, high, most);
    sup_sizes_init(&w->c->whole, LEAST, high, most);
    sup_trial like = trial_of(w, p, LEAST);
    size_t count = sup_lab_known_sizes(w->lab, &like, known, SUP_SIZES_MAX);
    sup_status status = SUP_OK;
    for (size_t i = 0; i < count && !status; i++)
        if (known[i] >= LEAST && known[i] <= high && (p->kind != SUP_TRIAL_STEP || !sup_step_calibrates(known[i])))
            status = ask(w, p, known[i]);
    for (size_t bytes; !status && w->lab->visit && (bytes = sup_sizes_next(&w->c->whole)) > 0;)
        status = ask(w, p, bytes);
    return status;
}

/* One trial, its curves and their names. Half a curve would be trusted beyond its end: too few points leave none. */
static sup_status add(const work *w, const plan *p, const char *first, const char *second) {
    sup_status status = measure(w, p);
    if (status == SUP_ENOTSUP) return SUP_OK;
    if (status) return status;
    if (w->c->whole.count < ENOUGH) return SUP_ETIMEOUT;
    status = store(w->profile, first, p, w->lab->size, &w->c->value[0], w->diag);
    if (!status && second) status = store(w->profile, second, p, w->lab->size, &w->c->value[1], w->diag);
    return status;
}

/* ---- the sections ---- */

/* With so many processes: one partner, two, four, all; many records for one. */
static int make_plans(int processes, plan *out) {
    static const int fans[] = {1, 2, 4};
    int count = 0, all = processes - 1 < PARTNERS_MAX ? processes - 1 : PARTNERS_MAX, last = 0;
    for (size_t k = 0; k < 4; k++) {
        int fan = k < 3 ? fans[k] : all;
        if (fan > all || fan <= last) continue;
        out[count++] = (plan){SUP_TRIAL_STEP, fan, 1};
        last = fan;
    }
    out[count++] = (plan){SUP_TRIAL_STEP, 1, MANY};
    return count;
}

static sup_status run(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag, const plan *plans,
                      int count, const char *first, const char *second) {
    int *everybody = malloc((size_t)lab->size * sizeof *everybody);
    work w = {lab, session, profile, diag, everybody, malloc(sizeof(curves))};
    sup_status status = SUP_OK;
    bool absent = false;
    if (!everybody || !w.c) status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    for (int i = 0; i < lab->size && !status; i++) everybody[i] = i;
    for (int k = 0; k < count && !status; k++) {
        status = add(&w, &plans[k], first, second);
        absent |= status == SUP_ETIMEOUT;
        if (status == SUP_ETIMEOUT) status = SUP_OK;
    }
    free(w.c);
    free(everybody);
    return status ? status : absent ? SUP_ETIMEOUT : SUP_OK;
}

static bool shares_memory(const sup_lab *lab) { return lab->size > 1 && !strcmp(lab->transport, "shm"); }

sup_status sup_measure_copies(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    plan plans[CURVES_MAX];
    if (!shares_memory(lab)) return SUP_OK;
    return run(lab, session, profile, diag, plans, make_plans(lab->size, plans), "log", "deliver");
}

sup_status sup_measure_memcpy(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag) {
    static const plan own = {SUP_TRIAL_COPY, 1, 1};
    if (!shares_memory(lab)) return SUP_OK;
    return run(lab, session, profile, diag, &own, 1, "memcpy", NULL);
}
