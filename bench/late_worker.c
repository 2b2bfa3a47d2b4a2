/* bench/late: a BSP program; arguments SOCKET GROUP. */
#include "late.h"

#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

static late_notes *all;

static bool sync_all(void) {
    bsp_sync();
    return true;
}

static bool batch(void *context, const bench_order *o, long reps) {
    late_work *w = context;
    if (!late_batch(w, o, reps)) return false;
    bsp_put(0, &w->notes, all, (int)((size_t)w->me * sizeof *all), sizeof w->notes);
    bsp_sync();
    if (w->me == 0) late_sum_up(w, all, reps);
    return true;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s SOCKET GROUP (started by bench_late)\n", argv[0]);
        return 2;
    }
    bool pinned = bench_pin_by_mpi();
    bsp_begin(bsp_nprocs());
    if (!pinned) bench_pin(bsp_pid());
    late_work work = {.me = bsp_pid(), .procs = bsp_nprocs(), .barrier = sync_all};
    all = calloc((size_t)work.procs, sizeof *all);
    if (!all) bsp_abort("bench_late: no memory\n");
    bsp_push_reg(all, (int)((size_t)work.procs * sizeof *all));
    bsp_sync();
    bench_worker w = {work.me, BENCH_CROWD, batch, &work, &work.seconds};
    int rc = bench_serve(&w, argv[1], argv[2]);
    bsp_end();
    free(all);
    return rc;
}
