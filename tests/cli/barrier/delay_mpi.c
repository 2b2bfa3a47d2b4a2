/* The delay test over MPI, on one machine: delay_mpi FILE good|MS. The words are in FILE, which all map. */
#define _GNU_SOURCE
#include "delay.h"

#include "all.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define X(f) f,
static int (*const calls[])(MPI_Comm) = {EACH(X)};
#undef X
#define X(f) #f,
static const char *const names[] = {EACH(X)};
#undef X
enum { FUNCTIONS = sizeof calls / sizeof *calls };
_Static_assert((int)FUNCTIONS <= (int)FUNCTIONS_MAX && (int)FUNCTIONS * PROCESSES * (int)REPEATS <= (int)ROUNDS_MAX,
               "too many");

static void call(void *context, int function, int rank) {
    (void)rank;
    if (calls[function](*(MPI_Comm *)context) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || size != PROCESSES) MPI_Abort(MPI_COMM_WORLD, 2);
    int fd = open(argv[1], O_RDWR);
    struct words *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || ftruncate(fd, sizeof *w) || w == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
    /* Of broken ones messages may be left over: each has a communicator of its own. */
    for (int f = 0; f < FUNCTIONS; f++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        delay_each(w, f, PROCESSES, rank, patience_of(argv[2]), call, &own);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_free(&own);
    }
    /* Of another number of processes it says no. */
    if (PROCESSES > 1 && calls[0](MPI_COMM_SELF) != MPI_ERR_COMM) MPI_Abort(MPI_COMM_WORLD, 4);
    int wrong = rank == 0 ? judge(w, names, FUNCTIONS, patience_of(argv[2]) > 0) : 0;
    MPI_Finalize();
    return wrong;
}
