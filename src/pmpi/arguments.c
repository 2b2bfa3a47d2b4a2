/* What the MPI takes for an error in arguments beyond what its standard says for all: whether the two buffers may be
 * the same memory, and whether a type may be used that was never committed. Implementations differ from operation to
 * operation, and switches of theirs change it, so it is asked: each operation is called once with such arguments, on a
 * communicator of this process alone. Nothing is at stake in these calls: two ints, or no elements at all. */
#include "pmpi/pmpi.h"

sup_pmpi_minding sup_pmpi_minds[SUP_PMPI_OPS];

/* This process alone; errors return. MPI_COMM_NULL: there is none. */
static MPI_Comm quiet = MPI_COMM_NULL;

/* ---- one buffer for both ---- */

/* From how many elements on: one, two, never. */
static int alias_from(const sup_pmpi_op *o) {
    for (int n = 1; n <= 2; n++) {
        _Alignas(16) unsigned char memory[2 * sizeof(int32_t)] = {0};
        int counts[1] = {n}, displacements[1] = {0};
        sup_pmpi_scratch same = {.in = memory,
                                 .out = memory,
                                 .bytes = o->folds ? n * (int64_t)sizeof(int32_t) : n,
                                 .counts = counts,
                                 .displacements = displacements};
        if (o->theirs(&same, quiet) != MPI_SUCCESS) return n;
    }
    return 0;
}

/* ---- types that were not committed ---- */

/* No elements of `in` to `out`. A broadcast has one type, and nothing to do for one process. */
static int of_types(int op, MPI_Datatype in, MPI_Datatype out) {
    unsigned char a[8] = {0}, b[8] = {0};
    int none[1] = {0}, at[1] = {0};
    switch (op) {
    case SUP_PMPI_BROADCAST: return PMPI_Bcast(a, 1, in == MPI_INT ? out : in, 0, quiet);
    case SUP_PMPI_SCATTER: return PMPI_Scatter(a, 0, in, b, 0, out, 0, quiet);
    case SUP_PMPI_SCATTERV: return PMPI_Scatterv(a, none, at, in, b, 0, out, 0, quiet);
    case SUP_PMPI_GATHER: return PMPI_Gather(a, 0, in, b, 0, out, 0, quiet);
    case SUP_PMPI_GATHERV: return PMPI_Gatherv(a, 0, in, b, none, at, out, 0, quiet);
    case SUP_PMPI_ALLGATHER: return PMPI_Allgather(a, 0, in, b, 0, out, quiet);
    case SUP_PMPI_ALLGATHERV: return PMPI_Allgatherv(a, 0, in, b, none, at, out, quiet);
    case SUP_PMPI_ALLTOALL: return PMPI_Alltoall(a, 0, in, b, 0, out, quiet);
    case SUP_PMPI_ALLTOALLV: return PMPI_Alltoallv(a, none, at, in, b, none, at, out, quiet);
    default: return MPI_SUCCESS; /* reductions of such types are never ours */
    }
}

/* ---- types in general ---- */

sup_pmpi_type_state sup_pmpi_type_look(MPI_Datatype type) {
    unsigned char byte = 0;
    int at = 0, size = 0;
    if (type == MPI_DATATYPE_NULL || quiet == MPI_COMM_NULL) return SUP_PMPI_TYPE_WRONG;
    if (PMPI_Pack(&byte, 0, type, &byte, 0, &at, quiet) == MPI_SUCCESS) return SUP_PMPI_TYPE_FINE;
    return PMPI_Pack_size(1, type, quiet, &size) == MPI_SUCCESS ? SUP_PMPI_TYPE_RAW : SUP_PMPI_TYPE_WRONG;
}

/* ---- begin, end ---- */

/* Some errors are not for the handler of the communicator that was given. */
static void ask(void) {
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    MPI_Datatype raw = MPI_DATATYPE_NULL;
    bool hushed = PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before) == MPI_SUCCESS;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (PMPI_Type_contiguous(1, MPI_INT, &raw) != MPI_SUCCESS) raw = MPI_DATATYPE_NULL;
    for (int op = 0; op < SUP_PMPI_OPS; op++) {
        sup_pmpi_minding *m = &sup_pmpi_minds[op];
        if (op == SUP_PMPI_BARRIER) continue;
        if (op != SUP_PMPI_BROADCAST) m->alias_from = alias_from(&sup_pmpi_ops[op]);
        m->raw_in = of_types(op, raw, MPI_INT) != MPI_SUCCESS;
        m->raw_out = of_types(op, MPI_INT, raw) != MPI_SUCCESS;
    }
    int one = 1;
    sup_pmpi_minds[SUP_PMPI_EXSCAN].nowhere = PMPI_Exscan(&one, NULL, 1, MPI_INT, MPI_SUM, quiet) != MPI_SUCCESS;
    if (raw != MPI_DATATYPE_NULL) PMPI_Type_free(&raw);
    if (!hushed) return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    PMPI_Errhandler_free(&before);
}

void sup_pmpi_arguments_begin(void) {
    if (PMPI_Comm_dup(MPI_COMM_SELF, &quiet) != MPI_SUCCESS) {
        quiet = MPI_COMM_NULL;
        return;
    }
    PMPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
    ask();
}

void sup_pmpi_arguments_end(void) {
    if (quiet != MPI_COMM_NULL) PMPI_Comm_free(&quiet);
    quiet = MPI_COMM_NULL;
}
