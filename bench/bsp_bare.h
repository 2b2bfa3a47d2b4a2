/* bench/bsp: the bare limits, a group of processes that share memory and nothing else. */
#ifndef SUP_BENCH_BSP_BARE_H
#define SUP_BENCH_BSP_BARE_H

#include "groups.h"

/* A bench_group's start. */
bool bsp_bare_start(bench_group *g, const char *socket_path);

#endif
