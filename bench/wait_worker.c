/* bench/wait: a BSP program; arguments SOCKET GROUP. */
#include "harness.h"
#include "wait_jacobi.h"
#include "worker.h"

#include <bsp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef struct context {
    int me, procs, now;
    jacobi bands, columns;
} context;

/* Rows go to the neighbours by puts, which is what a textbook would do. */
static void step(context *c) {
    const jacobi *j = &c->bands;
    size_t line = (JACOBI_N + 2) * sizeof(double);
    jacobi_step(j, c->now);
    c->now = 1 - c->now;
    double *grid = j->grid[c->now];
    if (c->me > 0) bsp_put(c->me - 1, jacobi_row(j, c->now, 1), grid, (size_t)(j->rows + 1) * line, line);
    if (c->me + 1 < c->procs) bsp_put(c->me + 1, jacobi_row(j, c->now, j->rows), grid, 0, line);
    bsp_sync();
}

/* Packed columns go into an array of their own, from where the neighbour unpacks them. */
static void step_packed(context *c) {
    const jacobi *j = &c->columns;
    size_t column = jacobi_column_bytes(j);
    bool left = c->me > 0, right = c->me + 1 < c->procs;
    jacobi_step(j, c->now);
    c->now = 1 - c->now;
    jacobi_pack(j, c->now);
    if (left) bsp_put(c->me - 1, j->leaving, j->arrived, column, column);
    if (right) bsp_put(c->me + 1, j->leaving + j->rows, j->arrived, 0, column);
    bsp_sync();
    jacobi_unpack(j, c->now, left, right);
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    for (long i = 0; i < reps; i++) switch (o->kind) {
        case WAIT_JACOBI: step(c); break;
        case WAIT_PACKED: step_packed(c); break;
        case WAIT_SYNC: bsp_sync(); break;
        case WAIT_LONG:
            if (c->me > 0) usleep((useconds_t)o->size * 1000);
            bsp_sync();
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
    bool pinned = bench_pin_by_mpi();
    bsp_begin(bsp_nprocs());
    if (!pinned) bench_pin(bsp_pid());
    context c = {.me = bsp_pid(), .procs = bsp_nprocs()};
    if (!jacobi_make(&c.bands, JACOBI_N / c.procs, JACOBI_N, c.me) ||
        !jacobi_make(&c.columns, JACOBI_N, JACOBI_N / c.procs, c.me))
        bsp_abort("bench_wait: no memory\n");
    for (int w = 0; w < 2; w++) bsp_push_reg(c.bands.grid[w], jacobi_bytes(&c.bands));
    bsp_push_reg(c.columns.arrived, 2 * jacobi_column_bytes(&c.columns));
    bsp_sync();
    bench_worker w = {c.me, BENCH_CROWD, batch, &c};
    int rc = bench_serve(&w, argv[1], argv[2]);
    bsp_end();
    return rc;
}
