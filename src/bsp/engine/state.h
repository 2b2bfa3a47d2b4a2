/* The BSPlib runtime's own state, and how its parts call each other.
 *
 *     api.c       the 20 primitives: checks, then one transfer
 *     chain.c     what a transfer goes through: wrappers, then an engine (layer.h)
 *     start.c     bsp_init, bsp_begin, bsp_end: processes come and go; section.c: what they are told in between
 *     fail.c      bsp_abort and what happens on misuse; last_words.c: how it is said
 *     reg.c       registrations: address here → address and size there
 *     agree.c     calls that all processes must make alike: have they?
 *     queue.c     messages that have arrived (BSMP)
 *     log.c       append-only logs of puts and messages, the unit of exchange
 *     shared.c    engine for processes that can address each other's memory
 *     message.c   engine by messages, when a call is made; message_*.c: at the sync, and beside the program
 */
#ifndef SUP_BSP_ENGINE_STATE_H
#define SUP_BSP_ENGINE_STATE_H

#include "bsp/engine/layer.h"
#include "coll/messages/barrier.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A registered area as its owner sees it. */
typedef struct bsp_area {
    uintptr_t base;
    size_t size;
} bsp_area;

/* Another process's heap: where it sees it, and where we do. */
typedef struct bsp_heap_view {
    uintptr_t there;
    unsigned char *here;
} bsp_heap_view;

/* Bits that ride on the barrier of a sync: what anybody did in the superstep. */
enum {
    BSP_DID_PUT = 1,    /* there are put logs */
    BSP_DID_GET = 2,    /* somebody reads: a second barrier separates reading from writing */
    BSP_DID_SEND = 4,   /* there are message logs */
    BSP_DID_ASK = 8,    /* somebody needs an owner's help to read */
    BSP_DID_END = 16,   /* this is bsp_end, not bsp_sync */
    BSP_DID_CHANGE = 32 /* registrations or the tag size change: all must have done the same (agree.c) */
};

/* A part of the program between bsp_begin and bsp_end, as rank 0 tells the others of it (section.h). */
typedef struct bsp_section {
    int32_t procs;  /* 0: there is none any more */
    int32_t object; /* loaded object and offset in it of the function named to bsp_init; -1 none */
    uint64_t offset;
    uint64_t origin;    /* where the signals of its barriers begin */
    uint64_t superstep; /* of the whole program, with which it begins */
} bsp_section;

/* ---- registrations (reg.c) ---- */

struct bsp_accord;

typedef struct bsp_slot {
    const void *addr; /* here */
    uint64_t number;  /* of the registration, counted from 1 */
    int older, newer; /* registrations of the same address that this one hides, that hides this one; or -1 */
    bool used;
} bsp_slot;

typedef struct bsp_change {
    const void *addr;
    int slot; /* that it takes or leaves, known at the sync */
    bool push;
} bsp_change;

typedef struct bsp_table {
    bsp_slot *slot;
    bsp_area *area; /* [slot * nprocs + pid] */
    int slots, room;
    int *vacant; /* stack of unused slots below `slots` */
    int vacants;
    int *hash; /* address → newest slot of it, open addressing; -1 empty, -2 deleted */
    int hash_room, hash_used;
    bsp_change *change; /* since the last sync, in program order */
    int changes, change_room;
    /* What of each the engine makes known: of a push the own area; of a pop 1 + the slot that the address stands for
     * here, 0 if it is NULL. */
    bsp_area *fresh;
    int pushes;
    uint64_t numbers;      /* registrations so far */
    int nulls;             /* registrations of NULL here, with the changes that prepare has seen */
    bool unsettled;        /* somebody's pop in this superstep is of NULL */
    const void *last_addr; /* one-entry cache of the lookup; BSP_NO_ADDR when empty */
    const bsp_area *last_area;
} bsp_table;

#define BSP_NO_ADDR ((const void *)UINTPTR_MAX) /* no program can name this */

/* Areas of all processes under the local name addr, or NULL. */
const bsp_area *bsp_reg_find_slow(bsp_table *t, const void *addr, int nprocs);
void bsp_reg_note(bsp_runtime *b, const void *addr, size_t size, bool push);
/* At the sync, before the engine's part: every change gets its slot, but for pops of NULL. Sets what `a` says of the
 * changes. */
void bsp_reg_prepare(bsp_runtime *b, struct bsp_accord *a);
/* A pop, change `change`, that process `namer` understands as that of `slot`, and others do not; -1: nobody names any.
 */
typedef struct bsp_quarrel {
    int change, slot, namer;
} bsp_quarrel;
/* After the engine's part: `of(b, pid)` gives what process pid has in `fresh`. False: pops differ, as *q says. */
bool bsp_reg_apply(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid), bsp_quarrel *q);
/* The slot of the latest registration of NULL here, from which `older` leads to the others; -1: there is none. */
int bsp_reg_latest_null(const bsp_table *t);
/* Is any byte of [p, p+len) registered here? A cautious yes where looking would take long. */
bool bsp_reg_covers(const bsp_runtime *b, const void *p, size_t len);
void bsp_reg_release(bsp_table *t);

/* ---- what all processes must do alike (agree.c) ---- */

/* Registrations and tag size of one superstep, as a process shows them to the others. */
typedef struct bsp_accord {
    uint64_t digest;   /* of all of it, but for what pops name; 0: nothing changes */
    uint64_t names;    /* digest of that */
    uint64_t tag_size; /* from the next superstep on */
    uint32_t pushes, pops;
    uint32_t nulls, pad; /* nulls: pops of NULL, which name nothing */
} bsp_accord;

/* Fills b->accord if something changes in this sync; false: nothing does. */
bool bsp_accord_make(bsp_runtime *b);
/* Ends the run where processes differ; `of` says what each of them shows, the same on every process. What pops name is
 * compared here only if none is of NULL, else when registrations are applied. */
void bsp_accord_compare(bsp_runtime *b, bsp_accord (*of)(const bsp_runtime *b, int pid));
/* Registrations change: bsp_reg_apply, which ends the run where pops differ. */
void bsp_accord_apply(bsp_runtime *b, const bsp_area *(*of)(bsp_runtime *b, int pid));
/* "rank 3", "ranks 0-2, 5" or "all 4 ranks": those with in[rank], of n. */
void bsp_ranks_text(const bool *in, int n, char *text, size_t size);
/* Behind the *used bytes that are there; what does not fit is left out. */
void bsp_text_add(char *text, size_t size, size_t *used, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- messages that have arrived (queue.c) ---- */

/* Head of a message in a log; the tag follows, then the payload, each padded to 16 bytes. */
typedef struct bsp_message {
    uint64_t len;
    uint64_t tag_len;
} bsp_message;

/* A stretch of whole messages, valid to the next sync. */
typedef struct bsp_stretch {
    const unsigned char *at, *end;
} bsp_stretch;

typedef struct bsp_queue {
    bsp_stretch *stretch;
    int count, room, next; /* stretches, and the one after that being read */
    /* What is left of the one being read; at == end: the queue is empty. What is written often does not stand beside
     * what is only read: a pair would be read in one, and have to wait for the write. */
    const unsigned char *at;
    size_t packets, bytes; /* what is left in the queue */
    const unsigned char *end;
} bsp_queue;

void bsp_queue_clear(bsp_queue *q);
void bsp_queue_add(bsp_runtime *b, const unsigned char *at, const unsigned char *end);
void bsp_queue_next(bsp_queue *q);
void bsp_queue_release(bsp_queue *q);

static inline size_t bsp_pad8(size_t n) { return (n + 7) & ~(size_t)7; }
static inline void bsp_queue_count(bsp_queue *q, size_t packets, size_t bytes) {
    q->packets += packets;
    q->bytes += bytes;
}

static inline size_t bsp_pad16(size_t n) { return (n + 15) & ~(size_t)15; }
static inline size_t bsp_message_bytes(size_t tag, size_t len) {
    return sizeof(bsp_message) + bsp_pad16(tag) + bsp_pad16(len);
}

static inline const bsp_message *bsp_queue_first(const bsp_queue *q) {
    return q->at != q->end ? (const bsp_message *)q->at : NULL;
}

static inline void bsp_queue_drop(bsp_queue *q, const bsp_message *m) {
    q->packets--;
    q->bytes -= m->len;
    q->at += bsp_message_bytes(m->tag_len, m->len);
    if (q->at == q->end) bsp_queue_next(q);
}

/* ---- the whole ---- */

struct bsp_runtime {
    enum { BSP_BEFORE, BSP_INSIDE, BSP_AFTER } phase;
    int pid, nprocs;    /* nprocs is 0 outside begin and end, so that one comparison finds misuse … */
    int procs;          /* … and this is what bsp_nprocs says */
    uint64_t superstep; /* as the program counts them */
    uint64_t epoch;     /* syncs begun, from 1: the stamp of everything that belongs to this superstep */
    const void *site;   /* where the last bsp_sync was called */
    bool eager;         /* start unbuffered transfers when they are called */
    sup_net *net;
    /* What a call does: the engine's function, or a walk through the layers where a wrapper wants to see that kind. */
    bsp_transfer_call *transfer[BSP_KINDS];
    void (*sync)(bsp_runtime *b, bool ending);
    void *ex; /* the engine's own state */
    /* Where the engine lets small gets and messages be appended without being called, to and from processes below
     * these: 0 where a wrapper wants to see them (bsp_lanes_ has the same for puts). One log a process; a log without
     * room (all are at the start of a superstep) sends the caller to the engine. */
    unsigned get_procs, send_procs;
    struct bsp_log *put_log, *send_log;
    /* The same for gets of eight bytes: the open list; where the heaps of all processes are, or (ask_log) the requests
     * to each. */
    struct bsp_short_get *get_cursor;
    bsp_heap_view *views;
    struct bsp_short_get *get_limit;
    struct bsp_log *ask_log;
    size_t view_bytes;
    bsp_table reg;
    bsp_queue queue;
    size_t tag_size, next_tag_size;
    bool changed;          /* since the last sync something was registered, or the tag size set */
    bsp_accord accord;     /* of the sync that is under way; its digest is 0 at any other time */
    struct sup_plan *plan; /* NULL: built-in defaults */
    sup_net_region *heap;  /* where the program's heap is, if it is shared */
    double start;
    void (*spmd)(void);
    bsp_section section;
    bool told; /* the section has been told of, and has not begun here */
    sup_launch launch;
    const bsp_layer *layer[BSP_LAYERS]; /* of this section, the engine last */
    int layers;
    unsigned seen;             /* bit 1 << kind: a wrapper wants to see these transfers */
    pthread_mutex_t *net_lock; /* of the net, where the engine has a thread that uses it; else NULL */
    uint64_t early_bytes;      /* that the engine has begun to move before the sync, all in all: for the trace */
};

extern __attribute__((visibility("hidden"))) bsp_runtime bsp_rt;

/* At the start of every sync; false: nothing changes, which is the usual case and costs one comparison. */
static inline bool bsp_accord_take(bsp_runtime *b) { return b->changed && bsp_accord_make(b); }

/* Small puts and messages for so many processes go straight to these logs from now on, except those that a wrapper
 * wants to see. */
void bsp_lanes_open(bsp_runtime *b, struct bsp_log *puts, struct bsp_log *sends, int procs);

/* The calls behind bsp_get and bsp_send, which the search for the program's line has to know. */
void bsp_get_any(int pid, const void *src, size_t offset, void *dst, size_t nbytes);
void bsp_send_any(int pid, const void *tag, const void *payload, size_t nbytes);

/* Areas of all processes under the local name addr, or NULL: the last name used is the likely one. */
static inline const bsp_area *bsp_reg_find(bsp_runtime *b, const void *addr) {
    if (addr == b->reg.last_addr) return b->reg.last_area;
    return bsp_reg_find_slow(&b->reg, addr, b->nprocs);
}

/* planned.c: reads the plan the launcher names, if it names one. */
void bsp_plan_open(bsp_runtime *b);

/* start.c: a program with the runtime in it is a rank of the run that it is started in. The tool, which is a launcher
 * as well, says false and becomes one by its first BSP call. */
bool bsp_takes_at_load(void);

/* What the launcher said, read when it is first asked for. */
const sup_launch *bsp_launch(void);

/* A barrier that a section is done with: the signals of the next one must be larger. */
void bsp_barrier_close(bsp_runtime *b, sup_barrier *barrier);
/* The sync's barrier: the plan's if it has one for so many processes, else the default. */
sup_status bsp_barrier_open(bsp_runtime *b, sup_barrier **out, sup_diag *diag);

/* `call: reason (rank R, superstep S)` on stderr, and the run ends with exit code 1. */
_Noreturn void bsp_fail(const char *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a status that a lower layer gave. */
_Noreturn void bsp_fail_status(const char *call, sup_status st);

/* A thread beside the program's, which signals are for. False: there can be none. */
static inline bool bsp_start_thread(pthread_t *thread, void *(*run)(void *arg), void *arg) {
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = !pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

/* realloc that does not come back without memory. */
void *bsp_grow(void *old, size_t bytes, const char *call);

/* Room for one more in a list of `count`, which doubles when it is full and begins with `least`. */
#define BSP_ROOM_FOR_ONE(list, count, room, least, call)                        \
    do {                                                                        \
        if ((count) == (room)) {                                                \
            (room) = (room) ? 2 * (room) : (least);                             \
            (list) = bsp_grow((list), (size_t)(room) * sizeof *(list), (call)); \
        }                                                                       \
    } while (0)

#endif
