/* Cases that are measured beside each other, over a transport: barriers of any pattern (Tsync), or collective
 * operations by any algorithm (Tcomm). What the benches of `superstep barrier` and `superstep taulop` stand on, and
 * duels. Stage "measure".
 *
 *     sup_pattern patterns[] = {sup_pattern_of(kind, 16), …};         generated, from levels or from edges
 *     sup_timing found[COUNT];
 *     sup_cases_order order = {.at.processes = 16, .transport = "shm", .patterns = patterns, .count = COUNT};
 *     status = sup_measure_cases(&order, diag, found);
 *     found[i].seconds (calm), .typical, .bad, .ci, .n (batches), .launches
 *
 * All of them take turns, round after round, in every one of several launches of the processes, so that what differs
 * between launches and what changes with time is part of all alike. Each is timed as in a profile: by itself, from when
 * everybody is there, the slowest process's time counts. */
#ifndef SUP_MEASURE_LAUNCH_CASES_H
#define SUP_MEASURE_LAUNCH_CASES_H

#include "base/pattern/pattern.h"
#include "measure/collective/collectives.h"
#include "measure/lab/trial.h"
#include "measure/launch/start.h"

enum { SUP_BARRIERS_MOST = 256, SUP_BARRIERS_LAUNCHES = 4, SUP_COLLECTIVES_CASES = 4096 };

typedef struct sup_cases_order {
    sup_launch_place at;
    const char *transport;                  /* "shm", "openmpi", "mpich" */
    const sup_pattern *patterns;            /* barriers, each of so many processes; NULL: … */
    const sup_collective_case *collectives; /* … collectives */
    size_t count;
    bool rotates;   /* every process is root in turn */
    int launches;   /* 0: some */
    double seconds; /* of measuring in each launch; 0: enough for some visits of each */
    bool bounded;   /* no more launches than that, also if some case has not had its turn */
} sup_cases_order;

/* out: [count]; an entry whose status is not SUP_OK has no time: SUP_ENOTSUP, it cannot be done here; SUP_ETIMEOUT.
 * SUP_EINVAL: what is ordered makes no sense, as a pattern that does not synchronise (diag says which); SUP_ENOTSUP:
 * the processes cannot be launched, diag says why; SUP_EINTR: somebody wished so, before the first launch was over;
 * SUP_EIO, SUP_ENOMEM. */
sup_status sup_measure_cases(const sup_cases_order *order, sup_diag *diag, sup_timing *out);

/* ---- what both sides of a launch call them ---- */

/* Barrier number index of an order. word must stay while the trial is used, and ranks, room for so many. */
sup_trial sup_barrier_trial(size_t index, int processes, int *ranks, char word[SUP_PATTERN_WORD]);

/* ---- how patterns travel, to processes that share no file (cases_pack.c) ---- */

/* All of them as one list of numbers. SUP_ENOMEM; SUP_EINVAL: more edges than anybody measures. */
sup_status sup_barriers_pack(const sup_pattern *patterns, size_t count, int64_t **list, size_t *length);
/* The other way round; free() *out after sup_pattern_free of each. SUP_EPARSE: that is no such list. */
sup_status sup_barriers_unpack(const int64_t *list, size_t length, sup_pattern **out, size_t *count);

#endif
