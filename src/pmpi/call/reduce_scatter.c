/* MPI_Reduce_scatter: blocks of any lengths, which all members know. */
#include "pmpi/pmpi.h"

/* Bytes of all blocks, which are written down as IN's; 0: nothing to do, or for the library to judge. */
static int64_t lay_out(sup_pmpi_comm *c, const int *counts, size_t element) {
    int64_t bytes = 0;
    for (int i = 0; i < c->size; i++) {
        if (counts[i] < 0) return 0;
        if (c->blocks) {
            c->blocks[i] = counts[i] * (int64_t)element;
            c->blocks[c->size + i] = bytes;
        }
        bytes += counts[i] * (int64_t)element;
    }
    return bytes;
}

static int ours(sup_pmpi_comm *c, const void *in, void *out, const int *counts, const sup_pmpi_fold *f) {
    int64_t bytes = lay_out(c, counts, f->fold->element);
    if (!bytes || !in || (counts[c->rank] && !out)) return SUP_PMPI_PASS;
    if (sup_pmpi_alias(SUP_PMPI_REDUCE_SCATTER, in, out, bytes / (int64_t)f->fold->element)) return SUP_PMPI_PASS;
    if (!sup_pmpi_turn(c, SUP_PMPI_REDUCE_SCATTER, bytes, f->fixed)) return SUP_PMPI_PASS;
    lay_out(c, counts, f->fold->element); /* the arrays may have been made just now */
    /* the choice may not take blocks that differ: then the next that does */
    sup_coll_call call = {.operation = SUP_REDUCE_SCATTER, .bytes = c->blocks[c->rank], .fold = f->fold};
    sup_pmpi_view from = {.at = (void *)(uintptr_t)(in == MPI_IN_PLACE ? out : in),
                          .bytes = bytes,
                          .length = c->blocks,
                          .place = c->blocks + c->size};
    sup_pmpi_view to = {.at = out, .bytes = c->blocks[c->rank]};
    sup_pmpi_buffers b = {.in = &from, .out = &to, .copy_in = in == MPI_IN_PLACE};
    return sup_pmpi_run_views(c, SUP_PMPI_REDUCE_SCATTER, &call, &b);
}

SUP_PMPI_VISIBLE int MPI_Reduce_scatter(const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
                                        MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    sup_pmpi_fold f = sup_pmpi_fold_of(type, op);
    if (c && f.fold && counts && out != MPI_IN_PLACE) {
        int code = ours(c, in, out, counts, &f);
        if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
    }
    return sup_pmpi_over(c, PMPI_Reduce_scatter(in, out, counts, type, op, comm));
}
