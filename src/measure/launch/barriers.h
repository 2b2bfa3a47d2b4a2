/* Barriers of any pattern, measured over a transport: what `superstep barrier bench` and the accuracy of predictions
 * stand on. Term Tsync, stage "measure".
 *
 *     sup_pattern patterns[] = {sup_pattern_of(kind, 16), …};         generated, from levels or from edges
 *     sup_timing found[COUNT];
 *     sup_barriers_order order = {.transport = "shm", .processes = 16, .patterns = patterns, .count = COUNT,
 *                                 .beside = "profile.json"};
 *     status = sup_measure_barriers(&order, diag, found);
 *     found[i].seconds (calm), .typical, .bad, .ci, .n (batches), .launches
 *
 * All of them take turns, round after round, in every one of several launches of the processes, so that what differs
 * between launches and what changes with time is part of all alike. A barrier is timed as in a profile (sync.c): by
 * itself, from when everybody is there, the slowest process's time counts. */
#ifndef SUP_MEASURE_LAUNCH_BARRIERS_H
#define SUP_MEASURE_LAUNCH_BARRIERS_H

#include "base/pattern/pattern.h"
#include "measure/lab/trial.h"
#include "measure/launch/start.h"

enum { SUP_BARRIERS_MOST = 256, SUP_BARRIERS_LAUNCHES = 4 };

typedef struct sup_barriers_order {
    const char *tool;                     /* this program; NULL: /proc/self/exe */
    const char *beside;                   /* temporary files go beside this one; NULL: in the folder for such files */
    const char *transport;                /* "shm", "openmpi", "mpich" */
    int processes;                        /* 2 or more */
    const char *place, *hosts_file, *rsh; /* as for superstep run; NULL */
    const sup_pattern *patterns;          /* each of so many processes */
    size_t count;
    int launches;   /* 0: SUP_BARRIERS_LAUNCHES */
    double seconds; /* of measuring in each launch; 0: enough for some dozens of visits of each */
    /* Called about 20 times a second, as that of a campaign; NULL. */
    sup_wish (*progress)(void *context, double fraction, const char *text, double seconds_left);
    void *context;
} sup_barriers_order;

/* out: [count]; an entry whose status is not SUP_OK has no time. SUP_EINVAL: a pattern of another number of processes,
 * or one that does not synchronise (diag names the pair), or too many; SUP_ENOTSUP: the processes cannot be launched,
 * diag says why; SUP_EINTR: somebody wished so, before the first launch was over; SUP_EIO, SUP_ENOMEM. */
sup_status sup_measure_barriers(const sup_barriers_order *order, sup_diag *diag, sup_timing *out);

/* ---- how patterns travel, to processes that share no file ---- */

/* All of them as one list of numbers. SUP_ENOMEM; SUP_EINVAL: more edges than anybody measures. */
sup_status sup_barriers_pack(const sup_pattern *patterns, size_t count, int64_t **list, size_t *length);
/* The other way round; free() *out after sup_pattern_free of each. SUP_EPARSE: that is no such list. */
sup_status sup_barriers_unpack(const int64_t *list, size_t length, sup_pattern **out, size_t *count);

#endif
