/* Nets over communicators of others: see open_comm.h. One communicator of our own carries the signals between hosts and
 * the few collective calls of opening. */
#include "net/mpi/open_comm.h"

#include "net/mpi/transport.h"

#include <stdlib.h>

/* MPI moves on only while somebody calls it, and the program may owe others what nobody rings for: naps are short. */
enum { NAP_NS = 20000, NAP_MAX_NS = 50000 };

static sup_status comm_progress(sup_net *net) {
    sup_mpi *t = sup_mpi_of(net);
    if (t->flag_first) sup_mpi_signals_reclaim(t);
    return sup_mpi_poll(t);
}

static const sup_net_ops operations = {
    .name = SUP_MPI_NAME,
    .close = sup_mpi_close_comm,
    .host = sup_mpi_host,
    .signal = sup_mpi_signal,
    .await = sup_mpi_await,
    .peek = sup_mpi_peek,
    .shares = sup_mpi_shares_memory,
    .publish = sup_mpi_publish,
    .await_published = sup_mpi_await_published,
    .peek_published = sup_mpi_peek_published,
    .progress = comm_progress,
    .failure = sup_mpi_failure,
};

/* The same processes in the same order, without what the program has attached to its communicator: copying that could
 * call functions of the program. */
static int same_members(MPI_Comm comm, MPI_Comm *out) {
    MPI_Group group;
    int code = MPI_Comm_group(comm, &group);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Comm_create(comm, group, out);
    MPI_Group_free(&group);
    if (code != MPI_SUCCESS) return code;
    return MPI_Comm_set_errhandler(*out, MPI_ERRORS_RETURN);
}

void sup_mpi_close_comm(sup_net *net) {
    sup_mpi *t = sup_mpi_of(net);
    int after = 0;
    MPI_Finalized(&after);
    while (!after && t->flag_first && !t->failed) sup_mpi_signals_reclaim(t);
    if (!after) {
        sup_mpi_poll_close(t);
        MPI_Comm_free(&t->user);
    }
    sup_mpi_signals_close(t);
    sup_mpi_board_close(t);
    sup_mpi_hosts_close(t);
    free(t);
}

static sup_patience patience_of(const sup_mpi *t) {
    sup_patience patience = sup_mpi_unrung();
    if (sup_mpi_all_ring(t) && !t->net.oversubscribed) {
        patience.looks = 64;
        patience.spin_ns = 20000;
    }
    patience.nap_ns = NAP_NS;
    patience.nap_max_ns = NAP_MAX_NS;
    return patience;
}

/* Collective: fills in a net that has its communicator. */
static int fill(sup_mpi *t, const sup_mpi_comm_options *options) {
    bool crowded = false;
    int code = sup_mpi_hosts_open(t, &crowded);
    if (code == MPI_SUCCESS) code = sup_mpi_board_open(t);
    if (code == MPI_SUCCESS) code = sup_mpi_signals_open(t);
    if (code == MPI_SUCCESS) code = sup_mpi_poll_open(t, t->net.rank);
    t->net.oversubscribed = options->oversubscribed || crowded;
    t->net.patience = patience_of(t);
    t->net.far = !sup_mpi_all_ring(t);
    t->net.rung = SUP_PATIENCE_FAR;
    return code;
}

/* Do all members have the memory? Without an answer the others would wait for the one that has not. */
static int agree(MPI_Comm comm, bool mine) {
    int fine = mine, all = 0;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, comm);
    return code == MPI_SUCCESS && !all ? MPI_ERR_NO_MEM : code;
}

sup_status sup_mpi_open_comm(MPI_Comm comm, const sup_mpi_comm_options *options, sup_diag *diag, sup_net **out) {
    if (options->slots < 1 || options->slots > SUP_NET_SLOTS)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%d signal slots: there can be 1 to %d", options->slots,
                            SUP_NET_SLOTS);
    MPI_Comm ours = MPI_COMM_NULL;
    sup_mpi *t = NULL, nobody = {0};
    int inter = 0, code = MPI_Comm_test_inter(comm, &inter);
    if (code == MPI_SUCCESS && inter)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a communicator between two groups has no net");
    if (code == MPI_SUCCESS) code = same_members(comm, &ours);
    if (code != MPI_SUCCESS) goto fail;
    t = calloc(1, sizeof *t);
    code = agree(ours, t != NULL);
    if (code != MPI_SUCCESS || !t) goto free_communicator;
    t->net.ops = &operations;
    t->user = t->signals = t->alone = ours;
    t->tails = MPI_COMM_NULL;
    t->slots = options->slots;
    MPI_Comm_rank(ours, &t->net.rank);
    MPI_Comm_size(ours, &t->net.size);
    t->never = MPI_REQUEST_NULL;
    code = fill(t, options);
    if (code == MPI_SUCCESS) {
        *out = &t->net;
        return SUP_OK;
    }
    sup_mpi_close_comm(&t->net);
    goto fail;

free_communicator:
    free(t);
    MPI_Comm_free(&ours);
fail:
    return sup_diag_set(diag, sup_mpi_status(&nobody, code, SUP_NET_ANY), NULL, 0,
                        SUP_MPI_NAME " cannot open a net over a communicator");
}
