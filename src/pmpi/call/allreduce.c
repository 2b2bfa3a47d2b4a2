/* MPI_Allreduce as programs call it, with built-in types and operators. */
#include "pmpi/pmpi.h"

SUP_PMPI_VISIBLE int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    sup_pmpi_fold f = sup_pmpi_fold_of(type, op);
    if (c && f.fold && count > 0 && in && out && out != MPI_IN_PLACE &&
        !sup_pmpi_alias(SUP_PMPI_ALLREDUCE, in, out, count)) {
        int64_t bytes = count * (int64_t)f.fold->element;
        const sup_choice *choice = sup_pmpi_turn(c, SUP_PMPI_ALLREDUCE, bytes, f.fixed);
        if (choice) {
            sup_coll_call call = {.operation = SUP_ALLREDUCE,
                                  .in = in == MPI_IN_PLACE ? out : in,
                                  .out = out,
                                  .bytes = bytes,
                                  .fold = f.fold,
                                  .choice = choice};
            int code = sup_pmpi_run(c, SUP_PMPI_ALLREDUCE, &call);
            if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
        }
    }
    return sup_pmpi_over(c, PMPI_Allreduce(in, out, count, type, op, comm));
}
