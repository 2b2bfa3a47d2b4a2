/* A run through an MPI that stays on this machine: what listens there shall not be heard by others.
 *
 *     who                      Open MPI                                MPICH
 *     the launcher             net/mpi/loopback.c, before its libraries (neither has a setting for it)
 *     the ranks                nothing: see superstep-run(1)           UCX_NET_DEVICES: the loopback device
 *
 * What the user has set himself stays, and SUPERSTEP_MPI_LISTEN=any leaves all as the MPI would have it. */
#include "cli/run/run.h"
#include "net/mpi/loopback.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_asked_not_to(void) {
    const char *listen = getenv("SUPERSTEP_MPI_LISTEN");
    return listen && !strcmp(listen, "any");
}

static bool find_loopback(char name[IF_NAMESIZE]) {
    struct ifaddrs *all;
    name[0] = 0;
    if (getifaddrs(&all)) return false;
    for (const struct ifaddrs *i = all; i && !name[0]; i = i->ifa_next)
        if ((i->ifa_flags & IFF_LOOPBACK) && (i->ifa_flags & IFF_UP)) snprintf(name, IF_NAMESIZE, "%s", i->ifa_name);
    freeifaddrs(all);
    return name[0] != 0;
}

/* In front of what the user has loaded there. */
static void preload(void) {
    char path[4096], both[8192];
    const char *theirs = getenv("LD_PRELOAD");
    sup_diag diag;
    if (sup_net_plugin_locate(SUP_LOOPBACK_FILE, "src/net/mpi", &diag, path, sizeof path) || strpbrk(path, ": \t"))
        return;
    int length = snprintf(both, sizeof both, "%s%s%s", path, theirs && *theirs ? ":" : "", theirs ? theirs : "");
    if (length > 0 && (size_t)length < sizeof both) setenv("LD_PRELOAD", both, 1);
}

void sup_run_local(const sup_run *run, const char *net) {
    char loopback[IF_NAMESIZE];
    if (run->remote || is_asked_not_to() || !find_loopback(loopback)) return;
    preload();
    if (!strcmp(net, "mpich") && !getenv("UCX_TLS")) setenv("UCX_NET_DEVICES", loopback, 0);
}
