/* Nets over communicators of others: see open_comm.h. One communicator of our own carries the signals between hosts,
 * the messages and the few collective calls of opening; tags keep them apart:
 *
 *     0 …                       signals, by slot; then the receive that never comes
 *     SUP_MPI_COMM_TAG …        heads of messages, by their tag
 *     SUP_MPI_COMM_TAG_LAST + 1 … tails, by number */
#include "net/mpi/open_comm.h"

#include "net/mpi/transport.h"

#include <stdlib.h>

/* MPI moves on only while somebody calls it, and the program may owe others what nobody rings for: naps are short. */
enum { NAP_NS = 20000, NAP_MAX_NS = 50000 };

/* Tails: numbers below this power of two fit above the other tags wherever MPI keeps to its standard. */
enum { TAILS = 1 << 14 };
_Static_assert(SUP_MPI_COMM_TAG > SUP_NET_SLOTS && SUP_MPI_COMM_TAG_LAST + TAILS < 32767, "tags overlap");

static bool bad_tag(int tag) { return tag < SUP_MPI_COMM_TAG || tag > SUP_MPI_COMM_TAG_LAST; }

static sup_status comm_progress(sup_net *net) {
    sup_mpi *t = sup_mpi_of(net);
    sup_mpi_scan(t);
    return sup_mpi_poll(t);
}

static sup_status comm_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    if (!bad_tag(tag)) return sup_mpi_isend(net, peer, tag, buf, len, req);
    req->done = true;
    return req->status = SUP_EINVAL;
}

static sup_status comm_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req) {
    if (!bad_tag(tag)) return sup_mpi_irecv(net, peer, tag, buf, cap, req);
    req->done = true;
    return req->status = SUP_EINVAL;
}

static const sup_net_ops operations = {
    .name = SUP_MPI_NAME,
    .close = sup_mpi_close_comm,
    .host = sup_mpi_host,
    .isend = comm_isend,
    .irecv = comm_irecv,
    .test = sup_mpi_test,
    .cancel = sup_mpi_cancel,
    .signal = sup_mpi_signal,
    .await = sup_mpi_await,
    .peek = sup_mpi_peek,
    .shares = sup_mpi_shares_memory,
    .publish = sup_mpi_publish,
    .await_published = sup_mpi_await_published,
    .peek_published = sup_mpi_peek_published,
    .progress = comm_progress,
    .failure = sup_mpi_failure,
    .copy_to = sup_mpi_copy_to,
    .copy_from = sup_mpi_copy_from,
    .copies = sup_mpi_copies,
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
    sup_mpi_messages_free(t);
    free(t->tail_next);
    free(t);
}

static sup_patience patience_of(const sup_mpi *t) {
    sup_patience patience = sup_mpi_far(t);
    if (sup_mpi_all_ring(t) && !t->net.oversubscribed) {
        patience.looks = 64;
        patience.spin_ns = patience.spin_busy_ns = 20000;
    }
    patience.nap_ns = NAP_NS;
    patience.nap_max_ns = NAP_MAX_NS;
    return patience;
}

/* Collective: fills in a net that has its communicator. */
static int fill(sup_mpi *t, const sup_mpi_comm_options *options) {
    bool crowded = false;
    int code = sup_mpi_hosts_open(t, &crowded);
    if (code == MPI_SUCCESS) code = sup_mpi_single_copy_open(t, !options->no_kernel_copy);
    if (code == MPI_SUCCESS) code = sup_mpi_board_open(t);
    if (code == MPI_SUCCESS) code = sup_mpi_signals_open(t);
    if (code == MPI_SUCCESS) code = sup_mpi_poll_open(t, t->net.rank);
    t->net.oversubscribed = options->oversubscribed || crowded;
    t->net.patience = patience_of(t);
    t->net.unrung = t->net.patience;
    t->net.far = !sup_mpi_all_ring(t);
    t->net.rung = SUP_PATIENCE_FAR;
    if (t->net.oversubscribed) t->net.rung.look_ns = 0;
    return code;
}

/* Do all members have the memory? Without an answer the others would wait for the one that has not. */
static int agree(MPI_Comm comm, bool mine) {
    int fine = mine, all = 0;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, comm);
    return code == MPI_SUCCESS && !all ? MPI_ERR_NO_MEM : code;
}

/* Local. NULL: no memory. */
static sup_mpi *make(MPI_Comm ours) {
    sup_mpi *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->net.ops = &operations;
    t->user = t->signals = t->tails = t->alone = ours;
    t->tail_tag = SUP_MPI_COMM_TAG_LAST + 1;
    t->tail_mask = TAILS - 1;
    MPI_Comm_rank(ours, &t->net.rank);
    MPI_Comm_size(ours, &t->net.size);
    t->tail_next = calloc((size_t)t->net.size, sizeof *t->tail_next);
    sup_mpi_messages_init(t);
    if (t->tail_next) return t;
    free(t);
    return NULL;
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
    t = make(ours);
    code = agree(ours, t != NULL);
    if (code != MPI_SUCCESS || !t) goto free_communicator;
    t->slots = options->slots;
    t->never = MPI_REQUEST_NULL;
    code = fill(t, options);
    if (code == MPI_SUCCESS) {
        *out = &t->net;
        return SUP_OK;
    }
    sup_mpi_close_comm(&t->net);
    goto fail;

free_communicator:
    if (t) free(t->tail_next);
    free(t);
    MPI_Comm_free(&ours);
fail:
    return sup_diag_set(diag, sup_mpi_status(&nobody, code, SUP_NET_ANY), NULL, 0,
                        SUP_MPI_NAME " cannot open a net over a communicator");
}
