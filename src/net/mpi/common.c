/* What messages and signals over MPI both need: errors of MPI as ours, what becomes of signals that MPI still has, and
 * how long to wait where nobody rings. */
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

/* MPI has no call that only makes progress. A test of a receive that nothing will ever match comes closest; a probe is
 * not enough, with MPICH it looks only where the message could come from. */
int sup_mpi_poll_open(sup_mpi *t, int self) {
    return MPI_Irecv(NULL, 0, MPI_BYTE, self, SUP_NET_SLOTS, t->alone, &t->never);
}

void sup_mpi_poll_close(sup_mpi *t) {
    if (t->never == MPI_REQUEST_NULL) return;
    if (MPI_Cancel(&t->never) == MPI_SUCCESS) MPI_Wait(&t->never, MPI_STATUS_IGNORE);
    t->never = MPI_REQUEST_NULL;
}

sup_status sup_mpi_poll(sup_mpi *t) {
    int flag;
    return sup_mpi_status(t, MPI_Test(&t->never, &flag, MPI_STATUS_IGNORE), SUP_NET_ANY);
}

bool sup_mpi_all_ring(const sup_mpi *t) { return t->place && t->here == t->net.size; }

/* Yields come back at once on an idle core, compared with the way over a network; on one that others use the one waited
 * for may need it, and if yields take long there it naps from then on. Signals look a few times before (signal.c). */
sup_patience sup_mpi_unrung(void) {
    return (sup_patience){.looks = 0, .yields = true, .nap_ns = 50000, .nap_max_ns = 1000000};
}

sup_patience sup_mpi_far(const sup_mpi *t) {
    sup_patience patience = sup_mpi_unrung();
    if (!t->net.oversubscribed) patience.look_ns = SUP_LOOK_NS;
    return patience;
}

/* MPI's launcher ends the run when a process dies. What can be seen here before that is an error of a call; it names
 * the peer of that call, and no cause. */
sup_status sup_mpi_failure(sup_net *net, int *rank, int *cause) {
    sup_mpi *t = sup_mpi_of(net);
    if (!t->failed) return SUP_OK;
    if (rank) *rank = t->failed_rank;
    if (cause) *cause = 0;
    return SUP_EPEER;
}
