/* MPI_Reduce_scatter_block as programs call it: blocks of one length. */
#include "pmpi/pmpi.h"

static int ours(sup_pmpi_comm *c, const void *in, void *out, int count, const sup_pmpi_fold *f) {
    int64_t block = count * (int64_t)f->fold->element;
    const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_REDUCE_SCATTER_BLOCK, block * c->size, f->fixed);
    if (!choice) return SUP_PMPI_PASS;
    sup_coll_call call = {.operation = SUP_REDUCE_SCATTER, .bytes = block, .fold = f->fold, .choice = choice};
    sup_pmpi_view from = {.at = (void *)(uintptr_t)(in == MPI_IN_PLACE ? out : in), .bytes = block * c->size};
    sup_pmpi_view to = {.at = out, .bytes = block};
    sup_pmpi_buffers b = {.in = &from, .out = &to, .copy_in = in == MPI_IN_PLACE};
    return sup_pmpi_run_views(c, SUP_PMPI_REDUCE_SCATTER_BLOCK, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Reduce_scatter_block(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                                              MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    sup_pmpi_fold f = sup_pmpi_fold_of(type, op);
    if (c && f.fold && count > 0 && in && out && out != MPI_IN_PLACE &&
        !sup_pmpi_alias(SUP_PMPI_REDUCE_SCATTER_BLOCK, in, out, count)) {
        int code = ours(c, in, out, count, &f);
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Reduce_scatter_block(in, out, count, type, op, comm));
}
