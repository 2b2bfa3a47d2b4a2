/* What is asked for of computation (comp.h; term Tcomp, BSP ch. 4). */
#include "measure/comp/comp.h"

#include "measure/comp/read.h"

#include <stdio.h>
#include <string.h>

enum {
    MORE_END = 2,    /* footprints a launch adds to a rate with one core or all of them active … */
    MORE_SOME = 1,   /* … and with another number */
    MOST_SPOTS = 16, /* of a rate */
    SETTLED = 6,     /* launches in which points are visited before there are more of them */
    LAUNCHES_MOST = 32
};
#define LONGEST_S 0.06 /* of a visit: larger footprints are those of the grid alone */
#define MOST_POINTS 0.7
#define SOME_POINTS 0.3 /* that is enough for the check on longer runs */

typedef struct asking {
    sup_lab *lab;
    const sup_comp_set *set;
    sup_session *session;
    sup_diag *diag;
    bool late; /* there was no time for something */
} asking;

/* In how many launches before this one such a share of the points was visited: more of them are worth it only as far as
 * those that are there are looked at again. */
static int launches_before(const sup_store *store, double most) {
    size_t count = 0, enough = 0;
    for (int launches = 1; launches < LAUNCHES_MOST; launches++, count = enough = 0) {
        for (size_t i = 0; i < sup_store_count(store); i++) {
            const sup_point *p = sup_store_at(store, i);
            if (p->trial.kind != SUP_TRIAL_RATE || p->status) continue;
            count++;
            enough += p->found[0].launch_count >= (size_t)launches;
        }
        if (!count || (double)enough < most * (double)count) return launches - 1;
    }
    return LAUNCHES_MOST;
}

/* A footprint that is not to be had (SUP_ENOTSUP), or a visit that found nothing, is not the end of anything. */
static sup_status ask(asking *a, const sup_comp_job *job, const sup_trial *trial) {
    char text[128];
    sup_timing timing;
    snprintf(text, sizeof text, "%s, %.0f KB, %d active", job->kernel.kernel->name, (double)trial->bytes / 1024.0,
             job->setting.active);
    sup_status status = sup_lab_ask(a->lab, a->session, text, trial, a->diag, &timing);
    if (status == SUP_ETIMEOUT && sup_session_left(a->session) <= a->lab->reserve_s) a->late = true;
    return status == SUP_ETIMEOUT || status == SUP_ENOTSUP ? SUP_OK : status;
}

static sup_status ask_rate(asking *a, const sup_comp_job *job, size_t bytes) {
    sup_trial trial = sup_comp_trial(job, SUP_TRIAL_RATE, bytes);
    return ask(a, job, &trial);
}

/* ---- the first round ---- */

/* Memory bandwidth and a product of matrices are what people look for first. */
static bool is_first(const sup_comp_job *job) {
    static const char *const names[] = {"copy", "triad", "dgemm_blas", "dgemm"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) found |= !strcmp(job->kernel.kernel->name, names[i]);
    return found && job->all && !job->kernel.source;
}

static sup_status ask_grid(asking *a) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < a->set->count && !status; i++)
        if (is_first(&a->set->jobs[i])) status = ask_rate(a, &a->set->jobs[i], a->set->jobs[i].grid[0]);
    for (int k = 1; k <= SUP_COMP_GRID && !status; k++) /* what is beyond the caches takes longest, and comes last */
        for (size_t i = 0; i < a->set->count && !status; i++) {
            const sup_comp_job *job = &a->set->jobs[i];
            if (k % SUP_COMP_GRID < job->grid_count) status = ask_rate(a, job, job->grid[k % SUP_COMP_GRID]);
        }
    return status;
}

/* ---- later ---- */

/* What a visit may take, by that of the largest footprint; 0: not known. */
static double visit_s(const asking *a, const sup_comp_job *job, size_t bytes) {
    sup_trial trial = sup_comp_trial(job, SUP_TRIAL_RATE, job->grid[0]);
    const sup_point *p = sup_store_find(a->lab->store, &trial);
    return p ? p->visit_s * (double)bytes / (double)job->grid[0] : 0.0;
}

/* Middles of steps, as many as the launches before allow. */
static sup_status ask_middles(asking *a, const sup_comp_job *job, int before) {
    int more = before > SETTLED ? (before - SETTLED) * (job->end ? MORE_END : MORE_SOME) : 0;
    size_t allowed = (size_t)job->grid_count + (size_t)more;
    sup_status status = SUP_OK;
    while (!status && !a->late) {
        sup_comp_curve curve;
        sup_comp_read(a->lab, a->session, job, &curve);
        size_t next = curve.asked_count < allowed && curve.asked_count < MOST_SPOTS ? sup_comp_curve_next(&curve) : 0;
        if (!next || visit_s(a, job, next) > LONGEST_S) break;
        sup_trial trial = sup_comp_trial(job, SUP_TRIAL_RATE, next);
        if (sup_store_find(a->lab->store, &trial)) break; /* it was refused, or nothing was found */
        status = ask(a, job, &trial);
    }
    return status;
}

/* The check on longer runs: from the third launch on, with each one footprint more, small ones first: of all cores,
 * then of one. */
static sup_status ask_long(asking *a, const sup_comp_job *job, int before) {
    sup_status status = SUP_OK;
    int turns = before - 1 - (job->all ? 0 : job->base_count);
    if (!job->end) return SUP_OK;
    for (int k = 1; k <= turns && k <= job->base_count && !status && !a->late; k++) {
        sup_trial trial = sup_comp_trial(job, SUP_TRIAL_LONG_RUN, job->grid[k % job->base_count]);
        status = ask(a, job, &trial);
        trial.records = SUP_COMP_LONGER;
        if (!status) status = ask(a, job, &trial);
    }
    return status;
}

/* What comes after the grid is for those who study a machine, and welcome, not wanted: without it a profile is
 * complete. */
sup_status sup_comp_ask(sup_lab *lab, const sup_comp_set *set, sup_session *session, sup_diag *diag) {
    asking a = {.lab = lab, .set = set, .session = session, .diag = diag};
    int before = launches_before(lab->store, MOST_POINTS), checks = launches_before(lab->store, SOME_POINTS);
    sup_status status = ask_grid(&a);
    if (!status && a.late) return SUP_ETIMEOUT;
    if (!sup_lab_is_deep(lab, SUP_MEASURE_KERNELS)) return status;
    for (size_t i = 0; i < set->count && !status && !a.late; i++) status = ask_middles(&a, &set->jobs[i], before);
    for (size_t i = 0; i < set->count && !status && !a.late; i++) status = ask_long(&a, &set->jobs[i], checks);
    return status;
}
