/* One process of a group of contenders (groups.h), between batches asleep on a socket to the coordinator.
 *
 * A process can hold only one MPI, so each transport has processes of its own. They all exist for the whole run, but
 * only one group has a batch at a time; the others are blocked in recv(), outside any MPI, and cost nothing. */
#ifndef SUP_BENCH_WORKER_H
#define SUP_BENCH_WORKER_H

#include <stdbool.h>
#include <stdint.h>

/* What to do; the meaning of kind, size and count is between a benchmark and its workers. */
typedef struct bench_order {
    int32_t kind, pad;
    int64_t size, count;
    int64_t reps;
} bench_order;

typedef struct bench_report {
    double seconds;
    int32_t disturbed, failed;
} bench_report;

typedef struct bench_hello {
    char group[24];
    int32_t rank, pid;
} bench_hello;

/* Who else may have the core while a batch runs. */
typedef enum bench_sharing {
    BENCH_ALONE,   /* nobody: a batch in which that happens is disturbed */
    BENCH_THREADS, /* other threads of the same process: they are part of the matter */
    BENCH_CROWD    /* anybody: there are more processes than cores, and that is the matter */
} bench_sharing;

typedef struct bench_worker {
    int rank;
    bench_sharing sharing;
    /* Runs reps repetitions of what is ordered; false on failure. */
    bool (*batch)(void *context, const bench_order *order, long reps);
    void *context;
    const double *own_s; /* what batches that have a clock of their own have taken since the start; NULL: all counts */
} bench_worker;

/* Pins a BSP process that an MPI started by its rank, before bsp_begin makes threads; false: it was started otherwise,
 * and has its rank from bsp_pid, because the runtime has taken what the launcher said. */
bool bench_pin_by_mpi(void);

/* Connects to the coordinator and serves until it hangs up. 0, or an exit status. */
int bench_serve(const bench_worker *w, const char *socket_path, const char *group);

#endif
