/* Whether an operation on a communicator becomes ours: agreed by all of its members, or it stays the library's.
 *
 * To set up costs about as much as thousands of barriers, and many communicators see few. So the members ask each other
 * from the 4th call on, and then whenever there were an eighth more, whether it is worth while; the question is an
 * MPI_Allreduce, which synchronises them as the barrier would have. It is, when all have had the communicator for so
 * long that setting up takes a twentieth of that at most: then the program cannot lose more than that by it, whatever
 * comes after. */
#include "base/clock.h"
#include "net/mpi/open_comm.h"
#include "pmpi/pmpi.h"

/* ---- is it worth while ---- */

enum { WORTH = 20 };
#define FIRST_GUESS_NS 1000000

/* The longest that it took here so far. */
static _Atomic int64_t cost_ns = FIRST_GUESS_NS;

static int is_worth_while(const sup_pmpi_use *u) {
    return sup_pmpi_set.when == SUP_PMPI_ALWAYS || sup_clock_ns() - u->began_ns >= WORTH * atomic_load(&cost_ns);
}

static void learn_cost(int64_t ns) {
    int64_t known = atomic_load(&cost_ns);
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

static bool all_agree(const sup_pmpi_comm *c, bool mine) {
    int yes = mine, sum = 0;
    return PMPI_Allreduce(&yes, &sum, 1, MPI_INT, MPI_SUM, c->comm) == MPI_SUCCESS && sum == c->size;
}

/* ---- setting up ---- */

/* NULL: it is open on all members; else why it is on none. */
static const char *open_net(sup_pmpi_comm *c) {
    sup_diag diag = {0};
    if (c->net) return NULL;
    bool room = atomic_fetch_add(&sup_pmpi_open_count, 1) < SUP_PMPI_OPEN_MAX;
    if (!all_agree(c, room)) {
        atomic_fetch_sub(&sup_pmpi_open_count, 1);
        return "too many communicators are ours already";
    }
    sup_status st = sup_mpi_open_comm(c->comm, &(sup_mpi_comm_options){.slots = SUP_PMPI_SLOTS}, &diag, &c->net);
    if (st) c->net = NULL;
    bool fine = all_agree(c, !st);
    if (fine) return NULL;
    if (st) atomic_fetch_sub(&sup_pmpi_open_count, 1);
    return "its processes cannot be connected";
}

static const char *set_up(sup_pmpi_comm *c, int op) {
    sup_pmpi_use *u = &c->use[op];
    const char *reason = open_net(c);
    if (reason) return reason;
    sup_status st = sup_pmpi_ops[op]->open(c, &u->state, u->text, sizeof u->text);
    if (st) u->state = NULL;
    if (!all_agree(c, !st)) return "it could not be set up";
    if (sup_pmpi_set.when == SUP_PMPI_ALWAYS) return NULL;
    if (sup_pmpi_trial(c, op) != MPI_SUCCESS) return "the trial failed";
    return u->ours_s > u->theirs_s ? "the library's own is quicker" : NULL;
}

int sup_pmpi_decide(sup_pmpi_comm *c, int op) {
    sup_pmpi_use *u = &c->use[op];
    int yes = is_worth_while(u), sum = 0;
    int code = PMPI_Allreduce(&yes, &sum, 1, MPI_INT, MPI_SUM, c->comm);
    if (code != MPI_SUCCESS) return code;
    u->ask_at += 4 + u->ask_at / 8;
    if (sum < c->size) return MPI_SUCCESS;
    int64_t begin = sup_clock_ns();
    MPI_Errhandler before = hush(c->comm);
    const char *reason = set_up(c, op);
    u->reason = reason;
    u->who = SUP_PMPI_OURS;
    if (reason) {
        if (c->rank == 0)
            sup_pmpi_say("%s of %d processes stays " SUP_PMPI_TITLE "'s: %s", sup_pmpi_ops[op]->name, c->size, reason);
        sup_pmpi_comm_close(c);
    }
    unhush(c->comm, before);
    learn_cost(sup_clock_ns() - begin);
    return MPI_SUCCESS;
}
