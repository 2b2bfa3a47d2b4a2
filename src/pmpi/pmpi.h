/* Superstep inside MPI programs that know nothing of it: the run stage, through MPI's profiling interface.
 *
 * The library is loaded before the MPI of the program (LD_PRELOAD, `superstep run --mpi`) and defines a few of MPI's
 * functions. Each passes its call on to the library's own, PMPI_NAME, until all members of the communicator have agreed
 * that something of ours is set up for it and is quicker. superstep-pmpi(7) is the manual.
 *
 *     call/NAME.c, fortran*.c        the functions that programs call, in C and Fortran
 *     ops.c                          the table of what is replaced
 *     turn.c, decide.c, trial.c      whether a call is ours: agreed by all members of its communicator
 *     run.c, view.c, types.c         a call of ours: MPI's buffers, types and operators as src/coll knows them
 *     arguments.c                    what the MPI takes for an error
 *     comm.c, op_barrier.c           what is known of a communicator, kept as an attribute of it; its barrier
 *     meet.c, world.c, plan.c        who takes part; what all processes have in common: settings, plan
 *     settings.c, report.c, say.c    the environment; what is printed
 *
 * The library is a guest. Without MPI_Init, or with processes that did not begin with it, every call is the library's.
 *
 * Whatever one process finds (no memory, no /proc, another plan) is the concern of all: nothing is used before all
 * members have said by an MPI_Allreduce that they can. Whether one call is ours follows from what all members know
 * alike: the communicator, how many calls it has seen, the operation, the bytes of the whole. A derived datatype is no
 * reason to leave a call that moves data to the library: another member may describe the same bytes by a built-in one.
 *
 * A reduction that rounds is never ours or not by what a clock said: its result has to be the same in every run. */
#ifndef SUP_PMPI_PMPI_H
#define SUP_PMPI_PMPI_H

#include "base/status.h"
#include "coll/coll.h"
#include "coll/messages/barrier.h"
#include "net/group.h"

#include "plan/plan.h"

#include <limits.h>
#include <mpi.h>
#include <stdatomic.h>

/* What programs see; everything else is hidden. */
#define SUP_PMPI_VISIBLE __attribute__((visibility("default")))

#if defined(OPEN_MPI)
#define SUP_PMPI_NET "openmpi"
#define SUP_PMPI_TITLE "Open MPI"
#else
#define SUP_PMPI_NET "mpich"
#define SUP_PMPI_TITLE "MPICH"
#endif

/* ---- settings.c: the environment, read when the library is loaded ---- */

typedef enum sup_pmpi_when {
    SUP_PMPI_AUTO,   /* where it is found to be quicker */
    SUP_PMPI_ALWAYS, /* from the first call on, wherever it can be */
    SUP_PMPI_NEVER
} sup_pmpi_when;

typedef struct sup_pmpi_settings {
    int64_t loaded_ns; /* when the library was */
    bool ready;        /* what takes long in a process with threads was done before there were any */
    int when;          /* SUPERSTEP_MPI_WHEN: sup_pmpi_when */
    bool report;       /* SUPERSTEP_MPI_REPORT */
    bool verbose;      /* SUPERSTEP_MPI_VERBOSE */
    bool everywhere;   /* SUPERSTEP_MPI_EVERYWHERE: somebody knows that all processes on all hosts have the library */
    bool no_kernel_copy;
    unsigned ops; /* SUPERSTEP_MPI_OPS: a bit for each of sup_pmpi_ops */
    char plan[1024];
} sup_pmpi_settings;
extern sup_pmpi_settings sup_pmpi_set;

/* ---- types.c: built-in datatypes and operators, found in a few nanoseconds ---- */

typedef struct sup_pmpi_type {
    MPI_Datatype handle;
    int32_t size, extent; /* bytes; not the same where there are gaps */
    int16_t fold;         /* sup_fold_type; -1: not for reductions */
    bool logical;         /* MPI has logical operators on it */
} sup_pmpi_type;

typedef struct sup_pmpi_fold {
    const sup_fold *fold; /* NULL: left to the library */
    bool fixed;           /* the result depends on brackets: no clock may decide about it */
} sup_pmpi_fold;

enum { SUP_PMPI_TYPES = 256, SUP_PMPI_OPERATORS = 64 }; /* places of the tables, powers of two */
typedef struct sup_pmpi_operator {
    MPI_Op handle;
    int32_t number; /* sup_fold_operator + 1; 0: an empty place */
} sup_pmpi_operator;
/* All zeros are tables too, empty ones: who is never begun finds nothing. At least a quarter of the places stays empty.
 */
extern sup_pmpi_type sup_pmpi_types[SUP_PMPI_TYPES];
extern sup_pmpi_operator sup_pmpi_operators[SUP_PMPI_OPERATORS];
extern sup_pmpi_fold sup_pmpi_folds[SUP_TYPES][SUP_OPERATORS];
void sup_pmpi_types_begin(void);

/* Where to begin to look: handles are addresses (Open MPI) or numbers with a pattern (MPICH). */
static inline unsigned sup_pmpi_place(uint64_t handle, unsigned places) {
    return (unsigned)((handle >> 4 ^ handle << 7) * 0x9e3779b97f4a7c15u >> 40) & (places - 1);
}
/* NULL: not a built-in one. */
static inline const sup_pmpi_type *sup_pmpi_type_of(MPI_Datatype type) {
    unsigned i = sup_pmpi_place((uint64_t)(uintptr_t)type, SUP_PMPI_TYPES);
    for (; sup_pmpi_types[i].size; i = (i + 1) & (SUP_PMPI_TYPES - 1))
        if (sup_pmpi_types[i].handle == type) return &sup_pmpi_types[i];
    return NULL;
}
/* fold NULL: one of them is not built in, or they do not go together. */
static inline sup_pmpi_fold sup_pmpi_fold_of(MPI_Datatype type, MPI_Op op) {
    const sup_pmpi_type *t = sup_pmpi_type_of(type);
    unsigned i = sup_pmpi_place((uint64_t)(uintptr_t)op, SUP_PMPI_OPERATORS);
    while (sup_pmpi_operators[i].number && sup_pmpi_operators[i].handle != op) i = (i + 1) & (SUP_PMPI_OPERATORS - 1);
    int operator= sup_pmpi_operators[i].number - 1;
    if (!t || t->fold < 0 || operator<0) return (sup_pmpi_fold){0};
    if (operator>= SUP_ALL && operator<= SUP_ODD && !t->logical) return (sup_pmpi_fold){0};
    return sup_pmpi_folds[t->fold][operator];
}

/* ---- operations ---- */

typedef struct sup_pmpi_comm sup_pmpi_comm;

/* What the library is asked with: IN and OUT as src/schedule/schedule.h has them, of blocks or vectors of `bytes`. */
typedef struct sup_pmpi_scratch {
    unsigned char *in, *out;
    int64_t bytes;
    int *counts, *displacements; /* of P blocks, for the v-variants; in bytes, or in ints where there is a fold */
} sup_pmpi_scratch;

/* What is replaced: a row of ops.c, and a file call/NAME.c. */
typedef struct sup_pmpi_op {
    const char *name; /* of MPI's call */
    int operation;    /* sup_operation */
    bool blocks;      /* `bytes` of a job is a block's */
    bool folds;
    bool unsized;               /* members do not know how much the others have */
    bool in_varies, out_varies; /* blocks of different lengths */
    /* One call of the library's (arguments.c); root 0, MPI_BYTE, or MPI_INT and MPI_MAX. MPI's code. */
    int (*theirs)(const sup_pmpi_scratch *s, MPI_Comm comm);
} sup_pmpi_op;

enum {
    SUP_PMPI_BARRIER,
    SUP_PMPI_BROADCAST,
    SUP_PMPI_SCATTER,
    SUP_PMPI_SCATTERV,
    SUP_PMPI_GATHER,
    SUP_PMPI_GATHERV,
    SUP_PMPI_ALLGATHER,
    SUP_PMPI_ALLGATHERV,
    SUP_PMPI_REDUCE,
    SUP_PMPI_ALLREDUCE,
    SUP_PMPI_REDUCE_SCATTER,
    SUP_PMPI_REDUCE_SCATTER_BLOCK,
    SUP_PMPI_ALLTOALL,
    SUP_PMPI_ALLTOALLV,
    SUP_PMPI_SCAN,
    SUP_PMPI_EXSCAN,
    SUP_PMPI_OPS
};
extern const sup_pmpi_op sup_pmpi_ops[SUP_PMPI_OPS];
/* A block of unsized operations in a trial. */
enum { SUP_PMPI_NOMINAL = 4096 };

/* The barrier on the open net of a communicator; local. */
sup_status sup_pmpi_barrier_open(sup_pmpi_comm *comm);

/* Signal slots of a communicator's net, which nobody else uses. */
enum {
    SUP_PMPI_SLOT_BARRIER,
    SUP_PMPI_SLOT_COLL = SUP_PMPI_SLOT_BARRIER + SUP_BARRIER_SLOTS,
    SUP_PMPI_SLOTS = SUP_PMPI_SLOT_COLL + SUP_COLL_SLOTS
};

/* ---- comm.c: communicators ---- */

typedef enum sup_pmpi_who { SUP_PMPI_UNDECIDED, SUP_PMPI_OURS, SUP_PMPI_THEIRS } sup_pmpi_who;

/* Sizes of an operation that are decided together: class k is of 4^k bytes and more, the last of all above. */
enum { SUP_PMPI_CLASSES = 12 };
static inline int sup_pmpi_class_of(int64_t bytes) {
    int k = (63 - __builtin_clzll((uint64_t)bytes | 1)) / 2;
    return k < SUP_PMPI_CLASSES ? k : SUP_PMPI_CLASSES - 1;
}
/* Whose a call may be: ours as it was chosen, ours by the other way of long blocks, the library's. */
enum { SUP_PMPI_CHOSEN, SUP_PMPI_OTHER, SUP_PMPI_LIBRARY, SUP_PMPI_SIDES };
enum { SUP_PMPI_TRIAL = 5 * SUP_PMPI_SIDES, SUP_PMPI_ROUNDS = 4 }; /* calls of a round of a trial; rounds, at most */
typedef struct sup_pmpi_side {
    int rounds;
    float least, middles[SUP_PMPI_ROUNDS]; /* of these rounds, ascending */
} sup_pmpi_side;
/* All zeros: a new one. So that those that no call is of take no memory, and no time. */
typedef struct sup_pmpi_class {
    uint64_t calls, ask_at;             /* so far; the number of the call with which the next trial begins, or began */
    uint64_t left;                      /* of them, the library's */
    int holder;                         /* whose the calls are, which trials decide */
    int tried;                          /* calls of the round so far, */
    float taken[SUP_PMPI_TRIAL];        /* … how long they took here */
    int rounds;                         /* before it, in this trial, */
    int in_a_row;                       /* … calls of one side behind each other, at first, */
    unsigned out;                       /* … a bit for each side that takes no part any more, */
    sup_pmpi_side side[SUP_PMPI_SIDES]; /* … what they found */
    int pairs;                          /* of the last trial; 0: there was none */
    float ours_s, theirs_s;             /* … of the holder, of the library */
} sup_pmpi_class;

/* One operation on one communicator. */
typedef struct sup_pmpi_use {
    int who;                    /* sup_pmpi_who */
    uint64_t calls;             /* so far */
    uint64_t ours;              /* of them, ours */
    uint64_t bytes, ours_bytes; /* that this process had to do with */
    uint64_t turn_bytes;        /* of the call whose turn it is; ours once it is done */
    uint64_t asked, ask_at;     /* barrier: calls that count, and the one at which the members ask each other next */
    bool differs, none;         /* unsized, asked: some sizes are ours and some not, or are tried; none is ours */
    int64_t began_ns;           /* first call */
    uint64_t timed;             /* calls of ours whose time was taken … */
    double timed_s;             /* … and it, together */
    char text[48];              /* what ours does */
    const char *reason;         /* why it is the library's */
    sup_pmpi_class *class; /* NULL: the operations are not set up, or this one is unsized and was not called since */
    const sup_choice *other_of; /* what was chosen, … */
    sup_choice other;           /* … and the other way of it; no algorithm: there is none */
} sup_pmpi_use;

struct sup_pmpi_comm {
    MPI_Comm comm;
    int rank, size, hosts; /* hosts 0: not known */
    sup_net *net;          /* its own; NULL: not open */
    bool planned;          /* the barrier comes from the plan */
    sup_barrier *barrier;
    sup_pmpi_class barriers; /* all of them are of one size */
    sup_pmpi_class *trial;   /* that the call under way belongs to, … */
    int64_t trial_ns;        /* … since when */
    /* the other operations */
    sup_coll *coll; /* NULL: not set up */
    int open;       /* sup_pmpi_who: decided by time … */
    int fixed;      /* … and for reductions that round, by their number */
    /* of the first calls, which are the library's and count for nothing else: how many are to come, and where they are
     * counted as long as there is no record (NULL: here) */
    int early_left;
    struct sup_pmpi_young *young;
    /* before it was set up, in calls and kilobytes (turn.c): so far, and where the members ask each other next */
    uint64_t calls, ask_at;
    uint64_t fixed_calls, fixed_at; /* reductions that round */
    int64_t began_ns;               /* first call */
    const char *reason;             /* why it is not set up */
    sup_pmpi_class *classes;        /* of all operations, one array */
    int64_t *blocks;                /* lengths and places of IN's and OUT's, 4 P */
    sup_choice unsized[SUP_PMPI_OPS];
    sup_pmpi_use use[SUP_PMPI_OPS];
    sup_pmpi_comm *next, *previous; /* of all */
};

/* What is kept of a communicator during its first calls. */
typedef struct sup_pmpi_young sup_pmpi_young;
/* The last look-up of this thread. A communicator that is freed, or no longer young, raises the generation, so that
 * another one with the same handle is not mistaken for it. */
typedef struct sup_pmpi_last {
    MPI_Comm comm;
    unsigned generation;
    sup_pmpi_comm *found;
    sup_pmpi_young *young;
} sup_pmpi_last;
extern _Thread_local sup_pmpi_last sup_pmpi_last_look;
extern _Atomic unsigned sup_pmpi_generation;

/* NULL: not our business (MPI is not running, nothing is replaced). During the first calls it is no record but what a
 * call needs to see whether its arguments are in order; of this thread, and until its next look. */
sup_pmpi_comm *sup_pmpi_comm_look(MPI_Comm comm);
/* One of the first calls: counted where any other would be, so that a call which the MPI refuses on some members only
 * counts for none of them. */
void sup_pmpi_comm_count(sup_pmpi_comm *comm);
static inline sup_pmpi_comm *sup_pmpi_comm_of(MPI_Comm comm) {
    const sup_pmpi_last *l = &sup_pmpi_last_look;
    if (l->found && l->comm == comm &&
        l->generation == atomic_load_explicit(&sup_pmpi_generation, memory_order_acquire))
        return l->found;
    return sup_pmpi_comm_look(comm);
}
/* So many zeros, for free(). A process without them would not come to where the others ask it something, or do what it
 * takes for the library's, and they would wait for it: the run ends, by the program's error handler or without. */
void *sup_pmpi_memory(MPI_Comm comm, size_t bytes);
/* At the beginning (no other call has been seen) and the end of MPI. */
int sup_pmpi_comms_begin(void);
/* MPI_COMM_WORLD without any first calls that count for nothing, when MPI has begun. NULL: there is no room for it. */
sup_pmpi_comm *sup_pmpi_comms_world(void);
void sup_pmpi_comms_end(void);
/* Give back what is open: the operations but the barrier; the barrier and the net. */
void sup_pmpi_comm_close_coll(sup_pmpi_comm *comm);
void sup_pmpi_comm_close_net(sup_pmpi_comm *comm);
/* Communicators with an open net, and those in which reductions that round are ours: how many there are of these must
 * not depend on how many of the others there were time for. */
extern _Atomic int sup_pmpi_open_count, sup_pmpi_fixed_count;
/* Reductions that round that were the library's, weighed as in turn.c, and communicators that were set up for them: so
 * many of the ones pay for one of the others. */
extern _Atomic uint64_t sup_pmpi_fixed_seen;
extern _Atomic int sup_pmpi_fixed_made;
enum { SUP_PMPI_OPEN_MAX = 128, SUP_PMPI_FIXED_MAX = 64 };

/* ---- turn.c, decide.c, trial.c ---- */

/* The barrier's ask_at-th call, instead of the library's: synchronises the members, as it would, and may end with the
 * barrier being ours. MPI's code. */
int sup_pmpi_decide_barrier(sup_pmpi_comm *comm);
/* The other operations on a communicator, asked for by the same call of all members: from now on ours if it is worth
 * while (`fixed`: by numbers of calls alone), all members can, and there are not too many. */
void sup_pmpi_decide_open(sup_pmpi_comm *comm, bool fixed);
/* … all of them, when MPI begins: where the time since the program was loaded pays for it, and all are ready. */
void sup_pmpi_decide_world(sup_pmpi_comm *comm);
/* … an unsized operation of one that is set up, when it is first called: what it takes is found out then. */
void sup_pmpi_decide_use(sup_pmpi_comm *comm, int op);
/* The next call of what is tried, which all are about to make: whose is it? two_ways: ours has another one.
 * Synchronises the members. */
int sup_pmpi_trial(sup_pmpi_comm *comm, sup_pmpi_class *class, int64_t bytes, bool two_ways);
/* That call has been made. */
void sup_pmpi_trial_over(sup_pmpi_comm *comm);
/* At the end of every call, with its code. comm NULL: not our business. */
static inline int sup_pmpi_over(sup_pmpi_comm *comm, int code) {
    if (__builtin_expect(comm && comm->trial, 0)) sup_pmpi_trial_over(comm);
    return code;
}

/* Is this call ours, and by which algorithm? bytes: of the whole, as all members know them (unsized operations: those
 * of this process, for the report); fixed: no clock may decide. */
const sup_choice *sup_pmpi_turn_slow(sup_pmpi_comm *comm, int op, int64_t bytes, bool fixed);
static inline const sup_choice *sup_pmpi_turn(sup_pmpi_comm *c, int op, int64_t bytes, bool fixed) {
    sup_pmpi_use *u = &c->use[op];
    u->calls++;
    u->bytes += (uint64_t)bytes;
    if (__builtin_expect(u->who == SUP_PMPI_THEIRS, 0)) {
        if (c->early_left) sup_pmpi_comm_count(c);
        return NULL;
    }
    if (__builtin_expect(!u->class || (fixed && c->fixed != SUP_PMPI_OURS), 0))
        return sup_pmpi_turn_slow(c, op, bytes, fixed);
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    const sup_choice *choice = o->unsized ? &c->unsized[op] : sup_coll_look(c->coll, o->operation, bytes);
    sup_pmpi_class *k = &u->class[o->unsized ? 0 : sup_pmpi_class_of(bytes)];
    if (__builtin_expect(!choice->algorithm, 0)) {
        k->calls++;
        k->left++;
        return NULL;
    }
    if (!fixed && __builtin_expect(k->holder != SUP_PMPI_CHOSEN || k->calls >= k->ask_at, 0))
        return sup_pmpi_turn_slow(c, op, bytes, fixed);
    k->calls++;
    u->turn_bytes = (uint64_t)bytes;
    return choice;
}

/* … an unsized operation in which all wait for all; bytes: what this member has to do with. */
static inline bool sup_pmpi_is_together(int op) { return op == SUP_PMPI_ALLTOALLV; }
const sup_choice *sup_pmpi_turn_together(sup_pmpi_comm *comm, int op, int64_t bytes);
/* … before anything else: true where it is known already that the call is the library's; then it is counted. */
bool sup_pmpi_left_together(sup_pmpi_comm *comm, int op);

/* What an unsized operation of ours is going to move. */
static inline void sup_pmpi_count(sup_pmpi_comm *c, int op, int64_t bytes) {
    c->use[op].bytes += (uint64_t)bytes;
    c->use[op].turn_bytes = (uint64_t)bytes;
}

/* ---- view.c: the program's buffers as bytes in one piece ---- */

typedef struct sup_pmpi_view {
    void *at;
    int64_t bytes; /* of all blocks; 0: nothing to do, or arguments that are for the library to judge */
    int64_t count; /* elements, where there are no blocks of different lengths */
    MPI_Datatype type;
    bool packed;                       /* the program's memory has gaps: a copy travels */
    bool raw;                          /* the type was never committed */
    bool load, store;                  /* a copy is filled before, and written back after */
    const int *counts, *displacements; /* blocks of different lengths; NULL: of one */
    int64_t *length, *place;           /* of these, in bytes: members of sup_pmpi_comm.blocks */
    int64_t extent;                    /* of an element */
} sup_pmpi_view;

/* Types that are not built in, or have gaps. */
void sup_pmpi_view_derived(sup_pmpi_view *view);
/* count elements of a type; the caller says what is loaded and stored. */
static inline sup_pmpi_view sup_pmpi_view_of(const void *buffer, int64_t count, MPI_Datatype type) {
    const sup_pmpi_type *t = sup_pmpi_type_of(type);
    sup_pmpi_view v = {.at = (void *)(uintptr_t)buffer, .count = count, .type = type};
    if (__builtin_expect(t && t->size == t->extent, 1)) {
        v.extent = t->extent;
        if (count > 0 && buffer) v.bytes = count * t->size;
    } else if (count > 0)
        sup_pmpi_view_derived(&v);
    return v;
}
/* A vector or block of so many bytes, as all members know them: is there something, and can an int count it? More is
 * the library's: it may be one element of a type that is too long to be packed here, and elsewhere many. */
static inline bool sup_pmpi_is_ordinary(int64_t bytes) { return bytes > 0 && bytes <= INT_MAX; }
/* Is this for the library to judge, though there may be nothing to move? */
bool sup_pmpi_view_wrong(const sup_pmpi_view *view);
/* P blocks of different lengths: an element, with the buffer; bytes -1: for the library to judge. Nothing of the
 * communicator is written, so that this can be asked before it is known whose turn it is. */
sup_pmpi_view sup_pmpi_view_element(const sup_pmpi_comm *comm, const void *buffer, const int *counts,
                                    const int *displacements, MPI_Datatype type);
/* Of such an element all blocks, into half (0: IN, 1: OUT) of comm's arrays. */
void sup_pmpi_view_blocks(sup_pmpi_comm *comm, int half, sup_pmpi_view *view);
/* Where the member's own block is, by the element, as libraries that look for it have it. */
static inline const void *sup_pmpi_view_own(const sup_pmpi_comm *comm, const sup_pmpi_view *element) {
    return (const unsigned char *)element->at + element->displacements[comm->rank] * element->bytes;
}
/* Where it is packed, or copy: memory of ours in its place, filled if it is to be loaded. MPI's code, MPI_ERR_NO_MEM
 * without a call of the error handler. */
int sup_pmpi_view_begin(sup_pmpi_comm *comm, sup_pmpi_view *view, bool copy);
/* Stores it, if it is to be, and frees the memory. */
int sup_pmpi_view_end(sup_pmpi_comm *comm, sup_pmpi_view *view, int code);

/* ---- run.c: one call of ours ---- */

/* What a call may return beside MPI's codes: the library shall do it. */
enum { SUP_PMPI_PASS = -1 };
/* Between the buffers as they are. MPI's code, or SUP_PMPI_PASS on all members. */
int sup_pmpi_failed(sup_pmpi_comm *comm, int op, sup_status status);
static inline int sup_pmpi_run(sup_pmpi_comm *comm, int op, const sup_coll_call *call) {
    sup_pmpi_use *u = &comm->use[op];
    sup_status st = sup_coll_run(comm->coll, call);
    if (__builtin_expect(st != SUP_OK, 0)) return sup_pmpi_failed(comm, op, st);
    u->ours++;
    u->ours_bytes += u->turn_bytes;
    return MPI_SUCCESS;
}
/* Between views; NULL: none. IN's place in OUT: inside ≥ 0 and no `in`; OUT's in IN the same way. copy_in: they
 * overlap otherwise. */
typedef struct sup_pmpi_buffers {
    sup_pmpi_view *in, *out;
    int64_t inside;
    bool copy_in;
} sup_pmpi_buffers;
int sup_pmpi_run_views(sup_pmpi_comm *comm, int op, sup_coll_call *call, const sup_pmpi_buffers *buffers);

/* The root's buffers are one, which only it can see, and the others count this turn: it takes it with memory of its
 * own, so that it stays in step with them. IN has in_bytes, OUT out_bytes; MPI says what is wrong afterwards.
 * SUP_PMPI_PASS, or the code of a failure. */
int sup_pmpi_take_part(sup_pmpi_comm *comm, int op, sup_coll_call *call, int64_t in_bytes, int64_t out_bytes);

/* ---- arguments.c: what the library takes for an error, asked once ---- */

typedef struct sup_pmpi_minding {
    int alias_from; /* IN and OUT (or what one is of the other) may not be the same from so many elements on; 0: they
                       may */
    bool raw_in, raw_out; /* IN's, OUT's type has to have been committed */
    bool nowhere;         /* rank 0 of an exscan has to have memory for what it does not get */
} sup_pmpi_minding;
extern sup_pmpi_minding sup_pmpi_minds[SUP_PMPI_OPS];
/* Would the library complain of these two being the same memory? count: elements. */
static inline bool sup_pmpi_alias(int op, const void *a, const void *b, int64_t count) {
    return __builtin_expect(a == b, 0) && sup_pmpi_minds[op].alias_from && count >= sup_pmpi_minds[op].alias_from;
}
/* Of views with a type that was never committed? */
static inline bool sup_pmpi_raw(int op, const sup_pmpi_view *in, const sup_pmpi_view *out) {
    return (in->raw && sup_pmpi_minds[op].raw_in) || (out->raw && sup_pmpi_minds[op].raw_out);
}

typedef enum sup_pmpi_type_state {
    SUP_PMPI_TYPE_WRONG, /* none at all */
    SUP_PMPI_TYPE_RAW,   /* not committed */
    SUP_PMPI_TYPE_FINE
} sup_pmpi_type_state;
/* A derived type. Says nothing to error handlers. */
sup_pmpi_type_state sup_pmpi_type_look(MPI_Datatype type);
/* With the tables of types, and when MPI ends; local. */
void sup_pmpi_arguments_begin(void);
void sup_pmpi_arguments_end(void);

/* ---- meet.c, world.c, plan.c ---- */

/* What the processes of one MPI_COMM_WORLD on this host find out about each other without MPI, and without waiting. */
typedef struct sup_pmpi_meeting {
    bool all;  /* there are as many as MPI_COMM_WORLD has */
    int count; /* how many there were when that was decided */
    bool settings_same, plan_same;
    bool first; /* it was this process that decided it */
} sup_pmpi_meeting;
/* MPI is about to be initialised. settings, plan: words that should be the same everywhere. Local. */
void sup_pmpi_meet_join(uint64_t settings, uint64_t plan);
/* It has been, with so many processes: what the first of this host's that asked found is the answer for all of them. */
sup_pmpi_meeting sup_pmpi_meet_decide(int size);
/* What the launcher says: -1: nothing. */
int sup_pmpi_told_rank(void);
int sup_pmpi_told_size_here(void);

/* Does MPI_Pack give the bytes and nothing else? */
extern bool sup_pmpi_packs;
/* MPI is about to be initialised by a call that came to us; it has been. */
void sup_pmpi_join(void);
void sup_pmpi_begin(void);
/* Whether anything may be replaced. */
extern _Atomic bool sup_pmpi_active;
/* For the report (report.c): a call that initialises MPI has come to us; why nothing is replaced nevertheless (NULL: it
 * is); calls that came while nothing was replaced. */
extern bool sup_pmpi_seen;
extern const char *sup_pmpi_reason;
extern _Atomic uint64_t sup_pmpi_passed;

/* The plan of the settings if it is one for this machine, and its digest (0: none); says why not at verbosity 1. */
sup_plan *sup_pmpi_plan_read(uint64_t *digest);
/* The plan that all processes have, or NULL. */
extern sup_plan *sup_pmpi_plan;

/* ---- report.c ---- */

/* Adds up what a communicator did, before it is forgotten. */
void sup_pmpi_report_add(const sup_pmpi_comm *comm);
/* On standard error, if it was asked for. reason: why there is nothing to report; NULL: there is. */
void sup_pmpi_report_print(const char *reason);

/* say.c: one line on standard error at verbosity 1. */
void sup_pmpi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
