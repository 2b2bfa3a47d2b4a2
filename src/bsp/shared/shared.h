/* State of the engine over shared memory (shared*.c). */
#ifndef SUP_BSP_SHARED_SHARED_H
#define SUP_BSP_SHARED_SHARED_H

#include "bsp/engine/log.h"
#include "bsp/engine/state.h"
#include "net/shm/shm.h"
#include "plan/defaults.h"

#include <stdatomic.h>

enum { BSP_CARD_AREAS = 64, BSP_MANY = 64 };

/* Kinds of logs; bit 1 << kind of a sync's bits says that somebody has one (BSP_DID_PUT …). */
enum { BSP_LOG_PUT = 0, BSP_LOG_REPLY = 1, BSP_LOG_SEND = 2, BSP_LOG_ASK = 3, BSP_LOGS = 4 };

/* What each process shows to all others. The cards of all lie together: everybody reads everybody's, and to see a page
 * of each arena would take page tables for each. */
typedef struct bsp_card {
    _Alignas(128) _Atomic uint64_t applied; /* last superstep (from 1) whose puts and gets are carried out here */
    /* For even and odd supersteps: a fast process may be one ahead of the one that reads. */
    _Alignas(128) uint64_t change_epoch[2]; /* superstep of the last registrations and tag size */
    uint64_t board[2];                      /* where in the arena the changes are; 0: they fit the card */
    bsp_accord accord[2];
    _Alignas(128) bsp_area areas[2][BSP_CARD_AREAS];
    /* Who has a log of a kind for this process, for even and odd supersteps, where processes are many: else it looks
     * into each one's arena. */
    _Alignas(128) _Atomic uint64_t mail[2][BSP_LOGS][SUP_SHM_MAX_PROCS / 64];
} bsp_card;

/* Number and length of the messages in a log: its first 16 bytes. */
typedef struct bsp_sum {
    uint64_t packets, bytes;
} bsp_sum;

/* A get of up to eight bytes (bsp_short_get): `value` is the address to read, and between reading and writing what was
 * read. Any other is a note, and `value` its number. */

/* Any other get. */
typedef struct bsp_get_note {
    const void *mapped; /* where to read it; NULL: by the kernel, or the owner answers */
    uintptr_t foreign;  /* by the kernel: its address at the owner; 0 not */
    void *dst;          /* NULL: already there */
    size_t len;
    int pid;
} bsp_get_note;

typedef struct bsp_copy {
    void *to;
    const void *from;
    size_t len;
    int pid;
} bsp_copy;

typedef struct bsp_cursor {
    bsp_chunk *chunk;
    size_t at;
} bsp_cursor;

typedef struct bsp_shared {
    sup_net_region *region, *desk;
    unsigned char **base;   /* of every process's arena, here */
    unsigned char *cards;   /* of rank 0 … */
    size_t card_step;       /* … and so many bytes on the next one's */
    bool many;              /* look at `mail` first */
    bsp_arena arena;        /* own */
    bool kernel_copies;     /* memory that is in no heap can be copied by the kernel … */
    bool foreign_by_kernel; /* … and is, at these lengths; not known yet while there are none */
    sup_plan_range foreign;
    bsp_log *log[2][BSP_LOGS];                 /* one piece of memory; `first` is set with the first use */
    int *touched[BSP_LOGS], touches[BSP_LOGS]; /* logs opened in this superstep */
    unsigned did;
    sup_barrier *barrier;
    uint64_t busy_epoch; /* last superstep in which anybody had puts or gets */
    uint64_t *applied;   /* last seen of the others' cards */
    bsp_get_list list;   /* all gets, in program order */
    bsp_get_note *gets;  /* those of them that are not short */
    size_t get_count, get_room;
    unsigned char *buffer; /* bytes of longer gets between reading and writing */
    size_t buffer_room, buffer_need;
    bsp_cursor *reply; /* per process: where its next answer is */
    bsp_copy *deferred;
    int deferrals, deferred_room;
    size_t board_bytes[2];
} bsp_shared;

/* Looks up how memory that cannot be addressed is reached at a length, and for which other lengths that holds. */
void bsp_shared_ask_plan(const bsp_runtime *b, bsp_shared *x, size_t len);

/* Where len bytes at `remote` of pid can be addressed here, or NULL: in its heap, or our own. */
static inline void *bsp_mapped(const bsp_runtime *b, int pid, uintptr_t remote, size_t len) {
    uintptr_t off = remote - b->views[pid].there;
    if (off < b->view_bytes && len <= b->view_bytes - off) return b->views[pid].here + off;
    return pid == b->pid ? (void *)remote : NULL;
}

/* Is len bytes of memory that cannot be addressed worth a system call, rather than two copies? The plan knows. */
static inline bool bsp_shared_by_kernel(const bsp_runtime *b, bsp_shared *x, size_t len) {
    if (!x->kernel_copies) return false;
    if (len - (size_t)x->foreign.from >= (size_t)x->foreign.to - (size_t)x->foreign.from)
        bsp_shared_ask_plan(b, x, len);
    return x->foreign_by_kernel;
}

static inline bsp_card *bsp_card_of(const bsp_shared *x, int pid) {
    return (bsp_card *)(x->cards + (size_t)pid * x->card_step);
}

/* shared.c. Bytes at the start of an arena that hold the first chunks of all logs. */
size_t bsp_shared_homes(const bsp_runtime *b);
unsigned char *bsp_shared_room(bsp_runtime *b, bsp_shared *x, int kind, int pid, size_t need);
/* The first chunk of owner's log for `to` in this superstep. */
static inline bsp_chunk *bsp_shared_home(const bsp_runtime *b, const bsp_shared *x, int owner, int kind, int to) {
    size_t index = ((b->epoch & 1) * BSP_LOGS + (size_t)kind) * (size_t)b->nprocs + (size_t)to;
    return (bsp_chunk *)(x->base[owner] + index * BSP_LOG_HOME);
}

/* Where `from` says that it has a log for `to` in this superstep; the barrier publishes it. */
static inline _Atomic uint64_t *bsp_shared_mail(const bsp_runtime *b, const bsp_shared *x, int to, int kind, int from) {
    return &bsp_card_of(x, to)->mail[b->epoch & 1][kind][from / 64];
}

/* First chunk of what `from` wrote for us in this superstep, or NULL. */
static inline bsp_chunk *bsp_shared_arrived(const bsp_runtime *b, const bsp_shared *x, int kind, int from) {
    if (x->many) {
        uint64_t bits = atomic_load_explicit(bsp_shared_mail(b, x, b->pid, kind, from), memory_order_relaxed);
        if (!(bits >> (from % 64) & 1)) return NULL;
    }
    bsp_chunk *c = bsp_shared_home(b, x, from, kind, b->pid);
    return c->epoch == b->epoch ? c : NULL;
}

static inline unsigned char *bsp_room(bsp_runtime *b, bsp_shared *x, int kind, int pid, size_t need) {
    bsp_log *l = &x->log[b->epoch & 1][kind][pid];
    if (need <= (size_t)(l->limit - l->cursor) && l->cursor) return l->cursor;
    return bsp_shared_room(b, x, kind, pid, need);
}

static inline void bsp_advance(bsp_runtime *b, bsp_shared *x, int kind, int pid, unsigned char *end) {
    x->log[b->epoch & 1][kind][pid].cursor = end;
}

/* shared/get.c */
void bsp_shared_get(bsp_runtime *b, const bsp_transfer *t);
/* Between the barriers, and behind the second. */
void bsp_shared_read_gets(bsp_runtime *b, bsp_shared *x);
void bsp_shared_write_gets(bsp_runtime *b, bsp_shared *x, bool asked);

#endif
