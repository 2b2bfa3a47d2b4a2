/* Recording of supersteps (superstep run --trace): a wrapper around the engine.
 *
 *     trace.c         counts what is asked for, and measures
 *     tracing/calls.c   what the program spends inside calls
 *     tracing/fresh.c   memory that is touched for the first time
 *     tracing/meet.c    the barrier of a recorded run, by which processes hear what the others asked for
 *     tracing/step.c    equal supersteps of this process become one step; memory stays bounded
 *     tracing/places.c  call sites as lines of the source
 *     tracing/part.c    what a process has recorded, as the file has it
 *     tracing/gather.c  at the end the steps of all processes meet on rank 0, which writes the file
 *
 * Without --trace and a tap none of it is reached. */
#ifndef SUP_BSP_TRACING_TRACE_H
#define SUP_BSP_TRACING_TRACE_H

#include "bsp/engine/state.h"
#include "trace/trace.h"

/* Computation, calls (puts, gets and sends), waiting for the slowest, the sync; and of the computation, what came after
 * the first unbuffered transfer was asked for. */
enum { BSP_TRACE_COMPUTE, BSP_TRACE_CALLS, BSP_TRACE_WAIT, BSP_TRACE_SYNC, BSP_TRACE_BEHIND, BSP_TRACE_TIMES };

/* ---- a tap (trace.c) ---- */

/* Given the times of every superstep of this process when its sync is over, also of those that recording leaves out.
 * What it takes is in none of the times. */
typedef void bsp_trace_tap(void *context, const double time[BSP_TRACE_TIMES]);
/* Before bsp_begin, on all processes alike. Supersteps are then timed as for a trace, though no file is asked for. */
void bsp_trace_tap_set(bsp_trace_tap *tap, void *context);
/* What recording adds to a call, found anew, in some 10 µs of this superstep: it changes with the speed of the core.
 * Not where a file is written, which would have these calls. */
void bsp_trace_adjust(bsp_runtime *b);

/* ---- steps (tracing/step.c) ---- */

enum { BSP_TRACE_SAMPLE = 64 };
#define BSP_TRACE_SEQUENCE_MAX ((size_t)16 << 20)

/* What a superstep took, and what was new to it: bytes of memory that nobody had touched, inside large calls and in the
 * sync. */
typedef struct bsp_trace_seen {
    double time[BSP_TRACE_TIMES];
    uint64_t calls_new, sync_new;
} bsp_trace_seen;

/* Communication with one process by one kind of call; key = peer · SUP_TRACE_KINDS + kind. */
typedef struct bsp_trace_cell {
    uint64_t messages, bytes;
} bsp_trace_cell;

typedef struct bsp_trace_item {
    uint32_t key, unused;
    bsp_trace_cell sum;
} bsp_trace_item;

typedef struct bsp_trace_spread {
    double mean, squares, min, max;
    double sample[BSP_TRACE_SAMPLE]; /* every stride-th superstep, evenly over the run */
} bsp_trace_spread;

typedef struct bsp_trace_step {
    const void *site;
    uint64_t hash; /* of the site and the items */
    uint64_t all;  /* … of all processes */
    uint64_t count, early_bytes, calls_new, sync_new;
    bsp_trace_seen first; /* its first superstep, and which one that was */
    uint64_t first_at;
    bsp_trace_item *items; /* ascending keys; of one superstep, or (merged) of all of them */
    size_t item_count;
    bsp_trace_cell *merged; /* by key, of all its supersteps; NULL unless it is merged */
    uint64_t stride;
    int samples;
    bsp_trace_spread time[BSP_TRACE_TIMES];
} bsp_trace_step;

typedef struct bsp_trace_book {
    int procs;
    uint32_t step_max;
    size_t item_max; /* of all steps together */
    bsp_trace_step **step;
    uint32_t step_count;
    size_t item_count;
    uint32_t *bucket; /* open addressing: step + 1 */
    size_t buckets;
    bsp_trace_cell *cell; /* this superstep, by key */
    uint32_t *touched;    /* keys in use */
    size_t touches;
    bsp_trace_item *scratch;
    uint64_t hash; /* of the superstep that ends */
    uint32_t *sequence;
    size_t sequence_count, sequence_room;
    uint64_t supersteps, left_out;
    bool broken; /* memory ran out: no trace */
} bsp_trace_book;

sup_status bsp_trace_book_open(bsp_trace_book *k, int procs);
void bsp_trace_book_close(bsp_trace_book *k);
/* What was counted in the superstep that ends at this site, as a number. */
uint64_t bsp_trace_book_hash(bsp_trace_book *k, const void *site);
/* Ends the superstep, which has been hashed: notes it (keep), and forgets what was counted. Supersteps with another
 * `all` are steps of their own as long as there is room. */
void bsp_trace_book_note(bsp_trace_book *k, bool keep, const void *site, uint64_t all, const bsp_trace_seen *seen,
                         uint64_t early_bytes);
void bsp_trace_forget(bsp_trace_book *k);
/* As a file has it. */
sup_trace_time bsp_trace_summary(const bsp_trace_step *s, int which);

static inline void bsp_trace_count(bsp_trace_book *k, int pid, int kind, size_t bytes) {
    uint32_t key = (uint32_t)pid * SUP_TRACE_KINDS + (uint32_t)kind;
    bsp_trace_cell *c = &k->cell[key];
    if (!c->messages++) k->touched[k->touches++] = key;
    c->bytes += bytes;
}

/* ---- calls (tracing/calls.c) ---- */

typedef struct bsp_trace_calls {
    double between_s, empty_s; /* of calls that do nothing: from one to the next, and inside */
    int64_t began, ended;      /* the last call */
    /* of this superstep */
    int64_t inside;
    uint64_t number;
    int64_t first; /* end of the first unbuffered one; 0: there was none */
    int64_t inside_then;
    uint64_t number_then;
    double looking_s, looking_then_s; /* between calls, at what memory is new */
} bsp_trace_calls;

/* call: one that does nothing, as those of the program come. */
void bsp_trace_calls_open(bsp_trace_calls *c, void (*call)(void *context), void *context);
void bsp_trace_calls_begin(bsp_trace_calls *c);
void bsp_trace_calls_end(bsp_trace_calls *c, bool unbuffered);
/* Computation, calls, and computation behind the first unbuffered transfer, of a superstep between two looks. */
void bsp_trace_calls_times(const bsp_trace_calls *c, int64_t from, int64_t to, double time[BSP_TRACE_TIMES]);
void bsp_trace_calls_clear(bsp_trace_calls *c);

/* ---- new memory (tracing/fresh.c) ---- */

/* Calls that move less are not looked at: that would take longer than they do. */
enum { BSP_TRACE_LARGE = 16384 };

typedef struct bsp_trace_fresh {
    uint64_t page;
    double look_s;       /* what a look takes */
    uint64_t call, sync; /* pages, when the call or the sync began */
    uint64_t calls_new;  /* bytes, in calls of this superstep */
} bsp_trace_fresh;

void bsp_trace_fresh_open(bsp_trace_fresh *f);
/* Pages that this thread has met for the first time, since it began. */
uint64_t bsp_trace_fresh_pages(void);

/* ---- meeting (tracing/meet.c) ---- */

typedef struct bsp_trace_meeting {
    sup_barrier *barrier; /* where signals may be used; NULL: by messages */
    sup_net_region *desk; /* with it, if numbers are wanted */
    unsigned turn;
    uint64_t sum;
} bsp_trace_meeting;

/* Both collective over all processes of the net, also those that are not in the section. */
sup_status bsp_trace_meeting_open(bsp_runtime *b, bool numbers, bsp_trace_meeting *m);
void bsp_trace_meeting_close(bsp_runtime *b, bsp_trace_meeting *m);
/* Until all have come; the OR of their bits. */
unsigned bsp_trace_meet(bsp_runtime *b, bsp_trace_meeting *m, unsigned bits, uint64_t number);
/* Behind the sync: the sum of the numbers. 0 unless they are wanted. */
uint64_t bsp_trace_met(bsp_runtime *b, const bsp_trace_meeting *m);

/* ---- gathering (tracing/gather.c) ---- */

/* Collective over the processes of the run, when the engine is closed and the net still open. Rank 0 writes to path.
 * SUP_OK elsewhere. */
sup_status bsp_trace_gather(bsp_runtime *b, bsp_trace_book *k, double wall_s, const char *path, sup_diag *diag);

/* Rank 0: file and line of the call sites, where the debugging information of the program tells. */
sup_status bsp_trace_places(sup_trace *t);

#endif
