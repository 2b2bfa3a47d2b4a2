/* What every number of a profile is made of: each point that was measured, and what each launch of the processes found
 * there. Kept so that measuring can go on where it stopped, and to see what changed between launches.
 *
 *     {"kind": "round trip", "transport": "shm", "ranks": [0, 2], "bytes": 64,
 *      "found": [{"launch": [1, 2], "n": [14, 12], "low": [1.9e-7, 2.0e-7], "typical": […], "bad": […]}]}
 *
 * A point has one list of findings a group that did it side by side, or one a quantity that it times
 * (measure/lab/trial.h says which). */
#ifndef SUP_PROFILE_VISITS_H
#define SUP_PROFILE_VISITS_H

#include "base/file/record.h"

/* Of one quantity: a value a launch. Lists of equal length. */
typedef struct sup_found {
    int64_t *launch;             /* their numbers, ascending */
    int64_t *n, *dropped;        /* batches that count, and that do not */
    double *low, *typical, *bad; /* quantiles of those that count, seconds: SUP_FOUND_LOW, 50 %, 90 % */
    size_t launch_count, n_count, dropped_count, low_count, typical_count, bad_count;
    struct json_t *extra;
} sup_found;

typedef struct sup_visited {
    char *kind;      /* a name of sup_trial_kinds */
    char *transport; /* NULL: none, it is a rate */
    char *kernel, *engine;
    char *shape, *move;    /* of an exchange (base/exchange.h) */
    int64_t groups, group; /* side by side, and processes in each */
    int64_t *ranks;        /* of all groups, in runs [first, count, …] of consecutive ones */
    size_t ranks_count;
    int64_t bytes, number, records, stride;
    bool cold;
    double footprint; /* bytes that were really visited, of a rate; NaN: as asked */
    double visit_s;   /* what a visit takes */
    sup_found *found;
    size_t found_count;
    struct json_t *extra;
} sup_visited;

#define SUP_FOUND_LOW 0.25 /* in files of earlier versions 0.10, see sup_quality.calm_share */

extern const sup_record sup_found_record, sup_visited_record;

#endif
