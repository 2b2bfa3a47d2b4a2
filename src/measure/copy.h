/* Copies inside a host, measured while all processes copy: what a superstep of our runtime over shared memory is made
 * of (bsp/shared.c). Tcomm, stage "measure"; model/pair prices exchanges with them.
 *
 *     log      into the own part of shared memory, which another process read last: put and send at the call
 *     replay   out of another's part, just written, after a barrier: puts and messages at the sync
 *     memcpy   own memory to own memory
 *
 * Message times do not show these: there two processes work, and each on lines that the other has just left. */
#ifndef SUP_MEASURE_COPY_H
#define SUP_MEASURE_COPY_H

#include "measure/pair_trial.h"
#include "measure/session.h"
#include "profile/profile.h"

/* Adds the three for lab->size processes, in place of those that are there; nothing where processes cannot address each
 * other's memory. SUP_EINTR, SUP_ETIMEOUT: what was measured before is in the profile. */
sup_status sup_measure_copies(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
