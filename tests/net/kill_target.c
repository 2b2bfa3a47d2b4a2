/* A process to be killed: says who it is, then sends messages around a ring and signals to everybody, for ever. When a
 * neighbour is gone it must not hang: it either sees SUP_EPEER or is ended by the launcher.
 *
 *     kill_target TAG [FILE]        TAG makes the process easy to find; prints "ready RANK PID"
 *
 * With FILE, two processes end well once that exists. */
#include "net/net.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sup_status ring(sup_net *net, uint64_t round) {
    int size = sup_net_size(net), rank = sup_net_rank(net);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    static char out[9000], in[9000];
    size_t length = round % 7 ? 8 : sizeof out; /* small ones, and now and then one that does not fit a slot */
    sup_net_req send, receive;
    sup_status status = sup_net_irecv(net, before, 1, in, sizeof in, &receive);
    if (!status) status = sup_net_isend(net, next, 1, out, length, &send);
    if (!status) status = sup_net_wait(net, &send);
    if (!status) status = sup_net_wait(net, &receive);
    return status;
}

#define STOP ((uint64_t)1 << 40) /* rank 0 adds it to the round that is the last */

/* *seen: the last round was announced. */
static sup_status everybody(sup_net *net, uint64_t round, bool stop, bool *seen) {
    int size = sup_net_size(net);
    uint64_t value;
    sup_status status = SUP_OK;
    for (int peer = 0; peer < size && !status; peer++)
        if (peer != sup_net_rank(net)) status = sup_net_signal(net, peer, 0, stop ? round + STOP : round);
    *seen = stop;
    for (int peer = 0; peer < size && !status; peer++) {
        if (peer == sup_net_rank(net)) continue;
        status = sup_net_await(net, peer, 0, round, &value);
        if (!status && value >= STOP) *seen = true;
    }
    return status;
}

int main(int argc, char **argv) {
    sup_launch launch;
    sup_diag diag;
    sup_net *net;
    if (argc < 2) return 2;
    sup_launch_read(&launch);
    if (sup_net_open(&launch, &diag, &net)) {
        fprintf(stderr, "%s: %s\n", argv[1], diag.text);
        return 3;
    }
    const char *until = argc > 2 ? argv[2] : NULL;
    bool last = false;
    sup_status status = everybody(net, 1, false, &last);
    printf("ready %d %d\n", sup_net_rank(net), (int)getpid());
    fflush(stdout);
    for (uint64_t round = 2; !status; round++) {
        status = ring(net, round);
        bool stop = until && sup_net_rank(net) == 0 && !access(until, F_OK);
        if (!status) status = everybody(net, round, stop, &last);
        if (!status && last) {
            sup_net_close(net);
            return 0;
        }
    }
    /* the launcher ends us; should it not, the test sees us here */
    sleep(60);
    return 4;
}
