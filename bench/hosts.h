/* Hosts for benchmarks: network namespaces of this machine, joined by links of 1 Gbit/s (tests/cluster). */
#ifndef SUP_BENCH_HOSTS_H
#define SUP_BENCH_HOSTS_H

#include <stdbool.h>

typedef struct bench_hosts {
    char folder[256]; /* what `cluster.sh run` takes */
    char file[300];   /* for --hosts */
    const char *script, *rsh;
} bench_hosts;

/* False: none can be made here. */
bool bench_hosts_make(bench_hosts *hosts, int count);
void bench_hosts_remove(bench_hosts *hosts);

#endif
