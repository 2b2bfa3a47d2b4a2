/* Measuring computation (comp.h; term Tcomp, BSP ch. 4): first a coarse pass over everything, from coarse to fine so
 * that an early end still leaves whole curves; then rounds that go where the result is least certain; then the check.
 */
#include "measure/comp.h"

#include "measure/comp_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WANTED 0.02
#define CHECK_SHARE 0.20  /* of the time, for the check */
#define FULL_SHARE 0.7    /* of that, for runs of the full length */
#define COARSE_SHARE 0.40 /* of the time, for the first pass */
#define CHECK_S 0.15      /* one check, at most */
#define COARSE_SAMPLES 6
#define COARSE_PATIENCE 2.0 /* what was disturbed is visited again later, when the neighbours may be others */
#define FINE_SAMPLES 12
#define BATCH_S 0.0005 /* longest sample: what a busy machine lets pass now and then */

typedef struct comp {
    sup_session *session;
    const sup_measure_comp_options *options;
    const sup_comp_bench *bench;
    sup_comp_set set;
    double wanted, stage_s, reserve_s;
    size_t points, coarse_points, coarse_done;
    bool out_of_time;
    double worst_prediction;
} comp;

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double left(const comp *c) { return sup_session_left(c->session) - c->reserve_s; }

/* With a budget the bar shows time; without, the share of the points and then of the rates that are done. */
static sup_status tick(const comp *c, double done, const sup_comp_job *job, double bytes) {
    char text[128];
    double fraction = done;
    if (isfinite(c->stage_s) && c->stage_s > 0.0) fraction = 1.0 - sup_session_left(c->session) / c->stage_s;
    snprintf(text, sizeof text, "%s, %.0f KB, %d active", job->kernel.kernel->name, bytes / 1024.0,
             job->setting.active);
    return sup_session_tick(c->session, clamp(fraction, 0.0, 0.999), text);
}

/* One point of a job. A size that is not to be had is a warning, not the end. */
static sup_status measure(comp *c, sup_comp_job *job, size_t bytes, const sup_comp_effort *effort, sup_comp_point *p,
                          sup_diag *diag) {
    sup_diag why = {0};
    *p = (sup_comp_point){0};
    sup_status status = c->bench->measure(c->bench->context, c->session, &job->setting, bytes, effort, &why, p);
    switch (status) {
    case SUP_OK:
    case SUP_EINTR: break;
    case SUP_ENOMEM: job->most = bytes / 2; /* fall through */
    case SUP_EINVAL:
    case SUP_EBUSY:
        sup_session_warn(c->session, SUP_WARNING_KERNEL_NOT_MEASURED,
                         &(sup_about){.kernel = job->kernel.kernel->name,
                                      .reason = why.text,
                                      .number = {(double)bytes, job->setting.active}});
        break;
    default:
        if (diag) *diag = why;
        return status;
    }
    if (p->n > 0 && !effort->longer) {
        sup_status added = sup_comp_curve_add(&job->curve, bytes, p);
        if (added == SUP_ENOMEM) return sup_diag_set(diag, added, NULL, 0, "out of memory");
        c->points++;
    }
    sup_session_look(c->session);
    return status == SUP_EINTR ? SUP_EINTR : SUP_OK;
}

/* ---- the coarse pass ---- */

/* Point i of a job's grid: doublings from the least footprint, and the greatest. 0: no such point. */
static size_t grid_bytes(const sup_comp_job *job, unsigned i) {
    if (i == 0) return job->least;
    double bytes = ldexp((double)job->least, (int)i), most = (double)job->most;
    if (bytes < 0.75 * most) return (size_t)bytes;
    return bytes < 1.5 * most || ldexp(bytes, -1) < 0.75 * most ? job->most : 0;
}

static unsigned grid_count(const sup_comp_job *job) {
    unsigned n = 1;
    while (n < 64 && grid_bytes(job, n) && grid_bytes(job, n) > grid_bytes(job, n - 1)) n++;
    return n;
}

/* Round 0: every fourth point and the last; round 1: every second; round 2: all. */
static unsigned round_of(unsigned i, unsigned count) {
    if (i % 4 == 0 || i + 1 == count) return 0;
    return i % 2 == 0 ? 1 : 2;
}

static sup_status coarse_job(comp *c, sup_comp_job *job, unsigned round, const sup_comp_effort *effort,
                             sup_diag *diag) {
    unsigned count = grid_count(job);
    for (unsigned i = 0; i < count; i++) {
        size_t bytes = grid_bytes(job, i);
        if (round_of(i, count) != round || bytes == 0) continue;
        double done = 0.6 * (double)c->coarse_done++ / (double)c->coarse_points;
        if (bytes > job->most || sup_comp_curve_has(&job->curve, (double)bytes, 1.2)) continue;
        if (left(c) <= 0.0) {
            c->out_of_time = true;
            return SUP_OK;
        }
        sup_status status = tick(c, done, job, (double)bytes);
        sup_comp_point point;
        if (!status) status = measure(c, job, bytes, effort, &point, diag);
        if (status) return status;
    }
    return SUP_OK;
}

static sup_status coarse_pass(comp *c, sup_diag *diag) {
    for (size_t i = 0; i < c->set.count; i++) c->coarse_points += grid_count(&c->set.jobs[i]);
    double each = clamp(COARSE_SHARE * left(c) / (double)c->coarse_points, 0.0005, 0.01);
    sup_comp_effort effort = {.seconds = each,
                              .batch_s = fmin(BATCH_S, each / 20.0),
                              .samples = COARSE_SAMPLES,
                              .patience = COARSE_PATIENCE};
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < c->set.count; i++) {
            sup_status status = coarse_job(c, &c->set.jobs[i], round, &effort, diag);
            if (status) return status;
            if (c->out_of_time) return SUP_OK;
        }
    return SUP_OK;
}

/* ---- rounds ---- */

static sup_comp_job *least_certain(comp *c, sup_comp_choice *choice, size_t *certain) {
    sup_comp_job *worst = NULL;
    *choice = (sup_comp_choice){.relative = c->wanted};
    *certain = 0;
    for (size_t i = 0; i < c->set.count; i++) {
        sup_comp_choice next = sup_comp_curve_next(&c->set.jobs[i].curve);
        if (next.relative <= c->wanted || next.bytes > c->set.jobs[i].most) ++*certain;
        if (next.bytes == 0 || next.relative <= choice->relative || next.bytes > c->set.jobs[i].most) continue;
        *choice = next;
        worst = &c->set.jobs[i];
    }
    return worst;
}

static sup_status refine(comp *c, sup_diag *diag) {
    double each = clamp(left(c) / 1000.0, 0.002, 0.03);
    sup_comp_effort effort = {.seconds = each, .batch_s = BATCH_S, .samples = FINE_SAMPLES};
    for (;;) {
        sup_comp_choice choice;
        size_t certain;
        sup_comp_job *job = least_certain(c, &choice, &certain);
        if (!job) return SUP_OK;
        if (left(c) <= 0.0) {
            c->out_of_time = true;
            return SUP_OK;
        }
        sup_status status = tick(c, 0.6 + 0.35 * (double)certain / (double)c->set.count, job, (double)choice.bytes);
        sup_comp_point point;
        if (status) return status;
        sup_comp_curve_tried(&job->curve, &choice);
        status = measure(c, job, choice.bytes, &effort, &point, diag);
        if (status) return status;
    }
}

/* ---- the check ---- */

/* A footprint in the middle of level i of the memory, counted from L1; the last is outside all caches. 0: none. */
static size_t check_bytes(const sup_topology *t, const sup_comp_job *job, int i) {
    double below = 0.0, size = 0.0;
    int depth = 0;
    for (const sup_level *level = t->levels; level; level = level->child) depth++;
    if (i > depth) return 0;
    if (i == depth) return job->most;
    const sup_level *level = sup_level_get(t->levels, depth - 1 - i);
    size = (double)level->size_bytes;
    if (level->child) below = (double)level->child->size_bytes;
    double middle = below > 0.0 ? sqrt(below * size) : 0.5 * size;
    return middle >= (double)job->least && middle < (double)job->most ? (size_t)middle : 1;
}

static sup_status check_job(comp *c, sup_comp_job *job, size_t bytes, double seconds, sup_diag *diag) {
    sup_curve *fitted = NULL;
    sup_status status = tick(c, 0.96, job, (double)bytes);
    if (status) return status;
    status = sup_comp_curve_fit(&job->curve, diag, &fitted);
    if (status) return status;
    sup_comp_effort effort = {.seconds = seconds, .batch_s = BATCH_S, .samples = FINE_SAMPLES, .longer = true};
    sup_comp_point longer;
    status = measure(c, job, bytes, &effort, &longer, diag);
    if (!status && longer.n > 0 && longer.unit_s > 0.0) {
        double error = fabs(sup_curve_at(fitted, longer.bytes) / longer.unit_s - 1.0);
        /* fmax and fmin pass the number where the other is NaN */
        job->prediction_error = fmax(job->prediction_error, error);
        job->prediction_length = fmin(job->prediction_length, longer.length);
        c->worst_prediction = fmax(c->worst_prediction, error);
        if (longer.length >= SUP_COMP_LONGER)
            job->long_run_error = fmax(job->long_run_error, fabs(longer.said_s / longer.unit_s - 1.0));
    }
    sup_curve_free(fitted);
    return status;
}

/* Time for a run of this level. Those inside the first cache get what 2^12 times as long takes, if there is that much:
 * its iterations are the shortest. */
static double check_seconds(const comp *c, int level, int levels) {
    double left = sup_session_left(c->session);
    if (!isfinite(left)) return CHECK_S;
    double share = level == 0 ? FULL_SHARE : 1.0 / (levels - level);
    return clamp(0.8 * share * left / (double)c->set.count, 0.001, CHECK_S);
}

static sup_status check(comp *c, sup_diag *diag) {
    const sup_topology *t = c->options->topology;
    int levels = 1;
    for (const sup_level *level = t->levels; level; level = level->child) levels++;
    for (size_t i = 0; i < c->set.count; i++) {
        sup_comp_job *job = &c->set.jobs[i];
        job->prediction_error = job->prediction_length = job->long_run_error = NAN;
    }
    for (int level = 0; level < levels; level++) {
        double each = check_seconds(c, level, levels);
        for (size_t i = 0; i < c->set.count; i++) {
            sup_comp_job *job = &c->set.jobs[i];
            size_t bytes = check_bytes(t, job, level);
            if (bytes <= 1 || job->curve.count < 2) continue;
            if (sup_session_left(c->session) <= 0.0) return SUP_OK;
            sup_status status = check_job(c, job, bytes, each, diag);
            if (status) return status;
        }
    }
    return SUP_OK;
}

/* ---- the whole ---- */

static void summarise(const comp *c, sup_comp_summary *s) {
    *s = (sup_comp_summary){.points = c->points,
                            .out_of_time = c->out_of_time,
                            .worst_prediction = c->worst_prediction,
                            .worst_relative = 0.0};
    for (size_t i = 0; i < c->set.count; i++) {
        const sup_comp_job *job = &c->set.jobs[i];
        if (job->curve.count == 0) continue;
        double bytes = 0.0, relative = sup_comp_curve_worst(&job->curve, &bytes);
        s->curves++;
        s->certain += relative <= c->wanted;
        if (relative <= s->worst_relative) continue;
        s->worst_relative = relative;
        s->worst_bytes = bytes;
        s->worst_active = job->setting.active;
        snprintf(s->worst_kernel, sizeof s->worst_kernel, "%s", job->kernel.kernel->name);
    }
}

static void warn_of_uncertain(const comp *c, const sup_comp_summary *s) {
    sup_session_forget(c->session, SUP_WARNING_RATES_MISSING);
    sup_session_forget(c->session, SUP_WARNING_RATES_UNCERTAIN);
    if (s->curves < c->set.count)
        sup_session_warn(c->session, SUP_WARNING_RATES_MISSING,
                         &(sup_about){.number = {(double)s->curves, (double)c->set.count}});
    if (s->certain < s->curves)
        sup_session_warn(c->session, SUP_WARNING_RATES_UNCERTAIN,
                         &(sup_about){.kernel = s->worst_kernel,
                                      .number = {(double)(s->curves - s->certain), (double)s->curves, c->wanted,
                                                 s->worst_bytes, s->worst_active, s->worst_relative}});
}

static sup_status finish(comp *c, sup_status status, sup_profile *profile, sup_diag *diag) {
    sup_comp_summary summary;
    summarise(c, &summary);
    if (c->options->summary) *c->options->summary = summary;
    if (summary.curves == 0) {
        if (status) return status;
        return sup_diag_set(diag, SUP_ETIMEOUT, NULL, 0, "%.3g s are too short to measure any kernel", c->stage_s);
    }
    warn_of_uncertain(c, &summary);
    sup_status stored = sup_comp_set_store(&c->set, c->options, profile, diag);
    if (stored) return stored;
    if (status == SUP_EINTR) sup_diag_set(diag, status, NULL, 0, "stopped after %zu points", c->points);
    return status;
}

sup_status sup_measure_comp(sup_session *session, const sup_measure_comp_options *options, sup_profile *profile,
                            sup_diag *diag) {
    static const sup_comp_bench real = {sup_comp_measure, NULL};
    if (!options->topology || !options->usable)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "measuring computation needs a topology and its usable cores");
    comp c = {.session = session, .options = options, .worst_prediction = NAN};
    c.bench = options->bench ? options->bench : &real;
    c.wanted = options->wanted_relative > 0.0 ? options->wanted_relative : WANTED;
    c.stage_s = sup_session_left(session);
    sup_status status = sup_comp_set_make(session, options, profile, diag, &c.set);
    if (status) return status;
    if (isfinite(c.stage_s) && !options->no_check) c.reserve_s = CHECK_SHARE * c.stage_s;
    status = coarse_pass(&c, diag);
    if (!status && !c.out_of_time) status = refine(&c, diag);
    if (!status && !options->no_check) status = check(&c, diag);
    status = finish(&c, status, profile, diag);
    sup_comp_set_free(&c.set);
    if (!status) status = sup_session_tick(session, 1.0, "computation");
    return status;
}
