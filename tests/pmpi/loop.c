/* How long MPI_Barrier takes: a loop of so many calls on MPI_COMM_WORLD. Run with and without the preloaded library; no
 * test, a tool by which ratios are seen. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size;
    long count = argc > 1 ? atol(argv[1]) : 100000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* what sets itself up does so here */
    for (double begin = MPI_Wtime(), over = 0; !over;) {
        for (int i = 0; i < 16; i++) MPI_Barrier(MPI_COMM_WORLD);
        double mine = MPI_Wtime() - begin > 0.2;
        MPI_Allreduce(&mine, &over, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    double least = 1e9;
    for (int turn = 0; turn < 20; turn++) {
        double t = MPI_Wtime();
        for (long i = 0; i < count / 20; i++) MPI_Barrier(MPI_COMM_WORLD);
        t = (MPI_Wtime() - t) / (double)(count / 20);
        if (t < least) least = t;
    }
    if (rank == 0) printf("%d processes: MPI_Barrier %.3f us\n", size, least * 1e6);
    MPI_Finalize();
    return 0;
}
