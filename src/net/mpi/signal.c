/* Signals over MPI: an 8-byte message per signal, tag = slot, so that a flag costs what MPI's smallest message costs.
 *
 * MPI may keep the word of a signal until the receiver looks. Such words wait in a queue of ours and are taken back
 * when later calls find them sent: signal itself never waits. */
#include "net/mpi/transport.h"

#include <stdatomic.h>
#include <stdlib.h>

static bool bad(const sup_net *net, int peer, int slot) {
    return peer < 0 || peer >= net->size || slot < 0 || slot >= SUP_NET_SLOTS;
}

static uint64_t *word(sup_mpi *t, int peer, int slot) { return &t->words[(size_t)peer * SUP_NET_SLOTS + (size_t)slot]; }

void sup_mpi_signals_free(sup_mpi *t) {
    while (t->flag_spare) {
        sup_mpi_flag *f = t->flag_spare;
        t->flag_spare = f->next;
        free(f);
    }
}

static void queue(sup_mpi *t, sup_mpi_flag *f) {
    f->next = NULL;
    if (t->flag_last)
        t->flag_last->next = f;
    else
        t->flag_first = f;
    t->flag_last = f;
}

sup_status sup_mpi_signal(sup_net *net, int peer, int slot, uint64_t value) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot)) return SUP_EINVAL;
    if (peer == net->rank) {
        *word(t, peer, slot) = value;
        return SUP_OK;
    }
    if (t->flag_first) sup_mpi_signals_reclaim(t);
    sup_mpi_flag *f = t->flag_spare;
    if (f)
        t->flag_spare = f->next;
    else if (!(f = malloc(sizeof *f)))
        return SUP_ENOMEM;
    f->value = value;
    int sent = 0;
    int code = MPI_Isend(&f->value, (int)sizeof f->value, MPI_BYTE, peer, slot, t->signals, &f->request);
    sup_mpi_ring(t, peer);
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
    int flag = 0;
    int code = MPI_Irecv(value, (int)sizeof *value, MPI_BYTE, peer, slot, t->signals, &request);
    while (code == MPI_SUCCESS) {
        code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag) break;
        sup_mpi_idle(t);
        sup_net_pause(&t->net, &w);
    }
    sup_net_waited(&t->net, &w);
    return sup_mpi_status(t, code, peer);
}

sup_status sup_mpi_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    sup_mpi *t = sup_mpi_of(net);
    if (bad(net, peer, slot)) return SUP_EINVAL;
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
    uint64_t *known = word(t, peer, slot);
    if (peer == net->rank) return *known;
    for (;;) {
        int there = 0;
        uint64_t next;
        if (MPI_Iprobe(peer, slot, t->signals, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || !there) break;
        int code = MPI_Recv(&next, (int)sizeof next, MPI_BYTE, peer, slot, t->signals, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) break;
        *known = next;
    }
    atomic_thread_fence(memory_order_acquire);
    return *known;
}
