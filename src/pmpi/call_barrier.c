/* MPI_Barrier as programs call it. */
#include "base/clock.h"
#include "pmpi/pmpi.h"

/* Where a report is wanted every 16th call is timed: to look at the clock twice takes a third of a quick barrier. */
enum { TIMED = 16 };

/* Somebody is gone. The library's own way to say so is its error handler's. */
static int give_up(sup_pmpi_comm *c, sup_pmpi_use *u) {
    u->who = SUP_PMPI_THEIRS;
    u->ours--;
    u->reason = "a barrier failed";
    return PMPI_Barrier(c->comm);
}

static int timed(sup_pmpi_comm *c, sup_pmpi_use *u) {
    int64_t begin = sup_clock_ns();
    if (sup_barrier_run(c->barrier, 0, NULL)) return give_up(c, u);
    u->timed_s += (double)(sup_clock_ns() - begin) * 1e-9;
    u->timed++;
    return MPI_SUCCESS;
}

SUP_PMPI_VISIBLE int MPI_Barrier(MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (__builtin_expect(!c, 0)) return PMPI_Barrier(comm);
    sup_pmpi_use *u = &c->use[SUP_PMPI_BARRIER];
    u->calls++;
    if (u->who == SUP_PMPI_OURS) {
        u->ours++;
        if (sup_pmpi_set.report && u->calls % TIMED == 0) return timed(c, u);
        return sup_barrier_run(c->barrier, 0, NULL) ? give_up(c, u) : MPI_SUCCESS;
    }
    if (c->early_left)
        sup_pmpi_comm_count(c);
    else if (u->who == SUP_PMPI_UNDECIDED && ++u->asked >= u->ask_at)
        return sup_pmpi_decide_barrier(c);
    return PMPI_Barrier(comm);
}
