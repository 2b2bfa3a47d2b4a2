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

#include "net/mpi/calls.h"
#include "net/net.h"

#include <sys/types.h>

#if defined(OPEN_MPI)
#define SUP_MPI_NAME "openmpi"
#else
#define SUP_MPI_NAME "mpich"
#endif

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

/* Memory shared by the processes of this host (board.c). */
#define SUP_MPI_LINE 128 /* two cache lines: x86 prefetches in pairs, some AArch64 lines are 128 bytes */
typedef struct sup_mpi_board {
    unsigned char *at; /* NULL: there is none */
    size_t bytes;
    size_t published, signals; /* offsets; the bells are at 0 */
    size_t stride;             /* bytes of the words of one process, or one pair */
} sup_mpi_board;

typedef struct sup_mpi {
    sup_net net;
    MPI_Comm user, tails, signals, alone;
    bool finalize;         /* we initialised MPI */
    int tail_tag;          /* of the first tail: above all others where tails have no communicator of their own */
    unsigned tail_mask;    /* numbers of tails wrap at the largest tag MPI knows */
    unsigned *tail_next;   /* per peer: number of the next tail sent to it */
    char *hosts;           /* their names, MPI_MAX_PROCESSOR_NAME bytes each */
    int *host_of;          /* of each rank */
    pid_t *host_pids;      /* the other processes of this host, 0 elsewhere */
    bool copies;           /* the kernel copies between the memories of processes of a host */
    int slots;             /* of signals */
    int here, *place;      /* processes that share the board; of each rank: which one it is, -1: it does not */
    sup_mpi_board board;   /* place is NULL where there is none */
    MPI_Request never;     /* a receive from this process itself in `alone`, which never comes */
    uint64_t *words;       /* newest signal known that came as a message, [peer][slot] */
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

/* message.c. Moves every pending request on by as much as it can go. */
void sup_mpi_scan(sup_mpi *t);
/* To be called by a loop that waits: every so often the other requests get their turn, because the process waited for
 * may itself wait for one of them. */
static inline void sup_mpi_idle(sup_mpi *t) {
    if ((++t->idle & 15) == 0) sup_mpi_scan(t);
}
void sup_mpi_messages_init(sup_mpi *t);
void sup_mpi_messages_free(sup_mpi *t);
sup_status sup_mpi_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req);
sup_status sup_mpi_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req);
sup_status sup_mpi_test(sup_net *net, sup_net_req *req);
sup_status sup_mpi_cancel(sup_net *net, sup_net_req *req);

/* hosts.c. Collective. Fills in who is on which host; *crowded: this one has more processes than cores. */
int sup_mpi_hosts_open(sup_mpi *t, bool *crowded);
void sup_mpi_hosts_close(sup_mpi *t);
const char *sup_mpi_host(sup_net *net, int rank);

/* board.c. Collective, after it is known who is on this host. It is no failure if there is none. */
int sup_mpi_board_open(sup_mpi *t);
void sup_mpi_board_close(sup_mpi *t);
static inline sup_bell *sup_mpi_bell_of(sup_mpi *t, int rank) {
    return (sup_bell *)(void *)(t->board.at + (size_t)t->place[rank] * SUP_MPI_LINE);
}
static inline bool sup_mpi_shares(const sup_mpi *t, int peer) { return t->place && t->place[peer] >= 0; }
/* After anything that peer may be waiting for. Nobody of another host sleeps on a bell of this one's. */
static inline void sup_mpi_ring(sup_mpi *t, int peer) {
    if (sup_mpi_shares(t, peer)) sup_bell_ring(sup_mpi_bell_of(t, peer));
}

/* single_copy.c */
int sup_mpi_single_copy_open(sup_mpi *t, bool copies);
bool sup_mpi_copies(sup_net *net, int peer);
sup_status sup_mpi_copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len);
sup_status sup_mpi_copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len);

/* common.c: signals that MPI still has. */
void sup_mpi_signals_reclaim(sup_mpi *t);
/* Lets MPI go on, which has no call that does only that. self: the rank in `alone`. */
int sup_mpi_poll_open(sup_mpi *t, int self);
void sup_mpi_poll_close(sup_mpi *t);
sup_status sup_mpi_poll(sup_mpi *t);
/* Where nobody rings: over a network, and inside MPI's own operations. */
sup_patience sup_mpi_unrung(void);
/* … for as long as a process keeps its core for what others do. */
sup_patience sup_mpi_far(const sup_mpi *t);
/* May a process that waits rely on being rung for by all others? */
bool sup_mpi_all_ring(const sup_mpi *t);
sup_status sup_mpi_failure(sup_net *net, int *rank, int *cause);

/* signal.c: through the board inside a host, as messages elsewhere. Waiting makes progress by net.ops->progress. */
int sup_mpi_signals_open(sup_mpi *t);
void sup_mpi_signals_close(sup_mpi *t);
sup_status sup_mpi_signal(sup_net *net, int peer, int slot, uint64_t value);
sup_status sup_mpi_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value);
uint64_t sup_mpi_peek(sup_net *net, int peer, int slot);
bool sup_mpi_shares_memory(sup_net *net, int peer);
sup_status sup_mpi_publish(sup_net *net, int slot, uint64_t value, const int *readers, int count);
sup_status sup_mpi_await_published(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value);
uint64_t sup_mpi_peek_published(sup_net *net, int peer, int slot);

#endif
