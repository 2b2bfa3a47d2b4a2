/* Groups of worker processes (worker.h), started and told what to do by the coordinator, which is the benchmark.
 *
 *     bench_group g[] = {{.name = "bare", .size = 2, .start = start_bare}, …};
 *     bench_groups_start(g, n);
 *     bench_task t = {&g[0], KIND, size, count};
 *     … bench_contender {.batch = bench_groups_batch, .context = &t} …
 *     bench_groups_stop(g, n); */
#ifndef SUP_BENCH_GROUPS_H
#define SUP_BENCH_GROUPS_H

#include "harness.h"

#include "worker.h"

#include <sys/types.h>

enum { BENCH_GROUP_MAX = 16 };

typedef struct bench_group bench_group;

struct bench_group {
    const char *name; /* "shm", "openmpi-4" */
    int size;
    /* Starts the processes, with one of the two calls below. False: it cannot be had here, or (how NULL) failed. */
    bool (*start)(bench_group *g, const char *socket_path);
    const char *how; /* for start: an MPI, which need not be installed, and an engine; NULL: needs none */
    bool halt;       /* its processes have threads that wake by themselves: stop them between batches */
    /* filled in */
    bool up;
    bool absent;   /* not up because its MPI is not to be had here */
    bool launched; /* by one process, in pid[0] */
    int fd[BENCH_GROUP_MAX];
    pid_t worker[BENCH_GROUP_MAX]; /* as they say themselves */
    pid_t pid[BENCH_GROUP_MAX];    /* children of this process */
    int pids;
};

/* One batch of one group, as a contender's context. */
typedef struct bench_task {
    bench_group *group;
    int kind;
    size_t size;
    long count;
} bench_task;

/* Workers as children of this process: each is pinned to a core of the first `cores` and calls body. */
typedef int bench_body(const bench_group *g, int rank, const char *socket_path, void *context);
bool bench_group_fork(bench_group *g, const char *socket_path, int cores, bench_body *body, void *context);

/* Workers that a launcher starts: argv, and "NAME=value" to be set for it; NULL ends both. cores > 0: on the first so
 * many cores. Its output goes to stderr. */
bool bench_group_exec(bench_group *g, int cores, const char *const argv[], char *const environment[]);

/* Path of a program that lies beside this one. False: there is none. */
bool bench_beside(const char *name, char *out, size_t room);

/* Starts all; groups that do not come up are left with up = false and a line on stderr. False: nothing could be started
 * at all. */
bool bench_groups_start(bench_group *groups, int count);
void bench_groups_stop(bench_group *groups, int count);

/* What to put in place of the time of a group that is not up: BENCH_ABSENT or BENCH_FAILED. */
bench_value bench_group_missing(const bench_group *g);

/* A bench_batch on a bench_task. */
bool bench_groups_batch(void *task, long reps, double *seconds, bool *disturbed);

#endif
