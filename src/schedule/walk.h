/* What the algorithms of this folder share: places of blocks and parts, and the actions of one rank as calls. Tcomm,
 * below model and run stage. A walk keeps the first status that is not SUP_OK and tells nothing more after it. */
#ifndef SUP_SCHEDULE_WALK_H
#define SUP_SCHEDULE_WALK_H

#include "schedule/schedule.h"

typedef struct sup_walk {
    const sup_job *job;
    int64_t rank, processes;
    sup_walker *walker;
    int stage; /* of what is told next */
    sup_status status;
} sup_walk;

/* A piece of a buffer. */
typedef struct sup_piece {
    int64_t at, bytes;
} sup_piece;

sup_walk sup_walk_of(const sup_job *job, int64_t rank, sup_walker *walker);
/* Nothing of no bytes is told. */
void sup_walk_send(sup_walk *walk, int64_t peer, int buffer, int64_t at, int64_t bytes);
void sup_walk_receive(sup_walk *walk, int64_t peer, int buffer, int64_t at, int64_t bytes);
void sup_walk_copy(sup_walk *walk, int buffer, int64_t at, int to, int64_t to_at, int64_t bytes);
void sup_walk_fold(sup_walk *walk, int buffer, int64_t at, int to, int64_t to_at, int64_t bytes, bool before);
/* A message of no bytes. */
void sup_walk_signal(sup_walk *walk, int64_t peer, bool send);

/* Block i of IN, of OUT; where the rank has only its own there, that one. */
sup_piece sup_job_in(const sup_job *job, int64_t i);
sup_piece sup_job_out(const sup_job *job, int64_t i);
/* Do blocks differ in length, or leave gaps? */
bool sup_job_uneven(const sup_job *job);
bool sup_job_folds(const sup_job *job);
/* Parts [i, i + count). */
sup_piece sup_job_parts(const sup_job *job, int64_t parts, int64_t i, int64_t count);
/* The vector in segments. */
int64_t sup_job_segments(const sup_job *job);
sup_piece sup_job_segment(const sup_job *job, int64_t k);

/* Ranks in a circle. */
static inline int64_t sup_turn(int64_t rank, int64_t by, int64_t processes) {
    return ((rank + by) % processes + processes) % processes;
}
/* A rank's number if the root were 0, and back. */
static inline int64_t sup_job_from_root(const sup_job *job, int64_t rank) {
    return sup_turn(rank, -job->root, job->processes);
}
static inline int64_t sup_job_rank(const sup_job *job, int64_t number) {
    return sup_turn(number, job->root, job->processes);
}

/* Powers of two: the least that is not below n, the greatest that is not above it, the logarithm of the former. */
int64_t sup_power_above(int64_t n);
int64_t sup_power_below(int64_t n);
int sup_doublings(int64_t n);
/* How many of [0, n) the binomial subtree of `v` has, itself among them: v's lowest bit, unless fewer are left. */
int64_t sup_subtree(int64_t v, int64_t n);

/* Down a binomial tree from the root: rank number v < parts, counted from the root on, gets the parts of its subtree in
 * OUT, its own first. */
void sup_walk_scatter_parts(sup_walk *walk, int64_t parts);

/* The ranks of a power of two. The first `extra` pairs (2i, 2i + 1) of the others and their neighbours have one member
 * in it, for which the other works: `keep` is always in. Members are numbered in the order of ranks. */
typedef struct sup_core {
    int64_t size, extra, keep;
    int64_t index; /* of this rank; -1: it is outside */
    int64_t other; /* of the pair; -1: there is none */
} sup_core;
sup_core sup_core_of(int64_t processes, int64_t rank, int64_t keep);
int64_t sup_core_rank(const sup_core *core, int64_t index);
/* Whole vectors of those outside are folded into what their neighbours have in `to`; received at `at` of TEMP. Ends the
 * stage where there are any. */
void sup_core_fold_in(sup_walk *walk, const sup_core *core, int to, int64_t at);

/* Neighbours, then neighbours of neighbours, … exchange halves of what they have and fold: in the end a core member has
 * one part of core->size, folded in the order of ranks. In `to`; received at `at` of TEMP. */
void sup_core_halve(sup_walk *walk, const sup_core *core, int to, int64_t at);
/* What a member has while it exchanges with the one whose index differs by `mask`, before that. */
sup_piece sup_core_part(const sup_job *job, const sup_core *core, int64_t index, int64_t mask);

#endif
