/* Copies inside a host, measured while all processes copy: what a superstep of our runtime over shared memory is made
 * of (bsp/shared.c, pair_step.c). Tcomm, stage "measure"; model/copies.c prices exchanges with them.
 *
 *     log       the calls: into logs that other processes read last, for one, two, four and all others; and many
 *               records for one
 *     deliver   the sync of the same supersteps, with its barrier
 *     memcpy    own memory to own memory
 *
 * Message times do not show these: there two processes work, and each on lines that the other has just left. */
#ifndef SUP_MEASURE_COPY_H
#define SUP_MEASURE_COPY_H

#include "measure/session.h"
#include "measure/trial.h"
#include "profile/profile.h"

/* Adds them for lab->size processes, in place of those that are there; calibration runs of older ones are forgotten.
 * Nothing where processes cannot address each other's memory. SUP_EINTR, SUP_ETIMEOUT: what was measured before is in
 * the profile. */
sup_status sup_measure_copies(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
