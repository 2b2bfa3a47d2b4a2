/* The sampler that all measurements use (BSP §4.1; stopping by confidence instead of a fixed count).
 *
 * Only the clock, the watch and the work are outside: with these three replaced, a run is deterministic. The interval
 * is looked at when n has grown by a quarter, not after every sample: a rule that looks all the time stops at the first
 * lucky streak.
 *
 * A machine may never be quiet. So a batch that was disturbed is repeated only so often, in a row and in all, and then
 * kept; but what was kept counts only if there is too little else. Where many batches are disturbed, others were so
 * without being noticed (somebody came and went meanwhile). Disturbances only ever add time, so that there samples far
 * above the lower quartile do not count either. */
#include "base/sampler.h"

#include "base/pace.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REJECTED_MOST 1.0  /* times the samples so far, and … */
#define REJECTED_FIRST 5.0 /* … so many more: then nothing is repeated any longer */
#define CLEAN_LEAST 3      /* samples that nothing disturbed: then the others do not count */
#define UNNOTICED 1.1      /* times the lower quartile: samples above were disturbed, too, where many are */

typedef struct sampler {
    const sup_sampler_config *config;
    const sup_clock *clock;
    sup_watch watch;
    sup_thread_watch thread;
    int64_t start_ns;
    uint64_t batch;
    double *samples, *sorted, *scratch;
    bool *dirty;                             /* was disturbed, of each sample */
    size_t n, clean, used, reruns, rejected; /* clean: of the n, at the last look */
    double relative;
    sup_stop stop;
} sampler;

static void thread_begin(void *context) {
    sup_thread_watch *state = context;
    sup_usage_begin(&state->mark);
}

static bool thread_disturbed(void *context) {
    const sup_thread_watch *state = context;
    sup_usage usage;
    sup_usage_end(&state->mark, &usage);
    return sup_usage_disturbed(&usage, state->spinning);
}

sup_watch sup_watch_thread(sup_thread_watch *state, bool spinning) {
    *state = (sup_thread_watch){.spinning = spinning};
    return (sup_watch){thread_begin, thread_disturbed, state};
}

sup_sampler_config sup_sampler_defaults(void) {
    return (sup_sampler_config){.warmup = 2,
                                .max_batch = UINT64_C(1) << 40,
                                .min_batch_resolutions = 1000.0,
                                .confidence = 0.95,
                                .wanted_relative = 0.01,
                                .min_samples = 30,
                                .max_samples = 300,
                                .max_seconds = 10.0,
                                .outlier_confidence = 0.95,
                                .patience = 20};
}

static const char *fault(const sup_sampler_config *c) {
    if (!c->run) return "there is no work to run";
    if (c->max_samples == 0 || c->min_samples > c->max_samples) return "the sample limits contradict each other";
    if (c->max_samples > ((size_t)1 << 28)) return "too many samples";
    if (!(c->confidence > 0.0 && c->confidence < 1.0)) return "the confidence must lie between 0 and 1";
    if (!(c->outlier_confidence >= 0.0 && c->outlier_confidence < 1.0))
        return "the outlier confidence must lie below 1";
    if (!(c->wanted_relative >= 0.0)) return "the wanted width must not be negative";
    if (!(c->max_seconds >= 0.0)) return "the time limit must not be negative";
    if (!(c->min_batch_s >= 0.0) || !(c->min_batch_resolutions >= 0.0)) return "the batch length must not be negative";
    if (c->batch == 0 && c->max_batch == 0) return "the batch limit must not be 0";
    if (c->watch.begin && !c->watch.disturbed) return "the watch has no verdict";
    return NULL;
}

static double spent(const sampler *s) { return sup_clock_seconds(s->start_ns, s->clock->now_ns(s->clock->context)); }

static bool out_of_time(const sampler *s) { return s->config->max_seconds > 0.0 && spent(s) >= s->config->max_seconds; }

/* One batch: its seconds and whether it counts. */
static sup_status run_batch(sampler *s, uint64_t repetitions, double *elapsed, bool *counts) {
    const sup_sampler_config *c = s->config;
    double own = -1.0;
    if (!c->no_watch) s->watch.begin(s->watch.context);
    int64_t from = s->clock->now_ns(s->clock->context);
    sup_status status = c->run(c->context, repetitions, &own);
    int64_t to = s->clock->now_ns(s->clock->context);
    *counts = c->no_watch || !s->watch.disturbed(s->watch.context);
    if (status == SUP_EBUSY) {
        *counts = false;
        status = SUP_OK;
    }
    *elapsed = own >= 0.0 ? own : fmax(0.0, sup_clock_seconds(from, to) - s->clock->overhead_s);
    return status;
}

static sup_status ask_progress(const sampler *s) {
    const sup_sampler_config *c = s->config;
    if (!c->progress) return SUP_OK;
    sup_sampler_progress p = {.n = s->n,
                              .max_samples = c->max_samples,
                              .relative = s->relative,
                              .wanted_relative = c->wanted_relative,
                              .seconds = spent(s),
                              .max_seconds = c->max_seconds,
                              .rejected = s->rejected};
    return c->progress(c->progress_context, &p) ? SUP_OK : SUP_EINTR;
}

static bool patient(const sampler *s, unsigned tries) {
    if (tries >= s->config->patience || (s->n > 0 && out_of_time(s))) return false;
    return (double)s->rejected < REJECTED_MOST * (double)s->n + REJECTED_FIRST;
}

/* One sample: a batch that counts, or one that does not when patience is at its end. */
static sup_status take_sample(sampler *s, double *out, bool *dirty) {
    double elapsed = 0.0;
    bool counts = false;
    for (unsigned tries = 0;; tries++) {
        sup_status status = run_batch(s, s->batch, &elapsed, &counts);
        if (status != SUP_OK) return status;
        *dirty = !counts;
        if (counts || !patient(s, tries)) break;
        s->rejected++;
    }
    *out = elapsed / (double)s->batch;
    return ask_progress(s);
}

static sup_status warm_up(sampler *s) {
    double elapsed;
    bool counts;
    for (unsigned i = 0; i < s->config->warmup; i++) {
        sup_status status = run_batch(s, 1, &elapsed, &counts);
        if (status != SUP_OK) return status;
        if (out_of_time(s)) break;
    }
    return SUP_OK;
}

/* Grows the batch until it is long enough: towards the length the last one suggests, at least twofold, so that it ends,
 * at most a hundredfold, because one that was too short to see suggests anything. */
static sup_status grow_batch(sampler *s) {
    const sup_sampler_config *c = s->config;
    if (c->batch > 0) {
        s->batch = c->batch;
        return SUP_OK;
    }
    double wanted = c->min_batch_resolutions * (s->clock->resolution_s + s->clock->overhead_s);
    wanted = fmax(wanted, c->min_batch_s);
    for (s->batch = 1; s->batch < c->max_batch && !out_of_time(s);) {
        double elapsed;
        bool counts;
        sup_status status = run_batch(s, s->batch, &elapsed, &counts);
        if (status != SUP_OK) return status;
        if (elapsed >= wanted) break;
        double factor = elapsed > 0.0 ? fmin(fmax(1.1 * wanted / elapsed, 2.0), 100.0) : 100.0;
        double next = ceil((double)s->batch * factor);
        s->batch = next < (double)c->max_batch ? (uint64_t)next : c->max_batch;
    }
    return SUP_OK;
}

static void drop_unnoticed(sampler *s) {
    size_t kept = 0;
    memcpy(s->scratch, s->sorted, s->used * sizeof *s->scratch);
    sup_stats_sort(s->scratch, s->used);
    double most = UNNOTICED * sup_stats_quantile_sorted(s->scratch, s->used, 0.25);
    for (size_t i = 0; i < s->used; i++)
        if (s->sorted[i] <= most) s->sorted[kept++] = s->sorted[i];
    s->used = kept;
}

/* The samples that count, in s->sorted, in the order taken. */
static void choose_samples(sampler *s) {
    s->clean = 0;
    for (size_t i = 0; i < s->n; i++) s->clean += !s->dirty[i];
    bool enough = s->clean >= CLEAN_LEAST;
    s->used = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!enough || !s->dirty[i]) s->sorted[s->used++] = s->samples[i];
    double disturbed = (double)(s->rejected + s->n - s->clean), all = (double)(s->rejected + s->n);
    if (s->used > CLEAN_LEAST && disturbed > SUP_PACE_BUSY * all) drop_unnoticed(s);
}

static sup_interval centre_interval(sampler *s, double *centre) {
    choose_samples(s);
    if (s->config->centre == SUP_CENTRE_MEAN) {
        *centre = sup_stats_mean(s->sorted, s->used);
        return sup_stats_mean_interval(s->sorted, s->used, s->config->confidence);
    }
    sup_stats_sort(s->sorted, s->used);
    *centre = sup_stats_median_sorted(s->sorted, s->used);
    return sup_stats_median_interval_sorted(s->sorted, s->used, s->config->confidence);
}

static bool precise(sampler *s) {
    double centre, wanted = s->config->wanted_relative;
    sup_interval ci = centre_interval(s, &centre);
    s->relative = centre > 0.0 ? fmax(ci.high - centre, centre - ci.low) / centre : 0.0;
    return wanted > 0.0 && ci.confidence >= s->config->confidence && s->relative <= wanted;
}

/* The outlier rule: until no sample is outside the interval of the others, or a limit is met. */
static sup_status rerun_outliers(sampler *s) {
    const sup_sampler_config *c = s->config;
    size_t most = c->max_reruns > 0 ? c->max_reruns : c->max_samples;
    while (c->outlier_confidence > 0.0 && s->reruns < most && !out_of_time(s)) {
        size_t at = sup_stats_outlier(s->samples, s->n, c->outlier_confidence);
        if (at == s->n) break;
        s->reruns++;
        sup_status status = take_sample(s, &s->samples[at], &s->dirty[at]);
        if (status != SUP_OK) return status;
    }
    return SUP_OK;
}

static sup_status sample(sampler *s) {
    const sup_sampler_config *c = s->config;
    size_t check = c->min_samples > 2 ? c->min_samples : 2;
    if (check > c->max_samples) check = c->max_samples;
    for (;;) {
        while (s->n < check && (s->n == 0 || !out_of_time(s))) {
            double value = -1.0;
            sup_status status = take_sample(s, &value, &s->dirty[s->n]);
            if (value >= 0.0) s->samples[s->n++] = value; /* measured, even if it was the callback that stopped here */
            if (status != SUP_OK) return status;
        }
        sup_status status = rerun_outliers(s);
        if (status != SUP_OK) return status;
        if (precise(s) && s->n >= c->min_samples) {
            s->stop = SUP_STOP_PRECISE;
            return SUP_OK;
        }
        if (out_of_time(s)) {
            s->stop = SUP_STOP_SECONDS;
            return SUP_OK;
        }
        if (s->n == c->max_samples) {
            s->stop = SUP_STOP_SAMPLES;
            return SUP_OK;
        }
        check = s->n + s->n / 4 + 1 < c->max_samples ? s->n + s->n / 4 + 1 : c->max_samples;
    }
}

static void report(sampler *s, sup_sampler_result *r) {
    *r = (sup_sampler_result){.centre = s->config->centre, .batch = s->batch, .stop = s->stop};
    r->reruns = s->reruns;
    r->rejected = s->rejected;
    r->seconds = spent(s);
    if (s->n == 0) return;
    double centre;
    sup_interval ci = centre_interval(s, &centre);
    size_t n = r->n = s->used;
    r->rejected += s->n - n;
    if (s->clean < CLEAN_LEAST) r->disturbed = n - (s->clean < n ? s->clean : n);
    choose_samples(s);
    if (s->config->samples) memcpy(s->config->samples, s->sorted, n * sizeof(double));
    r->mean = sup_stats_mean(s->sorted, n);
    r->sd = n > 1 ? sup_stats_deviation(s->sorted, n) : 0.0;
    sup_stats_sort(s->sorted, n);
    r->median = sup_stats_median_sorted(s->sorted, n);
    r->least = s->sorted[0];
    r->greatest = s->sorted[n - 1];
    r->ci_low = fmax(ci.low, 0.0);
    r->ci_high = n > 1 ? ci.high : INFINITY;
    r->ci_confidence = ci.confidence;
    double usual = sup_stats_usual_reruns(n, s->config->outlier_confidence);
    r->unusual = s->config->outlier_confidence > 0.0 && (double)s->reruns > usual;
}

sup_status sup_sampler_run(const sup_sampler_config *config, sup_diag *diag, sup_sampler_result *result) {
    const char *reason = fault(config);
    if (reason) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "sampler: %s", reason);
    sampler s = {.config = config, .batch = 1, .relative = INFINITY, .stop = SUP_STOP_REQUESTED};
    s.clock = config->clock ? config->clock : sup_clock_system();
    s.watch = config->watch.begin ? config->watch : sup_watch_thread(&s.thread, config->spinning);
    s.samples = malloc(config->max_samples * (3 * sizeof *s.samples + sizeof *s.dirty));
    if (!s.samples) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %zu samples", config->max_samples);
    s.sorted = s.samples + config->max_samples;
    s.scratch = s.sorted + config->max_samples;
    s.dirty = (bool *)(s.scratch + config->max_samples);
    s.start_ns = s.clock->now_ns(s.clock->context);

    sup_status status = warm_up(&s);
    if (status == SUP_OK) status = grow_batch(&s);
    if (status == SUP_OK) status = sample(&s);
    if (status == SUP_OK || status == SUP_EINTR) report(&s, result);
    if (status == SUP_EINTR) sup_diag_set(diag, status, NULL, 0, "stopped after %zu samples", s.n);
    free(s.samples);
    return status;
}
