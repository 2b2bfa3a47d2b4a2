/* The table of what is replaced in MPI programs, and the library's own call of each, for trials: root 0, of bytes, or
 * of ints where they are folded. */
#include "pmpi/pmpi.h"

static int broadcast(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Bcast(s->out, (int)s->bytes, MPI_BYTE, 0, comm);
}

static int scatter(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Scatter(s->in, (int)s->bytes, MPI_BYTE, s->out, (int)s->bytes, MPI_BYTE, 0, comm);
}

static int scatterv(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Scatterv(s->in, s->counts, s->displacements, MPI_BYTE, s->out, (int)s->bytes, MPI_BYTE, 0, comm);
}

static int gather(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Gather(s->in, (int)s->bytes, MPI_BYTE, s->out, (int)s->bytes, MPI_BYTE, 0, comm);
}

static int gatherv(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Gatherv(s->in, (int)s->bytes, MPI_BYTE, s->out, s->counts, s->displacements, MPI_BYTE, 0, comm);
}

static int allgather(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Allgather(s->in, (int)s->bytes, MPI_BYTE, s->out, (int)s->bytes, MPI_BYTE, comm);
}

static int allgatherv(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Allgatherv(s->in, (int)s->bytes, MPI_BYTE, s->out, s->counts, s->displacements, MPI_BYTE, comm);
}

static int reduce(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Reduce(s->in, s->out, (int)(s->bytes / 4), MPI_INT32_T, MPI_MAX, 0, comm);
}

static int allreduce(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Allreduce(s->in, s->out, (int)(s->bytes / 4), MPI_INT32_T, MPI_MAX, comm);
}

static int reduce_scatter(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Reduce_scatter(s->in, s->out, s->counts, MPI_INT32_T, MPI_MAX, comm);
}

static int reduce_scatter_block(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Reduce_scatter_block(s->in, s->out, (int)(s->bytes / 4), MPI_INT32_T, MPI_MAX, comm);
}

static int alltoall(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Alltoall(s->in, (int)s->bytes, MPI_BYTE, s->out, (int)s->bytes, MPI_BYTE, comm);
}

static int alltoallv(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Alltoallv(s->in, s->counts, s->displacements, MPI_BYTE, s->out, s->counts, s->displacements, MPI_BYTE,
                          comm);
}

static int scan(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Scan(s->in, s->out, (int)(s->bytes / 4), MPI_INT32_T, MPI_MAX, comm);
}

static int exscan(const sup_pmpi_scratch *s, MPI_Comm comm) {
    return PMPI_Exscan(s->in, s->out, (int)(s->bytes / 4), MPI_INT32_T, MPI_MAX, comm);
}

static int barrier(const sup_pmpi_scratch *s, MPI_Comm comm) {
    (void)s;
    return PMPI_Barrier(comm);
}

const sup_pmpi_op sup_pmpi_ops[SUP_PMPI_OPS] = {
    [SUP_PMPI_BROADCAST] = {.name = "MPI_Bcast", .operation = SUP_BROADCAST, .theirs = broadcast},
    [SUP_PMPI_SCATTER] = {.name = "MPI_Scatter", .operation = SUP_SCATTER, .blocks = true, .theirs = scatter},
    [SUP_PMPI_SCATTERV] = {.name = "MPI_Scatterv",
                           .operation = SUP_SCATTER,
                           .blocks = true,
                           .unsized = true,
                           .in_varies = true,
                           .theirs = scatterv},
    [SUP_PMPI_GATHER] = {.name = "MPI_Gather", .operation = SUP_GATHER, .blocks = true, .theirs = gather},
    [SUP_PMPI_GATHERV] = {.name = "MPI_Gatherv",
                          .operation = SUP_GATHER,
                          .blocks = true,
                          .unsized = true,
                          .out_varies = true,
                          .theirs = gatherv},
    [SUP_PMPI_ALLGATHER] = {.name = "MPI_Allgather", .operation = SUP_ALLGATHER, .blocks = true, .theirs = allgather},
    [SUP_PMPI_ALLGATHERV] = {.name = "MPI_Allgatherv",
                             .operation = SUP_ALLGATHER,
                             .blocks = true,
                             .out_varies = true,
                             .theirs = allgatherv},
    [SUP_PMPI_REDUCE] = {.name = "MPI_Reduce", .operation = SUP_REDUCE, .folds = true, .theirs = reduce},
    [SUP_PMPI_ALLREDUCE] = {.name = "MPI_Allreduce", .operation = SUP_ALLREDUCE, .folds = true, .theirs = allreduce},
    [SUP_PMPI_REDUCE_SCATTER] = {.name = "MPI_Reduce_scatter",
                                 .operation = SUP_REDUCE_SCATTER,
                                 .blocks = true,
                                 .folds = true,
                                 .in_varies = true,
                                 .theirs = reduce_scatter},
    [SUP_PMPI_REDUCE_SCATTER_BLOCK] = {.name = "MPI_Reduce_scatter_block",
                                       .operation = SUP_REDUCE_SCATTER,
                                       .blocks = true,
                                       .folds = true,
                                       .theirs = reduce_scatter_block},
    [SUP_PMPI_ALLTOALL] = {.name = "MPI_Alltoall", .operation = SUP_ALLTOALL, .blocks = true, .theirs = alltoall},
    [SUP_PMPI_ALLTOALLV] = {.name = "MPI_Alltoallv",
                            .operation = SUP_ALLTOALL,
                            .blocks = true,
                            .unsized = true,
                            .in_varies = true,
                            .out_varies = true,
                            .theirs = alltoallv},
    [SUP_PMPI_SCAN] = {.name = "MPI_Scan", .operation = SUP_SCAN, .folds = true, .theirs = scan},
    [SUP_PMPI_EXSCAN] = {.name = "MPI_Exscan", .operation = SUP_EXSCAN, .folds = true, .theirs = exscan},
    [SUP_PMPI_BARRIER] = {.name = "MPI_Barrier", .operation = SUP_BARRIER, .theirs = barrier},
};
