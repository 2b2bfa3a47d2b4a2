/* Worker threads of a node: started once, pinned, woken for each job (CACHE §3.3, §4.1.3; stage run). */
#include "tile/pool.h"

#include "base/clock.h"
#include "base/status.h"
#include "machine/place/pin.h"
#include "net/wait.h"
#include "tile/cluster.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct sup_pool_seat {
    sup_pool *pool;
    int worker;
    sup_patience patience;
    char apart[SUP_POOL_APART]; /* it learns with every wait */
};

/* ---- waiting ------------------------------------------------------------------------------------------------------*/

static void signal_init(sup_pool_signal *s) {
    atomic_init(&s->number, 0);
    atomic_init(&s->bell.wanted, 0);
}

/* Until the number is no longer `old`. */
static void await(struct sup_pool_seat *seat, sup_pool_signal *s, uint32_t old) {
    sup_wait w = SUP_WAIT_INIT;
    while (atomic_load_explicit(&s->number, memory_order_acquire) == old) sup_wait_pause(&w, &seat->patience, &s->bell);
    sup_wait_end(&w, &seat->patience, &s->bell);
}

static void raise_number(sup_pool_signal *s) {
    atomic_fetch_add_explicit(&s->number, 1, memory_order_release);
    sup_bell_ring(&s->bell);
}

void sup_pool_barrier_init(sup_pool_barrier *barrier) {
    atomic_init(&barrier->arrived, 0);
    signal_init(&barrier->passed);
}

void sup_pool_wait(sup_pool *pool, sup_pool_barrier *barrier, int worker) {
    if (pool->workers == 1) return;
    uint32_t generation = atomic_load_explicit(&barrier->passed.number, memory_order_acquire);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == pool->workers) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        raise_number(&barrier->passed);
    } else {
        await(&pool->seat[worker], &barrier->passed, generation);
    }
}

/* ---- threads ------------------------------------------------------------------------------------------------------*/

static void pin_worker(const sup_pool *pool, int worker) {
    int first = pool->cpu_first[worker], count = pool->cpu_first[worker + 1] - first;
    if (count > 0) sup_pin_self_to(pool->cpus + first, count, NULL); /* not permitted: slower, not wrong */
}

static void *work(void *argument) {
    struct sup_pool_seat *seat = argument;
    sup_pool *pool = seat->pool;
    uint32_t number = 0;
    pin_worker(pool, seat->worker);
    for (;; number++) {
        await(seat, &pool->begun, number);
        if (!pool->job) return NULL;
        pool->job(pool->context, seat->worker);
        if (atomic_fetch_add_explicit(&pool->finished, 1, memory_order_acq_rel) + 2 == pool->workers)
            raise_number(&pool->ended);
    }
}

/* Is the calling thread where worker 0 belongs, as far as can be seen without asking the system? */
static bool in_place(const sup_pool *pool) {
    int cpu = sched_getcpu();
    for (int i = 0; i < pool->cpu_first[1]; i++)
        if (pool->cpus[i] == cpu) return true;
    return false;
}

void sup_pool_run(sup_pool *pool, sup_pool_job *job, void *context, bool brief) {
    cpu_set_t before;
    bool pin = pool->cpu_first[1] > 0 && !(brief && in_place(pool)) && !sched_getaffinity(0, sizeof before, &before);
    if (pin) pin_worker(pool, 0);
    uint32_t round = atomic_load_explicit(&pool->ended.number, memory_order_relaxed);
    pool->job = job;
    pool->context = context;
    atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
    if (pool->workers > 1) raise_number(&pool->begun);
    job(context, 0);
    if (pool->workers > 1) await(&pool->seat[0], &pool->ended, round);
    if (pin) sched_setaffinity(0, sizeof before, &before);
}

/* ---- who runs where -----------------------------------------------------------------------------------------------*/

static int add_core(const sup_topology *topology, const sup_usable *usable, int core, bool all, int *cpus) {
    int count = 0;
    for (int i = 0; i < topology->cores[core].cpu_count && (all || !count); i++)
        if (sup_usable_cpu(usable, topology->cores[core].cpus[i])) cpus[count++] = topology->cores[core].cpus[i];
    return count;
}

/* Workers take the usable cores in tree order, so that neighbours share caches; round where there are more. */
static sup_status place_workers(const sup_topology *topology, const sup_usable *usable, sup_tile_affinity affinity,
                                sup_pool *pool) {
    size_t room =
        (size_t)pool->workers * (size_t)(affinity == SUP_TILE_AFFINITY_CACHE || pool->crowded ? usable->cpu_count : 1);
    pool->core = calloc((size_t)pool->workers, sizeof *pool->core);
    pool->cpu_first = calloc((size_t)pool->workers + 1, sizeof *pool->cpu_first);
    pool->cpus = calloc(room, sizeof *pool->cpus);
    if (!pool->core || !pool->cpu_first || !pool->cpus) return SUP_ENOMEM;
    const sup_level *shared = sup_level_first_shared(topology->levels);
    int count = 0;
    for (int w = 0; w < pool->workers; w++) {
        int core = usable->cores[w % usable->core_count];
        pool->core[w] = core;
        pool->cpu_first[w] = count;
        const sup_group *group = shared ? sup_level_group(shared, core) : NULL;
        if (affinity == SUP_TILE_AFFINITY_NONE || !topology->this_system) continue;
        if (affinity == SUP_TILE_AFFINITY_CORE && !pool->crowded)
            count += add_core(topology, usable, core, false, pool->cpus + count);
        else
            for (int i = 0; group && i < group->count; i++)
                count += add_core(topology, usable, group->cores[i], true, pool->cpus + count);
    }
    pool->cpu_first[pool->workers] = count;
    return SUP_OK;
}

/* Signals of the process are for the caller's threads. */
static sup_status start_threads(sup_pool *pool, sup_diag *diag) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = 0;
    for (int w = 0; w < pool->workers; w++)
        pool->seat[w] = (struct sup_pool_seat){.pool = pool,
                                               .worker = w,
                                               .patience = pool->crowded ? SUP_PATIENCE_POOL_CROWD : SUP_PATIENCE_POOL};
    for (int w = 1; w < pool->workers && !rc; w++) {
        rc = pthread_create(&pool->thread[w], NULL, work, &pool->seat[w]);
        if (!rc) pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!rc) return SUP_OK;
    errno = rc;
    return sup_diag_errno(diag, rc == EAGAIN ? SUP_ENOMEM : SUP_EIO, NULL, "cannot start worker threads");
}

static void free_lists(sup_pool *pool) {
    free(pool->core);
    free(pool->cpus);
    free(pool->cpu_first);
    free(pool->thread);
    free(pool->seat);
    *pool = (sup_pool){0};
}

sup_status sup_pool_open(const sup_topology *topology, const sup_usable *usable, int workers,
                         sup_tile_affinity affinity, sup_diag *diag, sup_pool *pool) {
    *pool = (sup_pool){.workers = workers, .crowded = workers > usable->process_count};
    pool->thread = calloc((size_t)workers, sizeof *pool->thread);
    pool->seat = calloc((size_t)workers, sizeof *pool->seat);
    sup_status status = pool->thread && pool->seat ? place_workers(topology, usable, affinity, pool) : SUP_ENOMEM;
    if (status) {
        free_lists(pool);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %d workers", workers);
    }
    signal_init(&pool->begun);
    signal_init(&pool->ended);
    status = start_threads(pool, diag);
    if (status) sup_pool_close(pool);
    return status;
}

void sup_pool_close(sup_pool *pool) {
    if (!pool->thread) return;
    pool->job = NULL;
    raise_number(&pool->begun);
    for (int w = 1; w <= pool->started; w++) pthread_join(pool->thread[w], NULL);
    free_lists(pool);
}
