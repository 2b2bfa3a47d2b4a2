/* Workers: threads that live as long as the pool and are pinned once. The thread that asks for work is worker 0 while
 * it waits for the others, so that a pool of n uses n cores and not n + 1. */
#ifndef SUP_TILE_POOL_H
#define SUP_TILE_POOL_H

#include "machine/topology/topology.h"
#include "machine/usable.h"
#include "net/wait.h"

#include <superstep/tile.h>

#include <pthread.h>
#include <stdatomic.h>

#define SUP_POOL_APART 128 /* prefetchers fetch lines in pairs */

typedef void sup_pool_job(void *context, int worker);

/* A number that goes up, and threads that wait for that as processes do (net/wait.h). */
typedef struct sup_pool_signal {
    _Atomic uint32_t number;
    sup_bell bell;
} sup_pool_signal;

/* Everybody waits for everybody. */
typedef struct sup_pool_barrier {
    sup_pool_signal passed;
    char apart[SUP_POOL_APART]; /* arrivals must not take away the line that the others look at */
    _Atomic int arrived;
    char apart_too[SUP_POOL_APART];
} sup_pool_barrier;

typedef struct sup_pool {
    int workers;
    bool crowded;          /* more workers than cores: spinning would keep the others from working */
    int *core;             /* of a worker; -1 unknown */
    int *cpus, *cpu_first; /* worker w may run on cpus[cpu_first[w]] … cpus[cpu_first[w+1]-1]; none: anywhere */
    pthread_t *thread;     /* workers 1 … */
    int started;           /* threads that exist */
    struct sup_pool_seat *seat;
    sup_pool_job *job; /* NULL: end */
    void *context;
    char apart[SUP_POOL_APART];
    sup_pool_signal begun; /* jobs given out */
    char apart_too[SUP_POOL_APART];
    _Atomic int finished; /* workers 1 … that are done with it */
    char apart_three[SUP_POOL_APART];
    sup_pool_signal ended; /* jobs that all are done with; only worker 0 waits for it */
} sup_pool;

sup_status sup_pool_open(const sup_topology *topology, const sup_usable *usable, int workers,
                         sup_tile_affinity affinity, sup_diag *diag, sup_pool *pool);
void sup_pool_close(sup_pool *pool);

/* Runs job(context, worker) on every worker and returns when all have returned. The calling thread is pinned for so
 * long, and gets its own affinity back; for a brief job it is left alone if it is in its place already, because asking
 * the system three times takes about a microsecond. One caller at a time. */
void sup_pool_run(sup_pool *pool, sup_pool_job *job, void *context, bool brief);

/* For jobs: waits until all workers of the pool have come here; `worker` is the caller. */
void sup_pool_wait(sup_pool *pool, sup_pool_barrier *barrier, int worker);
void sup_pool_barrier_init(sup_pool_barrier *barrier);

#endif
