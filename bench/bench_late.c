/* bench/late: how long from the last arrival at a barrier until all have left it, when one process computes for longer.
 *
 *     bsp_sync shm              an empty superstep of libbsp
 *     preload openmpi, mpich    MPI_Barrier of late_mpi.c under `superstep run --mpi`
 *     Open MPI, MPICH           MPI_Barrier of the same program under its launcher alone
 *
 * Every program has such imbalance: what its processes do meanwhile decides what each step costs. A batch is the median
 * of its repetitions; all of them count, because a process that sleeps for want of something to do cannot be told from
 * one that was sent away. */
#include "groups.h"
#include "harness.h"
#include "late.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SHM, LOADED_OPENMPI, LOADED_MPICH, OPENMPI, MPICH, GROUPS };

typedef struct delay {
    const char *name;
    size_t us;
    long reps; /* of a batch at most */
    const char *floor;
} delay;

static const delay delays[] = {{"0.1 ms", 100, 40, "<= 0.75"},
                               {"1 ms", 1000, 16, "<= 0.7"},
                               {"10 ms", 10000, 4, "<= 0.7"}};
static const int sizes[] = {2, 4, 8, 16};
enum { DELAYS = sizeof delays / sizeof *delays, SIZES = sizeof sizes / sizeof *sizes };

/* ---- workers -----------------------------------------------------------------------------------------------------*/

static bool start_shm(bench_group *g, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!bench_beside("late-worker", worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_SUPERSTEP, "run", "-n", size, "--net", "shm", worker, socket_path, g->name, NULL};
    return bench_group_exec(g, 0, argv, NULL);
}

/* Programs of an MPI are there if it was, when this was built. */
static bool find_program(const bench_group *g, char *out, size_t room) {
    char name[32];
    snprintf(name, sizeof name, "late-%s", g->how);
    return bench_beside(name, out, room);
}

static bool start_loaded(bench_group *g, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!find_program(g, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_SUPERSTEP, "run", "-n",   size,        "--net", g->how,
                                "--mpi",         "--",  worker, socket_path, g->name, NULL};
    return bench_group_exec(g, 0, argv, NULL);
}

static bool start_bare(bench_group *g, const char *socket_path) {
    char worker[PATH_MAX], size[16];
    if (!find_program(g, worker, sizeof worker)) return false;
    snprintf(size, sizeof size, "%d", g->size);
    const char *const argv[] = {BENCH_WITH_MPI, g->how, size, worker, socket_path, g->name, NULL};
    return bench_group_exec(g, 0, argv, NULL);
}

static const bench_group kinds[GROUPS] = {
    [SHM] = {.name = "bsp_sync shm", .start = start_shm},
    [LOADED_OPENMPI] = {.name = "preload openmpi", .start = start_loaded, .how = "openmpi"},
    [LOADED_MPICH] = {.name = "preload mpich", .start = start_loaded, .how = "mpich"},
    [OPENMPI] = {.name = "Open MPI", .start = start_bare, .how = "openmpi"},
    [MPICH] = {.name = "MPICH", .start = start_bare, .how = "mpich"},
};

/* ---- rows --------------------------------------------------------------------------------------------------------*/

static void race(bench *b, bench_group *groups, const delay *d) {
    bench_task tasks[GROUPS];
    bench_contender list[GROUPS] = {0};
    bench_value us[GROUPS];
    int where[GROUPS], n = 0;
    for (int i = 0; i < GROUPS; i++) {
        us[i] = bench_group_missing(&groups[i]);
        where[i] = -1;
        if (!groups[i].up) continue;
        where[i] = n;
        tasks[n] = (bench_task){&groups[i], LATE, d->us, 0};
        list[n] = (bench_contender){.name = groups[i].name,
                                    .batch = bench_groups_batch,
                                    .context = &tasks[n],
                                    .max_reps = d->reps};
        n++;
    }
    bench_race(b, list, n);
    for (int i = 0; i < GROUPS; i++)
        if (where[i] >= 0) us[i] = bench_scaled(list[where[i]].time_s, 1e6);
    bench_value mpi = bench_least(us[OPENMPI], us[MPICH]);
    for (int i = 0; i < GROUPS; i++) {
        char name[64];
        snprintf(name, sizeof name, "P = %d, late by %s, %s", groups[0].size, d->name, groups[i].name);
        bool ours = i < OPENMPI;
        bench_row(b, name, us[i], "us", ours ? mpi : BENCH_ABSENT, ours ? "the better MPI" : NULL,
                  ours ? d->floor : NULL);
    }
}

static void run_size(bench *b, int processes, double until) {
    bench_group groups[GROUPS];
    memcpy(groups, kinds, sizeof groups);
    for (int i = 0; i < GROUPS; i++) groups[i].size = processes;
    if (bench_groups_start(groups, GROUPS))
        for (int i = 0; i < DELAYS; i++) {
            double now = sup_clock_now();
            b->deadline_s = now + (until - now) / (DELAYS - i);
            race(b, groups, &delays[i]);
        }
    bench_groups_stop(groups, GROUPS);
}

int main(int argc, char **argv) {
    bench b;
    int rc = bench_begin(&b, "late", argc, argv), left = 0;
    if (rc >= 0) return rc;
    double end = b.deadline_s;
    b.batch_s = 1; /* the most repetitions that a delay allows, however short what is measured */
    for (int i = 0; i < SIZES; i++) left += sizes[i] <= bench_cores();
    for (int i = 0; i < SIZES && left > 0; i++) {
        if (sizes[i] > bench_cores()) continue;
        double now = sup_clock_now();
        run_size(&b, sizes[i], now + (end - now) / left--);
    }
    return bench_end(&b);
}
