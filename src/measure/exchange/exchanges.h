/* Exchanges: whole supersteps of the runtime, measured as programs meet them, on every transport. Tcomm and Tsync,
 * stage "measure"; base/exchange.h says which there are, measure/exchange/plan.h at which sizes. */
#ifndef SUP_MEASURE_EXCHANGE_EXCHANGES_H
#define SUP_MEASURE_EXCHANGE_EXCHANGES_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

/* Calls and sync of each of them over the bytes of a message, and the sync of a superstep that asks for nothing, for
 * lab->transport and lab->size, in place of those that are there. SUP_EINTR; SUP_ETIMEOUT: some are not known (a curve
 * with too few points is left out), the others are there. */
sup_status sup_measure_exchanges(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
