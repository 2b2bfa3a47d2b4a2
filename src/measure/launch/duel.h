/* Supersteps done in two ways, one held against the other: over two transports, by two engines, under two plans. What
 * `superstep choose` confirms a decision by before it changes a default. Terms Tcomm and Tsync, stage "measure".
 *
 *     sup_step_duel duel = {.at.processes = 4, .side = {{.transport = "openmpi", .engine = "bulk"}, {…}}, .bytes =
 * 4096}; sup_measure_step_duel(&duel, diag, out);
 *
 * Launches of the two alternate, so that what changes with time meets both alike; in each only this superstep is timed.
 */
#ifndef SUP_MEASURE_LAUNCH_DUEL_H
#define SUP_MEASURE_LAUNCH_DUEL_H

#include "measure/lab/trial.h"
#include "measure/launch/start.h"

typedef struct sup_step_side {
    const char *transport, *engine, *plan; /* as for superstep run; engine NULL: the default; plan NULL: none */
} sup_step_side;

typedef struct sup_step_duel {
    sup_launch_place at;
    size_t bytes; /* 0: a superstep that asks for nothing, and its sync; else each process moves so many to the next and
                     computes about as long, both the same */
    sup_step_side side[2];
    int launches;   /* of each */
    double seconds; /* of measuring in each launch */
} sup_step_duel;

/* SUP_ENOTSUP: a side cannot be launched, diag says why; SUP_EINTR: somebody wished so; SUP_EIO, SUP_ENOMEM. An entry
 * whose status is not SUP_OK has no time. */
sup_status sup_measure_step_duel(const sup_step_duel *duel, sup_diag *diag, sup_timing out[2]);

/* The trial that is timed. */
sup_trial sup_step_duel_trial(int processes, size_t bytes, const char *engine);

#endif
