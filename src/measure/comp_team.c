/* Workers on several cores that run one kernel at the same time (comp_team.h; term Tcomp).
 *
 * A batch that somebody interrupted does not count; but an interruption between two batches is as bad, because the next
 * one then finds the caches full of others' data. So each worker also looks whether it lost its core since its last
 * batch, and if so runs a while for nothing before it reports ready. */
#include "measure/comp_team.h"

#include "base/memory.h"
#include "base/pace.h"
#include "machine/pin.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#define SPINS 4000   /* before yielding: tens of microseconds */
#define PACE_S 0.020 /* a worker waits for its core to be its own alone */

typedef struct worker {
    sup_team *team;
    int index, cpu;
    pthread_t thread;
    bool started;
    sup_memory memory;
    sup_kernel_work work;
    bool ready; /* set-up done, tear-down due */
    sup_status status;
    sup_diag diag;
    double seconds;
    bool disturbed, held; /* held: somebody shared its core when the batch was to begin … */
    bool shared;          /* … or still when it began, or when it ended */
    long switches;        /* of this thread, at the end of its last batch */
    sup_usage_mark mark;
    bool warns;
    sup_warning_code warning;
} worker;

struct sup_team {
    sup_team_options options;
    const sup_clock *clock;
    double units; /* of an iteration */
    uint64_t iterations, warm, held, shared;
    worker *workers;
    cpu_set_t affinity; /* of the caller, to be put back */
    bool pinned;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_uint generation; /* of batches; odd numbers are not special */
    atomic_int arrived, done, finished;
    atomic_bool quit;
};

static void relax(unsigned *spins) {
    if (++*spins > SPINS) {
        sched_yield();
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static long switches_now(void) {
    struct rusage r = {0};
    getrusage(RUSAGE_THREAD, &r);
    return r.ru_nivcsw;
}

/* ---- one worker ---- */

bool sup_work_possible(const sup_kernel_work *work, size_t bytes) {
    return work->pass_units > 0 && work->pass_iterations > 0 && work->pass_iterations <= UINT64_C(1) << 32 &&
           work->footprint_bytes > 0 && work->footprint_bytes <= bytes;
}

/* The first counts. */
static void warn(worker *w, sup_warning_code code) {
    if (!w->warns) w->warning = code;
    w->warns = true;
}

static void prepare(worker *w) {
    const sup_team_options *o = &w->team->options;
    sup_diag pin;
    if (w->cpu >= 0 && sup_pin_self(w->cpu, &pin)) warn(w, SUP_WARNING_NOT_PINNED);
    w->status = sup_memory_alloc(o->bytes, 4096, SUP_MEMORY_PREFAULT | SUP_MEMORY_LOCK, &w->diag, &w->memory);
    if (w->status) return;
    if (w->memory.locked == SUP_EPERM) warn(w, SUP_WARNING_LOCK_NOT_PERMITTED);
    if (w->memory.locked == SUP_ENOMEM) warn(w, SUP_WARNING_LOCK_OVER_LIMIT);
    if (o->kernel->setup(w->memory.data, o->bytes, &w->work)) {
        w->status = sup_diag_set(&w->diag, SUP_EINVAL, NULL, 0, "kernel %s cannot work with %zu bytes", o->kernel->name,
                                 o->bytes);
        return;
    }
    w->ready = true;
    if (!sup_work_possible(&w->work, o->bytes))
        w->status = sup_diag_set(&w->diag, SUP_EINVAL, NULL, 0, "kernel %s describes impossible work", o->kernel->name);
    w->switches = switches_now();
}

static void put_away(worker *w) {
    if (w->ready && w->team->options.kernel->teardown) w->team->options.kernel->teardown(w->work.state);
    w->ready = false;
    sup_memory_free(&w->memory);
}

static const sup_watch *watch_of(const worker *w) { return w->index == 0 ? w->team->options.watch : NULL; }

static void begin_watch(worker *w) {
    const sup_watch *watch = watch_of(w);
    if (watch)
        watch->begin(watch->context);
    else
        sup_usage_begin(&w->mark);
}

static bool end_watch(worker *w) {
    const sup_watch *watch = watch_of(w);
    if (watch) return watch->disturbed(watch->context);
    sup_usage usage;
    sup_usage_end(&w->mark, &usage);
    w->shared = w->shared || !sup_pace_full(w->team->options.count);
    return sup_usage_disturbed(&usage, true) || (w->shared && sup_pace_hope());
}

static void meet(atomic_int *counter, int all) {
    unsigned spins = 0;
    atomic_fetch_add(counter, 1);
    while (atomic_load_explicit(counter, memory_order_acquire) < all) relax(&spins);
}

static void batch(worker *w) {
    sup_team *t = w->team;
    const sup_kernel *k = t->options.kernel;
    int all = t->options.count;
    if (!watch_of(w) && t->warm > 0 && switches_now() != w->switches) k->run(w->work.state, t->warm);
    bool full = true;
    w->held = !watch_of(w) && !sup_pace_await(all, PACE_S, &full);
    w->shared = !full;
    if (all > 1) meet(&t->arrived, all);
    begin_watch(w);
    int64_t from = t->clock->now_ns(t->clock->context);
    uint64_t units = k->run(w->work.state, t->iterations);
    int64_t to = t->clock->now_ns(t->clock->context);
    w->disturbed = end_watch(w);
    double seconds = fmax(0.0, sup_clock_seconds(from, to) - t->clock->overhead_s);
    w->seconds = units > 0 ? seconds * t->units * (double)t->iterations / (double)units : seconds;
    if (all > 1) {
        atomic_fetch_add(&t->done, 1);
        while (atomic_load_explicit(&t->done, memory_order_acquire) < all) k->run(w->work.state, 1);
    }
    if (!watch_of(w)) w->switches = switches_now();
}

static void *work(void *argument) {
    worker *w = argument;
    sup_team *t = w->team;
    prepare(w);
    atomic_fetch_add(&t->finished, 1);
    for (unsigned seen = 0;;) {
        unsigned spins = 0;
        while (atomic_load(&t->generation) == seen && spins <= SPINS) relax(&spins);
        pthread_mutex_lock(&t->lock);
        while (atomic_load(&t->generation) == seen) pthread_cond_wait(&t->changed, &t->lock);
        pthread_mutex_unlock(&t->lock);
        if (atomic_load(&t->quit)) break;
        seen = atomic_load(&t->generation);
        batch(w);
        atomic_fetch_add(&t->finished, 1);
    }
    put_away(w);
    return NULL;
}

/* ---- the team ---- */

static void announce(sup_team *t) {
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->generation, 1);
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void await(sup_team *t) {
    unsigned spins = 0;
    while (atomic_load_explicit(&t->finished, memory_order_acquire) < t->options.count - 1) relax(&spins);
    atomic_store(&t->finished, 0);
}

static sup_status start(sup_team *t, sup_diag *diag) {
    for (int i = 1; i < t->options.count; i++) {
        worker *w = &t->workers[i];
        if (pthread_create(&w->thread, NULL, work, w))
            return sup_diag_set(diag, SUP_EIO, NULL, 0, "cannot start a thread for core %d", w->cpu);
        w->started = true;
    }
    prepare(&t->workers[0]);
    await(t);
    for (int i = 0; i < t->options.count; i++) {
        const worker *w = &t->workers[i];
        if (!w->status) continue;
        if (diag) *diag = w->diag;
        return w->status;
    }
    const sup_kernel_work *k = &t->workers[0].work;
    t->units = (double)k->pass_units / (double)k->pass_iterations;
    return SUP_OK;
}

sup_status sup_team_open(const sup_team_options *options, sup_diag *diag, sup_team **out) {
    if (options->count < 1 || options->counted > options->count)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a team needs a worker");
    sup_team *t = calloc(1, sizeof *t);
    worker *workers = calloc((size_t)options->count, sizeof *workers);
    if (!t || !workers) {
        free(workers);
        free(t);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for %d workers", options->count);
    }
    t->options = *options;
    if (t->options.counted <= 0) t->options.counted = options->count;
    t->clock = options->clock ? options->clock : sup_clock_system();
    t->workers = workers;
    for (int i = 0; i < options->count; i++)
        workers[i] = (worker){.team = t, .index = i, .cpu = options->cpus ? options->cpus[i] : -1};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->pinned = options->cpus && pthread_getaffinity_np(pthread_self(), sizeof t->affinity, &t->affinity) == 0;
    sup_status status = start(t, diag);
    if (status) {
        sup_team_close(t);
        return status;
    }
    *out = t;
    return SUP_OK;
}

void sup_team_close(sup_team *t) {
    if (!t) return;
    atomic_store(&t->quit, true);
    announce(t);
    for (int i = 1; i < t->options.count; i++)
        if (t->workers[i].started) pthread_join(t->workers[i].thread, NULL);
    put_away(&t->workers[0]);
    if (t->pinned) pthread_setaffinity_np(pthread_self(), sizeof t->affinity, &t->affinity);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t->workers);
    free(t);
}

const sup_kernel_work *sup_team_work(const sup_team *t) { return &t->workers[0].work; }

double sup_team_units(const sup_team *t) { return t->units; }

bool sup_team_warning(const sup_team *t, sup_warning_code *out) {
    int i = 0;
    while (i < t->options.count && !t->workers[i].warns) i++;
    if (i == t->options.count) return false;
    *out = t->workers[i].warning;
    return true;
}

uint64_t sup_team_held(const sup_team *t) { return t->held; }

uint64_t sup_team_shared(const sup_team *t) { return t->shared; }

void sup_team_set_warm(sup_team *t, uint64_t iterations) { t->warm = iterations; }

sup_status sup_team_run(sup_team *t, uint64_t iterations, double *seconds) {
    t->iterations = iterations;
    atomic_store(&t->arrived, 0);
    atomic_store(&t->done, 0);
    if (t->options.count > 1) announce(t);
    batch(&t->workers[0]);
    if (t->options.count > 1) await(t);
    double sum = 0.0;
    bool disturbed = false, held = false, shared = false;
    for (int i = 0; i < t->options.count; i++) {
        if (i < t->options.counted) sum += t->workers[i].seconds;
        disturbed |= t->workers[i].disturbed;
        held |= t->workers[i].held;
        shared |= t->workers[i].shared;
    }
    t->held += held;
    t->shared += shared && !disturbed;
    *seconds = sum / t->options.counted;
    return disturbed ? SUP_EBUSY : SUP_OK;
}
