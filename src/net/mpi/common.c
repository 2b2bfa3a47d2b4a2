/* What messages and signals over MPI both need: errors of MPI as ours, and what becomes of signals that MPI still has.
 */
#include "net/mpi/transport.h"

sup_status sup_mpi_status(sup_mpi *t, int code, int peer) {
    if (code == MPI_SUCCESS) return SUP_OK;
    int class = MPI_ERR_OTHER;
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_NO_MEM) return SUP_ENOMEM;
    if (class == MPI_ERR_TRUNCATE) return SUP_ETRUNC;
    if (class == MPI_ERR_BUFFER || class == MPI_ERR_COUNT || class == MPI_ERR_RANK || class == MPI_ERR_TAG ||
        class == MPI_ERR_ARG || class == MPI_ERR_DISP || class == MPI_ERR_SIZE)
        return SUP_EINVAL;
    if (!t->failed) t->failed_rank = peer;
    t->failed = true;
    return SUP_EPEER;
}

void sup_mpi_signals_reclaim(sup_mpi *t) {
    while (t->flag_first) {
        sup_mpi_flag *f = t->flag_first;
        int sent = 0;
        if (MPI_Test(&f->request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent) return;
        t->flag_first = f->next;
        if (!t->flag_first) t->flag_last = NULL;
        f->next = t->flag_spare;
        t->flag_spare = f;
    }
}
