/* State of the engine by messages (message*.c).
 *
 * What a process has for one other in a superstep is a packet: a head, then requests to read, puts and messages, as
 * they stand in the logs. A packet that fits into PACKET_MAX bytes travels as one message; otherwise its parts follow.
 * What is long or has grown long becomes a piece and travels on its own, in the eager engine at once:
 *
 *     HP    an unbuffered put, straight from its source into its place
 *     PUT   a buffered put
 *     LOG   a stretch of small puts
 *
 * Pieces of one process arrive in order and say where they belong in the sequence of its puts. A very long one that
 * starts before the sync waits for its receiver's go: on a link with buffers, megabytes that leave at once would keep
 * the answer to what comes the other way waiting behind them, and the two directions would take turns.
 *
 * Between processes of one host that can read each other's memory (single copy: what is mapped, as heaps are, or else
 * by the kernel), only packets are messages: they say where the rest is, and who needs it fetches it at the sync with
 * one copy, pieces straight into their place. */
#ifndef SUP_BSP_MESSAGE_MESSAGE_H
#define SUP_BSP_MESSAGE_MESSAGE_H

#include "bsp/engine/log.h"
#include "bsp/engine/state.h"
#include "net/numbers.h"
#include "plan/defaults.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    MSG_PACKET_MAX = 8192,                 /* largest packet that travels as one message */
    MSG_PIECE_MIN = SUP_DEFAULT_PIECE_MIN, /* puts from here on, and logs grown to here, travel on their own */
    MSG_HP_MIN = SUP_DEFAULT_UNBUFFERED_MIN,
    MSG_GO_MIN = 524288 /* pieces from here on wait for a go */
};

/* Tags; each has a twin for odd supersteps, because a fast process may be one ahead. */
enum {
    MSG_TAG_PACKET = SUP_TAG_MESSAGE,
    MSG_TAG_ASKS = SUP_TAG_MESSAGE + 0x02,
    MSG_TAG_PUTS = SUP_TAG_MESSAGE + 0x04,
    MSG_TAG_SENDS = SUP_TAG_MESSAGE + 0x06,
    MSG_TAG_AREAS = SUP_TAG_MESSAGE + 0x08,
    MSG_TAG_PIECE = SUP_TAG_MESSAGE + 0x0a,
    MSG_TAG_REPLY = SUP_TAG_MESSAGE + 0x0c,
    MSG_TAG_LONG = SUP_TAG_MESSAGE + 0x0e,    /* a long get, straight from memory */
    MSG_TAG_FETCHED = SUP_TAG_MESSAGE + 0x10, /* single copy: everything has been fetched */
    MSG_TAG_GOT = SUP_TAG_MESSAGE + 0x12,     /* single copy: long gets fetched, short ones answered */
    MSG_TAG_GONE = SUP_TAG_MESSAGE + 0x14,    /* a piece that had to wait for a go */
    MSG_TAG_DIRECT = SUP_TAG_MESSAGE + 0x16,  /* what a direct get reads: any superstep */
    MSG_TAG_COUNT = SUP_TAG_MESSAGE + 0x20,   /* + 2 · round */
    MSG_TAG_NOTICE = SUP_TAG_MESSAGE + 0x60   /* a piece is on its way: any superstep */
};
_Static_assert((int)MSG_TAG_NOTICE <= (int)SUP_TAG_MESSAGE_LAST, "tags of messages");

enum {
    MSG_HP = 1,
    MSG_PUT,
    MSG_LOG,
    MSG_GO,    /* in answer to a notice that waits: send the next */
    MSG_DIRECT /* no piece: send these bytes now */
};

/* Head of a packet. */
typedef struct msg_head {
    uint64_t epoch;
    uint64_t asks, puts, sends; /* bytes */
    uint64_t packets, payload;  /* messages and their bytes, for bsp_qsize */
    uint32_t notices;           /* pieces announced by a notice of their own */
    uint32_t pieces;            /* pieces listed in this packet, behind the notices */
    uint32_t changes;           /* of registrations: bsp_area, as in the table's `fresh` */
    uint32_t flags;
    uint64_t reply; /* single copy: where the answers to the short ones of the requests go */
} msg_head;
_Static_assert(sizeof(msg_head) == SUP_WIRE_PACKET_HEAD, "what models take it for");

enum {
    MSG_ENDING = 1,
    MSG_CHANGE = 4, /* a bsp_accord follows the head: MPICH is a seventh slower with packets that always have one */
    MSG_APART = 2   /* the parts follow as messages of their own; single copy: msg_places follows instead */
};

/* Single copy: where the parts of a packet are. */
typedef struct msg_places {
    uint64_t list, areas, asks, puts, sends;
} msg_places;

/* A piece, as its sender announces it. */
typedef struct msg_notice {
    uint64_t epoch;
    uint64_t addr, len; /* LOG: addr 0 */
    uint32_t kind;
    uint32_t waits; /* for a go */
    uint64_t from;  /* single copy: fetch it from here; 0: it is sent */
} msg_notice;

/* A growing piece of private memory. */
typedef struct msg_buffer {
    unsigned char *at;
    size_t used, room;
} msg_buffer;

/* A piece on its way out. */
typedef struct msg_out {
    struct msg_out *next;
    sup_net_req req, notice_req;
    msg_notice notice;
    msg_buffer owned; /* goes back to the pool when it has left */
    const void *src;
    bool started; /* its notice is on its way, and its bytes unless it waits */
    bool waits;   /* for a go */
} msg_out;

/* A piece on its way in. */
typedef struct msg_in {
    struct msg_in *next;
    sup_net_req req;
    msg_notice notice;
    msg_buffer owned; /* PUT, LOG: the bytes until they are applied */
    bool posted;
    sup_net_req go_req;
} msg_in;

typedef struct msg_peer {
    bool single_copy; /* one copy goes between its memory and ours */
    /* out, this superstep */
    msg_buffer asks, puts, sends, list;
    uint64_t packets, payload;
    msg_out *out, **out_tail;
    int notices, pieces;
    int goes;              /* received, for pieces that still wait */
    unsigned char *packet; /* MSG_PACKET_MAX, what is being sent; packet_in follow it */
    sup_net_req send[5];   /* packet, asks, puts, sends, areas */
    int sending;
    uint64_t reached; /* it is known to have come to this superstep: its memory is as the last sync left it */
    bool lending;     /* single copy: it fetches from us, and says when it has */
    sup_net_req fetched_req, fetched_out;
    bool fetched; /* single copy: we have fetched from it, and say so */
    /* in, this superstep */
    unsigned char *packet_in[2]; /* of even and odd supersteps */
    sup_net_req packet_req[2];
    bool packet_posted[2];
    msg_head head; /* of the packet that arrived; epoch 0 = none */
    bsp_accord accord;
    const unsigned char *asks_in, *puts_in, *sends_in, *areas_in;
    msg_buffer rest;    /* parts that followed */
    msg_buffer kept[2]; /* messages, valid to the next sync */
    sup_net_req rest_req[4];
    int resting;
    msg_in *in[2], **in_tail[2]; /* pieces, of even and odd supersteps */
    int in_count[2];
    /* gets of this superstep that we asked this peer for */
    size_t reply_bytes;
    msg_buffer reply;  /* what it answers */
    msg_buffer answer; /* what we answer it */
    sup_net_req reply_req, answer_req;
    size_t reply_at;
    bool answering, replying;
    bool longs; /* single copy: long gets are among them */
} msg_peer;

/* A get (bsp_short_get): `value` says whom it is from. Any longer one is a msg_late, and `value` its number. */

/* A long get: travels as a message of its own, straight from its owner's memory, or is fetched. */
typedef struct msg_late {
    sup_net_req req;
    void *dst;
    size_t len;
    uintptr_t remote;
    int pid;
    msg_buffer buffer; /* empty: straight into its place */
    bool moving;
} msg_late;

/* The answer to one. */
typedef struct msg_answer {
    struct msg_answer *next;
    sup_net_req req;
} msg_answer;

/* A direct get that we answer: at once, or when we have come to the superstep it was made in. */
typedef struct msg_direct {
    struct msg_direct *next;
    sup_net_req req;
    msg_notice notice;
    int pid;
    bool sent;
} msg_direct;

/* Buffers of pieces, kept between supersteps: memory fresh from the kernel costs more than the copy into it. */
enum { MSG_POOL = 32 };
#define MSG_POOL_BYTES ((size_t)64 << 20)
typedef struct msg_pool {
    msg_buffer spare[MSG_POOL];
    int count;
    size_t bytes;
} msg_pool;

typedef struct msg_exchange {
    msg_peer *peer;
    /* where small puts and messages may be appended without a call (bsp_runtime.put_log): views of each peer's `puts`,
     * `sends` and `asks` */
    bsp_log *logs, *send_logs, *ask_logs;
    bsp_get_list gets;
    msg_late **lates;
    size_t late_count, late_room;
    msg_answer *answers; /* long gets of others that we answer */
    msg_direct *directs; /* direct gets of others, until the answer has left */
    msg_pool pool;
    bool threaded; /* the progress thread runs: take the lock around the net */
    pthread_t thread;
    pthread_mutex_t lock;
    _Atomic bool stop;
    _Atomic bool waiting;     /* the program is in a sync and looks after the net itself */
    _Atomic uint64_t traffic; /* notices seen: the thread looks more often while they come */
    int outstanding;          /* own pieces that wait for a go */
    sup_net_req notice_req;   /* the receive of the next notice, from anyone */
    msg_notice notice;
    bool notice_posted;
    _Atomic uint64_t open_epoch; /* pieces of this superstep may be received into their place */
    uint64_t posted_epoch;       /* superstep for whose packets receives are posted, if the algorithm of counts does */
    const struct msg_counts *counts; /* how packets are found */
    uint32_t *count_out, *count_in;
    unsigned char *map;
    sup_barrier *barrier; /* by which processes ask each other whether there is anything (message/empty.c) */
    unsigned unasked, pause;
} msg_exchange;

static inline void msg_lock(msg_exchange *x) {
    if (x->threaded) pthread_mutex_lock(&x->lock);
}
static inline void msg_unlock(msg_exchange *x) {
    if (x->threaded) pthread_mutex_unlock(&x->lock);
}

/* message.c: buffers. The pool's: the lock is held, or there is no progress thread. */
static inline void msg_check(const char *call, sup_status st) {
    if (__builtin_expect(st != SUP_OK, 0)) bsp_fail_status(call, st);
}
unsigned char *msg_room(msg_buffer *m, size_t need, const char *call);
msg_buffer msg_pool_take(msg_pool *p, size_t bytes, const char *call);
void msg_pool_give(msg_pool *p, msg_buffer m);
void msg_pool_free(msg_pool *p);

/* message/piece.c. Starts a piece on its way (the lock is held). */
void msg_start_piece(bsp_runtime *b, int pid, msg_out *o);
/* Sends the pieces that have their go (the lock is held). */
void msg_go_on(bsp_runtime *b, int pid);
/* A piece for pid: on its way at once where the engine is eager, else listed for the sync. */
void msg_add_piece(bsp_runtime *b, int pid, int kind, uintptr_t addr, const void *src, msg_buffer owned, size_t len);
/* What was appended through the views of pid's puts and messages is counted, and the views are closed. */
static inline void msg_close_puts(msg_exchange *x, int pid) {
    bsp_log *l = &x->logs[pid];
    if (l->cursor) x->peer[pid].puts.used = (size_t)(l->cursor - x->peer[pid].puts.at);
    l->cursor = l->limit = NULL;
}

static inline void msg_close_sends(msg_exchange *x, int pid) {
    bsp_log *l = &x->send_logs[pid];
    msg_peer *p = &x->peer[pid];
    if (l->cursor) p->sends.used = (size_t)(l->cursor - p->sends.at);
    p->packets += l->packets;
    p->payload += l->bytes;
    *l = (bsp_log){0};
}
/* What is in the small-put log becomes a piece. */
void msg_cut_log(bsp_runtime *b, int pid);
/* A put was added to the log for pid: it is cut if it has grown long, else its view is opened again. */
void msg_puts_grown(bsp_runtime *b, int pid);
/* A piece announced by pid: note it, and receive it if its superstep is open (the lock is held). */
void msg_note_piece(bsp_runtime *b, int pid, const msg_notice *notice);
/* Those that a packet lists at `at`. */
void msg_note_pieces(bsp_runtime *b, int pid, const unsigned char *at, uint32_t count);
void msg_post_pieces(bsp_runtime *b, int pid, int parity);

/* message/notice.c. Receives the notices that have arrived (the lock is held). */
void msg_take_notices(bsp_runtime *b);
/* Direct gets that may be answered now are, and what has left is forgotten (the lock is held). */
void msg_direct_answer(bsp_runtime *b);
/* No request can come any more: until all answers have left. */
void msg_direct_finish(bsp_runtime *b);
/* Until done; the lock is given up between looks. */
void msg_wait(bsp_runtime *b, sup_net_req *req);

/* message/single_copy.c: what is fetched. Fetching ends the run where it fails. */
void msg_fetch(bsp_runtime *b, int pid, void *to, uint64_t from, size_t len);
void msg_lend(bsp_runtime *b, int pid);
void msg_fetch_parts(bsp_runtime *b, int pid, const unsigned char *places);
void msg_acknowledge(bsp_runtime *b, int pid);
void msg_await_acknowledged(bsp_runtime *b, int pid);

/* message/packet.c. */
void msg_send_packet(bsp_runtime *b, int pid, bool ending);
/* Posts the receive of pid's packet (the lock is held). */
void msg_post_packet(bsp_runtime *b, int pid, int parity);
/* The packet of pid has arrived: where its parts are, or are coming. */
void msg_open_packet(bsp_runtime *b, int pid, const unsigned char *packet);
/* Receives packets from `count` processes, not known which, and opens them. */
void msg_receive_some(bsp_runtime *b, int count);

/* message/count.c: an algorithm by which processes learn of the packets that are coming to them. */
typedef struct msg_counts {
    const char *name; /* in plans */
    bool everyone;    /* everybody sends a packet to everybody */
    /* Posts receives of packets that will come, as early as there can be any (the lock is held); NULL: none. */
    void (*post)(bsp_runtime *b, int parity);
    /* Receives and opens all packets of this superstep; x->count_out says whom this process sends one. */
    void (*receive)(bsp_runtime *b);
} msg_counts;
extern const msg_counts msg_counts_direct, msg_counts_map, msg_counts_reduce_scatter;
const msg_counts *msg_counts_choose(const bsp_runtime *b);
/* A round: len bytes to the process `distance` above, as many from the one below. */
static inline void msg_counts_swap(bsp_runtime *b, int round, int distance, const void *out, void *in, size_t len) {
    bsp_swap(b, MSG_TAG_COUNT + 2 * round + (int)(b->epoch & 1), distance, out, len, in, len);
}

/* message/get.c */
void msg_get_note(bsp_runtime *b, const bsp_transfer *t);
/* What bsp_get appended by itself is counted, and the list is closed to it. */
void msg_get_close(bsp_runtime *b);
/* Before packets are sent: where answers will go. */
void msg_get_prepare(bsp_runtime *b);
/* All gets of this superstep, ours and the others', are read, and ours are written. */
void msg_get_exchange(bsp_runtime *b);

/* message/direct.c: a get that does not wait for the sync. */
void msg_direct_get(bsp_runtime *b, const bsp_transfer *t);

/* message/empty.c: does nobody have anything for anybody in this superstep? false: somebody has, or it was not asked.
 */
bool msg_is_empty(bsp_runtime *b, bool mine);

/* message/sync.c */
void msg_sync(bsp_runtime *b, bool ending);

/* message/progress.c */
sup_status msg_progress_start(bsp_runtime *b);
void msg_progress_stop(bsp_runtime *b);

#endif
