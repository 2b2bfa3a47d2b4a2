/* bench/net: a worker under one MPI. It measures MPI's own calls and our transport over the same library, in the same
 * processes: arguments SOCKET GROUP TRANSPORT. */
#include "harness.h"
#include "net_worker.h"

#include "net/launch/launch.h"

#include <mpi.h>
#include <stdio.h>

static bool raw(net_worker *w, int kind, size_t size, long reps) {
    int peer = 1 - w->rank, n = (int)size;
    for (long i = 0; i < reps; i++) {
        if (kind == RAW_BARRIER) {
            MPI_Barrier(MPI_COMM_WORLD);
        } else if (w->rank == 0) {
            MPI_Send(w->buf, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(w->buf, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(w->buf, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(w->buf, n, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        }
    }
    return true;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s SOCKET GROUP TRANSPORT (started by bench_net)\n", argv[0]);
        return 2;
    }
    sup_launch launch;
    sup_launch_read(&launch);
    snprintf(launch.net, sizeof launch.net, "%s", argv[3]);
    /* Before MPI starts, so that its memory is where its process is. A larger group shares two cores. */
    if (launch.rank >= 0) bench_pin(launch.rank % 2);
    /* The level that serves raw MPI best: its own numbers shall not suffer from our needs. */
    MPI_Init(&argc, &argv);
    net_worker w = {.raw = raw};
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.size);
    sup_diag diag = {0};
    if (sup_net_open(&launch, &diag, &w.net)) {
        char text[800];
        sup_diag_format(&diag, text, sizeof text);
        fprintf(stderr, "bench_net: %s: %s\n", argv[2], text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int rc = net_worker_serve(&w, argv[1], argv[2]);
    sup_net_close(w.net);
    MPI_Finalize();
    return rc;
}
