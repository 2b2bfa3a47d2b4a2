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

static int ours(sup_pmpi_comm *c, sup_pmpi_use *u) {
    u->ours++;
    return sup_barrier_run(c->barrier, 0, NULL) ? give_up(c, u) : MPI_SUCCESS;
}

static int timed(sup_pmpi_comm *c, sup_pmpi_use *u) {
    int64_t begin = sup_clock_ns();
    int code = ours(c, u);
    if (u->who != SUP_PMPI_OURS) return code;
    u->timed_s += (double)(sup_clock_ns() - begin) * 1e-9;
    u->timed++;
    return code;
}

/* In a trial, or after one. */
static int tried(sup_pmpi_comm *c, sup_pmpi_use *u) {
    sup_pmpi_class *k = &c->barriers;
    bool is_ours = (k->calls >= k->ask_at ? sup_pmpi_trial(c, k, 0, false) : k->holder) != SUP_PMPI_LIBRARY;
    k->calls++;
    if (is_ours) return sup_pmpi_over(c, ours(c, u));
    k->left++;
    return sup_pmpi_over(c, PMPI_Barrier(c->comm));
}

SUP_PMPI_VISIBLE int MPI_Barrier(MPI_Comm comm) {
    sup_pmpi_comm *c = sup_pmpi_comm_of(comm);
    if (__builtin_expect(!c, 0)) return PMPI_Barrier(comm);
    sup_pmpi_use *u = &c->use[SUP_PMPI_BARRIER];
    u->calls++;
    if (u->who == SUP_PMPI_OURS) {
        sup_pmpi_class *k = &c->barriers;
        if (__builtin_expect(k->calls >= k->ask_at || k->holder == SUP_PMPI_LIBRARY, 0)) return tried(c, u);
        k->calls++;
        return sup_pmpi_set.report && u->calls % TIMED == 0 ? timed(c, u) : ours(c, u);
    }
    if (c->early_left)
        sup_pmpi_comm_count(c);
    else if (u->who == SUP_PMPI_UNDECIDED && ++u->asked >= u->ask_at)
        return sup_pmpi_decide_barrier(c);
    return PMPI_Barrier(comm);
}
