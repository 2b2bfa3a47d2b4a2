/* The shm transport: opening and closing, signals, failure. Messages are in shm/msg.c, the memory of others in
 * shm/region.c and shm/copy.c. `self` is the same code over memory of its own. */
#include "net/host_memory.h"
#include "net/shm/net.h"
#include "net/vm_copy.h"
#include "net/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static sup_status shm_signal_at(shm_net *n, int peer, int slot, uint64_t value) {
    atomic_store_explicit(shm_signal_of(n->seg, peer, n->net.rank, slot), value, memory_order_release);
    shm_ring(n, peer);
    return SUP_OK;
}

static bool is_gone(const shm_net *n, int peer) {
    return atomic_load_explicit(&shm_card_of(n->seg, peer)->pid, memory_order_acquire) == SHM_GONE;
}

static sup_status shm_await_word(shm_net *n, int peer, const _Atomic uint64_t *word, uint64_t at_least,
                                 uint64_t *value) {
    sup_wait w = SUP_WAIT_INIT;
    sup_status st = SUP_OK;
    uint64_t v;
    while ((v = atomic_load_explicit(word, memory_order_acquire)) < at_least && !st) {
        sup_net_pause(&n->net, &w);
        if (!w.slow) continue;
        st = shm_check_failure(n);
        if (!st) st = shm_progress(&n->net);
        /* what it signalled before it left counts: look again after seeing it gone */
        if (!st && is_gone(n, peer) && atomic_load_explicit(word, memory_order_acquire) < at_least) st = SUP_EPEER;
    }
    sup_net_waited(&n->net, &w);
    if (!st && value) *value = v;
    return st;
}

static sup_status shm_signal(sup_net *net, int peer, int slot, uint64_t value) {
    if ((unsigned)slot >= SUP_NET_SLOTS || (unsigned)peer >= (unsigned)net->size) return SUP_EINVAL;
    return shm_signal_at(shm_of(net), peer, slot, value);
}

static sup_status shm_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    if ((unsigned)slot >= SUP_NET_SLOTS || (unsigned)peer >= (unsigned)net->size) return SUP_EINVAL;
    shm_net *n = shm_of(net);
    return shm_await_word(n, peer, shm_signal_of(n->seg, net->rank, peer, slot), at_least, value);
}

static bool shm_shares(sup_net *net, int peer) { return (unsigned)peer < (unsigned)net->size; }

static sup_status shm_publish_word(sup_net *net, int slot, uint64_t value, const int *readers, int count) {
    shm_net *n = shm_of(net);
    if ((unsigned)slot >= SUP_NET_SLOTS) return SUP_EINVAL;
    atomic_store_explicit(&shm_published_of(n->seg, net->rank)->word[slot], value, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < count; i++)
        if (shm_shares(net, readers[i])) sup_bell_ring_fenced(shm_bell_of(n->seg, readers[i]));
    return SUP_OK;
}

static sup_status shm_await_published(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    if ((unsigned)slot >= SUP_NET_SLOTS || (unsigned)peer >= (unsigned)net->size) return SUP_EINVAL;
    shm_net *n = shm_of(net);
    return shm_await_word(n, peer, &shm_published_of(n->seg, peer)->word[slot], at_least, value);
}

static uint64_t shm_peek(sup_net *net, int peer, int slot) {
    if ((unsigned)slot >= SUP_NET_SLOTS || (unsigned)peer >= (unsigned)net->size) return 0;
    return atomic_load_explicit(shm_signal_of(shm_of(net)->seg, net->rank, peer, slot), memory_order_acquire);
}

static uint64_t shm_peek_published(sup_net *net, int peer, int slot) {
    if ((unsigned)slot >= SUP_NET_SLOTS || (unsigned)peer >= (unsigned)net->size) return 0;
    return atomic_load_explicit(&shm_published_of(shm_of(net)->seg, peer)->word[slot], memory_order_acquire);
}

static sup_status shm_failure(sup_net *net, int *rank, int *cause) {
    uint64_t f = atomic_load_explicit(&shm_of(net)->head->failure, memory_order_acquire);
    if (!f) return SUP_OK;
    if (rank) *rank = (int)(f >> 32) - 1;
    if (cause) *cause = (int)(uint32_t)f;
    return SUP_EPEER;
}

void sup_shm_segment_set_gone(void *base, int rank) {
    pid_t was = atomic_exchange(&shm_card_of(base, rank)->pid, SHM_GONE);
    if (was > 0) sup_shm_segment_set_failure(base, rank, 1000);
    atomic_fetch_add(&((shm_header *)base)->gone, 1);
    shm_ring_all(base);
}

bool sup_shm_segment_closed(void *base) {
    for (int r = 0; r < (int)((shm_header *)base)->size; r++)
        if (atomic_load(&shm_card_of(base, r)->pid) > SHM_GONE) return false;
    return true;
}

/* The monitor turns our exit into everyone's end; without one (threads, self) there is only this process. */
static void shm_abort(sup_net *net, int code) {
    sup_shm_segment_set_failure(shm_of(net)->seg, net->rank, 1000 + code);
    _exit(code);
}

static const char *shm_host(sup_net *net, int rank) {
    (void)rank;
    return shm_of(net)->host;
}

static void shm_close(sup_net *net) {
    shm_net *n = shm_of(net);
    /* before the barrier: who is out of it may rely on all having closed */
    atomic_store_explicit(&shm_card_of(n->seg, net->rank)->pid, SHM_CLOSED, memory_order_release);
    (void)shm_barrier(n); /* a dead peer must not keep us from closing */
    shm_region_release(n);
    shm_msg_release(n);
    shm_files_close(n);
    if (n->fd >= 0) close(n->fd);
    if (n->owned_map && !net->keep_memory) munmap(n->seg, n->head->map_bytes);
    free(n->peer);
    free(n);
}

static bool shm_copies(sup_net *net, int peer) {
    (void)peer;
    return shm_of(net)->use_cma;
}

#define SHM_OPS(NAME)                                                                                                 \
    {                                                                                                                 \
        .name = NAME, .close = shm_close, .host = shm_host, .isend = shm_isend, .irecv = shm_irecv, .test = shm_test, \
        .cancel = shm_cancel, .signal = shm_signal, .await = shm_await, .peek = shm_peek, .shares = shm_shares,       \
        .publish = shm_publish_word, .await_published = shm_await_published, .peek_published = shm_peek_published,    \
        .progress = shm_progress, .failure = shm_failure, .abort = shm_abort, .region_alloc = shm_region_alloc,       \
        .region_free = shm_region_free, .direct = shm_direct, .region_there = shm_there, .backing = shm_backing,      \
        .copy_to = shm_copy_to, .copy_from = shm_copy_from, .copies = shm_copies                                      \
    }
static const sup_net_ops shm_ops = SHM_OPS("shm");
static const sup_net_ops self_ops = SHM_OPS("self");

sup_status sup_shm_attach(void *base, int rank, bool owned_map, bool same_process, sup_net **out) {
    shm_header *h = base;
    if (h->magic != SUP_SHM_MAGIC || h->abi != SUP_SHM_ABI) return SUP_EMISMATCH;
    if (rank < 0 || rank >= (int)h->size) return SUP_EINVAL;
    shm_net *n = calloc(1, sizeof *n);
    if (!n) return SUP_ENOMEM;
    n->peer = calloc(h->size, sizeof *n->peer);
    n->seg = base;
    n->head = h;
    n->net.size = (int)h->size;
    if (!n->peer || shm_area_open(n)) goto free_net;
    n->net.ops = &shm_ops;
    n->net.rank = rank;
    n->net.arena_bytes = h->arena_span;
    n->net.lasts = true;
    n->owned_map = owned_map;
    n->same_process = same_process;
    n->use_cma = true;
    n->fd = n->arena_fd = -1;
    n->any.tail = &n->any.head;
    n->active = shm_active_of(base, rank);
    n->net.patience = SUP_PATIENCE_CORE;
    n->net.bell = shm_bell_of(base, rank);
    if (gethostname(n->host, sizeof n->host - 1)) strcpy(n->host, "localhost");
    shm_card_of(base, rank)->own = (uintptr_t)n;
    atomic_store(&shm_card_of(base, rank)->pid, getpid());
    *out = &n->net;
    return SUP_OK;
free_net:
    shm_region_release(n);
    free(n->peer);
    free(n);
    return SUP_ENOMEM;
}

/* Somebody ended before it opened the transport. */
static sup_status nobody_comes(sup_net *net, sup_diag *diag) {
    shm_net *n = shm_of(net);
    int missing = 0, size = net->size;
    bool failed = shm_check_failure(n) != SUP_OK;
    while (missing < size && !is_gone(n, missing)) missing++;
    net->ops->close(net);
    if (failed || missing == size) return sup_diag_set(diag, SUP_EPEER, NULL, 0, "another process has failed");
    return sup_diag_set(diag, missing ? SUP_EPEER : SUP_ENOENT, NULL, 0, "rank %d has ended before it came here",
                        missing);
}

/* May the kernel copy from and to the others? A yes for one is a yes for all. */
static void try_kernel(shm_net *n) {
    int next = (n->net.rank + 1) % n->net.size;
    uint64_t word;
    if (n->use_cma && next != n->net.rank)
        (void)shm_copy_from(&n->net, next, &word, (const void *)shm_card_of(n->seg, next)->own, sizeof word);
}

/* The launcher has chosen a size that fits its own limits: this process has others. */
static sup_status cannot_map(size_t bytes, sup_diag *diag) {
    int error = errno;
    size_t room = sup_shm_address_room();
    if (room < bytes)
        return sup_diag_set(
            diag, SUP_ENOMEM, NULL, 0,
            "the shared segment takes %zu kB of address space, and the limit (ulimit -v) leaves %zu; the "
            "launcher takes less if it has that limit",
            bytes >> 10, room >> 10);
    errno = error;
    return sup_diag_errno(diag, SUP_ENOMEM, NULL, "cannot map the shared segment");
}

/* A rank is one process for the whole run. A second program that finds the launcher's variables, such as one that a
 * shell script starts after the first, would meet what that has left behind, or take part beside it. */
static sup_status take_place(void *base, int rank, sup_diag *diag) {
    if (rank < 0 || rank >= (int)((shm_header *)base)->size) return SUP_OK; /* attaching says so */
    pid_t holder = 0, self = getpid();
    if (atomic_compare_exchange_strong(&shm_card_of(base, rank)->taken, &holder, self) || holder == self) return SUP_OK;
    return sup_diag_set(diag, SUP_EBUSY, NULL, 0,
                        "rank %d of this run is process %d, another program: start this one with a `superstep run` of "
                        "its own",
                        rank, (int)holder);
}

sup_status sup_shm_segment_map(int fd, sup_diag *diag, void **out) {
    shm_header h;
    if (pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.magic != SUP_SHM_MAGIC)
        return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0, "file descriptor %d is not a shared segment of superstep",
                            fd);
    if (h.abi != SUP_SHM_ABI)
        return sup_diag_set(diag, SUP_EMISMATCH, NULL, 0,
                            "the launcher's segment has layout %u, this library knows %u: use one installation", h.abi,
                            SUP_SHM_ABI);
    void *base = sup_host_memory_map(fd, h.map_bytes);
    if (!base) return cannot_map(h.map_bytes, diag);
    *out = base;
    return SUP_OK;
}

void sup_shm_segment_unmap(void *base) {
    if (base) munmap(base, ((shm_header *)base)->map_bytes);
}

static sup_status attach(void *base, const sup_launch *launch, sup_diag *diag, sup_net **net) {
    sup_status st = take_place(base, launch->rank, diag);
    if (st) return st;
    st = sup_shm_attach(base, launch->rank, true, false, net);
    if (!st) return SUP_OK;
    if (st == SUP_ENOMEM) sup_shm_segment_set_failure(base, launch->rank, 1000 + EXIT_FAILURE);
    return sup_diag_set(diag, st, NULL, 0, "rank %d of %u cannot attach to the shared segment", launch->rank,
                        ((shm_header *)base)->size);
}

sup_status sup_shm_enter(void *base, const sup_launch *launch, sup_net *beside, const sup_patience *patience,
                         sup_diag *diag, sup_net **out) {
    sup_net *net;
    sup_status st = attach(base, launch, diag, &net);
    if (st) {
        sup_shm_segment_unmap(base);
        return st;
    }
    net->oversubscribed = launch->oversubscribed;
    if (net->oversubscribed) net->patience = SUP_PATIENCE_CROWD;
    if (patience) net->patience = *patience;
    shm_of(net)->beside = beside;
    shm_of(net)->use_cma = !launch->no_kernel_copy;
    if (shm_of(net)->use_cma) sup_vm_permit();
    shm_of(net)->fd = fcntl(launch->segment_fd, F_DUPFD_CLOEXEC, 3);
    shm_files_make(shm_of(net));
    st = shm_barrier(shm_of(net)); /* everyone's card is filled in from here on */
    if (st) return nobody_comes(net, diag);
    shm_files_map(shm_of(net));
    try_kernel(shm_of(net));
    *out = net;
    return SUP_OK;
}

sup_status sup_shm_open(const sup_launch *launch, sup_diag *diag, sup_net **out) {
    if (launch->segment_fd < 0)
        return sup_diag_set(diag, SUP_ENOTSUP, NULL, 0,
                            "the shm transport needs its launcher: start the program with `superstep run`");
    void *base;
    sup_status st = sup_shm_segment_map(launch->segment_fd, diag, &base);
    return st ? st : sup_shm_enter(base, launch, NULL, NULL, diag, out);
}

/* One process is a run of one: the same segment, with nobody else to map it. */
sup_status sup_self_open(const sup_launch *launch, sup_diag *diag, sup_net **out) {
    sup_launch alone = *launch;
    alone.rank = 0;
    alone.size = 1;
    sup_status st = sup_shm_segment_create(1, diag, &alone.segment_fd);
    if (st) return st;
    st = sup_shm_open(&alone, diag, out);
    close(alone.segment_fd); /* the mapping keeps it */
    if (!st) (*out)->ops = &self_ops;
    return st;
}
