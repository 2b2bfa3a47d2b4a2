/* bench/barrier: an MPI program as any user has one. It knows nothing of Superstep; arguments SOCKET GROUP
 * [crowd|free]. Run with the preload library it calls the same MPI_Barrier. free: it stays where the kernel puts it,
 * among more processes than cores. */
#include "harness.h"
#include "worker.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static bool batch(void *context, const bench_order *order, long reps) {
    (void)context;
    (void)order;
    bool ok = true;
    for (long i = 0; i < reps && ok; i++) ok = MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS;
    return ok;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s SOCKET GROUP [crowd|free] (started by bench_barrier)\n", argv[0]);
        return 2;
    }
    if (argc != 4 || strcmp(argv[3], "free") != 0)
        bench_pin_by_mpi(); /* before MPI starts, so that its memory is where its process is */
    MPI_Init(&argc, &argv);
    bench_worker w = {.sharing = argc == 4 ? BENCH_CROWD : BENCH_ALONE, .batch = batch};
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    int rc = bench_serve(&w, argv[1], argv[2]);
    MPI_Finalize();
    return rc;
}
