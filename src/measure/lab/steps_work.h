/* Inside of a lab of supersteps (lab/steps.h): lab/steps.c (orders, visits, opening and closing), steps_moves.c (what a
 * superstep of a trial does), steps_first.c (those in which something happens for the first time). */
#ifndef SUP_MEASURE_LAB_STEPS_WORK_H
#define SUP_MEASURE_LAB_STEPS_WORK_H

#include "measure/lab/steps.h"

/* What a batch has in it: a superstep as its trial says, which a trace may keep; one that is the first of something,
 * and the same again; of an overlap one of three kinds. */
typedef enum sup_steps_content {
    SUP_STEPS_EXCHANGE,
    SUP_STEPS_KEPT,
    SUP_STEPS_FIRST,
    SUP_STEPS_TRANSFER,
    SUP_STEPS_WORK,
    SUP_STEPS_BOTH,
    SUP_STEPS_OVER
} sup_steps_content;

/* What rank 0 wants of everybody. */
typedef struct sup_steps_order {
    int32_t what, shape, move, records;
    uint64_t bytes;                           /* 0: nothing is asked for */
    int32_t warm, repetitions, batches, bulk; /* bulk: transfers begin at the sync */
    int64_t work;                             /* steps of computation in a superstep */
    int32_t first, late_us;                   /* sup_first; who comes late does so by so much … */
    int32_t turn, unused;                     /* … and it is this one */
} sup_steps_order;

/* Bytes of the memory that is new again and again, and of what is walked through so that nothing else is in caches: as
 * much as a program reads in a millisecond or two. */
#define SUP_STEPS_FRESH ((size_t)4 << 20)
#define SUP_STEPS_SWEPT ((size_t)8 << 20)

/* A message to a partner: where from, or where to, in the two buffers. */
typedef struct sup_steps_message {
    int peer;
    size_t at;
} sup_steps_message;

typedef struct sup_steps_mover {
    int me, size;
    char *out, *in;             /* SUP_EXCHANGE_BYTES_MAX each, registered */
    sup_steps_message *message; /* of a superstep, in order; room for `room` */
    size_t count, room;
    double reading_s; /* taking messages that the last superstep has sent, or what comes before a first time: no part
                         of the calls */
    char *fresh;      /* SUP_STEPS_FRESH, registered: memory that is given back before it is used */
    char *swept;      /* SUP_STEPS_SWEPT, that fill caches; NULL: none */
    uint64_t spun;
} sup_steps_mover;

/* Whom this process moves what to, or from, in supersteps of that order. False: no memory. */
bool sup_steps_prepare(sup_steps_mover *mover, const sup_steps_order *order);
/* One superstep, with its sync. */
void sup_steps_run(sup_steps_mover *mover, const sup_steps_order *order);
/* Before a superstep that is the first of something: memory is given back. */
void sup_steps_before_first(sup_steps_mover *mover, const sup_steps_order *order);
/* That superstep (first), or the same again. */
void sup_steps_run_first(sup_steps_mover *mover, const sup_steps_order *order, bool first);
/* An amount of computation and not a time: each step waits for the last. */
void sup_steps_spin(sup_steps_mover *mover, int64_t steps);

#endif
