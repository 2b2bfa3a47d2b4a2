/* Keeps what an MPI's launcher listens on from other machines, in runs that stay on this one: loaded before the
 * launcher's own libraries (cli/run/local.c).
 *
 * Open MPI 4.1's mpirun and MPICH 4's mpiexec listen on all addresses, whatever they are told, and take what comes:
 * mpiexec ends the run over a few bytes that make no sense. Here such a socket takes what arrives over the loopback
 * device alone, which is all that this machine sends to itself, under whichever of its addresses; so those who are to
 * find the launcher by the name of the host still do. */
#include "net/mpi/loopback.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_everywhere(const struct sockaddr *address, socklen_t length) {
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    if (length >= sizeof in && address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof in);
        return in.sin_addr.s_addr == htonl(INADDR_ANY);
    }
    if (length < sizeof in6 || address->sa_family != AF_INET6) return false;
    memcpy(&in6, address, sizeof in6);
    return IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr);
}

static bool is_stream(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

/* Where the device is missing or down, or the kernel lets only root do this (before 5.7), all stays as it was. */
static void confine(int fd) {
    struct ifaddrs *all;
    if (getifaddrs(&all)) return;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        if (!(i->ifa_flags & IFF_LOOPBACK) || !(i->ifa_flags & IFF_UP)) continue;
        setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, i->ifa_name, (socklen_t)strlen(i->ifa_name) + 1);
        break;
    }
    freeifaddrs(all);
}

/* Who listens is the launcher, and what it starts is not: programs may listen where they like. */
__attribute__((visibility("default"))) int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t length) {
    if (is_everywhere(address.__sockaddr__, length) && is_stream(fd)) {
        confine(fd);
        sup_loopback_forget();
    }
    return (int)syscall(SYS_bind, fd, address.__sockaddr__, length);
}
