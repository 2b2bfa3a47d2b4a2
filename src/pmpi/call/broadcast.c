/* MPI_Bcast as programs call it. */
#include "pmpi/pmpi.h"

SUP_PMPI_VISIBLE int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    const sup_choice *choice;
    if (c && (unsigned)root < (unsigned)c->size && buffer != MPI_IN_PLACE) {
        sup_pmpi_view v = sup_pmpi_view_of(buffer, count, type);
        bool fine = sup_pmpi_is_ordinary(v.bytes) && !sup_pmpi_raw(SUP_PMPI_BROADCAST, &v, &v);
        if (fine && (choice = sup_pmpi_turn(c, SUP_PMPI_BROADCAST, v.bytes, false))) {
            sup_coll_call call = {.operation = SUP_BROADCAST, .root = root, .bytes = v.bytes, .choice = choice};
            v.load = c->rank == root;
            v.store = !v.load;
            int code = sup_pmpi_run_views(c, SUP_PMPI_BROADCAST, &call, &(sup_pmpi_buffers){.out = &v});
            if (code != SUP_PMPI_PASS) return sup_pmpi_over(c, code);
        }
    }
    return sup_pmpi_over(c, PMPI_Bcast(buffer, count, type, root, comm));
}
