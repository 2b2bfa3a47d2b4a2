/* The open shm transport, shared by its source files, each of which calls only those after it: shm.c (opening, signals,
 * failure), shm/region.c (regions), shm/files.c (files under them), shm/gate.c (meetings of all), shm/msg.c (tagged
 * messages), shm/protocol.c (how long ones are moved), shm/copy.c (memory of others). */
#ifndef SUP_NET_SHM_NET_H
#define SUP_NET_SHM_NET_H

#include "net/shm/layout.h"

/* Kinds of slots. */
enum {
    SHM_SHORT = 1, /* whole message inside the slot */
    SHM_EAGER,     /* a = length: whole message in the ring */
    SHM_OFFER,     /* a = length, b = address, c = sender's op: come and get it, or ask for it */
    SHM_ASK,       /* a = sender's op, b = receiver's op: stream it to me */
    SHM_ANSWER,    /* a = receiver's op, b = bytes in the ring: next piece of an asked-for message */
    SHM_TAKEN,     /* a = sender's op: I have copied it */
    SHM_SHARE, /* a = sender's op, b = receiver's op, c = address, d = bytes: copy the first d to there, I copy the rest
                */
    SHM_WROTE  /* a = receiver's op, b = 0 or why not: I have */
};

/* What a request keeps in sup_net_req.opaque. What has to be said about it while the queue is full waits here, too:
 * nothing that a message needs on its way takes memory. */
typedef struct shm_op {
    struct shm_op *next;
    sup_net_req *req;
    const unsigned char *src; /* send: whole message */
    unsigned char *dst;       /* receive: buffer */
    size_t len, cap, moved;
    uint64_t seq;        /* receive: order of posting, between the peer's list and the any-list */
    uint64_t a, b, c, d; /* control: arguments; send: a = the receiver's op once it has asked */
    uint64_t sender;     /* receive by offer: the sender's op */
    double start;        /* receive by stream: when it was asked for */
    int peer, tag;
    sup_status fetched; /* receive by offer: of the copy made here */
    unsigned char kind; /* what to put into the queue next; 0 = waiting for the other side */
} shm_op;

/* How a long message is fetched: one copy by the kernel, by the receiver or half by each end; or streamed through the
 * ring by both ends together. */
enum { SHM_BY_STREAM, SHM_BY_KERNEL, SHM_BY_BOTH, SHM_PROTOCOLS };

/* What was learned about them, from one sender, for one class of sizes (shm/protocol.c). */
enum { SHM_HABITS = 14 };
typedef struct shm_habit {
    float cost[SHM_PROTOCOLS]; /* seconds per byte; 0 = unknown */
    float usual;               /* of the one that was chosen, when it was */
    unsigned seen, again;      /* messages; when another protocol gets a chance */
    unsigned char protocol, turn;
} shm_habit;

_Static_assert(sizeof(shm_op) <= sizeof(((sup_net_req *)0)->opaque), "request storage too small");

/* A message, or the offer of one, that arrived before its receive. */
typedef struct shm_early {
    struct shm_early *next;
    size_t len;
    uint64_t remote, sender; /* an offer: address, and the sender's op */
    uint64_t order;          /* arrival, so that a receive from anyone takes the oldest */
    int tag;
    bool offer;
    unsigned char data[];
} shm_early;

typedef struct shm_list {
    shm_op *head, **tail;
} shm_list;

typedef struct shm_peer {
    shm_producer out;
    shm_consumer in;
    bool announced;   /* our bit is set in the peer's active map */
    shm_list sending; /* waiting for room, in order */
    shm_list streams; /* asked-for messages on their way, in no order with the others */
    shm_list posted;  /* receives that name this peer */
    shm_early *early, **early_tail;
    shm_habit habits[SHM_HABITS]; /* of long messages from this peer, by size */
} shm_peer;

typedef struct shm_region {
    sup_net_region base;
    struct shm_region *next;
    size_t offset, stride; /* in the region area */
    uintptr_t *bases;      /* per rank: where it sees its part */
} shm_region;

/* A free or used piece of the region area: the same list on every process, because the calls are collective. */
typedef struct shm_extent {
    struct shm_extent *next;
    size_t offset, bytes;
    bool used;
} shm_extent;

typedef struct shm_net {
    sup_net net;
    sup_net *beside; /* served while this process waits for all the others */
    void *seg;
    shm_header *head;
    int fd;       /* of the segment, -1 where it is anonymous memory */
    int arena_fd; /* of the file that this process's arenas lie in, -1: there is none */
    bool files;   /* arenas lie in files of their own */
    bool owned_map, same_process, use_cma;
    bool apart; /* a meeting of all has failed: there are no more */
    char host[64];
    shm_peer *peer;                         /* zero until the pair talks: see shm_peer_of */
    uint64_t known[SUP_SHM_MAX_PROCS / 64]; /* those that are not zero */
    shm_list any;                           /* receives from anyone */
    uint64_t next_seq, next_order;
    int backlog;        /* ops in all `sending` and `streams` lists */
    unsigned starved;   /* attempts in a row to find memory for an early message */
    uint64_t exchanges; /* so far: their parity says which words of the cards */
    shm_active *active;
    shm_extent *extents;
    shm_region *regions;
} shm_net;

static inline shm_net *shm_of(sup_net *net) { return (shm_net *)net; }

/* After anything that peer may be waiting for. */
static inline void shm_ring(shm_net *n, int peer) { sup_bell_ring(shm_bell_of(n->seg, peer)); }

static inline sup_status shm_check_failure(shm_net *n) {
    return atomic_load_explicit(&n->head->failure, memory_order_acquire) ? SUP_EPEER : SUP_OK;
}

/* shm/msg.c */
__attribute__((cold, noinline)) void shm_peer_init(shm_net *n, int rank);
/* A thousand processes that keep a kilobyte for each other are a gigabyte: made when the pair first talks. */
static inline shm_peer *shm_peer_of(shm_net *n, int rank) {
    shm_peer *p = &n->peer[rank];
    if (__builtin_expect(!p->out.q, 0)) shm_peer_init(n, rank);
    return p;
}
sup_status shm_isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req);
sup_status shm_irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req);
sup_status shm_test(sup_net *net, sup_net_req *req);
sup_status shm_cancel(sup_net *net, sup_net_req *req);
sup_status shm_progress(sup_net *net);
void shm_msg_release(shm_net *n);

/* shm/gate.c */
sup_status shm_barrier(shm_net *n);
/* Whoever sleeps looks around: a meeting is over, or somebody is gone. */
void shm_ring_all(void *base);

/* shm/protocol.c: for a message of len > SHM_FRAGMENT bytes from p. */
int shm_choose_protocol(shm_net *n, shm_peer *p, size_t len);
void shm_learn_protocol(shm_peer *p, int protocol, double start, size_t len);

/* shm/files.c: before the meeting at which the transport opens, and after it. */
void shm_files_make(shm_net *n);
void shm_files_map(shm_net *n);
/* After the first meeting about a region: whether all have mapped all; if not, the arenas are in the segment. */
sup_status shm_files_settle(shm_net *n);
/* The file in which this process's part at an offset of the region area lies, if that is an arena of its own. */
bool shm_files_backing(const shm_net *n, size_t offset, int *fd, size_t *in_file);
void shm_files_close(shm_net *n);

/* shm/region.c */
sup_status shm_area_open(shm_net *n);
sup_status shm_region_alloc(sup_net *net, size_t len, sup_net_region **out);
void shm_region_free(sup_net *net, sup_net_region *region);
uintptr_t shm_there(sup_net *net, const sup_net_region *region, int peer);
sup_status shm_backing(sup_net *net, const sup_net_region *region, int *fd, size_t *offset);
void shm_region_release(shm_net *n);

/* shm/copy.c */
void *shm_direct(sup_net *net, const sup_net_region *region, int peer);
/* Where this process may load and store len bytes at address `remote` of peer, or NULL: memory inside one of peer's
 * regions (its heap, say), its own memory, anything where processes are threads. */
void *shm_mapped(sup_net *net, int peer, const void *remote, size_t len);
/* Copies from/to the memory of another process: mapped here, or by the kernel. SUP_EPERM where neither works. */
sup_status shm_copy_from(sup_net *net, int peer, void *dst, const void *remote, size_t len);
sup_status shm_copy_to(sup_net *net, int peer, void *remote, const void *src, size_t len);

#endif
