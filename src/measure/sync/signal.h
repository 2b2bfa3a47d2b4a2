/* Signals of the barrier interpreter: what one costs its sender, the way, and its receiver, for each level of pairs of
 * the topology; and what a word costs that many read. Tsync, stage "measure"; model/calibrate prices barriers by it. */
#ifndef SUP_MEASURE_SYNC_SIGNAL_H
#define SUP_MEASURE_SYNC_SIGNAL_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

/* In place of those of lab->transport. SUP_ETIMEOUT: some are not known. */
sup_status sup_measure_signals(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
