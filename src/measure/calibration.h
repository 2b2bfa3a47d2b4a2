/* Whole barriers over shared memory, measured after everything else by processes that were started anew: what is known
 * of the parts is held against them, so that a prediction can say how far off predictions are here, and is not of one
 * run's luck with where memory lies. Tsync, stage "measure"; model/calibrate.c uses them. Supersteps are measured in
 * the same way, as the runtime itself makes and records them (cli/measure_steps.c). */
#ifndef SUP_MEASURE_CALIBRATION_H
#define SUP_MEASURE_CALIBRATION_H

#include "measure/pair_trial.h"
#include "measure/session.h"
#include "profile/profile.h"

/* Adds to the calibration runs of lab->transport and lab->size, which sup_measure_copies forgets: call it once in each
 * of several runs, for processes that start anew. SUP_EINTR, SUP_ETIMEOUT: what was measured before is in the profile.
 */
sup_status sup_measure_calibration(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
