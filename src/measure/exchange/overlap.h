/* Overlap: the share of communication that computation hides, for each transport, engine and size. T'comp and T'comm of
 * the equation, stage "measure".
 *
 *     share = (T_comm + T_comp − T_both) / min(T_comm, T_comp)          0: nothing goes on meanwhile, 1: all of it
 *
 * T_comm is a superstep with one unbuffered put to the next process, T_both the same with computation between the call
 * and the sync, T_comp that computation alone: an amount of work that takes about as long as the superstep. */
#ifndef SUP_MEASURE_EXCHANGE_OVERLAP_H
#define SUP_MEASURE_EXCHANGE_OVERLAP_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

/* Of one engine, NULL: the default. Replaces what the profile has of lab->transport and the engine. SUP_EINTR;
 * SUP_ETIMEOUT: some sizes are not known, the others are there. */
sup_status sup_measure_overlap(sup_lab *lab, sup_session *session, const char *engine, sup_profile *profile,
                               sup_diag *diag);

#endif
