/* bench/late: an MPI program as any user has one; arguments SOCKET GROUP. With the preload library it calls the same.
 */
#include "late.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static late_notes *all;

static bool barrier(void) { return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS; }

static bool batch(void *context, const bench_order *o, long reps) {
    late_work *w = context;
    int n = (int)sizeof w->notes;
    if (!late_batch(w, o, reps)) return false;
    if (MPI_Gather(&w->notes, n, MPI_BYTE, all, n, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS) return false;
    if (w->me == 0) late_sum_up(w, all, reps);
    return true;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s SOCKET GROUP (started by bench_late)\n", argv[0]);
        return 2;
    }
    bench_pin_by_mpi(); /* before MPI starts, so that its memory is where its process is */
    MPI_Init(&argc, &argv);
    late_work work = {.barrier = barrier};
    MPI_Comm_rank(MPI_COMM_WORLD, &work.me);
    MPI_Comm_size(MPI_COMM_WORLD, &work.procs);
    all = calloc((size_t)work.procs, sizeof *all);
    if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
    bench_worker w = {work.me, BENCH_CROWD, batch, &work, &work.seconds};
    int rc = bench_serve(&w, argv[1], argv[2]);
    MPI_Finalize();
    free(all);
    return rc;
}
