/* Predicted costs for a running program: load a profile once, then ask what a put, a sync or a superstep will take.
 *
 *     sup_costs *c;
 *     sup_diag diag;
 *     if (sup_costs_load("machine.json", bsp_nprocs(), &diag, &c)) …
 *     sup_cost put, sync;
 *     sup_cost_put(c, 0, 3, 65536, &put);              seconds, and where they lie with 90 %
 *     sup_cost_sync(c, &sync);
 *     if (put.high < sync.low) …
 *     sup_costs_free(c);
 *
 * Answers are those of `superstep predict`, model flow: functions of the profile alone, no clock is read. A program may
 * ask from several threads. Cost: a put O(log segments), a sync O(P log P) the first time a number of processes is
 * asked about, a superstep O(P log P + messages); nothing is communicated. */
#ifndef SUPERSTEP_MODEL_H
#define SUPERSTEP_MODEL_H

#include <superstep/status.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_costs sup_costs;

typedef struct sup_cost {
    double seconds;
    double low, high; /* 0 ≤ low ≤ seconds ≤ high: 90 % */
} sup_cost;

/* One process's messages to another in a superstep. */
typedef struct sup_cost_message {
    int from, to;
    long messages;
    size_t bytes; /* of all of them */
} sup_cost_message;

/* For a run of so many processes over the profile's transport. SUP_ENOENT: no such file, or the profile lacks pairs
 * (the diag names the command that measures them); SUP_EPARSE; SUP_EINVAL: more processes than were measured. */
SUP_API sup_status sup_costs_load(const char *profile, int processes, sup_diag *diag, sup_costs **out);
SUP_API void sup_costs_free(sup_costs *costs);

/* A put of so many bytes, on its own: what sender and receiver are busy with. SUP_EINVAL: no such process. */
SUP_API sup_status sup_cost_put(const sup_costs *costs, int from, int to, size_t bytes, sup_cost *out);

/* bsp_sync with nothing to deliver. */
SUP_API sup_status sup_cost_sync(const sup_costs *costs, sup_cost *out);

/* A superstep: compute_s seconds of each process (NULL: none) and `count` entries of messages. */
SUP_API sup_status sup_cost_superstep(const sup_costs *costs, const double *compute_s, const sup_cost_message *messages,
                                      size_t count, sup_cost *out);

#ifdef __cplusplus
}
#endif
#endif
