/* What goes on around a measurement (conditions.h), as the kernel tells it. Stage "measure", all terms.
 *
 * Of the time of all cores (/proc/stat) a part is ours: what this process and its children used, which the kernel adds
 * up when they have ended. The rest that was not idle is others'. A virtual machine is also told how much of its time
 * the host gave away. The clock frequency has one witness: a loop whose every step waits for the one before takes the
 * same number of cycles each time. */
#include "measure/noise/conditions.h"

#include "base/clock.h"
#include "machine/usable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STOLEN 0.02
#define OTHERS 0.10
#define FREQUENCY_CHANGE 0.05
#define DRIFT_S 1.0
#define SPIN_STEPS 100000
#define SPIN_ROUNDS 7

/* ---- what the kernel says ---- */

static double monotonic(void *context) {
    (void)context;
    return sup_clock_now();
}

static double time_of_day(void *context) {
    struct timespec t;
    (void)context;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The quickest of several: what a core can do when nobody disturbs it. */
static double spin_loop(void *context) {
    double best = INFINITY;
    (void)context;
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

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static double own_cpu(void *context) {
    double sum = 0.0;
    (void)context;
    for (int who = 0; who < 2; who++) {
        struct rusage usage;
        if (!getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage))
            sum += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    }
    return sum;
}

/* In the affinity mask, the control group, and not switched off. */
static int usable_cpus(void *context) {
    sup_limits limits;
    int online = (int)sysconf(_SC_NPROCESSORS_ONLN), least = online;
    (void)context;
    if (sup_limits_read("", &limits)) return least;
    if (limits.affinity && limits.affinity_count < least) least = limits.affinity_count;
    if (limits.cpuset && limits.cpuset_count > 0 && limits.cpuset_count < least) least = limits.cpuset_count;
    sup_limits_free(&limits);
    return least;
}

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

/* Seconds of all cores since the machine was started; NaN where nobody says. */
static void read_stat(const char *root, double *busy, double *stolen) {
    char path[512];
    double user, nice, system, irq, softirq, steal, tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    *busy = *stolen = NAN;
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *file = fopen(path, "re");
    if (!file) return;
    if (fscanf(file, "cpu %lf %lf %lf %*f %*f %lf %lf %lf", &user, &nice, &system, &irq, &softirq, &steal) == 6) {
        *busy = (user + nice + system + irq + softirq) * tick;
        *stolen = steal * tick;
    }
    fclose(file);
}

/* ---- looking ---- */

static double ask(const sup_conditions *a, double (*function)(void *context)) { return function(a->options.context); }

static void read_shares(sup_conditions *a) {
    read_stat(a->options.root, &a->busy_s, &a->stolen_s);
    a->own_s = ask(a, a->options.own_cpu_s);
    a->looked_s = ask(a, a->options.now) - a->begin_s;
}

void sup_conditions_begin(const sup_conditions_options *options, sup_conditions *a) {
    *a = (sup_conditions){.options = options ? *options : (sup_conditions_options){0}};
    sup_conditions_options *o = &a->options;
    if (!o->root) o->root = "";
    if (!o->now) o->now = monotonic;
    if (!o->day) o->day = time_of_day;
    if (!o->spin) o->spin = spin_loop;
    if (!o->own_cpu_s) o->own_cpu_s = own_cpu;
    if (!o->cpus) o->cpus = usable_cpus;
    a->begin_s = ask(a, o->now);
    a->day_s = ask(a, o->day);
    a->spin_least_s = a->spin_most_s = ask(a, o->spin);
    a->load_most = read_load(o->root);
    read_shares(a);
    a->busy_first_s = a->busy_s;
    a->stolen_first_s = a->stolen_s;
    a->own_first_s = a->own_s;
    a->cpus = a->cpus_least = o->cpus(o->context);
}

void sup_conditions_glance(sup_conditions *a) {
    double passed = ask(a, a->options.now) - a->begin_s, drift = ask(a, a->options.day) - a->day_s - passed;
    int cpus = a->options.cpus(a->options.context);
    if (fabs(drift) > fabs(a->drift_s)) a->drift_s = drift;
    if (cpus < a->cpus_least) a->cpus_least = cpus;
}

void sup_conditions_look(sup_conditions *a) {
    sup_conditions_glance(a);
    double seconds = ask(a, a->options.spin);
    a->spin_least_s = fmin(a->spin_least_s, seconds);
    a->spin_most_s = fmax(a->spin_most_s, seconds);
    a->load_most = fmax(a->load_most, read_load(a->options.root)); /* fmax passes the number where the other is NaN */
    read_shares(a);
}

/* ---- what it comes to ---- */

static double share(const sup_conditions *a, double seconds) {
    double whole = a->looked_s * (double)sysconf(_SC_NPROCESSORS_ONLN);
    return seconds > 0.0 && whole > 0.0 ? fmin(1.0, seconds / whole) : 0.0;
}

double sup_conditions_stolen(const sup_conditions *a) { return share(a, a->stolen_s - a->stolen_first_s); }

double sup_conditions_others(const sup_conditions *a) {
    return share(a, a->busy_s - a->busy_first_s - (a->own_s - a->own_first_s));
}

/* A load that our own processes cannot have made: they are no more than the cores. */
static double busy_load(void) { return (double)sysconf(_SC_NPROCESSORS_ONLN) + 0.5; }

bool sup_conditions_busy(const sup_conditions *a) {
    return a->load_most > busy_load() || sup_conditions_stolen(a) > STOLEN || sup_conditions_others(a) > OTHERS;
}

bool sup_conditions_cpus_taken(const sup_conditions *a) { return a->cpus_least < a->cpus; }

sup_status sup_conditions_warn(const sup_conditions *a, sup_warning **list, size_t *count) {
    double stolen = sup_conditions_stolen(a), others = sup_conditions_others(a);
    const struct {
        bool given;
        sup_warning_code code;
        sup_about about;
    } all[] = {
        {a->load_most > busy_load(), SUP_WARNING_MACHINE_LOAD, {.number = {a->load_most}}},
        {others > OTHERS, SUP_WARNING_MACHINE_OTHERS, {.number = {others}}},
        {stolen > STOLEN, SUP_WARNING_MACHINE_STOLEN, {.number = {stolen}}},
        {a->spin_most_s > a->spin_least_s * (1.0 + FREQUENCY_CHANGE),
         SUP_WARNING_FREQUENCY_CHANGED,
         {.number = {a->spin_least_s, a->spin_most_s}}},
        {fabs(a->drift_s) > DRIFT_S, SUP_WARNING_CLOCK_SET, {.number = {fabs(a->drift_s)}}},
        {sup_conditions_cpus_taken(a), SUP_WARNING_CORES_TAKEN, {.number = {a->cpus, a->cpus_least}}},
    };
    sup_status status = SUP_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
        if (all[i].given) status = sup_warning_add(list, count, all[i].code, &all[i].about);
    return status;
}
