/* A tool between a program and its MPI: says that it began, and how many of two operations it saw, at the end, from
 * process 0. Calls are passed on to PMPI_NAME, as such tools do, or (NEXT) to the next definition of the same name. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int seen;

#ifdef NEXT
#define PASS(name, type, ...)                      \
    type next;                                     \
    void *symbol = dlsym(RTLD_NEXT, "MPI_" #name); \
    memcpy(&next, &symbol, sizeof next);           \
    return next(__VA_ARGS__)
#else
#define PASS(name, type, ...) return PMPI_##name(__VA_ARGS__)
#endif

typedef int (*init_function)(int *argc, char ***argv);
typedef int (*barrier_function)(MPI_Comm comm);
typedef int (*finalize_function)(void);

int MPI_Init(int *argc, char ***argv) {
    fprintf(stderr, "tool: begins\n");
    PASS(Init, init_function, argc, argv);
}

int MPI_Barrier(MPI_Comm comm) {
    seen++;
    PASS(Barrier, barrier_function, comm);
}

int MPI_Finalize(void) {
    int rank = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fprintf(stderr, "tool: %d barriers\n", seen);
    PASS(Finalize, finalize_function);
}
