/* Copies inside a host, measured while all processes copy: what a superstep of our runtime over shared memory is made
 * of. Tcomm, stage "measure"; model/copies.c prices exchanges with them.
 *
 *     log       the calls: into logs that other processes read last, for one, two, four and all others; and many
 *               records for one
 *     deliver   the sync of the same supersteps, with its barrier
 *     memcpy    own memory to own memory
 *
 * Message times do not show these: there two processes work, and each on lines that the other has just left. */
#ifndef SUP_MEASURE_COPY_H
#define SUP_MEASURE_COPY_H

#include "measure/lab.h"
#include "profile/profile.h"

/* log and deliver for lab->size processes, in place of those that are there, from supersteps of the runtime
 * (lab_steps.h). Nothing where processes cannot address each other's memory. SUP_EINTR; SUP_ETIMEOUT: a curve with too
 * few points is left out, the others are there. */
sup_status sup_measure_copies(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

/* memcpy, on a lab of processes over a net (lab_net.h); the same otherwise. */
sup_status sup_measure_memcpy(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
