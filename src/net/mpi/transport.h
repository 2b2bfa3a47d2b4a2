/* The MPI transport, its inside: what the files of this folder share.
 *
 * The same sources make one shared object per MPI implementation. Nothing here may use a symbol of the host program:
 * the plug-in is loaded into programs that do not export theirs, so it carries its own copy of base/status.c and
 * net/wait.c, net/vm_copy.c and base/clock.c.
 *
 * Communicators keep traffic apart, so that a user's tag can never match ours:
 *
 *     user            heads of messages, by tag; collective calls
 *     tails           what follows a head, by number
 *     signals         8-byte words, tag = slot
 *     alone           this process only; polled to make MPI move things, never used to send */
#ifndef SUP_NET_MPI_TRANSPORT_H
#define SUP_NET_MPI_TRANSPORT_H

#include "net/net.h"

#include <mpi.h>
#include <sys/types.h>

/* A message travels as a head of up to SUP_MPI_SHORT bytes and, if it is longer, a tail. The head of a longer one is
 * followed by a trailer {length, number of the tail}, which also tells the two kinds apart: no short message is that
 * long. So a receive never has to be posted with a buffer that could be too small for what MPI delivers: where that
 * happens MPICH delivers nothing, and Open MPI 4.1 writes past the end of the buffer.
 * The sum stays below the 4 KiB that both implementations send eagerly. */
enum { SUP_MPI_SHORT = 3968, SUP_MPI_TRAILER = 16, SUP_MPI_HEAD = SUP_MPI_SHORT + SUP_MPI_TRAILER };
/* Longest single transfers. Between hosts a tail goes in chunks, two on their way at a time: what MPI has to say to the
 * other side would wait behind all that is on its way, and that is no more than this. On one host nothing waits; there
 * it only has to be far below the int counts of MPI. */
#define SUP_MPI_CHUNK_FAR ((size_t)128 << 10)
#define SUP_MPI_CHUNK_NEAR ((size_t)256 << 20)

/* A place for one head, when it is put together or when the user's buffer is too small to receive it in. */
typedef struct sup_mpi_block {
    struct sup_mpi_block *next;
    _Alignas(64) unsigned char data[SUP_MPI_HEAD];
} sup_mpi_block;

typedef struct sup_mpi_link {
    struct sup_mpi_link *next, *prev;
} sup_mpi_link;

/* A signal on its way: MPI still owns `value`. */
typedef struct sup_mpi_flag {
    struct sup_mpi_flag *next;
    uint64_t value;
    MPI_Request request;
} sup_mpi_flag;

/* Where a process of this host sleeps (bells.c). */
typedef struct sup_mpi_bell {
    _Alignas(128) sup_bell bell;
} sup_mpi_bell;

typedef struct sup_mpi {
    sup_net net;
    MPI_Comm user, tails, signals, alone;
    bool finalize;         /* we initialised MPI */
    unsigned tail_mask;    /* numbers of tails wrap at the largest tag MPI knows */
    unsigned *tail_next;   /* per peer: number of the next tail sent to it */
    char *hosts;           /* MPI_MAX_PROCESSOR_NAME bytes per rank */
    pid_t *host_pids;      /* the other processes of this host, 0 elsewhere; NULL unknown */
    bool copies;           /* the kernel copies between the memories of processes of a host */
    sup_mpi_bell *bells;   /* of every rank, shared by those of this host; NULL none */
    uint64_t *words;       /* newest signal known, [peer][slot] */
    sup_mpi_block *blocks; /* spare ones */
    sup_mpi_link pending;  /* requests that need more than MPI's own progress */
    unsigned idle;         /* polls that found nothing */
    sup_mpi_flag *flag_first, *flag_last, *flag_spare;
    int failed_rank;
    bool failed;
} sup_mpi;

static inline sup_mpi *sup_mpi_of(sup_net *net) { return (sup_mpi *)net; }

/* MPI's code as ours. A code that no argument of ours can have caused counts as the loss of `peer`. */
sup_status sup_mpi_status(sup_mpi *t, int code, int peer);

/* Moves every pending request on by as much as it can go. */
void sup_mpi_scan(sup_mpi *t);
/* To be called by a loop that waits: every so often the other requests get their turn, because the process waited for
 * may itself wait for one of them. */
static inline void sup_mpi_idle(sup_mpi *t) {
    if ((++t->idle & 15) == 0) sup_mpi_scan(t);
}

/* message.c */
void sup_mpi_messages_init(sup_mpi *t);
void sup_mpi_messages_free(sup_mpi *t);
sup_status sup_mpi_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req);
sup_status sup_mpi_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req);
sup_status sup_mpi_test(sup_net *net, sup_net_req *req);
sup_status sup_mpi_cancel(sup_net *net, sup_net_req *req);

/* bells.c */
int sup_mpi_bells_open(sup_mpi *t);
void sup_mpi_bells_close(sup_mpi *t);
/* After anything that peer may be waiting for. Ranks of other hosts never sleep on a bell of this one's. */
static inline void sup_mpi_ring(sup_mpi *t, int peer) {
    if (t->bells) sup_bell_ring(&t->bells[peer].bell);
}

/* single_copy.c */
int sup_mpi_single_copy_open(sup_mpi *t, bool copies);
bool sup_mpi_copies(sup_net *net, int peer);
sup_status sup_mpi_copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len);
sup_status sup_mpi_copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len);

/* signal.c */
void sup_mpi_signals_free(sup_mpi *t);
void sup_mpi_signals_reclaim(sup_mpi *t);
sup_status sup_mpi_signal(sup_net *net, int peer, int slot, uint64_t value);
sup_status sup_mpi_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value);
uint64_t sup_mpi_peek(sup_net *net, int peer, int slot);

#endif
