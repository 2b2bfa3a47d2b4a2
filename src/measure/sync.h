/* Synchronisation, measured: the built-in barriers (BSP ch. 5) over all processes of a lab. Tsync, stage "measure";
 * model/sync prices the same patterns from O and L, and is compared with these. */
#ifndef SUP_MEASURE_SYNC_H
#define SUP_MEASURE_SYNC_H

#include "measure/session.h"
#include "measure/trial.h"
#include "profile/profile.h"

/* Adds every barrier of base/pattern.h for lab->transport and lab->size, in place of those that are there. SUP_EINTR,
 * SUP_ETIMEOUT: what was measured before is in the profile. */
sup_status sup_measure_sync(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

/* Calibration: whole barriers over shared memory, measured after everything else by processes that were started anew.
 * What is known of the parts is held against them, so that a prediction can say how far off predictions are here, and
 * is not of one run's luck with where memory lies; model/calibrate.c uses them. Supersteps are measured in the same
 * way, as the runtime itself makes and records them (cli/measure_steps.c).
 *
 * Adds to the calibration runs of lab->transport and lab->size, which sup_measure_copies forgets: call it once in each
 * of several runs, for processes that start anew. SUP_EINTR, SUP_ETIMEOUT: as above. */
sup_status sup_measure_calibration(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
