/* The barrier interpreter: Tsync, the run stage of BSP ch. 5 and 7.
 *
 * A barrier is a list of stages; in a stage a process signals some processes and then waits for signals of some others.
 * What those are is data, a pattern of base/pattern/pattern.h over any group of processes. Each keeps only its own
 * edges. Where the pattern says that several receivers may read one word of the sender, and they share memory with it,
 * the sender publishes that word once instead of signalling each. Every signal carries eight bits that are OR-ed on the
 * way, so that after a correct barrier (everyone has heard of everyone) each process knows the OR of all: that is how
 * bsp_sync learns at no extra cost whether anybody put, got or sent anything. */
#ifndef SUP_COLL_MESSAGES_BARRIER_H
#define SUP_COLL_MESSAGES_BARRIER_H

#include "base/pattern/pattern.h"
#include "net/group.h"

enum { SUP_BARRIER_SLOTS = 2 };

/* One process's part of one stage: whom it signals, whom it waits for; all as ranks of the net. */
typedef struct sup_barrier_stage {
    int number; /* in the whole pattern: empty stages of this process are left out */
    int readers, sends, receives, published;
    int *reader; /* read the one word that this process publishes */
    int *to, *from;
    int *publisher; /* whose published word this process reads */
} sup_barrier_stage;

typedef struct sup_barrier {
    sup_net *net;
    uint64_t epoch;
    uint64_t origin; /* added to all words */
    int slot;        /* first of the two signal slots it uses */
    int total;       /* stages of the whole pattern, the same on every process */
    int stage_count;
    int at, heard; /* where a run in steps is: its stage, and how many of it have been heard */
    unsigned seen; /* by it, so far */
    sup_barrier_stage *stage;
    int *ranks; /* of all stages */
} sup_barrier;

/* The pattern over the members of a group, of which this process is one. The caller vouches that it is a barrier (a
 * plan's reader checks that). `slot`: it uses this signal slot and the next (SUP_BARRIER_SLOTS); barriers that may be
 * under way at the same time and have a process in common need different ones (net/numbers.h). Neither group nor
 * pattern are needed any more afterwards. SUP_EINVAL: not a member, or the pattern is for another number of processes.
 */
sup_status sup_barrier_new(const sup_net_group *group, const sup_pattern *pattern, int slot, sup_barrier **out);
void sup_barrier_free(sup_barrier *barrier);

/* Collective, before these slots serve a barrier of other processes: one of them could run ahead and write over what it
 * has published before a slow one of these has read it. Runs once more, without bits: of that run nothing can be
 * mistaken. A barrier that has never run has nothing to leave. */
sup_status sup_barrier_leave(sup_barrier *barrier);

/* Above all words that it has signalled: where another barrier of these processes on the same slots may begin. The same
 * on all of them, when all are out of its last run. */
uint64_t sup_barrier_next(const sup_barrier *barrier);
/* Begins at such a word, the same on all processes; none is in a run. */
void sup_barrier_begin_at(sup_barrier *barrier, uint64_t word);

/* Collective. *all = OR of everybody's `bits` (0 … 255); NULL: not wanted. Cost: that of the pattern, see model/sync.
 * SUP_EPEER: someone is gone. */
sup_status sup_barrier_run(sup_barrier *barrier, unsigned bits, unsigned *all);

/* The same in steps that do not wait, for a process that has something else to look after meanwhile: start, then try
 * until *done. The two kinds may take turns, and some processes may do the one while others do the other. */
sup_status sup_barrier_start(sup_barrier *barrier, unsigned bits);
sup_status sup_barrier_try(sup_barrier *barrier, bool *done, unsigned *all);
/* Is all that a run in steps waits for next written to memory by processes that ring? */
bool sup_barrier_rung(const sup_barrier *barrier);

#endif
