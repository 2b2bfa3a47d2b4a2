/* The same for Fortran programs. What the compilers make of a name differs (gfortran: mpi_barrier_), and `use mpi_f08`
 * calls functions of its own, so all forms that the libraries have are here. Open MPI's lead to PMPI_Barrier past our
 * MPI_Barrier, and MPICH's of mpi_f08 as well.
 *
 * To initialise Fortran the library does more than MPI_Init: the next definition of the same name is called, and only
 * then do we begin. */
#include "pmpi/pmpi.h"

#include <dlfcn.h>

/* ---- barrier ---- */

#define BARRIER(name)                                                     \
    SUP_PMPI_VISIBLE void name(const MPI_Fint *comm, MPI_Fint *error);    \
    SUP_PMPI_VISIBLE void name(const MPI_Fint *comm, MPI_Fint *error) {   \
        int code = MPI_Barrier(PMPI_Comm_f2c(*comm));                     \
        if (error) *error = code; /* mpi_f08 lets callers leave it out */ \
    }
BARRIER(mpi_barrier)
BARRIER(mpi_barrier_)
BARRIER(mpi_barrier__)
BARRIER(MPI_BARRIER)
BARRIER(mpi_barrier_f08_)

/* ---- init ---- */

static void after_init(void) {
    int running = 0;
    if (PMPI_Initialized(&running) == MPI_SUCCESS && running) sup_pmpi_begin();
}

typedef void (*init_function)(MPI_Fint *error);
#define INIT(name)                                                              \
    SUP_PMPI_VISIBLE void name(MPI_Fint *error);                                \
    SUP_PMPI_VISIBLE void name(MPI_Fint *error) {                               \
        sup_pmpi_join();                                                        \
        init_function next = (init_function)(uintptr_t)dlsym(RTLD_NEXT, #name); \
        if (next) next(error);                                                  \
        after_init();                                                           \
    }
INIT(mpi_init)
INIT(mpi_init_)
INIT(mpi_init__)
INIT(MPI_INIT)
INIT(mpi_init_f08_)

typedef void (*init_thread_function)(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);
#define INIT_THREAD(name)                                                                       \
    SUP_PMPI_VISIBLE void name(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);  \
    SUP_PMPI_VISIBLE void name(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) { \
        sup_pmpi_join();                                                                        \
        init_thread_function next = (init_thread_function)(uintptr_t)dlsym(RTLD_NEXT, #name);   \
        if (next) next(required, provided, error);                                              \
        after_init();                                                                           \
    }
INIT_THREAD(mpi_init_thread)
INIT_THREAD(mpi_init_thread_)
INIT_THREAD(mpi_init_thread__)
INIT_THREAD(MPI_INIT_THREAD)
INIT_THREAD(mpi_init_thread_f08_)
