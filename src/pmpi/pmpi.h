/* Superstep inside MPI programs that know nothing of it: the run stage, through MPI's profiling interface.
 *
 * The library is loaded before the MPI of the program (LD_PRELOAD, `superstep run --mpi`) and defines a few of MPI's
 * functions. Each passes its call on to the library's own, PMPI_NAME, until all members of the communicator have agreed
 * that something of ours is set up for it and is quicker. superstep-pmpi(7) is the manual.
 *
 *     call_NAME.c, fortran.c         the functions that programs call
 *     decide.c, trial.c              whether a communicator's calls become ours: agreed by all of its members
 *     comm.c                         what is known of a communicator, kept as an attribute of it
 *     ops.c, op_NAME.c               what is replaced: a const object each, listed in one table
 *     world.c, plan.c                what all processes have in common: settings, plan
 *     settings.c, report.c, say.c    the environment; what is printed
 *
 * Whatever one process finds (no memory, no /proc, another plan) is the concern of all: nothing is used before all
 * members have said by an MPI_Allreduce that they can. */
#ifndef SUP_PMPI_PMPI_H
#define SUP_PMPI_PMPI_H

#include "base/status.h"
#include "coll/barrier.h"
#include "net/group.h"
#include "net/mpi/calls.h"
#include "plan/plan.h"

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
    int when;     /* SUPERSTEP_MPI_WHEN: sup_pmpi_when */
    bool report;  /* SUPERSTEP_MPI_REPORT */
    bool verbose; /* SUPERSTEP_MPI_VERBOSE */
    char plan[1024];
} sup_pmpi_settings;
extern sup_pmpi_settings sup_pmpi_set;

/* ---- operations ---- */

typedef struct sup_pmpi_comm sup_pmpi_comm;

/* What is replaced. A strategy is a const object in a file of its own, and a row of ops.c. */
typedef struct sup_pmpi_op {
    const char *name; /* of MPI's call */
    /* On the open net of a communicator; local. text: what it does, in a few words. */
    sup_status (*open)(sup_pmpi_comm *comm, void **state, char *text, size_t size);
    void (*close)(void *state);
    /* One call, ours and the library's, for the trial. */
    sup_status (*ours)(void *state);
    int (*theirs)(MPI_Comm comm);
} sup_pmpi_op;

extern const sup_pmpi_op sup_pmpi_barrier;
enum { SUP_PMPI_BARRIER, SUP_PMPI_OPS };
extern const sup_pmpi_op *const sup_pmpi_ops[SUP_PMPI_OPS];

/* Signal slots of a communicator's net, which nobody else uses. */
enum { SUP_PMPI_SLOT_BARRIER, SUP_PMPI_SLOTS = SUP_PMPI_SLOT_BARRIER + SUP_BARRIER_SLOTS };

/* ---- comm.c: communicators ---- */

typedef enum sup_pmpi_who { SUP_PMPI_UNDECIDED, SUP_PMPI_OURS, SUP_PMPI_THEIRS } sup_pmpi_who;

/* One operation on one communicator. */
typedef struct sup_pmpi_use {
    int who;                 /* sup_pmpi_who */
    void *state;             /* of the operation, where it is ours */
    uint64_t calls;          /* so far */
    uint64_t before;         /* of them, the library's */
    uint64_t ask_at;         /* number of the call at which the members ask each other next */
    int64_t began_ns;        /* first call */
    double ours_s, theirs_s; /* one call, in the trial; NaN: there was none */
    int pairs;               /* of batches that it compared */
    uint64_t timed;          /* calls of ours whose time was taken … */
    double timed_s;          /* … and it, together */
    char text[48];           /* what ours does */
    const char *reason;      /* why it is the library's */
} sup_pmpi_use;

struct sup_pmpi_comm {
    MPI_Comm comm;
    int rank, size, hosts; /* hosts 0: not known */
    sup_net *net;          /* its own; NULL: not open */
    bool planned;          /* what is ours comes from the plan */
    sup_pmpi_use use[SUP_PMPI_OPS];
    sup_pmpi_comm *next, *previous; /* of all */
};

/* The last look-up of this thread. A communicator that is freed raises the generation, so that another one with the
 * same handle is not mistaken for it. */
typedef struct sup_pmpi_last {
    MPI_Comm comm;
    unsigned generation;
    sup_pmpi_comm *found;
} sup_pmpi_last;
extern _Thread_local sup_pmpi_last sup_pmpi_last_look;
extern _Atomic unsigned sup_pmpi_generation;

/* NULL: not our business (MPI is not running, the settings of processes differ, no memory). */
sup_pmpi_comm *sup_pmpi_comm_look(MPI_Comm comm);
static inline sup_pmpi_comm *sup_pmpi_comm_of(MPI_Comm comm) {
    const sup_pmpi_last *l = &sup_pmpi_last_look;
    if (l->found && l->comm == comm &&
        l->generation == atomic_load_explicit(&sup_pmpi_generation, memory_order_acquire))
        return l->found;
    return sup_pmpi_comm_look(comm);
}
/* At the beginning (no call of MPI_Barrier has been seen) and the end of MPI. */
int sup_pmpi_comms_begin(void);
void sup_pmpi_comms_end(void);
/* Gives its net and states back; the calls are the library's from then on. Local. */
void sup_pmpi_comm_close(sup_pmpi_comm *comm);
/* Communicators with an open net. */
extern _Atomic int sup_pmpi_open_count;
#define SUP_PMPI_OPEN_MAX 128

/* ---- decide.c, trial.c ---- */

/* In the ask_at-th call, instead of the library's: synchronises the members, as it would, and may end with the
 * operation being ours. MPI's code. */
int sup_pmpi_decide(sup_pmpi_comm *comm, int op);
/* One after the other, for a bounded time; the results are the same on all members. MPI's code. */
int sup_pmpi_trial(sup_pmpi_comm *comm, int op);

/* ---- world.c, plan.c ---- */

/* MPI has just been initialised. Collective over its processes. */
void sup_pmpi_begin(void);
/* Whether anything may be replaced. */
extern _Atomic bool sup_pmpi_active;

/* The plan of the settings if it is one for this machine, and its digest (0: none); says why not at verbosity 1. */
sup_plan *sup_pmpi_plan_read(uint64_t *digest);
/* The plan that all processes have, or NULL. */
extern sup_plan *sup_pmpi_plan;

/* ---- report.c ---- */

/* Adds up what a communicator did, before it is forgotten. */
void sup_pmpi_report_add(const sup_pmpi_comm *comm);
/* On standard error, if it was asked for. */
void sup_pmpi_report_print(void);

/* say.c: one line on standard error at verbosity 1. */
void sup_pmpi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
