/* bench/net: groups of worker processes, started and told what to do by the coordinator. */
#ifndef SUP_BENCH_NET_GROUPS_H
#define SUP_BENCH_NET_GROUPS_H

#include "net_worker.h"

#include <sys/types.h>

enum { NET_GROUP_MAX = 4 };

typedef struct net_group {
    const char *name; /* "shm", "openmpi-4" */
    const char *net;  /* transport; NULL: bare */
    int size;
    bool up;
    int fd[NET_GROUP_MAX];
    pid_t pid[NET_GROUP_MAX]; /* forked workers, or the one MPI launcher */
    int pids;
} net_group;

/* One batch of one group, as a contender's context. */
typedef struct net_task {
    net_group *group;
    int kind;
    size_t size;
} net_task;

/* Starts all; groups that do not come up (no such MPI) are left with up = false and a line on stderr. False: nothing
 * could be started at all. */
bool net_groups_start(net_group *groups, int count);
void net_groups_stop(net_group *groups, int count);

/* A bench_batch on a net_task. */
bool net_groups_batch(void *task, long reps, double *seconds, bool *disturbed);

#endif
