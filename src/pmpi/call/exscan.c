/* MPI_Exscan as programs call it, with built-in types and operators. */
#include "pmpi/pmpi.h"

/* Rank 0 gets nothing, and needs no memory for it unless the MPI wants some. */
static bool has_buffers(const sup_pmpi_comm *c, const void *in, const void *out, int count) {
    return in && out != MPI_IN_PLACE &&
           (out || (c->rank == 0 && in != MPI_IN_PLACE && !sup_pmpi_minds[SUP_PMPI_EXSCAN].nowhere)) &&
           !sup_pmpi_alias(SUP_PMPI_EXSCAN, in, out, count);
}

SUP_PMPI_VISIBLE int MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    sup_pmpi_fold f = sup_pmpi_fold_of(type, op);
    if (c && f.fold && count > 0 && has_buffers(c, in, out, count)) {
        int64_t bytes = count * (int64_t)f.fold->element;
        const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_EXSCAN, bytes, f.fixed);
        if (choice) {
            sup_coll_call call = {.operation = SUP_EXSCAN,
                                  .in = in == MPI_IN_PLACE ? out : in,
                                  .out = out,
                                  .bytes = bytes,
                                  .fold = f.fold,
                                  .choice = choice};
            int code = sup_pmpi_run(c, SUP_PMPI_EXSCAN, &call);
            if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
        }
    }
    return sup_pmpi_over(c, PMPI_Exscan(in, out, count, type, op, comm));
}
