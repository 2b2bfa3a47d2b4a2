/* The clock all measurements read (BSP §4.1), and the evidence for "nothing else ran".
 *
 * CLOCK_MONOTONIC and not CLOCK_MONOTONIC_RAW: both tick from the same counter, but some kernels serve RAW by a system
 * call, and the slewing of the other one (below 500 ppm) is far under the noise of any measurement here. */
#include "base/clock.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)
#define READINGS 2000 /* enough for a minimum to settle, about 0.1 ms */
#define ROUNDS 7

static int64_t read_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

int64_t sup_clock_ns(void) { return read_clock(CLOCK_MONOTONIC); }

double sup_clock_now(void) { return (double)sup_clock_ns() * 1e-9; }

static int64_t system_now(void *context) {
    (void)context;
    return sup_clock_ns();
}

void sup_clock_measure(sup_clock *clock) {
    int64_t step = 0, overhead = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t first = clock->now_ns(clock->context), last = first;
        for (int i = 0; i < READINGS; i++) {
            int64_t now = clock->now_ns(clock->context);
            if (now > last && (step == 0 || now - last < step)) step = now - last;
            last = now;
        }
        /* the quickest round is the one that nothing interrupted */
        if (round == 0 || last - first < overhead) overhead = last - first;
    }
    clock->resolution_s = (double)step * 1e-9;
    clock->overhead_s = (double)overhead * 1e-9 / READINGS;
}

static sup_clock system_clock = {.now_ns = system_now};
static pthread_once_t system_once = PTHREAD_ONCE_INIT;

static void measure_system_clock(void) { sup_clock_measure(&system_clock); }

const sup_clock *sup_clock_system(void) {
    pthread_once(&system_once, measure_system_clock);
    return &system_clock;
}

/* The wall clock is read last at the beginning and first at the end: the CPU interval then contains the wall interval,
 * so that CPU time below wall time is never an artefact of the reading order. */
void sup_usage_begin(sup_usage_mark *mark) {
    struct rusage r = {0};
    getrusage(RUSAGE_THREAD, &r);
    mark->involuntary = r.ru_nivcsw;
    mark->voluntary = r.ru_nvcsw;
    mark->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    mark->wall_ns = read_clock(CLOCK_MONOTONIC);
}

void sup_usage_end(const sup_usage_mark *mark, sup_usage *usage) {
    int64_t wall = read_clock(CLOCK_MONOTONIC);
    int64_t cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
    struct rusage r = {0};
    getrusage(RUSAGE_THREAD, &r);
    usage->wall_s = sup_clock_seconds(mark->wall_ns, wall);
    usage->cpu_s = sup_clock_seconds(mark->cpu_ns, cpu);
    usage->involuntary = r.ru_nivcsw - mark->involuntary;
    usage->voluntary = r.ru_nvcsw - mark->voluntary;
}

bool sup_usage_disturbed(const sup_usage *usage, bool spinning) {
    if (usage->involuntary > 0) return true;
    double missing = usage->wall_s - usage->cpu_s;
    return spinning && missing > 2e-6 && missing > 0.05 * usage->wall_s;
}
