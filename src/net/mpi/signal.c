/* Signals over MPI. Between processes of one host they are stores to the board (board.c); elsewhere an 8-byte message
 * per signal, tag = slot, so that a flag costs what MPI's smallest message costs.
 *
 * MPI may keep the word of a message until the receiver looks. Such words wait in a queue of ours and are taken back
 * when later calls find them sent: signal itself never waits.
 *
 * Who waits for a word of the board looks at it back to back first. If that takes longer MPI gets its turns: the one
 * waited for may itself wait for something that only moves while this process calls MPI. */
#include "net/mpi/transport.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    POLL_EVERY = 8,   /* looks at a word of the board between two turns of MPI */
    SCAN_EVERY = 256, /* … and turns of the transport's own requests, each of which costs a turn of MPI */
    FIRST_LOOKS = 64, /* at a word of the board before anything else, where patience has none */
    TESTS = 8         /* for a message, at every turn: Open MPI looks at a TCP network every eighth time */
};

static bool bad(const sup_net *net, int peer, int slot) {
    return (unsigned)peer >= (unsigned)net->size || (unsigned)slot >= (unsigned)sup_mpi_of((sup_net *)net)->slots;
}

static uint64_t *word(sup_mpi *t, int peer, int slot) {
    return &t->words[(size_t)peer * (size_t)t->slots + (size_t)slot];
}

/* ---- the board ---------------------------------------------------------------------------------------------------*/

static _Atomic uint64_t *signal_of(const sup_mpi *t, int to, int from, int slot) {
    enum { LINE = SUP_MPI_LINE, IN_A_LINE = LINE / sizeof(uint64_t) };
    size_t line = (size_t)t->place[to] * (t->board.stride / LINE) + (size_t)(slot / IN_A_LINE);
    size_t at = (line * (size_t)t->here + (size_t)t->place[from]) * LINE;
    return (_Atomic uint64_t *)(void *)(t->board.at + t->board.signals + at) + slot % IN_A_LINE;
}

static _Atomic uint64_t *published_of(const sup_mpi *t, int from, int slot) {
    size_t at = t->board.published + (size_t)t->place[from] * t->board.stride;
    return (_Atomic uint64_t *)(void *)(t->board.at + at) + slot;
}

/* MPI's launcher ends the run when a process dies; until it does, and where it does not, nobody waits for one that is
 * gone. */
static bool is_gone(const sup_mpi *t, int peer) {
    return peer != t->net.rank && kill(t->host_pids[peer], 0) && errno == ESRCH;
}

/* A turn of a wait that takes longer than the first looks. */
static sup_status __attribute__((noinline))
take_turn(sup_mpi *t, const sup_wait *w, int peer, const _Atomic uint64_t *at, uint64_t at_least) {
    if (++t->idle % POLL_EVERY && !w->armed) return SUP_OK;
    sup_status st = w->armed || t->idle % SCAN_EVERY == 0 ? t->net.ops->progress(&t->net) : sup_mpi_poll(t);
    if (st || !w->nap_ns || !is_gone(t, peer)) return st;
    /* what it signalled before it left counts: look again after seeing it gone */
    if (atomic_load_explicit(at, memory_order_acquire) >= at_least) return SUP_OK;
    if (!t->failed) t->failed_rank = peer;
    t->failed = true;
    return SUP_EPEER;
}

static sup_status await_word(sup_mpi *t, int peer, const _Atomic uint64_t *at, uint64_t at_least, uint64_t *value) {
    sup_wait w = SUP_WAIT_INIT;
    sup_status st = SUP_OK;
    uint64_t v;
    for (int i = t->net.oversubscribed || t->net.patience.looks ? 0 : FIRST_LOOKS;
         i > 0 && atomic_load_explicit(at, memory_order_relaxed) < at_least;)
        i--;
    while ((v = atomic_load_explicit(at, memory_order_acquire)) < at_least && !st) {
        if (peer == t->net.rank) return SUP_EINVAL; /* nobody else could send it */
        sup_net_pause_rung(&t->net, &w);
        if (w.turns >= sup_net_rung(&t->net)->looks) st = take_turn(t, &w, peer, at, at_least);
    }
    sup_net_waited_rung(&t->net, &w);
    if (!st && value) *value = v;
    return st;
}

bool sup_mpi_shares_memory(sup_net *net, int peer) {
    return (unsigned)peer < (unsigned)net->size && sup_mpi_shares(sup_mpi_of(net), peer);
}

sup_status sup_mpi_publish(sup_net *net, int slot, uint64_t value, const int *readers, int count) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, net->rank, slot)) return SUP_EINVAL;
    if (!t->place) return SUP_ENOTSUP;
    atomic_store_explicit(published_of(t, net->rank, slot), value, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < count; i++)
        if (sup_mpi_shares_memory(net, readers[i])) sup_bell_ring_fenced(sup_mpi_bell_of(t, readers[i]));
    return SUP_OK;
}

sup_status sup_mpi_await_published(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot)) return SUP_EINVAL;
    if (!sup_mpi_shares(t, peer)) return SUP_ENOTSUP;
    return await_word(t, peer, published_of(t, peer, slot), at_least, value);
}

uint64_t sup_mpi_peek_published(sup_net *net, int peer, int slot) {
    const sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot) || !sup_mpi_shares(t, peer)) return 0;
    return atomic_load_explicit(published_of(t, peer, slot), memory_order_acquire);
}

/* ---- messages ----------------------------------------------------------------------------------------------------*/

int sup_mpi_signals_open(sup_mpi *t) {
    int fine = 0, all = 0;
    t->words = calloc((size_t)t->net.size, (size_t)t->slots * sizeof *t->words);
    fine = t->words != NULL;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, t->user);
    return code == MPI_SUCCESS && !all ? MPI_ERR_NO_MEM : code;
}

void sup_mpi_signals_close(sup_mpi *t) {
    while (t->flag_spare) {
        sup_mpi_flag *f = t->flag_spare;
        t->flag_spare = f->next;
        free(f);
    }
    free(t->words);
    t->words = NULL;
}

static void queue(sup_mpi *t, sup_mpi_flag *f) {
    f->next = NULL;
    if (t->flag_last)
        t->flag_last->next = f;
    else
        t->flag_first = f;
    t->flag_last = f;
}

/* Without memory for a word that MPI may keep: until it does not need it any more. Who is told nothing waits for ever,
 * so that this must not fail. */
static sup_status send_and_wait(sup_mpi *t, int peer, int slot, uint64_t value) {
    MPI_Request request;
    int sent = 0;
    int code = MPI_Isend(&value, (int)sizeof value, MPI_BYTE, peer, slot, t->signals, &request);
    while (code == MPI_SUCCESS && !sent) {
        code = MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        if (!sent) (void)t->net.ops->progress(&t->net);
    }
    return sup_mpi_status(t, code, peer);
}

static sup_status send(sup_mpi *t, int peer, int slot, uint64_t value) {
    if (t->flag_first) sup_mpi_signals_reclaim(t);
    sup_mpi_flag *f = t->flag_spare;
    if (f)
        t->flag_spare = f->next;
    else if (!(f = malloc(sizeof *f)))
        return send_and_wait(t, peer, slot, value);
    f->value = value;
    int sent = 0;
    int code = MPI_Isend(&f->value, (int)sizeof f->value, MPI_BYTE, peer, slot, t->signals, &f->request);
    if (code == MPI_SUCCESS) code = MPI_Test(&f->request, &sent, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && !sent) {
        queue(t, f);
    } else {
        f->next = t->flag_spare;
        t->flag_spare = f;
    }
    return sup_mpi_status(t, code, peer);
}

/* Takes the next word from peer; waits for it. */
static sup_status take(sup_mpi *t, int peer, int slot, uint64_t *value) {
    sup_wait w = SUP_WAIT_INIT;
    MPI_Request request;
    int flag = 0, looks = 0;
    int code = MPI_Irecv(value, (int)sizeof *value, MPI_BYTE, peer, slot, t->signals, &request);
    while (code == MPI_SUCCESS) {
        code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag) break;
        if (++looks % TESTS) continue;
        if (w.armed || ++t->idle % (SCAN_EVERY / TESTS) == 0) /* what fails shows in the test */
            (void)t->net.ops->progress(&t->net);
        sup_net_pause(&t->net, &w);
    }
    sup_net_waited(&t->net, &w);
    return sup_mpi_status(t, code, peer);
}

/* ---- the calls ---------------------------------------------------------------------------------------------------*/

sup_status sup_mpi_signal(sup_net *net, int peer, int slot, uint64_t value) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot)) return SUP_EINVAL;
    if (sup_mpi_shares(t, peer)) {
        atomic_store_explicit(signal_of(t, peer, net->rank, slot), value, memory_order_release);
        sup_bell_ring(sup_mpi_bell_of(t, peer));
        return SUP_OK;
    }
    if (peer != net->rank) return send(t, peer, slot, value);
    *word(t, peer, slot) = value;
    return SUP_OK;
}

sup_status sup_mpi_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot)) return SUP_EINVAL;
    if (sup_mpi_shares(t, peer)) return await_word(t, peer, signal_of(t, net->rank, peer, slot), at_least, value);
    uint64_t *known = word(t, peer, slot);
    if (*known < at_least && peer == net->rank) return SUP_EINVAL; /* nobody else could send it */
    while (*known < at_least) {
        uint64_t next;
        sup_status st = take(t, peer, slot, &next);
        if (st) return st;
        *known = next;
    }
    atomic_thread_fence(memory_order_acquire);
    if (value) *value = *known;
    return SUP_OK;
}

uint64_t sup_mpi_peek(sup_net *net, int peer, int slot) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot)) return 0;
    if (sup_mpi_shares(t, peer)) return atomic_load_explicit(signal_of(t, net->rank, peer, slot), memory_order_acquire);
    uint64_t *known = word(t, peer, slot);
    if (peer == net->rank) return *known;
    /* One message a call: a look that finds nothing is a turn of MPI, which may give the core away for a while. */
    int there = 0;
    uint64_t next;
    if (MPI_Iprobe(peer, slot, t->signals, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there &&
        MPI_Recv(&next, (int)sizeof next, MPI_BYTE, peer, slot, t->signals, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        *known = next;
    atomic_thread_fence(memory_order_acquire);
    return *known;
}
