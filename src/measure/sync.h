/* Synchronisation, measured: the built-in barriers (BSP ch. 5) over all processes of a lab. Tsync, stage "measure";
 * model/sync prices the same patterns from O and L, and is compared with these. */
#ifndef SUP_MEASURE_SYNC_H
#define SUP_MEASURE_SYNC_H

#include "measure/pair_trial.h"
#include "measure/session.h"
#include "profile/profile.h"

/* Adds every barrier of base/pattern.h for lab->transport and lab->size, in place of those that are there. SUP_EINTR,
 * SUP_ETIMEOUT: what was measured before is in the profile. */
sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

/* Every barrier of base/pattern.h by itself; how often and how long each (0: as usual), and where the time goes. */
typedef struct sup_barrier_trials {
    const char *text; /* for the session's progress */
    int min_samples, max_samples;
    double max_seconds;
    sup_status (*store)(sup_profile *profile, const sup_lab *lab, const char *algorithm, const sup_timing *timing);
} sup_barrier_trials;
sup_status sup_measure_barriers(sup_lab *lab, sup_session *session, const sup_barrier_trials *how, sup_profile *profile,
                                sup_diag *diag);

#endif
