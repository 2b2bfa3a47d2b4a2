/* Whole barriers and supersteps over shared memory, measured after everything else by processes that were started anew:
 * what is known of the parts is held against them, so that a prediction can say how far off predictions are here, and
 * is not of one run's luck with where memory lies. Tcomm and Tsync, stage "measure"; model/copies.c and
 * model/calibrate.c use them. */
#ifndef SUP_MEASURE_CHECK_H
#define SUP_MEASURE_CHECK_H

#include "measure/pair_trial.h"
#include "measure/session.h"
#include "profile/profile.h"

/* Adds to the checks of lab->transport and lab->size, which sup_measure_copies forgets: call it once in each of several
 * runs, for processes that start anew. Sizes and partners are not those that curves were measured with. SUP_EINTR,
 * SUP_ETIMEOUT: what was measured before is in the profile. */
sup_status sup_measure_checks(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
