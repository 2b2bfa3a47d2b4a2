/* Collective operations as Fortran programs call them, where the MPI's Fortran leads past our C functions: Open MPI's
 * calls PMPI_NAME. (MPICH's calls MPI_NAME in all its forms and needs nothing here.) Names as in fortran.c.
 *
 * MPI_IN_PLACE and MPI_BOTTOM are variables in Fortran, known by their address. */
#include "pmpi/pmpi.h"

#if defined(OPEN_MPI)
#include <dlfcn.h>
#include <pthread.h>

/* ---- addresses ---- */

enum { SPELLINGS = 4 };
static const void *in_places[SPELLINGS], *bottoms[SPELLINGS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_addresses(void) {
    static const char *const names[2][SPELLINGS] = {{"mpi_fortran_in_place_", "mpi_fortran_in_place",
                                                     "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"},
                                                    {"mpi_fortran_bottom_", "mpi_fortran_bottom",
                                                     "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"}};
    for (int i = 0; i < SPELLINGS; i++) {
        in_places[i] = dlsym(RTLD_DEFAULT, names[0][i]);
        bottoms[i] = dlsym(RTLD_DEFAULT, names[1][i]);
    }
}

static void *address(void *fortran) {
    pthread_once(&once, find_addresses);
    for (int i = 0; fortran && i < SPELLINGS; i++) {
        if (fortran == in_places[i]) return MPI_IN_PLACE;
        if (fortran == bottoms[i]) return MPI_BOTTOM;
    }
    return fortran;
}

/* ---- the calls ---- */

typedef const MPI_Fint *fint;

#define COMM(c) PMPI_Comm_f2c(*(c))
#define TYPE(t) PMPI_Type_f2c(*(t))
#define OP(o) PMPI_Op_f2c(*(o))

/* One function in all its spellings; mpi_f08 lets callers leave the error out. */
#define FORM(name, call, ...)                                  \
    SUP_PMPI_VISIBLE void name(__VA_ARGS__, MPI_Fint *error);  \
    SUP_PMPI_VISIBLE void name(__VA_ARGS__, MPI_Fint *error) { \
        int code = call;                                       \
        if (error) *error = code;                              \
    }
#define FORMS(lower, upper, call, ...) \
    FORM(lower, call, __VA_ARGS__)     \
    FORM(lower##_, call, __VA_ARGS__)  \
    FORM(lower##__, call, __VA_ARGS__) \
    FORM(upper, call, __VA_ARGS__)     \
    FORM(lower##_f08_, call, __VA_ARGS__)

FORMS(mpi_bcast, MPI_BCAST, MPI_Bcast(address(b), *n, TYPE(t), *root, COMM(c)), void *b, fint n, fint t, fint root,
      fint c)
FORMS(mpi_gather, MPI_GATHER, MPI_Gather(address(in), *n, TYPE(t), address(out), *m, TYPE(u), *root, COMM(c)), void *in,
      fint n, fint t, void *out, fint m, fint u, fint root, fint c)
FORMS(mpi_gatherv, MPI_GATHERV, MPI_Gatherv(address(in), *n, TYPE(t), address(out), m, at, TYPE(u), *root, COMM(c)),
      void *in, fint n, fint t, void *out, fint m, fint at, fint u, fint root, fint c)
FORMS(mpi_scatter, MPI_SCATTER, MPI_Scatter(address(in), *n, TYPE(t), address(out), *m, TYPE(u), *root, COMM(c)),
      void *in, fint n, fint t, void *out, fint m, fint u, fint root, fint c)
FORMS(mpi_scatterv, MPI_SCATTERV, MPI_Scatterv(address(in), n, at, TYPE(t), address(out), *m, TYPE(u), *root, COMM(c)),
      void *in, fint n, fint at, fint t, void *out, fint m, fint u, fint root, fint c)
FORMS(mpi_allgather, MPI_ALLGATHER, MPI_Allgather(address(in), *n, TYPE(t), address(out), *m, TYPE(u), COMM(c)),
      void *in, fint n, fint t, void *out, fint m, fint u, fint c)
FORMS(mpi_allgatherv, MPI_ALLGATHERV, MPI_Allgatherv(address(in), *n, TYPE(t), address(out), m, at, TYPE(u), COMM(c)),
      void *in, fint n, fint t, void *out, fint m, fint at, fint u, fint c)
FORMS(mpi_alltoall, MPI_ALLTOALL, MPI_Alltoall(address(in), *n, TYPE(t), address(out), *m, TYPE(u), COMM(c)), void *in,
      fint n, fint t, void *out, fint m, fint u, fint c)
FORMS(mpi_alltoallv, MPI_ALLTOALLV, MPI_Alltoallv(address(in), n, from, TYPE(t), address(out), m, to, TYPE(u), COMM(c)),
      void *in, fint n, fint from, fint t, void *out, fint m, fint to, fint u, fint c)
FORMS(mpi_reduce, MPI_REDUCE, MPI_Reduce(address(in), address(out), *n, TYPE(t), OP(o), *root, COMM(c)), void *in,
      void *out, fint n, fint t, fint o, fint root, fint c)
FORMS(mpi_allreduce, MPI_ALLREDUCE, MPI_Allreduce(address(in), address(out), *n, TYPE(t), OP(o), COMM(c)), void *in,
      void *out, fint n, fint t, fint o, fint c)
FORMS(mpi_reduce_scatter, MPI_REDUCE_SCATTER, MPI_Reduce_scatter(address(in), address(out), n, TYPE(t), OP(o), COMM(c)),
      void *in, void *out, fint n, fint t, fint o, fint c)
FORMS(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK,
      MPI_Reduce_scatter_block(address(in), address(out), *n, TYPE(t), OP(o), COMM(c)), void *in, void *out, fint n,
      fint t, fint o, fint c)
FORMS(mpi_scan, MPI_SCAN, MPI_Scan(address(in), address(out), *n, TYPE(t), OP(o), COMM(c)), void *in, void *out, fint n,
      fint t, fint o, fint c)
FORMS(mpi_exscan, MPI_EXSCAN, MPI_Exscan(address(in), address(out), *n, TYPE(t), OP(o), COMM(c)), void *in, void *out,
      fint n, fint t, fint o, fint c)
#endif
