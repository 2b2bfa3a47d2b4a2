/* An MPI program that begins, says so, and waits, for those who look at what it listens on. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    puts("begun");
    fflush(stdout);
    sleep(2);
    return MPI_Finalize();
}
