/* A launch: processes that are started anew, visit points for some seconds, and leave one JSON object. Stage "measure".
 *
 *     the tool                         superstep __measure REQUEST (P of them over a transport, or one)
 *     REQUEST: what, how long, ───▶    sup_measure_child: opens the lab of `target`, runs rounds
 *       points found so far
 *     RESULT: what was found   ◀───    REQUEST.result, written whole, by rank 0
 *
 * Beside it: REQUEST.progress, one line of rank 0's; REQUEST.stop, whose existence asks for the end; REQUEST.why, an
 * error in one line; where it measures in turns with other launches REQUEST.turns and REQUEST.told (turns.h). */
#ifndef SUP_MEASURE_LAUNCH_CHILD_H
#define SUP_MEASURE_LAUNCH_CHILD_H

#include "base/file/record.h"
#include "profile/profile.h"

typedef struct sup_request {
    char *target;    /* name of a sup_target_kind: "rates", "net", "cases", "duel" */
    char *transport; /* NULL for rates */
    int64_t launch;  /* its number */
    double seconds;
    double part_s;  /* what computation, or a transport, has of all the time; the usual, if that is more */
    double until;   /* wanted half width; NaN: all of the time */
    int64_t rounds; /* when all is known, so many are enough; 0: all of the time */
    bool exhaustive, cold, rdma;
    int64_t deep;  /* sections of which all is wanted: SUP_MEASURE_… */
    bool others;   /* of net: once supersteps that nothing is fitted to, into the trace of the run; no visits */
    char **setups; /* of shared transfers */
    size_t setups_count;
    char **kernels, **plugins; /* names (none: all, "none": none); files of the user's */
    size_t kernels_count, plugins_count;
    sup_visited *visits; /* found so far, of this target and transport */
    size_t visits_count;
    sup_kinds *kinds;  /* of the profile; NULL: all processes alike */
    int64_t *barriers; /* of target "cases": patterns as cases.h packs them … */
    size_t barriers_count;
    char **collectives; /* … or cases of collectives.h */
    size_t collectives_count;
    bool rotates;  /* every process is their root in turn */
    int64_t bytes; /* of target "duel": of the supersteps that are timed, see duel.h */
    char *engine;  /* … and that of the run; NULL: the default */
    struct json_t *extra;
} sup_request;

typedef struct sup_result {
    int64_t launch;
    bool complete; /* every point that was asked for has been visited in some launch */
    int64_t rounds, batches, dropped;
    double spent_s;
    bool oversubscribed;
    int64_t *places; /* 14 numbers a process, as sup_rank_place; empty for rates */
    size_t places_count;
    sup_visited *visits; /* of this launch alone */
    size_t visits_count;
    sup_interruptions *interruptions; /* NULL: nobody watched */
    sup_warning *warnings;
    size_t warnings_count;
    bool leads; /* this process has measured and writes the result; not in the file */
    struct json_t *extra;
} sup_result;

extern const sup_record sup_request_record, sup_result_record;

sup_status sup_request_save(const sup_request *request, const char *path, sup_diag *diag);
sup_status sup_result_load(const char *path, sup_diag *diag, sup_result *out);

/* One process of a launch, from its request to its end. */
sup_status sup_measure_child(const char *request_path, const char *target, sup_diag *diag);

#endif
