/* Targets: what one launch measures. A target is a lab and the sections that ask it; a file target_NAME.c and a row of
 * sup_targets. Stage "measure".
 *
 *     rates   one process with threads: kernels (Tcomp)
 *     net     P processes of a BSP program over a transport: all that a profile has of it (Tcomm, Tsync)
 *     cases   P processes over a transport: collectives (Tcomm) or barriers (Tsync) of a request, no part of a profile
 *     duel    P processes of a BSP program over a transport: one superstep of a request, done as its options say
 *
 * In the child a target visits; in the tool it fills the profile from what all launches found. */
#ifndef SUP_MEASURE_LAUNCH_TARGET_H
#define SUP_MEASURE_LAUNCH_TARGET_H

#include "measure/lab/lab.h"
#include "measure/launch/child.h"

typedef struct sup_target_kind {
    const char *name;
    bool alone; /* one process, no transport */
    /* In the child, on each of its processes: opens what it needs, visits until the session's time is over, closes.
     * Session and store are rank 0's; it sets result->leads, rounds, complete, places, oversubscribed, interruptions.
     * The others leave all three alone. SUP_EINTR: stopped, and all found so far is there. */
    sup_status (*run)(const sup_request *request, sup_session *session, sup_store *store, sup_diag *diag,
                      sup_result *result);
    /* In the tool: sections into the profile. The lab has size, transport, places, store of all launches, and no
     * visit. NULL: nothing of it goes into a profile. */
    sup_status (*fill)(sup_lab *lab, const sup_request *request, sup_session *session, sup_profile *profile,
                       sup_diag *diag);
} sup_target_kind;

extern const sup_target_kind sup_target_rates, sup_target_net, sup_target_cases, sup_target_duel;
extern const sup_target_kind *const sup_targets[]; /* NULL at the end */
const sup_target_kind *sup_target_find(const char *name);

/* places.c: places as a result has them. */
sup_status sup_places_write(const sup_rank_place *places, int size, int64_t **list, size_t *count);
sup_status sup_places_read(const int64_t *list, size_t count, sup_rank_place **out, int *size);

#endif
