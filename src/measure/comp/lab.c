/* Visits of rates (comp/lab.h; term Tcomp, BSP §4.1).
 *
 * The document takes growing iteration counts and a line through their means, so that what each call costs once is in
 * the intercept. Here a batch has so many iterations that this cost, some hundred nanoseconds at most, is less than
 * 0.5 % of it: it lasts a quarter of a millisecond, which a busy machine lets pass now and then; the cost of reading
 * the clock is taken off. An iteration that lasts longer is a batch by itself. The shortest samples of the check are
 * too short for that: they are taken with one and with two parts, and it is the difference of their low quantiles that
 * counts.
 *
 * A visit: set up the data, bring it into the caches where it will live (a pass, or WARM_S of one), then some batches.
 * What is far larger than the caches takes long to set up, so it gets more batches at a time and fewer visits. */
#include "measure/comp/lab.h"

#include "base/number/stats.h"
#include "measure/comp/comp.h"

#include <math.h>
#include <stdlib.h>

#define SEEN_S 20e-6                  /* a run that the clock sees well */
#define WARM_S 0.01                   /* after set-up, at most */
#define AGAIN_S 0.001                 /* to bring the data back after an interruption */
#define MOST_WARM (UINT64_C(1) << 20) /* iterations of a kernel that the clock does not see */
#define SHARE 0.25                    /* of what was spent on set-up and warming, for batches */
#define SLOW_S 0.05                   /* a batch so long is one a visit */
#define PIECE_S 0.001                 /* of a longer run: what a busy machine lets pass undisturbed */
#define LEAST_LENGTH 8.0              /* a longer run is at least so many batches */
#define LEAST_ALONE 0.25              /* of its pieces or samples: fewer say nothing */
enum { LEAST_BATCHES = 4, MOST_BATCHES = 32, SAMPLES = 64 };

typedef struct comp_lab {
    sup_lab lab;
    const sup_comp_set *set;
    sup_session *session;
    sup_team *team;
    double iteration_s; /* of this visit, roughly */
} comp_lab;

static double now(const comp_lab *c) {
    const sup_clock *clock = sup_session_clock(c->session);
    return (double)clock->now_ns(clock->context) * 1e-9;
}

static sup_status run_batch(comp_lab *c, uint64_t iterations, double *seconds) {
    sup_status status = sup_team_run(c->team, iterations, seconds);
    c->lab.batches++;
    c->lab.dropped += status == SUP_EBUSY;
    return status;
}

/* ---- warming ---- */

/* Runs over the data once, and learns how long an iteration takes: the quickest run counts, interruptions only add. */
static void warm_up(comp_lab *c) {
    const sup_kernel_work *work = sup_team_work(c->team);
    double best = INFINITY, spent = 0.0;
    uint64_t done = 0, count = 1;
    for (int rounds = 0; rounds < 64; rounds++) {
        double seconds;
        sup_team_run(c->team, count, &seconds);
        if (seconds > 0.0) best = fmin(best, seconds / (double)count);
        done += count;
        spent += seconds;
        bool seen = seconds >= SEEN_S;
        if ((seen && (done >= work->pass_iterations || spent > WARM_S)) || count > MOST_WARM) break;
        if (!seen || seconds < 0.1 * WARM_S) count *= 2;
    }
    c->iteration_s = isfinite(best) ? best : 1e-9;
    double again = fmin((double)work->pass_iterations, ceil(AGAIN_S / c->iteration_s));
    sup_team_set_warm(c->team, (uint64_t)fmax(again, 1.0));
}

static uint64_t count_for(const comp_lab *c, double seconds) {
    return (uint64_t)fmax(1.0, llround(seconds / c->iteration_s));
}

/* ---- batches ---- */

static sup_status visit_rate(comp_lab *c, sup_point *p, double spent_s) {
    if (!p->repetitions) p->repetitions = count_for(c, SUP_COMP_BATCH_S);
    double units = sup_team_units(c->team) * (double)p->repetitions, each = (double)p->repetitions * c->iteration_s;
    double wanted = fmin(fmax(SHARE * spent_s / each, LEAST_BATCHES), MOST_BATCHES);
    int batches = each > SLOW_S ? 1 : (int)wanted;
    sup_status status = SUP_OK;
    for (int i = 0; i < batches && !status; i++) {
        double seconds;
        bool alone = run_batch(c, p->repetitions, &seconds) == SUP_OK;
        status = sup_point_add(p, 0, alone ? seconds / units : -seconds / units);
    }
    return status;
}

/* ---- the check ---- */

/* Iterations of the shortest sample. */
static uint64_t sample_of(const comp_lab *c) { return count_for(c, SUP_COMP_LONG_S / SUP_COMP_LONGER); }

/* A run so many times longer than a sample, or as long as there is time for; in pieces, because on a busy machine no
 * long run is left alone. Those that were disturbed are left out. */
static sup_status visit_long(comp_lab *c, sup_point *p) {
    double most = SUP_COMP_LONG_S / c->iteration_s, wanted = (double)SUP_COMP_LONGER * (double)sample_of(c);
    double whole = fmin(most, wanted), done = 0.0, seconds = 0.0, all_done = 0.0, all_s = 0.0;
    uint64_t piece = count_for(c, PIECE_S);
    if (whole < LEAST_LENGTH * (double)count_for(c, SUP_COMP_BATCH_S)) {
        p->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    while (all_done < whole) {
        double s;
        bool alone = run_batch(c, piece, &s) == SUP_OK;
        all_done += (double)piece;
        all_s += s;
        if (alone) done += (double)piece, seconds += s;
    }
    double units = sup_team_units(c->team);
    return sup_point_add(p, 0, done > LEAST_ALONE * all_done ? seconds / done / units : -all_s / all_done / units);
}

static sup_status visit_short(comp_lab *c, sup_point *p) {
    uint64_t count = sample_of(c);
    if ((double)count * c->iteration_s * SUP_COMP_LONGER > 1.5 * SUP_COMP_LONG_S) { /* no time for so long a run */
        p->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    double once[SAMPLES], twice[SAMPLES];
    size_t n = 0;
    for (int i = 0; i < SAMPLES; i++) {
        bool alone = run_batch(c, count, &once[n]) == SUP_OK;
        alone &= run_batch(c, 2 * count, &twice[n]) == SUP_OK;
        n += alone;
    }
    if ((double)n < LEAST_ALONE * SAMPLES) return sup_point_add(p, 0, NAN);
    double low = sup_stats_quantile(twice, n, SUP_FOUND_LOW) - sup_stats_quantile(once, n, SUP_FOUND_LOW);
    return sup_point_add(p, 0, low > 0.0 ? low / (double)count / sup_team_units(c->team) : NAN);
}

/* ---- a visit ---- */

/* A size that is not to be had is a warning, not the end. */
static sup_status refuse(const comp_lab *c, const sup_comp_job *job, sup_point *p, const sup_diag *why) {
    p->status = SUP_ENOTSUP;
    sup_session_warn(c->session, SUP_WARNING_KERNEL_NOT_MEASURED,
                     &(sup_about){.kernel = job->kernel.kernel->name,
                                  .reason = why->text,
                                  .number = {(double)p->trial.bytes, job->setting.active}});
    return SUP_OK;
}

static sup_status visit(sup_lab *lab, sup_point *p, sup_diag *diag) {
    comp_lab *c = (comp_lab *)lab;
    const sup_comp_job *job = sup_comp_set_find(c->set, &p->trial);
    if (!job) { /* of another request */
        p->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    double from = now(c);
    sup_diag why = {0};
    sup_status status = sup_team_prepare(c->team, &job->setting, p->trial.bytes, &why);
    if (status == SUP_ENOMEM || status == SUP_EINVAL) return refuse(c, job, p, &why);
    if (status) {
        if (diag) *diag = why;
        return status;
    }
    sup_warning_code warning;
    if (sup_team_warning(c->team, &warning)) sup_session_warn(c->session, warning, NULL);
    p->footprint = (double)sup_team_work(c->team)->footprint_bytes;
    warm_up(c);
    if (p->trial.kind == SUP_TRIAL_RATE)
        status = visit_rate(c, p, now(c) - from);
    else
        status = p->trial.records > 1 ? visit_long(c, p) : visit_short(c, p);
    double took = now(c) - from;
    p->visit_s = p->visit_s > 0.0 ? fmin(took, p->visit_s) : took;
    return status ? sup_diag_set(diag, status, NULL, 0, "out of memory") : SUP_OK;
}

sup_status sup_lab_comp_open(const sup_comp_set *set, sup_store *store, sup_session *session,
                             const sup_team_options *team, sup_diag *diag, sup_lab **out) {
    sup_team_options own = {.clock = sup_session_clock(session)};
    comp_lab *c = calloc(1, sizeof *c);
    if (!c) return sup_diag_no_memory(diag);
    c->lab = (sup_lab){.size = 1, .store = store, .visit = visit};
    c->set = set;
    c->session = session;
    sup_status status = sup_team_new(team ? team : &own, diag, &c->team);
    if (status) {
        free(c);
        return status;
    }
    *out = &c->lab;
    return SUP_OK;
}

void sup_lab_comp_close(sup_lab *lab) {
    comp_lab *c = (comp_lab *)lab;
    if (!c) return;
    sup_team_free(c->team);
    free(c);
}
