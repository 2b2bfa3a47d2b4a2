/* A measuring session (session.h): time, progress, disturbance and warnings, for all terms of the equation.
 *
 * Whether a machine is busy has three witnesses. The rejection rate says that somebody took the core away, or shared
 * it, while a batch ran; the load average says that others wanted to run, even if they never met a batch; and a virtual
 * machine is told how much of its time the host gave to others. The clock frequency has one: a loop whose every step
 * waits for the one before takes the same number of cycles each time. */
#include "measure/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WARNINGS 64
#define TICK_NS INT64_C(50000000)
#define LOOK_NS INT64_C(1000000000)
#define BUSY_REJECTIONS 0.10 /* an idle machine loses about 1 % of its batches to timers and kernel threads */
#define STOLEN 0.02          /* of the time of this machine's cores, by its host */
#define FREQUENCY_CHANGE 0.05
#define SPIN_STEPS 100000
#define SPIN_ROUNDS 7

struct sup_session {
    sup_session_options options;
    const sup_clock *clock;
    int64_t start_ns, tick_ns, look_ns;
    double from, to, stage_end_s; /* stage: part of the bar, and when its time is over */
    bool stopped, ticked;
    uint64_t batches, rejected;
    double spin_first_s, spin_least_s, spin_most_s;
    double load_most;
    double stolen_first_s, stolen_s; /* by the host, of all cores together; NaN: not known */
    sup_warning *warnings;
    size_t warning_count;
};

sup_session_options sup_session_defaults(void) { return (sup_session_options){.budget_s = 0.0}; }

static int64_t now(const sup_session *s) { return s->clock->now_ns(s->clock->context); }

/* The quickest of several: what a core can do when nobody disturbs it. */
static double spin_loop(void *context) {
    (void)context;
    double best = INFINITY;
    for (int round = 0; round < SPIN_ROUNDS; round++) {
        uint64_t x = (uint64_t)round;
        int64_t from = sup_clock_ns();
        for (int i = 0; i < SPIN_STEPS; i++) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            __asm__ volatile("" : "+r"(x)); /* each step stays a step */
        }
        best = fmin(best, sup_clock_seconds(from, sup_clock_ns()));
    }
    return best;
}

static double spin(const sup_session *s) { return s->options.spin(s->options.spin_context); }

/* A load that our own processes cannot have made: they are no more than the cores. What is below it shows in
 * rejections. */
static double busy_load(void) { return (double)sysconf(_SC_NPROCESSORS_ONLN) + 0.5; }

/* The load average of the last minute; NaN where there is none to read. */
static double read_load(const char *root) {
    char path[512];
    snprintf(path, sizeof path, "%s/proc/loadavg", root);
    FILE *file = fopen(path, "re");
    if (!file) return NAN;
    double load = NAN;
    if (fscanf(file, "%lf", &load) != 1) load = NAN;
    fclose(file);
    return load;
}

/* Seconds of all cores since the machine was started that its host gave to others; NaN where nobody says. */
static double read_stolen(const char *root) {
    char path[512];
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *file = fopen(path, "re");
    if (!file) return NAN;
    double stolen;
    bool found = fscanf(file, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &stolen) == 1;
    fclose(file);
    return found ? stolen / (double)sysconf(_SC_CLK_TCK) : NAN;
}

/* Share of the cores' time since the session began. */
static double stolen_share(const sup_session *s) {
    double whole = sup_session_spent(s) * (double)sysconf(_SC_NPROCESSORS_ONLN),
           stolen = s->stolen_s - s->stolen_first_s;
    return stolen > 0.0 && whole > 0.0 ? fmin(1.0, stolen / whole) : 0.0;
}

sup_status sup_session_open(const sup_session_options *options, sup_diag *diag, sup_session **out) {
    if (!(options->budget_s >= 0.0) || isinf(options->budget_s))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a budget must be a number of seconds, 0 for no limit");
    sup_session *s = calloc(1, sizeof *s);
    if (!s) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    s->options = *options;
    if (!s->options.spin) s->options.spin = spin_loop;
    if (!s->options.root) s->options.root = "";
    s->clock = options->clock ? options->clock : sup_clock_system();
    s->start_ns = s->look_ns = now(s);
    s->to = 1.0;
    s->stage_end_s = options->budget_s > 0.0 ? options->budget_s : INFINITY;
    s->spin_first_s = s->spin_least_s = s->spin_most_s = spin(s);
    s->load_most = read_load(s->options.root);
    s->stolen_first_s = s->stolen_s = read_stolen(s->options.root);
    *out = s;
    return SUP_OK;
}

void sup_session_close(sup_session *s) {
    if (!s) return;
    while (s->warning_count) sup_warning_drop(s->warnings, &s->warning_count, s->warning_count - 1);
    free(s->warnings);
    free(s);
}

const sup_clock *sup_session_clock(const sup_session *s) { return s->clock; }

const sup_watch *sup_session_watch(const sup_session *s) { return s->options.watch.begin ? &s->options.watch : NULL; }

double sup_session_spent(const sup_session *s) { return sup_clock_seconds(s->start_ns, now(s)); }

double sup_session_left(const sup_session *s) { return fmax(0.0, s->stage_end_s - sup_session_spent(s)); }

void sup_session_stage(sup_session *s, double from, double to, double seconds) {
    double whole = s->options.budget_s > 0.0 ? s->options.budget_s : INFINITY;
    s->from = from;
    s->to = to;
    s->stage_end_s = fmin(whole, sup_session_spent(s) + seconds);
    s->ticked = false;
}

static double whole_left(const sup_session *s, double fraction) {
    double spent = sup_session_spent(s);
    if (s->options.budget_s > 0.0) return fmax(0.0, s->options.budget_s - spent);
    return fraction > 0.02 ? spent * (1.0 - fraction) / fraction : NAN;
}

sup_status sup_session_tick(sup_session *s, double fraction, const char *text) {
    if (s->stopped) return SUP_EINTR;
    if (!s->options.progress) return SUP_OK;
    int64_t at = now(s);
    bool end = fraction >= 1.0;
    if (s->ticked && !end && at - s->tick_ns < TICK_NS) return SUP_OK;
    s->ticked = true;
    s->tick_ns = at;
    double whole = s->from + (s->to - s->from) * fmin(fmax(fraction, 0.0), 1.0);
    s->stopped = !s->options.progress(s->options.progress_context, whole, text, whole_left(s, whole));
    return s->stopped ? SUP_EINTR : SUP_OK;
}

bool sup_session_stopped(const sup_session *s) { return s->stopped; }

void sup_session_count(sup_session *s, uint64_t batches, uint64_t rejected) {
    s->batches += batches;
    s->rejected += rejected;
}

uint64_t sup_session_batches(const sup_session *s) { return s->batches; }

double sup_session_rejection_rate(const sup_session *s) {
    return s->batches ? fmin(1.0, (double)s->rejected / (double)s->batches) : 0.0;
}

void sup_session_warn(sup_session *s, sup_warning_code code, const sup_about *about) {
    if (s->warning_count < WARNINGS) sup_warning_add(&s->warnings, &s->warning_count, code, about);
}

void sup_session_pass_on(sup_session *s, const sup_warning *warning) {
    if (s->warning_count < WARNINGS) sup_warning_add_copy(&s->warnings, &s->warning_count, warning);
}

void sup_session_forget(sup_session *s, sup_warning_code code) {
    for (size_t i = s->warning_count; i-- > 0;)
        if (sup_warning_kind_of(&s->warnings[i]) == &sup_warning_kinds[code])
            sup_warning_drop(s->warnings, &s->warning_count, i);
}

const sup_warning *sup_session_warnings(const sup_session *s, size_t *count) {
    *count = s->warning_count;
    return s->warnings;
}

static void look(sup_session *s) {
    s->look_ns = now(s);
    double seconds = spin(s), load = read_load(s->options.root);
    s->spin_least_s = fmin(s->spin_least_s, seconds);
    s->spin_most_s = fmax(s->spin_most_s, seconds);
    s->load_most = fmax(s->load_most, load); /* fmax passes the number where the other is NaN */
    s->stolen_s = read_stolen(s->options.root);
}

void sup_session_look(sup_session *s) {
    if (now(s) - s->look_ns >= LOOK_NS) look(s);
}

bool sup_session_busy(const sup_session *s) {
    return sup_session_rejection_rate(s) > BUSY_REJECTIONS || s->load_most > busy_load() || stolen_share(s) > STOLEN;
}

static void warn_of_machine(sup_session *s) {
    double rate = sup_session_rejection_rate(s), stolen = stolen_share(s);
    if (s->load_most > busy_load())
        sup_session_warn(s, SUP_WARNING_MACHINE_LOAD, &(sup_about){.number = {s->load_most}});
    if (rate > BUSY_REJECTIONS) sup_session_warn(s, SUP_WARNING_MACHINE_DISTURBED, &(sup_about){.number = {rate}});
    if (stolen > STOLEN) sup_session_warn(s, SUP_WARNING_MACHINE_STOLEN, &(sup_about){.number = {stolen}});
    if (s->spin_most_s > s->spin_least_s * (1.0 + FREQUENCY_CHANGE))
        sup_session_warn(s, SUP_WARNING_FREQUENCY_CHANGED, &(sup_about){.number = {s->spin_least_s, s->spin_most_s}});
}

static sup_status add_warnings(const sup_session *s, sup_quality *q) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < s->warning_count && !status; i++)
        status = sup_warning_add_copy(&q->warnings, &q->warnings_count, &s->warnings[i]);
    return status;
}

sup_status sup_session_quality(sup_session *s, bool complete, sup_profile *profile, sup_diag *diag) {
    look(s);
    warn_of_machine(s);
    sup_quality *q = profile->quality;
    double before = 0.0; /* a profile that is resumed has been measured for some time already */
    if (!q) {
        q = profile->quality = sup_record_make(&sup_quality_record);
        if (!q) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    } else if (q->spent_s > 0.0) {
        before = q->spent_s;
    }
    q->rejection_rate = sup_session_rejection_rate(s);
    q->budget_s = s->options.budget_s > 0.0 ? s->options.budget_s : NAN;
    q->spent_s = before + sup_session_spent(s);
    q->complete = complete && !s->stopped;
    q->busy = sup_session_busy(s);
    q->clock_resolution_s = s->clock->resolution_s;
    q->clock_overhead_s = s->clock->overhead_s;
    if (add_warnings(s, q)) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    return SUP_OK;
}
