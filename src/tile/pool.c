/* Worker threads of a node: started once, pinned, woken for each job (CACHE §3.3, §4.1.3; stage run). */
#include "tile/pool.h"

#include "base/status.h"
#include "machine/pin.h"
#include "net/wait.h"
#include "tile/cluster.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { SPINS = 2000 }; /* looks before sleeping, some 20 µs: longer than it takes to wake a thread */

struct sup_pool_seat {
    sup_pool *pool;
    int worker;
};

/* ---- waiting ------------------------------------------------------------------------------------------------------*/

sup_status sup_pool_barrier_init(sup_pool_barrier *barrier) {
    atomic_init(&barrier->generation, 0);
    atomic_init(&barrier->arrived, 0);
    if (pthread_mutex_init(&barrier->mutex, NULL)) return SUP_ENOMEM;
    if (!pthread_cond_init(&barrier->wake, NULL)) return SUP_OK;
    pthread_mutex_destroy(&barrier->mutex);
    return SUP_ENOMEM;
}

void sup_pool_barrier_destroy(sup_pool_barrier *barrier) {
    pthread_cond_destroy(&barrier->wake);
    pthread_mutex_destroy(&barrier->mutex);
}

/* Until *number is no longer `old`. */
static void await_change(_Atomic uint32_t *number, uint32_t old, bool crowded, pthread_mutex_t *mutex,
                         pthread_cond_t *wake) {
    for (int i = 0; i < SPINS && !crowded; i++) {
        if (atomic_load_explicit(number, memory_order_acquire) != old) return;
        if (i > 64) sup_cpu_relax();
    }
    pthread_mutex_lock(mutex);
    while (atomic_load_explicit(number, memory_order_acquire) == old) pthread_cond_wait(wake, mutex);
    pthread_mutex_unlock(mutex);
}

static void announce(_Atomic uint32_t *number, pthread_mutex_t *mutex, pthread_cond_t *wake) {
    pthread_mutex_lock(mutex);
    atomic_fetch_add_explicit(number, 1, memory_order_release);
    pthread_mutex_unlock(mutex);
    pthread_cond_broadcast(wake);
}

void sup_pool_wait(sup_pool *pool, sup_pool_barrier *barrier) {
    if (pool->workers == 1) return;
    uint32_t generation = atomic_load_explicit(&barrier->generation, memory_order_acquire);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == pool->workers) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        announce(&barrier->generation, &barrier->mutex, &barrier->wake);
    } else {
        await_change(&barrier->generation, generation, pool->crowded, &barrier->mutex, &barrier->wake);
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
    for (;;) {
        await_change(&pool->job_number, number, pool->crowded, &pool->mutex, &pool->wake);
        number++;
        if (!pool->job) return NULL;
        pool->job(pool->context, seat->worker);
        sup_pool_wait(pool, &pool->done);
    }
}

void sup_pool_run(sup_pool *pool, sup_pool_job *job, void *context) {
    cpu_set_t before;
    bool pinned = pool->cpu_first[1] > 0 && sched_getaffinity(0, sizeof before, &before) == 0;
    if (pinned) pin_worker(pool, 0);
    pool->job = job;
    pool->context = context;
    if (pool->workers > 1) announce(&pool->job_number, &pool->mutex, &pool->wake);
    job(context, 0);
    sup_pool_wait(pool, &pool->done);
    if (pinned) sched_setaffinity(0, sizeof before, &before);
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
    for (int w = 1; w < pool->workers && !rc; w++) {
        pool->seat[w] = (struct sup_pool_seat){pool, w};
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
    if (status || pthread_mutex_init(&pool->mutex, NULL)) goto lists;
    if (pthread_cond_init(&pool->wake, NULL)) goto mutex;
    if (sup_pool_barrier_init(&pool->done)) goto wake;
    status = start_threads(pool, diag);
    if (!status) return SUP_OK;
    sup_pool_close(pool);
    return status;
wake:
    pthread_cond_destroy(&pool->wake);
mutex:
    pthread_mutex_destroy(&pool->mutex);
lists:
    free_lists(pool);
    return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for %d workers", workers);
}

void sup_pool_close(sup_pool *pool) {
    if (!pool->thread) return;
    pool->job = NULL;
    announce(&pool->job_number, &pool->mutex, &pool->wake);
    for (int w = 1; w <= pool->started; w++) pthread_join(pool->thread[w], NULL);
    sup_pool_barrier_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free_lists(pool);
}
