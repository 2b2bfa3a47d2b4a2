/* Copies inside a host, measured while all processes copy, own memory to own memory: what is said in terms of them is
 * memory bandwidth. Message times do not show it: there two processes work, and each on lines that the other has just
 * left. Tcomm, stage "measure". */
#ifndef SUP_MEASURE_EXCHANGE_COPY_H
#define SUP_MEASURE_EXCHANGE_COPY_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

/* memcpy for lab->size processes, in place of what is there, on a lab of processes over a net (lab/net.h). Nothing
 * where processes cannot address each other's memory. SUP_EINTR; SUP_ETIMEOUT: it has too few points and is left out.
 */
sup_status sup_measure_memcpy(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
