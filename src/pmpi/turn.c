/* Whose turn a call is, where it is not plain (pmpi.h has the quick part): before the communicator is set up, when a
 * trial is due, and after one that the library has won. Every step follows from numbers of calls, which all members
 * count alike, or from what decide.c has made them agree upon. */
#include "pmpi/pmpi.h"

/* A call counts for one, and one more for so many bytes: few long ones may be worth as much as many short ones. */
enum { WEIGHT = 1 << 14 };
static uint64_t weight_of(int64_t bytes) { return 1 + (uint64_t)bytes / WEIGHT; }

static void consider_fixed(sup_pmpi_comm *c, int64_t bytes) {
    if (c->fixed != SUP_PMPI_UNDECIDED) return;
    c->fixed_calls += weight_of(bytes);
    atomic_fetch_add_explicit(&sup_pmpi_fixed_seen, weight_of(bytes), memory_order_relaxed);
    if (c->fixed_calls >= c->fixed_at) sup_pmpi_decide_open(c, true);
}

static void consider(sup_pmpi_comm *c, int64_t bytes) {
    if (c->coll || c->open != SUP_PMPI_UNDECIDED) return;
    c->calls += weight_of(bytes);
    if (c->calls >= c->ask_at) sup_pmpi_decide_open(c, false);
}

const sup_choice *sup_pmpi_turn_slow(sup_pmpi_comm *c, int op, int64_t bytes, bool fixed) {
    sup_pmpi_use *u = &c->use[op];
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    if (c->early_left) {
        sup_pmpi_comm_count(c);
        return NULL;
    }
    if (fixed)
        consider_fixed(c, bytes);
    else
        consider(c, bytes);
    if (!u->class || u->who == SUP_PMPI_THEIRS || (fixed && c->fixed != SUP_PMPI_OURS)) return NULL;
    const sup_choice *choice = o->unsized ? &c->unsized[op] : sup_coll_look(c->coll, o->operation, bytes);
    sup_pmpi_class *k = &u->class[o->unsized ? 0 : sup_pmpi_class_of(bytes)];
    bool ours = choice->algorithm && (fixed || k->who == SUP_PMPI_OURS);
    if (!fixed && choice->algorithm && k->calls >= k->ask_at) ours = sup_pmpi_trial(c, k);
    k->calls++;
    if (!ours) {
        k->left++;
        return NULL;
    }
    u->turn_bytes = (uint64_t)bytes;
    return choice;
}
