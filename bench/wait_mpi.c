/* bench/wait: the same step as an MPI program would have it; arguments SOCKET GROUP. */
#include "harness.h"
#include "wait_jacobi.h"
#include "worker.h"

#include "net/net.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

typedef struct context {
    int me, procs, now, up, down;
    jacobi bands, columns;
} context;

static void step(context *c) {
    const jacobi *j = &c->bands;
    int line = JACOBI_N + 2;
    jacobi_step(j, c->now);
    c->now = 1 - c->now;
    MPI_Sendrecv(jacobi_row(j, c->now, 1), line, MPI_DOUBLE, c->up, 0, jacobi_row(j, c->now, j->rows + 1), line,
                 MPI_DOUBLE, c->down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(jacobi_row(j, c->now, j->rows), line, MPI_DOUBLE, c->down, 1, jacobi_row(j, c->now, 0), line,
                 MPI_DOUBLE, c->up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step_packed(context *c) {
    const jacobi *j = &c->columns;
    int n = j->rows;
    jacobi_step(j, c->now);
    c->now = 1 - c->now;
    jacobi_pack(j, c->now);
    MPI_Sendrecv(j->leaving, n, MPI_DOUBLE, c->up, 2, j->arrived + n, n, MPI_DOUBLE, c->down, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(j->leaving + n, n, MPI_DOUBLE, c->down, 3, j->arrived, n, MPI_DOUBLE, c->up, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    jacobi_unpack(j, c->now, c->me > 0, c->me + 1 < c->procs);
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    for (long i = 0; i < reps; i++) switch (o->kind) {
        case WAIT_JACOBI: step(c); break;
        case WAIT_PACKED: step_packed(c); break;
        case WAIT_SYNC: MPI_Barrier(MPI_COMM_WORLD); break;
        case WAIT_LONG:
            if (c->me > 0) usleep((useconds_t)o->size * 1000);
            MPI_Barrier(MPI_COMM_WORLD);
            break;
        default: return false;
        }
    return true;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s SOCKET GROUP (started by bench_wait)\n", argv[0]);
        return 2;
    }
    sup_launch launch;
    sup_launch_read(&launch);
    if (launch.rank >= 0) bench_pin(launch.rank);
    MPI_Init(NULL, NULL);
    context c = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &c.procs);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.me);
    c.up = c.me > 0 ? c.me - 1 : MPI_PROC_NULL;
    c.down = c.me + 1 < c.procs ? c.me + 1 : MPI_PROC_NULL;
    if (!jacobi_make(&c.bands, JACOBI_N / c.procs, JACOBI_N, c.me) ||
        !jacobi_make(&c.columns, JACOBI_N, JACOBI_N / c.procs, c.me))
        MPI_Abort(MPI_COMM_WORLD, 1);
    bench_worker w = {c.me, BENCH_CROWD, batch, &c};
    int rc = bench_serve(&w, argv[1], argv[2]);
    MPI_Finalize();
    return rc;
}
