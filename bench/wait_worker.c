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
    jacobi j;
} context;

/* Rows go to the neighbours by puts, which is what a textbook would do. */
static void step(context *c) {
    const jacobi *j = &c->j;
    size_t line = (JACOBI_N + 2) * sizeof(double);
    jacobi_step(j, c->now);
    c->now = 1 - c->now;
    double *grid = j->grid[c->now];
    if (c->me > 0) bsp_put(c->me - 1, jacobi_row(j, c->now, 1), grid, (size_t)(j->rows + 1) * line, line);
    if (c->me + 1 < c->procs) bsp_put(c->me + 1, jacobi_row(j, c->now, j->rows), grid, 0, line);
    bsp_sync();
}

static bool batch(void *context_, const bench_order *o, long reps) {
    context *c = context_;
    for (long i = 0; i < reps; i++) switch (o->kind) {
        case WAIT_JACOBI: step(c); break;
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
    c.j.rows = JACOBI_N / c.procs;
    for (int w = 0; w < 2; w++) {
        c.j.grid[w] = malloc(jacobi_bytes(&c.j));
        if (!c.j.grid[w]) bsp_abort("bench_wait: no memory\n");
        bsp_push_reg(c.j.grid[w], jacobi_bytes(&c.j));
    }
    jacobi_fill(&c.j, c.me);
    bsp_sync();
    bench_worker w = {c.me, BENCH_CROWD, batch, &c};
    int rc = bench_serve(&w, argv[1], argv[2]);
    bsp_end();
    return rc;
}
