/* The table of what is replaced in MPI programs. */
#include "pmpi/pmpi.h"

const sup_pmpi_op *const sup_pmpi_ops[SUP_PMPI_OPS] = {
    [SUP_PMPI_BARRIER] = &sup_pmpi_barrier,
};
