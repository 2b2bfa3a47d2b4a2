/* bench/net: what a worker does in a batch. */
#ifndef SUP_BENCH_NET_WORKER_H
#define SUP_BENCH_NET_WORKER_H

#include "net/net.h"
#include "worker.h"

#include <stddef.h>

enum net_kind {
    NET_PINGPONG, /* size bytes there and back, tagged messages */
    NET_FLAG,     /* signal there and back */
    NET_BARRIER,  /* all processes of the group */
    RAW_PINGPONG, /* the same with MPI's own calls */
    RAW_BARRIER,
    BARE_LINE, /* one cache line, two cores */
    BARE_COPY  /* memcpy */
};

enum { NET_SIZE_MAX = 64 << 20 };

/* What a worker can do. A batch returns false on failure. `net` may be NULL (bare); raw is NULL where there is no MPI.
 */
typedef struct net_worker {
    int rank, size;
    sup_net *net;
    bool (*raw)(struct net_worker *w, int kind, size_t size, long reps);
    void *line; /* bare: memory that both share */
    unsigned char *buf, *other;
    size_t room; /* in buf */
} net_worker;

/* Serves the coordinator until it hangs up. 0, or an exit status. */
int net_worker_serve(net_worker *w, const char *socket_path, const char *group);

#endif
