/* Whether operations on a communicator become ours: agreed by all of its members, or they stay the library's.
 *
 * To set up costs about as much as some hundred barriers, and many communicators see few calls. MPI_COMM_WORLD of one
 * host is set up when MPI begins, which takes a hundred times as long. Else its first nine calls, the first fifteen of
 * others count for nothing (comm.c); at the one after these, at the 16th of others, and then whenever there were half
 * as many more, the members ask each other whether it is worth while; the question is an MPI_Allreduce, which
 * synchronises them as a barrier would have. It is, when setting up takes a twentieth at most of the time that all have
 * had the communicator: then the program cannot lose more than that by it, whatever comes after. A process pays for a
 * few communicators in advance, out of all the time since it began: most programs have one that matters, and whether
 * they live long enough is known only in the end. For reductions that round no clock may decide: there, too, a few are
 * paid for in advance, and each further one with reductions that the process has made.
 *
 * What is set up is ours at once, by the plan's choice or the default; whether it stays so is tried with the
 * calls that follow, each operation and size for itself (trial.c). */
#include "base/clock.h"
#include "net/mpi/open_comm.h"
#include "pmpi/pmpi.h"

#include <stdlib.h>

/* ---- is it worth while ---- */

enum { WORTH = 20 };
#define FIRST_GUESS_NS 1000000
/* … in a process with threads: the kernel's fence (coll/room/room.h). */
#define THREADS_NS 20000000
/* Set-ups that a process pays for in advance. */
enum { IN_ADVANCE = 8 };
/* From the first time that they are asked on, calls until the members are asked again, at least. */
enum { AGAIN = 16 };

/* The longest that it took here so far, all together, and how often. */
static _Atomic int64_t cost_ns = FIRST_GUESS_NS, spent_ns;
static _Atomic int set_ups;

static bool is_worth_while(int64_t began_ns) {
    int64_t now = sup_clock_ns(), costs = atomic_load(&cost_ns);
    if (!sup_pmpi_set.ready && !atomic_load(&set_ups)) costs = THREADS_NS;
    if (sup_pmpi_set.when == SUP_PMPI_ALWAYS || now - began_ns >= WORTH * costs) return true;
    return atomic_load(&set_ups) < IN_ADVANCE &&
           now - sup_pmpi_set.loaded_ns >= WORTH * (atomic_load(&spent_ns) + costs);
}

static uint64_t ask_again(uint64_t now) { return now + (now + 1) / 2 > AGAIN ? now + (now + 1) / 2 : AGAIN; }

static void learn_cost(int64_t ns) {
    int64_t known = atomic_load(&cost_ns);
    atomic_fetch_add(&spent_ns, ns);
    atomic_fetch_add(&set_ups, 1);
    while (ns > known && !atomic_compare_exchange_weak(&cost_ns, &known, ns)) continue;
}

/* ---- agreement ---- */

/* Errors of what we do on the program's communicator are not for its error handler. */
static MPI_Errhandler hush(MPI_Comm comm) {
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    if (PMPI_Comm_get_errhandler(comm, &before) == MPI_SUCCESS) PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return before;
}

static void unhush(MPI_Comm comm, MPI_Errhandler before) {
    if (before == MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_set_errhandler(comm, before);
    PMPI_Errhandler_free(&before);
}

/* The bits that all have. */
static int all_have(const sup_pmpi_comm *c, int mine) {
    int all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BAND, c->comm) == MPI_SUCCESS ? all : 0;
}

static bool all_agree(const sup_pmpi_comm *c, bool mine) { return all_have(c, mine); }

/* What the members ask each other before anything is set up, all of it at once. */
enum { WORTH_IT = 1, ROOM = 2 };
static const char too_many[] = "too many communicators are ours already";

/* A place among the communicators with an open net; what has to be so in every run is not counted with what depends on
 * time. */
static bool take_place(const sup_pmpi_comm *c, bool fixed) {
    return c->net || atomic_fetch_add(&sup_pmpi_open_count, 1) < SUP_PMPI_OPEN_MAX || fixed;
}
static void give_place(const sup_pmpi_comm *c) {
    if (!c->net) atomic_fetch_sub(&sup_pmpi_open_count, 1);
}

/* ---- setting up ---- */

static void count_hosts(sup_pmpi_comm *c) {
    sup_net_group everybody = sup_net_group_first(c->net, c->size);
    sup_net_hosts hosts;
    if (sup_net_group_hosts(&everybody, &hosts)) return;
    c->hosts = hosts.count;
    sup_net_hosts_free(&hosts);
}

/* In the place that was taken for it. NULL: it is open on all members, and all are ready for what comes next; else why
 * not: then it is on none that does not use it for something else. */
static const char *open_net(sup_pmpi_comm *c, bool ready) {
    sup_diag diag = {0};
    sup_status st = SUP_OK;
    if (!c->net) {
        sup_mpi_comm_options options = {.slots = SUP_PMPI_SLOTS, .no_kernel_copy = sup_pmpi_set.no_kernel_copy};
        st = sup_mpi_open_comm(c->comm, &options, &diag, &c->net);
        if (st) {
            c->net = NULL;
            give_place(c);
        }
    }
    int all = all_have(c, (st ? 0 : 1) | (ready ? 2 : 0));
    if (!(all & 1) || !c->net) return "its processes cannot be connected";
    if (!c->hosts) count_hosts(c);
    if (all & 2) return NULL;
    return sup_pmpi_packs ? "no memory" : "types cannot be packed";
}

/* ---- the barrier ---- */

static const char *set_up_barrier(sup_pmpi_comm *c) {
    const char *reason = open_net(c, true);
    if (reason) return reason;
    sup_status st = sup_pmpi_barrier_open(c);
    if (!all_agree(c, !st)) {
        sup_barrier_free(c->barrier);
        c->barrier = NULL;
        return "it could not be set up";
    }
    return NULL;
}

int sup_pmpi_decide_barrier(sup_pmpi_comm *c) {
    sup_pmpi_use *u = &c->use[SUP_PMPI_BARRIER];
    int mine = c->net || is_worth_while(u->began_ns) ? WORTH_IT : 0, all = 0; /* what costs is to connect */
    mine |= take_place(c, false) ? ROOM : 0;
    int code = PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BAND, c->comm);
    u->ask_at = ask_again(u->asked);
    if (code != MPI_SUCCESS || !(all & WORTH_IT)) {
        give_place(c);
        return code;
    }
    int64_t begin = sup_clock_ns();
    MPI_Errhandler before = hush(c->comm);
    if (!(all & ROOM)) give_place(c);
    const char *reason = all & ROOM ? set_up_barrier(c) : too_many;
    u->reason = reason;
    u->who = reason ? SUP_PMPI_THEIRS : SUP_PMPI_OURS;
    if (reason && c->rank == 0)
        sup_pmpi_say("MPI_Barrier of %d processes stays " SUP_PMPI_TITLE "'s: %s", c->size, reason);
    if (reason && !c->coll) sup_pmpi_comm_close_net(c);
    unhush(c->comm, before);
    learn_cost(sup_clock_ns() - begin);
    return MPI_SUCCESS;
}

/* ---- the other operations ---- */

static bool make_room(sup_pmpi_comm *c) {
    size_t classes = (size_t)SUP_PMPI_OPS * SUP_PMPI_CLASSES;
    c->classes = calloc(classes, sizeof *c->classes);
    c->blocks = calloc(4 * (size_t)c->size, sizeof *c->blocks);
    if (!c->classes || !c->blocks) return false;
    for (size_t i = 0; i < classes && sup_pmpi_set.when == SUP_PMPI_ALWAYS; i++) c->classes[i].ask_at = UINT64_MAX;
    return true;
}

/* Where nobody knows how much the others have, one way serves all sizes: what is chosen for blocks of a page, or the
 * first of the others that takes blocks of any length. */
static void choose_unsized(sup_pmpi_comm *c, int op) {
    static const char *const names[] = {"shared", "linear", "pairwise"};
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    sup_job job = {.operation = o->operation, .processes = c->size};
    if (o->in_varies) job.in_bytes = job.in_at = c->blocks; /* of nothing */
    if (o->out_varies) job.out_bytes = job.out_at = c->blocks;
    c->unsized[op] = *sup_coll_look(c->coll, o->operation, (int64_t)SUP_PMPI_NOMINAL * c->size);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!c->unsized[op].algorithm || sup_coll_can(c->coll, &job, &c->unsized[op])) return;
        c->unsized[op] = (sup_choice){.algorithm = sup_algorithm_find(o->operation, names[i])};
        if (!c->unsized[op].algorithm) c->unsized[op].algorithm = sup_algorithm_find(o->operation, "linear");
    }
    if (!sup_coll_can(c->coll, &job, &c->unsized[op])) c->unsized[op].algorithm = NULL;
}

static void first_use(sup_pmpi_comm *c, int op) { c->use[op].class = c->classes + (size_t)op * SUP_PMPI_CLASSES; }

static const char *set_up(sup_pmpi_comm *c) {
    sup_diag diag = {0};
    const char *reason = open_net(c, make_room(c) && sup_pmpi_packs);
    if (reason) return reason;
    sup_net_group everybody = sup_net_group_first(c->net, c->size);
    sup_coll_options options = {.plan = sup_pmpi_plan,
                                .tag = SUP_MPI_COMM_TAG,
                                .slot = SUP_PMPI_SLOT_COLL,
                                .mpi = true};
    sup_status st = sup_coll_open(&everybody, &options, &diag, &c->coll);
    if (st) c->coll = NULL;
    if (!all_agree(c, !st)) return "it could not be set up";
    for (int op = 0; op < SUP_PMPI_OPS; op++)
        if (op != SUP_PMPI_BARRIER && !sup_pmpi_ops[op].unsized) first_use(c, op);
    return NULL;
}

void sup_pmpi_decide_use(sup_pmpi_comm *c, int op) {
    if (!c->coll || c->use[op].class) return;
    choose_unsized(c, op);
    first_use(c, op);
}

static const char *open_all(sup_pmpi_comm *c) {
    if (c->coll) return NULL;
    const char *reason = set_up(c);
    if (!reason) return NULL;
    sup_pmpi_comm_close_coll(c);
    if (!c->barrier) sup_pmpi_comm_close_net(c);
    return reason;
}

/* Communicators beside MPI_COMM_WORLD that a process sets up for reductions that round before it has paid for them, and
 * what each further one costs: setting up takes as long as some hundred reductions. */
enum { FIXED_FREE = 8, FIXED_COSTS = 16384 };

static bool is_paid_for(void) {
    int made = atomic_load(&sup_pmpi_fixed_made);
    return sup_pmpi_set.when == SUP_PMPI_ALWAYS || made < FIXED_FREE ||
           atomic_load(&sup_pmpi_fixed_seen) / FIXED_COSTS > (uint64_t)(made - FIXED_FREE);
}

/* What this process has to say, with the places that it needs taken. */
static int have_for(const sup_pmpi_comm *c, bool fixed) {
    bool worth = fixed ? is_paid_for() : is_worth_while(c->began_ns);
    bool room = take_place(c, fixed);
    if (fixed && atomic_fetch_add(&sup_pmpi_fixed_count, 1) >= SUP_PMPI_FIXED_MAX) room = false;
    return (worth ? WORTH_IT : 0) | (room ? ROOM : 0);
}

static void decided(sup_pmpi_comm *c, bool fixed, const char *reason) {
    int who = reason ? SUP_PMPI_THEIRS : SUP_PMPI_OURS;
    if (fixed && reason) atomic_fetch_sub(&sup_pmpi_fixed_count, 1);
    if (fixed && !reason && c->comm != MPI_COMM_WORLD) atomic_fetch_add(&sup_pmpi_fixed_made, 1);
    if (fixed) c->fixed = who;
    if (!fixed || !reason) c->open = who;
    c->reason = reason;
    if (reason && c->rank == 0)
        sup_pmpi_say("collective operations of %d processes stay " SUP_PMPI_TITLE "'s: %s", c->size, reason);
}

void sup_pmpi_decide_open(sup_pmpi_comm *c, bool fixed) {
    MPI_Errhandler before = hush(c->comm);
    uint64_t *next = fixed ? &c->fixed_at : &c->ask_at, now = fixed ? c->fixed_calls : c->calls;
    *next = ask_again(now);
    int all = all_have(c, have_for(c, fixed));
    int64_t begin = sup_clock_ns(); /* how late the others were is not what setting up takes */
    if (!(all & WORTH_IT) || !(all & ROOM)) give_place(c);
    if (all & WORTH_IT) {
        decided(c, fixed, all & ROOM ? open_all(c) : too_many);
        learn_cost(sup_clock_ns() - begin);
    } else if (fixed) {
        atomic_fetch_sub(&sup_pmpi_fixed_count, 1);
    }
    unhush(c->comm, before);
}

/* ---- at the beginning ---- */

/* An operation that sets up the others when it becomes ours. */
static bool any_but_barrier(void) { return sup_pmpi_set.ops & ~(1u << SUP_PMPI_BARRIER); }

void sup_pmpi_decide_world(sup_pmpi_comm *c) {
    MPI_Errhandler before = hush(c->comm);
    bool ready = all_agree(c, sup_pmpi_set.ready);
    unhush(c->comm, before);
    if (!ready) return;
    if (any_but_barrier()) sup_pmpi_decide_open(c, true);
    if (c->use[SUP_PMPI_BARRIER].who == SUP_PMPI_UNDECIDED) (void)sup_pmpi_decide_barrier(c);
}
