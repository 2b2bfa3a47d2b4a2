/* The MPI transport as a plug-in: opening, closing, failure, and the one symbol that the loader looks for. */
#include "net/mpi/transport.h"

#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if defined(OPEN_MPI)
#define MPI_LIBRARY "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
/* Open MPI 4.1 turns its locks on for any level above SINGLE, which costs a small message 140 of 400 ns. The callers of
 * a net take turns (net.h), and with that the unlocked library is safe: it keeps no state per thread. */
#define MPI_LEVEL MPI_THREAD_SINGLE
#else
#define MPI_LIBRARY "MPICH " MPICH_VERSION
#define MPI_LEVEL MPI_THREAD_SERIALIZED
#endif

/* On one host everything that a process waits for rings its bell, but for what MPI does by itself, after which the naps
 * look. */
static sup_patience patience_of(const sup_mpi *t) {
    if (!sup_mpi_all_ring(t)) return sup_mpi_far(t);
    sup_patience patience = t->net.oversubscribed ? SUP_PATIENCE_CROWD : SUP_PATIENCE_CORE;
    patience.nap_ns = 200000;
    patience.nap_max_ns = 5000000;
    return patience;
}

/* Long messages that the library moves in many steps, each by a call: a nap before each would take a hundred times as
 * long as the message. So a process with a core of its own keeps calling for longer than all but the longest take. */
static sup_patience moving_of(const sup_mpi *t) {
    sup_patience patience = sup_mpi_unrung();
    if (t->net.oversubscribed) return patience;
    patience.looks = 64;
    patience.spin_ns = patience.spin_busy_ns = 2000000;
    patience.spin_max_ns = 20000000;
    patience.nap_max_ns = patience.nap_ns;
    return patience;
}

/* A barrier during which pending requests still move: precedes whatever blocks inside MPI. */
static void gather_all(sup_mpi *t) {
    MPI_Request request;
    sup_patience patience = sup_mpi_unrung();
    sup_wait w = SUP_WAIT_INIT;
    int flag = 0;
    int code = MPI_Ibarrier(t->user, &request);
    while (code == MPI_SUCCESS) {
        code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag) break;
        sup_mpi_idle(t);
        sup_wait_pause(&w, &patience, NULL);
    }
    (void)sup_mpi_status(t, code, SUP_NET_ANY);
}

static sup_status mpi_progress(sup_net *net) {
    sup_mpi *t = sup_mpi_of(net);
    sup_mpi_scan(t);
    return sup_mpi_poll(t);
}

static void mpi_abort(sup_net *net, int code) {
    (void)net;
    usleep(50000); /* launchers drop what they have not forwarded yet: the caller's last words shall be heard */
    MPI_Abort(MPI_COMM_WORLD, code); /* of a copy of it, MPICH leaves processes that make no calls running */
    _exit(code & 0xff ? code & 0xff : 1);
}

static void free_communicators(sup_mpi *t) {
    sup_mpi_poll_close(t);
    MPI_Comm *const comms[] = {&t->alone, &t->signals, &t->tails, &t->user};
    for (size_t i = 0; i < sizeof comms / sizeof comms[0]; i++)
        if (*comms[i] != MPI_COMM_NULL) MPI_Comm_free(comms[i]);
}

static void free_memory(sup_mpi *t) {
    sup_mpi_signals_close(t);
    sup_mpi_board_close(t);
    sup_mpi_hosts_close(t);
    free(t->tail_next);
    free(t);
}

/* Over UCX's TCP, MPICH's MPI_Finalize asks every process that it ever sent to whether all has arrived, answers such
 * questions until it has its own answers, and then waits where nobody is answered any more. So a process must not
 * answer before it asks: one that is still inside a call when others already ask would find them gone, and wait for
 * ever. Therefore the last exchange goes both ways between any two, so that each waits for the other, and then everyone
 * keeps quiet long enough for the slowest to come out of it. */
static void part_quietly(sup_mpi *t) {
#if !defined(OPEN_MPI)
    int rank = t->net.rank, size = t->net.size, one_host = 1;
    for (int p = 0; p < size; p++) one_host &= t->host_of[p] == t->host_of[rank];
    if (one_host) return;
    for (int step = 1; step < size; step *= 2) {
        int up = (rank + step) % size, down = (rank + size - step) % size, tag = step & 0x7fff;
        MPI_Sendrecv(NULL, 0, MPI_BYTE, up, tag, NULL, 0, MPI_BYTE, down, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, down, tag, NULL, 0, MPI_BYTE, up, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    usleep(t->net.oversubscribed ? 100000 : 20000);
#else
    (void)t;
#endif
}

static void mpi_close(sup_net *net) {
    sup_mpi *t = sup_mpi_of(net);
    gather_all(t);
    while (t->flag_first) sup_mpi_signals_reclaim(t);
    sup_mpi_messages_free(t);
    free_communicators(t);
    if (t->finalize) {
        part_quietly(t);
        MPI_Finalize();
    }
    free_memory(t);
}

static const sup_net_ops operations = {
    .name = SUP_MPI_NAME,
    .close = mpi_close,
    .host = sup_mpi_host,
    .isend = sup_mpi_isend,
    .irecv = sup_mpi_irecv,
    .test = sup_mpi_test,
    .cancel = sup_mpi_cancel,
    .signal = sup_mpi_signal,
    .await = sup_mpi_await,
    .peek = sup_mpi_peek,
    .shares = sup_mpi_shares_memory,
    .publish = sup_mpi_publish,
    .await_published = sup_mpi_await_published,
    .peek_published = sup_mpi_peek_published,
    .progress = mpi_progress,
    .failure = sup_mpi_failure,
    .abort = mpi_abort,
    .copy_to = sup_mpi_copy_to,
    .copy_from = sup_mpi_copy_from,
    .copies = sup_mpi_copies,
};

/* ---- opening -----------------------------------------------------------------------------------------------------*/

static sup_status initialise(sup_diag *diag, bool *ours) {
    int before = 0, after = 0, level;
    MPI_Finalized(&after);
    if (after) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "MPI has been finalized and cannot start again");
    MPI_Initialized(&before);
    *ours = !before;
    if (!before && MPI_Init_thread(NULL, NULL, MPI_LEVEL, &level) != MPI_SUCCESS)
        return sup_diag_set(diag, SUP_EIO, NULL, 0, MPI_LIBRARY " did not start");
    return SUP_OK;
}

static int duplicate(MPI_Comm from, MPI_Comm *to) {
    int code = MPI_Comm_dup(from, to);
    return code != MPI_SUCCESS ? code : MPI_Comm_set_errhandler(*to, MPI_ERRORS_RETURN);
}

static int make_communicators(sup_mpi *t) {
    t->user = t->tails = t->signals = t->alone = MPI_COMM_NULL;
    t->never = MPI_REQUEST_NULL;
    int code = duplicate(MPI_COMM_WORLD, &t->user);
    if (code == MPI_SUCCESS) code = duplicate(t->user, &t->tails);
    if (code == MPI_SUCCESS) code = duplicate(t->user, &t->signals);
    if (code == MPI_SUCCESS) code = duplicate(MPI_COMM_SELF, &t->alone);
    return code;
}

static unsigned largest_tag_mask(MPI_Comm comm) {
    void *value = NULL;
    int found = 0, limit = 32767; /* what every MPI has */
    if (MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found) == MPI_SUCCESS && found) limit = *(int *)value;
    unsigned mask = 32767;
    while (mask < (unsigned)INT_MAX && 2 * mask + 1 <= (unsigned)limit) mask = 2 * mask + 1;
    return mask;
}

static sup_status fill(sup_mpi *t, const sup_launch *launch, sup_diag *diag) {
    int code = make_communicators(t);
    if (code != MPI_SUCCESS) return sup_diag_set(diag, SUP_EIO, NULL, 0, MPI_LIBRARY " cannot make its communicators");
    MPI_Comm_rank(t->user, &t->net.rank);
    MPI_Comm_size(t->user, &t->net.size);
    if (launch->launched && launch->size > 0 && launch->size != t->net.size)
        return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0,
                            "the launcher started %d processes, " MPI_LIBRARY
                            " sees %d: the launcher is of another MPI",
                            launch->size, t->net.size);
    bool crowded = false;
    t->slots = SUP_NET_SLOTS;
    code = sup_mpi_hosts_open(t, &crowded);
    if (code == MPI_SUCCESS) code = sup_mpi_single_copy_open(t, !launch->no_kernel_copy);
    if (code == MPI_SUCCESS) code = sup_mpi_board_open(t);
    if (code == MPI_SUCCESS) code = sup_mpi_signals_open(t);
    if (code == MPI_SUCCESS) code = sup_mpi_poll_open(t, 0);
    if (code == MPI_ERR_NO_MEM) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the MPI transport");
    if (code != MPI_SUCCESS) return sup_diag_set(diag, SUP_EIO, NULL, 0, MPI_LIBRARY " cannot gather the hosts");
    t->tail_mask = largest_tag_mask(t->tails);
    t->net.oversubscribed = launch->oversubscribed || crowded;
    t->net.patience = patience_of(t);
    t->net.unrung = moving_of(t);
    t->net.far = !sup_mpi_all_ring(t);
    t->net.rung = SUP_PATIENCE_FAR;
    if (t->net.oversubscribed) t->net.rung.look_ns = 0;
    return SUP_OK;
}

/* Where address space is limited (ulimit -v) and ends, an MPI may try for ever to get more. What they take here is 130
 * to 350 MB, the libraries included. */
static sup_status enough_room(const sup_launch *launch, sup_diag *diag) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return SUP_OK;
    unsigned long long need = (256 + 16 * (unsigned long long)(launch->local_size > 1 ? launch->local_size : 1)) << 20;
    if (limit.rlim_cur >= need) return SUP_OK;
    return sup_diag_set(diag, SUP_ENOMEM, NULL, 0,
                        MPI_LIBRARY " needs %llu kB of address space: the limit (ulimit -v) is %llu", need >> 10,
                        (unsigned long long)limit.rlim_cur >> 10);
}

/* MPI has begun: everybody has its memory, or nobody goes on. */
static sup_mpi *make(void) {
    int size = 0, all = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sup_mpi *t = calloc(1, sizeof *t);
    if (t) t->tail_next = calloc((size_t)size, sizeof *t->tail_next);
    int mine = t && t->tail_next;
    if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS && all && mine) {
        t->net.ops = &operations;
        sup_mpi_messages_init(t);
        return t;
    }
    if (t) free(t->tail_next);
    free(t);
    return NULL;
}

static sup_status mpi_open(const sup_launch *launch, sup_diag *diag, sup_net **out) {
    bool finalize = false;
    sup_status st = enough_room(launch, diag);
    if (!st) st = initialise(diag, &finalize);
    if (st) return st;
    sup_mpi *t = make();
    if (!t) {
        st = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the MPI transport");
        goto finalize;
    }
    t->finalize = finalize;
    st = fill(t, launch, diag);
    if (st) goto free_net;
    t->net.lasts = finalize;
    *out = &t->net;
    return SUP_OK;

free_net:
    free_communicators(t);
    free_memory(t);
finalize:
    if (finalize) MPI_Finalize();
    return st;
}

/* The type has the name of the symbol, so the object needs another one in C. */
extern const struct sup_net_plugin exported __asm__("sup_net_plugin");
__attribute__((visibility("default"))) const struct sup_net_plugin exported = {
    .abi = SUP_NET_PLUGIN_ABI,
    .name = SUP_MPI_NAME,
    .library_version = MPI_LIBRARY,
    .open = mpi_open,
};
