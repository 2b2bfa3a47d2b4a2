/* Whose turn a call is, where it is not plain (pmpi.h has the quick part): before the communicator is set up, when a
 * trial is due, and after one that the library has won. Every step follows from numbers of calls, which all members
 * count alike, or from what decide.c has made them agree upon. */
#include "pmpi/pmpi.h"
#include "schedule/shared.h"

#include <string.h>

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

/* Long blocks go through cells or from memory to memory; where no plan says which, trials do. The same on all members.
 */
static bool has_other(sup_pmpi_comm *c, int op, const sup_choice *choice, int64_t bytes) {
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    sup_pmpi_use *u = &c->use[op];
    if (bytes < (int64_t)SUP_SHARED_DIRECT * c->size || !o->blocks || o->folds) return false;
    if (o->unsized && !sup_pmpi_is_together(op)) return false;
    if (u->other_of == choice) return u->other.algorithm;
    u->other_of = choice;
    u->other = (sup_choice){.algorithm = NULL};
    if (sup_pmpi_plan || sup_pmpi_set.no_kernel_copy || choice->hosts || choice->segment_bytes) return false;
    const char *name = choice->algorithm->name;
    bool direct = !strcmp(name, "direct");
    if (!direct && strcmp(name, "shared") != 0) return false;
    sup_job job = {.operation = o->operation, .processes = c->size, .bytes = bytes / c->size, .element = 1};
    u->other.algorithm = sup_algorithm_find(o->operation, direct || o->unsized ? "shared" : "direct");
    if (o->unsized && !direct) u->other.segment_bytes = SUP_SHARED_PIECE; /* blocks that differ go direct without it */
    if (u->other.algorithm && !sup_coll_can(c->coll, &job, &u->other)) u->other.algorithm = NULL;
    return u->other.algorithm;
}

/* Whose it is, by the size. */
static const sup_choice *by_class(sup_pmpi_comm *c, int op, const sup_choice *choice, int64_t bytes, bool fixed) {
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    sup_pmpi_use *u = &c->use[op];
    bool sized = !o->unsized || sup_pmpi_is_together(op);
    sup_pmpi_class *k = &u->class[sized ? sup_pmpi_class_of(bytes) : 0];
    int whose = !choice->algorithm ? SUP_PMPI_LIBRARY : fixed ? SUP_PMPI_CHOSEN : k->holder;
    bool asked = !fixed && choice->algorithm && k->calls >= k->ask_at;
    bool two_ways = (asked || whose == SUP_PMPI_OTHER) && has_other(c, op, choice, bytes);
    if (asked) whose = sup_pmpi_trial(c, k, sized ? bytes : 0, two_ways);
    k->calls++;
    if (whose == SUP_PMPI_LIBRARY) {
        k->left++;
        return NULL;
    }
    u->turn_bytes = (uint64_t)bytes;
    return whose == SUP_PMPI_OTHER && two_ways ? &u->other : choice;
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
    if (o->unsized) sup_pmpi_decide_use(c, op);
    if (!u->class || u->who == SUP_PMPI_THEIRS || (fixed && c->fixed != SUP_PMPI_OURS)) return NULL;
    const sup_choice *choice = o->unsized ? &c->unsized[op] : sup_coll_look(c->coll, o->operation, bytes);
    return by_class(c, op, choice, bytes, fixed);
}

/* ---- calls of which nobody knows how much the others move, and all wait for all ---- */

/* Members tell each other in the first 32 calls, in the 16 behind each power of two, and for as long as a trial goes on
 * or some sizes are ours and some the library's. Else all are the same, and nobody asks. */
static bool asks(const sup_pmpi_use *u) {
    enum { EACH_TIME = 16 };
    uint64_t n = u->asked, power = n ? (uint64_t)1 << (63 - __builtin_clzll(n)) : 0;
    return u->differs || n - power < EACH_TIME;
}

static void see_whether_they_differ(sup_pmpi_use *u) {
    bool ours = false, theirs = false, tried = false;
    for (int i = 0; i < SUP_PMPI_CLASSES; i++) {
        const sup_pmpi_class *k = &u->class[i];
        tried |= k->tried || k->rounds;
        ours |= k->calls && k->holder != SUP_PMPI_LIBRARY;
        theirs |= k->calls && k->holder == SUP_PMPI_LIBRARY;
    }
    u->differs = tried || (ours && theirs);
    u->none = theirs && !ours;
}

static bool can_ask(const sup_pmpi_comm *c, int op) {
    return sup_pmpi_set.when != SUP_PMPI_ALWAYS && c->unsized[op].algorithm && !c->unsized[op].hosts && c->hosts == 1;
}

bool sup_pmpi_left_together(sup_pmpi_comm *c, int op) {
    sup_pmpi_use *u = &c->use[op];
    if (!u->none || u->differs || u->who == SUP_PMPI_THEIRS || c->early_left || !can_ask(c, op) || asks(u))
        return false;
    u->calls++;
    u->asked++;
    return true;
}

const sup_choice *sup_pmpi_turn_together(sup_pmpi_comm *c, int op, int64_t bytes) {
    sup_pmpi_use *u = &c->use[op];
    if (u->who == SUP_PMPI_THEIRS || c->early_left || (u->class && !can_ask(c, op)))
        return sup_pmpi_turn(c, op, 0, false);
    u->calls++;
    consider(c, 0);
    sup_pmpi_decide_use(c, op);
    if (!u->class) return NULL;
    if (!can_ask(c, op)) return sup_pmpi_turn_slow(c, op, 0, false);
    bool asking = asks(u);
    u->asked++;
    if (!asking) return u->none ? NULL : &c->unsized[op];
    sup_status st = sup_coll_greatest(c->coll, &bytes);
    if (st == SUP_ENOTSUP)
        bytes = 0;
    else if (st)
        return &c->unsized[op]; /* which fails as this did */
    const sup_choice *choice = by_class(c, op, &c->unsized[op], bytes, false);
    see_whether_they_differ(u);
    return choice;
}
