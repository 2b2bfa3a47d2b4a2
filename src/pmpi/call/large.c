/* The same operations with counts of MPI_Count, MPI 4's names that end in _c: those whose counts are small enough are
 * calls of the others, because some members may call the one and some the other. More elements than an int can count
 * are left to the library. */
#include "pmpi/pmpi.h"

#if MPI_VERSION >= 4
#include <limits.h>
#include <stdlib.h>

static bool fits(MPI_Count count) { return count >= INT_MIN && count <= INT_MAX; }

/* Counts and displacements as ints, for free(); NULL: they do not fit. */
static int *narrow(MPI_Comm comm, const MPI_Count *counts, const MPI_Aint *displacements) {
    int size = 0, inter = 1;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return NULL;
    if (PMPI_Comm_size(comm, &size) != MPI_SUCCESS) return NULL;
    int *all = sup_pmpi_memory(comm, 2 * (size_t)size * sizeof *all);
    for (int i = 0; i < size; i++) {
        bool fine = (!counts || fits(counts[i])) && (!displacements || fits(displacements[i]));
        if (fine && counts) all[i] = (int)counts[i];
        if (fine && displacements) all[size + i] = (int)displacements[i];
        if (fine) continue;
        free(all);
        return NULL;
    }
    return all;
}

/* What narrow gave: the displacements. */
static const int *second(const int *all, MPI_Comm comm) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return all + size;
}

/* ---- what counts ---- */

enum { EVERYTHING = -1 }; /* between groups, or where it is not known */

/* This process in an intracommunicator. */
static int rank_in(MPI_Comm comm) {
    int inter = 1, rank = EVERYTHING;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return EVERYTHING;
    return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS ? rank : EVERYTHING;
}

/* The root's side of a gather or scatter: 0 elsewhere, where the argument is of no account. */
static MPI_Count at_root(MPI_Count count, int root, MPI_Comm comm) {
    int rank = rank_in(comm);
    return rank == EVERYTHING || rank == root ? count : 0;
}

/* The other side, of this buffer. In place, which only the root of these may say: of no account. */
static MPI_Count of_each(MPI_Count count, const void *buffer) { return buffer == MPI_IN_PLACE ? 0 : count; }

/* ---- one count ---- */

SUP_PMPI_VISIBLE int MPI_Bcast_c(void *b, MPI_Count n, MPI_Datatype t, int root, MPI_Comm c) {
    return fits(n) ? MPI_Bcast(b, (int)n, t, root, c) : PMPI_Bcast_c(b, n, t, root, c);
}

SUP_PMPI_VISIBLE int MPI_Gather_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count m, MPI_Datatype u,
                                  int root, MPI_Comm c) {
    MPI_Count each = of_each(n, in), all = at_root(m, root, c);
    if (fits(each) && fits(all)) return MPI_Gather(in, (int)each, t, out, (int)all, u, root, c);
    return PMPI_Gather_c(in, n, t, out, m, u, root, c);
}

SUP_PMPI_VISIBLE int MPI_Scatter_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count m, MPI_Datatype u,
                                   int root, MPI_Comm c) {
    MPI_Count each = of_each(m, out), all = at_root(n, root, c);
    if (fits(each) && fits(all)) return MPI_Scatter(in, (int)all, t, out, (int)each, u, root, c);
    return PMPI_Scatter_c(in, n, t, out, m, u, root, c);
}

#define OF_ALL(name)                                                                                                   \
    SUP_PMPI_VISIBLE int name##_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count m, MPI_Datatype u, \
                                  MPI_Comm c) {                                                                        \
        MPI_Count each = of_each(n, in);                                                                               \
        if (fits(each) && fits(m)) return name(in, (int)each, t, out, (int)m, u, c);                                   \
        return P##name##_c(in, n, t, out, m, u, c);                                                                    \
    }
OF_ALL(MPI_Allgather)
OF_ALL(MPI_Alltoall)

#define FOLD(name)                                                                                                \
    SUP_PMPI_VISIBLE int name##_c(const void *in, void *out, MPI_Count n, MPI_Datatype t, MPI_Op o, MPI_Comm c) { \
        return fits(n) ? name(in, out, (int)n, t, o, c) : P##name##_c(in, out, n, t, o, c);                       \
    }
FOLD(MPI_Allreduce)
FOLD(MPI_Reduce_scatter_block)
FOLD(MPI_Scan)
FOLD(MPI_Exscan)

SUP_PMPI_VISIBLE int MPI_Reduce_c(const void *in, void *out, MPI_Count n, MPI_Datatype t, MPI_Op o, int root,
                                  MPI_Comm c) {
    return fits(n) ? MPI_Reduce(in, out, (int)n, t, o, root, c) : PMPI_Reduce_c(in, out, n, t, o, root, c);
}

/* ---- one for each member ---- */

SUP_PMPI_VISIBLE int MPI_Gatherv_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, const MPI_Count m[],
                                   const MPI_Aint at[], MPI_Datatype u, int root, MPI_Comm c) {
    bool here = rank_in(c) == root;
    MPI_Count each = of_each(n, in);
    int *all = fits(each) ? narrow(c, here ? m : NULL, here ? at : NULL) : NULL;
    int code = all ? MPI_Gatherv(in, (int)each, t, out, all, second(all, c), u, root, c)
                   : PMPI_Gatherv_c(in, n, t, out, m, at, u, root, c);
    free(all);
    return code;
}

SUP_PMPI_VISIBLE int MPI_Scatterv_c(const void *in, const MPI_Count n[], const MPI_Aint at[], MPI_Datatype t, void *out,
                                    MPI_Count m, MPI_Datatype u, int root, MPI_Comm c) {
    bool here = rank_in(c) == root;
    MPI_Count each = of_each(m, out);
    int *all = fits(each) ? narrow(c, here ? n : NULL, here ? at : NULL) : NULL;
    int code = all ? MPI_Scatterv(in, all, second(all, c), t, out, (int)each, u, root, c)
                   : PMPI_Scatterv_c(in, n, at, t, out, m, u, root, c);
    free(all);
    return code;
}

SUP_PMPI_VISIBLE int MPI_Allgatherv_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, const MPI_Count m[],
                                      const MPI_Aint at[], MPI_Datatype u, MPI_Comm c) {
    MPI_Count each = of_each(n, in);
    int *all = fits(each) ? narrow(c, m, at) : NULL;
    int code = all ? MPI_Allgatherv(in, (int)each, t, out, all, second(all, c), u, c)
                   : PMPI_Allgatherv_c(in, n, t, out, m, at, u, c);
    free(all);
    return code;
}

SUP_PMPI_VISIBLE int MPI_Alltoallv_c(const void *in, const MPI_Count n[], const MPI_Aint from[], MPI_Datatype t,
                                     void *out, const MPI_Count m[], const MPI_Aint to[], MPI_Datatype u, MPI_Comm c) {
    bool in_place = in == MPI_IN_PLACE;
    int *sent = narrow(c, in_place ? NULL : n, in_place ? NULL : from), *got = narrow(c, m, to);
    int code = sent && got ? MPI_Alltoallv(in, sent, second(sent, c), t, out, got, second(got, c), u, c)
                           : PMPI_Alltoallv_c(in, n, from, t, out, m, to, u, c);
    free(sent);
    free(got);
    return code;
}

SUP_PMPI_VISIBLE int MPI_Reduce_scatter_c(const void *in, void *out, const MPI_Count n[], MPI_Datatype t, MPI_Op o,
                                          MPI_Comm c) {
    int *all = narrow(c, n, NULL);
    int code = all ? MPI_Reduce_scatter(in, out, all, t, o, c) : PMPI_Reduce_scatter_c(in, out, n, t, o, c);
    free(all);
    return code;
}
#endif
