/* How fast the last rank gets bytes from rank 0, in megabits per second: to see that the limit of a link is really
 * there.
 *
 *     bandwidth MEGABYTES      rank 0 prints "MBIT <number>" */
#include "net/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sup_status move(sup_net *net, bool send, int peer, void *buf, size_t length) {
    sup_net_req req;
    sup_status status =
        send ? sup_net_isend(net, peer, 2, buf, length, &req) : sup_net_irecv(net, peer, 2, buf, length, &req);
    return status ? status : sup_net_wait(net, &req);
}

int main(int argc, char **argv) {
    sup_launch launch;
    sup_diag diag;
    sup_net *net;
    size_t length = (argc > 1 ? (size_t)atoi(argv[1]) : 8) << 20;
    char *buf = calloc(length, 1);
    sup_launch_read(&launch);
    if (!buf || length == 0) return 2;
    if (sup_net_open(&launch, &diag, &net)) {
        fprintf(stderr, "bandwidth: %s\n", diag.text);
        return 3;
    }
    int last = sup_net_size(net) - 1;
    sup_status status = SUP_OK;
    /* a short exchange first: connections are made on the way */
    for (int round = 0; round < 2 && last > 0 && !status; round++) {
        size_t bytes = round ? length : 1;
        double start = now();
        if (sup_net_rank(net) == 0) {
            status = move(net, true, last, buf, bytes);
            if (!status) status = move(net, false, last, buf, 1);
            if (round && !status) printf("MBIT %.1f\n", 8e-6 * (double)bytes / (now() - start));
        } else if (sup_net_rank(net) == last) {
            status = move(net, false, 0, buf, bytes);
            if (!status) status = move(net, true, 0, buf, 1);
        }
    }
    sup_net_close(net);
    free(buf);
    return status ? 1 : 0;
}
