/* Workers on several cores that run one kernel at the same time (comp/team.h; term Tcomp).
 *
 * A batch that somebody interrupted does not count; but an interruption between two batches is as bad, because the next
 * one then finds the caches full of others' data. So each worker also looks whether it lost its core since its last
 * batch, and if so runs a while for nothing before it reports ready. */
#include "measure/comp/team.h"

#include "base/memory.h"
#include "base/number/random.h"
#include "machine/place/pin.h"
#include "net/wait.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define PLACE ((size_t)64 << 10) /* data begin at multiples of this */
#define NO_CPU (-1)

typedef enum task { SET_UP, BATCH, QUIT } task;

typedef struct worker {
    sup_team *team;
    int cpu;  /* NO_CPU: not pinned */
    int turn; /* of those that are not pinned: its place among them */
    pthread_t thread;
    bool started;
    _Atomic uint32_t orders; /* so many tasks were given */
    sup_bell bell;           /* for these */
    sup_patience idle, busy; /* between tasks, when a core that is not active must be idle; in one */
    sup_memory memory;
    size_t at; /* in it, where the data begin */
    sup_random random;
    const sup_kernel *kernel; /* whose data is there; NULL: nobody's, else tear-down is due */
    size_t bytes;
    sup_kernel_work work;
    sup_status status;
    sup_diag diag;
    double seconds;
    bool disturbed;
    long switches; /* of its thread, at the end of its last batch */
    bool warns;
    sup_warning_code warning;
} worker;

struct sup_team {
    sup_team_options options;
    const sup_clock *clock;
    worker **workers; /* all there are */
    int worker_count;
    worker **members; /* of the present setting */
    int member_count, member_room;
    const sup_kernel *kernel;
    size_t bytes;
    int counted;
    task task;
    double units; /* of an iteration */
    uint64_t iterations, warm;
    cpu_set_t affinity; /* of the caller, to be put back */
    bool pinned;
    int caller_cpu;
    _Atomic uint32_t arrived, done, finished;
    sup_bell bell; /* of those that wait for one of these */
};

/* Until the count is `wanted`; whoever makes it that rings. */
static void await(const _Atomic uint32_t *count, uint32_t wanted, sup_patience *patience, sup_bell *bell) {
    sup_wait w = SUP_WAIT_INIT;
    while (atomic_load_explicit(count, memory_order_acquire) != wanted) sup_wait_pause(&w, patience, bell);
    sup_wait_end(&w, patience, bell);
}

static void count_up(_Atomic uint32_t *count, uint32_t wanted, sup_bell *bell) {
    if (atomic_fetch_add(count, 1) + 1 == wanted) sup_bell_ring(bell);
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

static void put_away(worker *w) {
    if (w->kernel && w->kernel->teardown) w->kernel->teardown(w->work.state);
    w->kernel = NULL;
}

/* Memory that is zero and present, as a kernel may expect. In the arena it begins somewhere else each time: which pages
 * meet in a cache is luck, and no number should have the luck of one place. */
static sup_status provide(worker *w, size_t bytes) {
    w->at = 0;
    if (w->memory.size >= bytes) {
        w->at = PLACE * (size_t)sup_random_below(&w->random, (w->memory.size - bytes) / PLACE + 1);
        memset((char *)w->memory.data + w->at, 0, bytes);
        return SUP_OK;
    }
    sup_memory_free(&w->memory);
    sup_status status = sup_memory_alloc(bytes, 4096, SUP_MEMORY_PREFAULT | SUP_MEMORY_LOCK, &w->diag, &w->memory);
    if (status) return status;
    if (w->memory.locked == SUP_EPERM) warn(w, SUP_WARNING_LOCK_NOT_PERMITTED);
    if (w->memory.locked == SUP_ENOMEM) warn(w, SUP_WARNING_LOCK_OVER_LIMIT);
    return SUP_OK;
}

static void set_up(worker *w) {
    const sup_kernel *k = w->team->kernel;
    size_t bytes = w->team->bytes;
    w->status = SUP_OK;
    if (w->kernel == k && w->bytes == bytes) return;
    put_away(w);
    w->status = provide(w, bytes);
    if (w->status) return;
    if (k->setup((char *)w->memory.data + w->at, bytes, &w->work)) {
        w->status = sup_diag_set(&w->diag, SUP_EINVAL, NULL, 0, "kernel %s cannot work with %zu bytes", k->name, bytes);
        return;
    }
    w->kernel = k;
    w->bytes = bytes;
    if (!sup_work_possible(&w->work, bytes)) {
        put_away(w);
        w->status = sup_diag_set(&w->diag, SUP_EINVAL, NULL, 0, "kernel %s describes impossible work", k->name);
    }
    w->switches = switches_now();
}

/* What the system reports of this very batch: it was switched out, or moved. */
static bool was_disturbed(const worker *w, const sup_usage_mark *mark, int cpu) {
    const sup_team_options *o = &w->team->options;
    if (o->disturbed) return o->disturbed(o->context);
    sup_usage usage;
    sup_usage_end(mark, &usage);
    return sup_usage_disturbed(&usage, true) || sched_getcpu() != cpu;
}

static void batch(worker *w) {
    sup_team *t = w->team;
    const sup_kernel *k = t->kernel;
    uint32_t all = (uint32_t)t->member_count;
    sup_usage_mark mark;
    if (!t->options.disturbed && t->warm > 0 && switches_now() != w->switches) k->run(w->work.state, t->warm);
    if (all > 1) {
        count_up(&t->arrived, all, &t->bell);
        await(&t->arrived, all, &w->busy, &t->bell);
    }
    int cpu = sched_getcpu();
    sup_usage_begin(&mark);
    int64_t from = t->clock->now_ns(t->clock->context);
    uint64_t units = k->run(w->work.state, t->iterations);
    int64_t to = t->clock->now_ns(t->clock->context);
    w->disturbed = was_disturbed(w, &mark, cpu);
    double seconds = fmax(0.0, sup_clock_seconds(from, to) - t->clock->overhead_s);
    w->seconds = units > 0 ? seconds * t->units * (double)t->iterations / (double)units : seconds;
    if (all > 1) {
        atomic_fetch_add(&t->done, 1);
        while (atomic_load_explicit(&t->done, memory_order_acquire) < all) k->run(w->work.state, 1);
    }
    w->switches = switches_now();
}

static void perform(worker *w) {
    if (w->team->task == SET_UP)
        set_up(w);
    else
        batch(w);
}

static void *work(void *argument) {
    worker *w = argument;
    sup_team *t = w->team;
    sup_diag pin;
    if (w->cpu != NO_CPU && sup_pin_self(w->cpu, &pin)) warn(w, SUP_WARNING_NOT_PINNED);
    for (uint32_t number = 1;; number++) {
        await(&w->orders, number, &w->idle, &w->bell);
        if (t->task == QUIT) return NULL;
        perform(w);
        count_up(&t->finished, (uint32_t)t->member_count - 1, &t->bell);
    }
}

/* ---- the team ---- */

static void order(worker *w) {
    atomic_fetch_add(&w->orders, 1);
    sup_bell_ring(&w->bell);
}

/* A task for all members; the first is the caller. */
static void together(sup_team *t, task what) {
    t->task = what;
    atomic_store(&t->arrived, 0);
    atomic_store(&t->done, 0);
    atomic_store(&t->finished, 0);
    for (int i = 1; i < t->member_count; i++) order(t->members[i]);
    perform(t->members[0]);
    await(&t->finished, (uint32_t)t->member_count - 1, &t->members[0]->busy, &t->bell);
}

static worker *find_worker(const sup_team *t, int cpu, int turn) {
    for (int i = 0; i < t->worker_count; i++) {
        worker *w = t->workers[i];
        if (w->cpu == cpu && (cpu != NO_CPU || w->turn == turn)) return w;
    }
    return NULL;
}

static worker *add_worker(sup_team *t, int cpu, int turn) {
    worker *w = calloc(1, sizeof *w);
    worker **grown = w ? realloc(t->workers, ((size_t)t->worker_count + 1) * sizeof(worker *)) : NULL;
    if (!grown) {
        free(w);
        return NULL;
    }
    t->workers = grown;
    t->workers[t->worker_count++] = w;
    w->team = t;
    w->cpu = cpu;
    w->turn = turn;
    w->idle = SUP_PATIENCE_IDLE;
    w->busy = SUP_PATIENCE_POOL;
    return w;
}

static sup_status make_room(sup_team *t, int count, sup_diag *diag) {
    if (count <= t->member_room) return SUP_OK;
    worker **grown = realloc(t->members, (size_t)count * sizeof(worker *));
    if (!grown) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for %d workers", count);
    t->members = grown;
    t->member_room = count;
    return SUP_OK;
}

/* The workers of a setting, started if they are not there. */
static sup_status gather(sup_team *t, const sup_comp_setting *s, sup_diag *diag) {
    sup_status status = make_room(t, s->active, diag);
    t->member_count = 0;
    for (int i = 0; i < s->active && !status; i++) {
        int cpu = s->cpus ? s->cpus[i] : NO_CPU;
        worker *w = find_worker(t, cpu, i);
        if (!w && !(w = add_worker(t, cpu, i)))
            return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for a worker");
        if (i > 0 && !w->started && pthread_create(&w->thread, NULL, work, w))
            return sup_diag_set(diag, SUP_EIO, NULL, 0, "cannot start a thread for core %d", cpu);
        if (i > 0) w->started = true;
        t->members[t->member_count++] = w;
    }
    return status;
}

static void pin_caller(sup_team *t) {
    worker *w = t->members[0];
    sup_diag pin;
    if (w->cpu == t->caller_cpu) return;
    t->caller_cpu = w->cpu;
    if (w->cpu == NO_CPU) return;
    if (sup_pin_self(w->cpu, &pin)) warn(w, SUP_WARNING_NOT_PINNED);
}

sup_status sup_team_new(const sup_team_options *options, sup_diag *diag, sup_team **out) {
    sup_team *t = calloc(1, sizeof *t);
    if (!t) return sup_diag_no_memory(diag);
    if (options) t->options = *options;
    t->clock = t->options.clock ? t->options.clock : sup_clock_system();
    t->caller_cpu = NO_CPU;
    t->pinned = pthread_getaffinity_np(pthread_self(), sizeof t->affinity, &t->affinity) == 0;
    *out = t;
    return SUP_OK;
}

void sup_team_free(sup_team *t) {
    if (!t) return;
    t->task = QUIT;
    for (int i = 0; i < t->worker_count; i++) {
        worker *w = t->workers[i];
        if (w->started) {
            order(w);
            pthread_join(w->thread, NULL);
        }
        put_away(w);
        sup_memory_free(&w->memory);
        free(w);
    }
    if (t->pinned && t->caller_cpu != NO_CPU) pthread_setaffinity_np(pthread_self(), sizeof t->affinity, &t->affinity);
    free(t->members);
    free(t->workers);
    free(t);
}

sup_status sup_team_prepare(sup_team *t, const sup_comp_setting *s, size_t bytes, sup_diag *diag) {
    if (s->active < 1 || s->counted > s->active)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a team needs a worker");
    sup_status status = gather(t, s, diag);
    if (status) return status;
    pin_caller(t);
    t->kernel = s->kernel;
    t->bytes = bytes;
    t->counted = s->counted > 0 ? s->counted : s->active;
    t->warm = 0;
    together(t, SET_UP);
    for (int i = 0; i < t->member_count; i++) {
        const worker *w = t->members[i];
        if (!w->status) continue;
        if (diag) *diag = w->diag;
        return w->status;
    }
    const sup_kernel_work *k = &t->members[0]->work;
    t->units = (double)k->pass_units / (double)k->pass_iterations;
    return SUP_OK;
}

const sup_kernel_work *sup_team_work(const sup_team *t) { return &t->members[0]->work; }

double sup_team_units(const sup_team *t) { return t->units; }

size_t sup_team_memory(const sup_team *t) {
    size_t sum = 0;
    for (int i = 0; i < t->worker_count; i++) sum += t->workers[i]->memory.size;
    return sum;
}

bool sup_team_warning(const sup_team *t, sup_warning_code *out) {
    for (int i = 0; i < t->member_count; i++) {
        if (!t->members[i]->warns) continue;
        *out = t->members[i]->warning;
        return true;
    }
    return false;
}

void sup_team_set_warm(sup_team *t, uint64_t iterations) { t->warm = iterations; }

sup_status sup_team_run(sup_team *t, uint64_t iterations, double *seconds) {
    double sum = 0.0;
    bool disturbed = false;
    t->iterations = iterations;
    together(t, BATCH);
    for (int i = 0; i < t->member_count; i++) {
        if (i < t->counted) sum += t->members[i]->seconds;
        disturbed |= t->members[i]->disturbed;
    }
    *seconds = sum / t->counted;
    return disturbed ? SUP_EBUSY : SUP_OK;
}
