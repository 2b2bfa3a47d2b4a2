/* MPI_Reduce as programs call it, with built-in types and operators. */
#include "pmpi/pmpi.h"

SUP_PMPI_VISIBLE int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                                MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    sup_pmpi_fold f = sup_pmpi_fold_of(type, op);
    if (c && f.fold && count > 0 && (unsigned)root < (unsigned)c->size) {
        bool at_root = c->rank == root;
        const void *from = at_root && in == MPI_IN_PLACE ? out : in;
        bool fine = from && from != MPI_IN_PLACE && (!at_root || (out && out != MPI_IN_PLACE));
        int64_t bytes = count * (int64_t)f.fold->element;
        const sup_choice *choice = fine ? sup_pmpi_turn(c, SUP_PMPI_REDUCE, bytes, f.fixed) : NULL;
        if (choice) {
            sup_coll_call call = {.operation = SUP_REDUCE,
                                  .root = root,
                                  .in = from,
                                  .out = at_root ? out : NULL,
                                  .bytes = bytes,
                                  .fold = f.fold,
                                  .choice = choice};
            bool alias = at_root && sup_pmpi_alias(SUP_PMPI_REDUCE, in, out, count);
            int code = alias ? sup_pmpi_take_part(c, SUP_PMPI_REDUCE, &call, bytes, bytes)
                             : sup_pmpi_run(c, SUP_PMPI_REDUCE, &call);
            if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
        }
    }
    return sup_pmpi_over(c, PMPI_Reduce(in, out, count, type, op, root, comm));
}
