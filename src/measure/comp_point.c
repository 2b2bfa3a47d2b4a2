/* Measuring one point of a rate (comp_point.h; BSP §4.1): growing iteration counts, samples with the Student-t rule for
 * each, a line through the means, whose slope is the rate: what every call costs once is in the intercept.
 *
 * The document goes from 2 to 2^12 iterations. Here the first count is one the clock can see (an iteration may be 50
 * ns) and the last is bounded by time (it may also be 1 ms). Means are weighted by what is known about them, never
 * better than FLOOR: the shortest counts have the largest relative error. */
#include "measure/comp_point.h"

#include "base/lsq.h"
#include "base/pace.h"
#include "measure/comp_team.h"

#include <math.h>

#define COUNTS 12
#define LEAST_COUNTS 3
#define FLOOR 0.002
#define WARM_S 0.001                  /* to bring the data back after an interruption */
#define FIRST_WARM_S 0.01             /* after set-up */
#define RESOLUTIONS 50.0              /* of the clock, in the shortest sample */
#define PATIENCE 6.0                  /* times the effort: what a busy machine may make of it */
#define MOST_WARM (UINT64_C(1) << 20) /* iterations of a kernel that the clock does not see */
#define GIVES_UP 0.5                  /* of the time for a longer run: then a piece that was disturbed counts too */
#define RUN_SHARE 0.9                 /* of the time of a check, for the run itself */
#define PIECE_S 0.001                 /* of a longer run: what a busy machine lets pass undisturbed */

typedef struct bench {
    sup_session *session;
    sup_team *team;
    const sup_comp_effort *effort;
    double iteration_s; /* roughly */
    uint64_t batches, rejected;
    uint64_t kept; /* samples that were disturbed, and count */
} bench;

static sup_status run_batch(void *context, uint64_t repetitions, double *elapsed_s) {
    bench *b = context;
    b->batches++;
    sup_status status = sup_team_run(b->team, repetitions, elapsed_s);
    if (status == SUP_EBUSY) b->rejected++;
    return status;
}

static bool go_on(void *context, const sup_sampler_progress *progress) {
    (void)progress;
    return !sup_session_stopped(((bench *)context)->session);
}

/* Runs for a while and learns how long an iteration takes. The quickest run counts: interruptions only add. */
static void warm_up(bench *b) {
    const sup_kernel_work *work = sup_team_work(b->team);
    double best = INFINITY, spent = 0.0;
    uint64_t done = 0, count = 1;
    for (int rounds = 0; rounds < 64; rounds++) {
        double seconds;
        sup_team_run(b->team, count, &seconds);
        if (seconds > 0.0) best = fmin(best, seconds / (double)count);
        done += count;
        spent += seconds;
        bool seen = seconds >= 20e-6;
        if ((seen && (done >= work->pass_iterations || spent > FIRST_WARM_S)) || count > MOST_WARM) break;
        if (!seen || seconds < 0.1 * FIRST_WARM_S) count *= 2;
    }
    b->iteration_s = isfinite(best) ? best : 1e-9;
    double warm = fmin((double)work->pass_iterations, ceil(WARM_S / b->iteration_s));
    sup_team_set_warm(b->team, (uint64_t)fmax(warm, 1.0));
}

/* The counts 2^k … of this point, ascending; returns how many. */
static size_t choose_counts(const bench *b, uint64_t counts[COUNTS]) {
    const sup_clock *clock = sup_session_clock(b->session);
    double least = RESOLUTIONS * (clock->resolution_s + clock->overhead_s);
    uint64_t first = 2;
    while ((double)first * b->iteration_s < least && first < UINT64_C(1) << 40) first *= 2;
    if (2.0 * b->iteration_s > b->effort->batch_s) first = 1;
    size_t n = 0;
    for (uint64_t c = first; n < COUNTS; c *= 2) {
        if (n >= LEAST_COUNTS && (double)c * b->iteration_s > b->effort->batch_s) break;
        counts[n++] = c;
    }
    return n;
}

static double longest_sample(const bench *b) {
    uint64_t counts[COUNTS];
    return (double)counts[choose_counts(b, counts) - 1];
}

static sup_status sample_count(bench *b, uint64_t count, double seconds, sup_diag *diag, sup_sampler_result *r) {
    sup_sampler_config c = sup_sampler_defaults();
    c.run = run_batch;
    c.context = b;
    c.clock = sup_session_clock(b->session);
    c.no_watch = true; /* the team watches all its workers */
    c.warmup = 0;
    c.batch = count;
    c.centre = SUP_CENTRE_MEAN;
    c.min_samples = b->effort->samples;
    c.max_samples = 2 * b->effort->samples;
    c.max_reruns = b->effort->samples;
    c.max_seconds = seconds;
    c.progress = go_on;
    c.progress_context = b;
    return sup_sampler_run(&c, diag, r);
}

/* Half the width of the slope's 95 % interval. The errors of the means are known from their samples, so they decide,
 * and the scatter around the line only widens what they say: the line's own estimate from three or four means would be
 * a guess with one degree of freedom. */
static double slope_interval(const sup_line *line, const double *x, const double *y, const double *w, size_t n) {
    double sum = 0.0, mean = 0.0, spread = 0.0, chi = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += w[i];
        mean += w[i] * x[i];
    }
    mean /= sum;
    for (size_t i = 0; i < n; i++) {
        double off = y[i] - sup_line_at(line, x[i]);
        spread += w[i] * (x[i] - mean) * (x[i] - mean);
        chi += w[i] * off * off;
    }
    return 2.0 * sqrt(fmax(1.0, chi / ((double)n - 2.0)) / spread);
}

/* The line through the means. */
static void fit(const bench *b, const double *x, const double *y, const double *w, size_t n, sup_comp_point *out) {
    double units = sup_team_units(b->team);
    sup_line line;
    out->unit_s = y[n - 1] / x[n - 1] / units;
    out->ci_s = 2.0 / sqrt(w[n - 1]) / x[n - 1] / units;
    if (n < LEAST_COUNTS || sup_line_fit_weighted(x, y, w, n, &line) != SUP_OK || !(line.slope > 0.0)) return;
    out->ci_s = slope_interval(&line, x, y, w, n) / units;
    out->unit_s = line.slope / units;
}

static sup_status measure_rate(bench *b, sup_diag *diag, sup_comp_point *out) {
    uint64_t counts[COUNTS];
    double x[COUNTS], y[COUNTS], w[COUNTS], left = b->effort->seconds;
    double resolution = sup_session_clock(b->session)->resolution_s;
    size_t count = choose_counts(b, counts), n = 0;
    sup_status status = SUP_OK;
    left *= b->effort->patience > 0.0 ? b->effort->patience : PATIENCE;
    for (size_t i = count; i-- > 0 && !status;) { /* the longest first: they say most if time runs out */
        sup_sampler_result r = {0};
        status = sample_count(b, counts[i], fmax(left / (double)(i + 1), 1e-6), diag, &r);
        if ((status && status != SUP_EINTR) || r.n == 0) continue;
        left -= r.seconds;
        double mean = r.mean * (double)counts[i]; /* of a sample; the sampler speaks of iterations */
        double error = r.n > 1 ? r.sd * (double)counts[i] / sqrt((double)r.n) : 0.2 * mean;
        error = hypot(hypot(error, FLOOR * mean), resolution);
        if (!(mean > 0.0) || !(error > 0.0)) continue;
        x[n] = (double)counts[i];
        y[n] = mean;
        w[n] = 1.0 / (error * error);
        n++;
        out->n += (int64_t)r.n;
        out->reruns += (int64_t)r.reruns;
        b->kept += r.disturbed;
        if (left <= 0.0 && n >= LEAST_COUNTS) break;
    }
    if (n == 0) return status ? status : sup_diag_set(diag, SUP_EBUSY, NULL, 0, "the clock does not see the kernel");
    for (size_t i = 0; i < n / 2; i++) { /* ascending */
        double swap[3] = {x[i], y[i], w[i]};
        x[i] = x[n - 1 - i], y[i] = y[n - 1 - i], w[i] = w[n - 1 - i];
        x[n - 1 - i] = swap[0], y[n - 1 - i] = swap[1], w[n - 1 - i] = swap[2];
    }
    fit(b, x, y, w, n, out);
    return status;
}

/* A run so many times longer than a sample, in pieces, because on a busy machine no long run is left alone; pieces that
 * were disturbed are left out and made up for, unless that is all of them. */
static sup_status run_long(bench *b, double sample, sup_diag *diag, sup_comp_point *out) {
    double wanted = SUP_COMP_LONGER * sample, done = 0.0, seconds = 0.0;
    uint64_t piece = (uint64_t)fmax(fmax(1.0, sample), PIECE_S / b->iteration_s);
    const sup_clock *clock = sup_session_clock(b->session);
    int64_t from = clock->now_ns(clock->context);
    for (double passed = 0.0; done < wanted && passed < b->effort->seconds;) {
        double s = 0.0;
        if (sup_session_stopped(b->session)) return SUP_EINTR;
        bool alone = run_batch(b, piece, &s) == SUP_OK;
        passed = sup_clock_seconds(from, clock->now_ns(clock->context));
        if (!alone && (out->n > 0 || passed < GIVES_UP * b->effort->seconds)) continue;
        seconds += s;
        done += (double)piece;
        out->n++;
    }
    if (done == 0.0) return sup_diag_set(diag, SUP_EBUSY, NULL, 0, "no run was left alone");
    out->unit_s = seconds / done / sup_team_units(b->team);
    out->length = done / sample;
    return SUP_OK;
}

/* The check of BSP §4.1: what do samples say of a run 2^12 times longer? So that there is time for it, the samples are
 * as short as they must be for that, if the clock still sees them. */
static sup_status measure_longer(bench *b, sup_diag *diag, sup_comp_point *out) {
    const sup_comp_effort *asked = b->effort;
    sup_comp_effort brief = *asked;
    sup_comp_point said = {.unit_s = NAN};
    brief.batch_s = fmin(asked->batch_s, RUN_SHARE * asked->seconds / SUP_COMP_LONGER);
    brief.seconds = (1.0 - RUN_SHARE) * asked->seconds;
    brief.samples = 2 * asked->samples;
    b->effort = &brief;
    double sample = longest_sample(b);
    sup_status status = measure_rate(b, diag, &said);
    b->effort = asked;
    if (status == SUP_EINTR) return status;
    out->said_s = status ? NAN : said.unit_s;
    return run_long(b, sample, diag, out);
}

sup_status sup_comp_measure(void *unused, sup_session *session, const sup_comp_setting *setting, size_t bytes,
                            const sup_comp_effort *effort, sup_diag *diag, sup_comp_point *out) {
    (void)unused;
    sup_team_options o = {.kernel = setting->kernel,
                          .bytes = bytes,
                          .cpus = setting->cpus,
                          .count = setting->active,
                          .counted = setting->counted,
                          .clock = sup_session_clock(session),
                          .watch = sup_session_watch(session)};
    bench b = {.session = session, .effort = effort};
    sup_status status = sup_team_open(&o, diag, &b.team);
    if (status) return status;
    sup_warning_code warning;
    if (sup_team_warning(b.team, &warning)) sup_session_warn(session, warning, NULL);
    sup_comp_point point = {.bytes = (double)sup_team_work(b.team)->footprint_bytes,
                            .ci_s = NAN,
                            .length = NAN,
                            .said_s = NAN};
    warm_up(&b);
    status = effort->longer ? measure_longer(&b, diag, &point) : measure_rate(&b, diag, &point);
    uint64_t held = sup_team_held(b.team); /* as good as a batch that was thrown away */
    sup_session_count(session, b.batches + held, b.rejected + held);
    double counted = (double)(b.batches > b.rejected ? b.batches - b.rejected : 1);
    point.shared = fmin(1.0, (double)sup_team_shared(b.team) / counted);
    if (point.n > 0) point.shared = fmax(point.shared, fmin(1.0, (double)b.kept / (double)point.n));
    double beside = (double)(b.rejected + held) / fmax(1.0, (double)(b.batches + held));
    point.noisy = beside > SUP_PACE_BUSY || sup_session_rejection_rate(session) > SUP_PACE_BUSY;
    point.shared = fmax(point.shared, beside - SUP_PACE_BUSY); /* what counts was disturbed as well, unnoticed */
    sup_team_close(b.team);
    if (!status || (status == SUP_EINTR && point.n > 0 && !effort->longer)) *out = point;
    return status;
}
