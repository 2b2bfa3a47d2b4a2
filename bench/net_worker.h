/* bench/net: one process of a group of contenders, between batches asleep on a socket to the coordinator.
 *
 * A process can hold only one MPI, so each transport has processes of its own. They all exist for the whole run, but
 * only one group has a batch at a time; the others are blocked in read(), outside any MPI, and cost nothing. */
#ifndef SUP_BENCH_NET_WORKER_H
#define SUP_BENCH_NET_WORKER_H

#include "net/net.h"

#include <stdbool.h>
#include <stdint.h>

enum net_kind {
    NET_PINGPONG, /* size bytes there and back, tagged messages */
    NET_FLAG,     /* signal there and back */
    NET_BARRIER,  /* all processes of the group */
    RAW_PINGPONG, /* the same with MPI's own calls */
    RAW_BARRIER,
    BARE_LINE, /* one cache line, two cores */
    BARE_COPY  /* memcpy */
};

typedef struct net_order {
    int32_t kind, pad;
    int64_t size, reps;
} net_order;

typedef struct net_report {
    double seconds;
    int32_t disturbed, failed;
} net_report;

typedef struct net_hello {
    char group[16];
    int32_t rank;
} net_hello;

enum { NET_SIZE_MAX = 64 << 20 };

/* What a worker can do. A batch returns false on failure. `net` may be NULL (bare); raw is NULL where there is no MPI.
 */
typedef struct net_worker {
    int rank, size;
    sup_net *net;
    bool (*raw)(struct net_worker *w, int kind, size_t size, long reps);
    void *line; /* bare: memory that both share */
    unsigned char *buf, *other;
    size_t room;  /* in buf */
    bool crowded; /* more processes than cores: being switched out is part of the matter */
} net_worker;

/* Connects to the coordinator and serves until it hangs up. 0, or an exit status. */
int net_worker_serve(net_worker *w, const char *socket_path, const char *group);

#endif
