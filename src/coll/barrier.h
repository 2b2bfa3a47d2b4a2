/* The barrier interpreter: Tsync, the run stage of BSP ch. 5 and 7.
 *
 * A barrier is a list of stages; in a stage a process signals some processes and then waits for signals of some others.
 * What those are is data: a plan's stages, or one of the built-in patterns. Each process keeps only its own edges.
 * Every signal carries eight bits that are OR-ed on the way, so that after a correct barrier (everyone has heard of
 * everyone) each process knows the OR of all: that is how bsp_sync learns at no extra cost whether anybody put, got or
 * sent anything. */
#ifndef SUP_COLL_BARRIER_H
#define SUP_COLL_BARRIER_H

#include "base/status.h"
#include "net/net.h"

typedef enum { SUP_BARRIER_DISSEMINATION, SUP_BARRIER_TREE, SUP_BARRIER_LINEAR } sup_barrier_kind;

/* One process's part of one stage: whom it signals, whom it waits for. */
typedef struct sup_barrier_stage {
    int number; /* in the whole pattern: empty stages of this process are left out */
    int sends, receives;
    int *to, *from;
} sup_barrier_stage;

typedef struct sup_barrier {
    sup_net *net;
    int size; /* the first so many ranks take part */
    uint64_t epoch;
    uint64_t
        origin; /* added to all words: 0, or (before its first run) what sup_barrier_next gave for the one before */
    int slot;   /* first of the two signal slots it uses */
    int total;  /* stages of the whole pattern, the same on every process */
    int stage_count;
    sup_barrier_stage *stage;
} sup_barrier;

/* The built-in patterns over ranks 0 … size-1. `slot`: it uses this signal slot and the next; barriers that may be
 * under way at the same time need different ones. Empty stages of this process are left out. */
sup_status sup_barrier_new(sup_net *net, int size, sup_barrier_kind kind, int slot, sup_barrier **out);

/* A pattern given as edges: edge e of `count` says that from[e] signals to[e] in stage stage[e] (0 … stages-1,
 * ascending order not required). The caller vouches that it is a barrier (a plan's reader checks that). */
sup_status sup_barrier_from_edges(sup_net *net, int size, int stages, size_t count, const int *stage, const int *from,
                                  const int *to, int slot, sup_barrier **out);

void sup_barrier_free(sup_barrier *barrier);

/* Above all words that it has signalled: the origin for another barrier of these processes on the same slots. The same
 * on all of them, when all are out of its last run. */
uint64_t sup_barrier_next(const sup_barrier *barrier);

/* Collective. *all = OR of everybody's `bits` (0 … 255); NULL: not wanted. Cost: that of the pattern, see model/sync.
 * SUP_EPEER: someone is gone. */
sup_status sup_barrier_run(sup_barrier *barrier, unsigned bits, unsigned *all);

#endif
