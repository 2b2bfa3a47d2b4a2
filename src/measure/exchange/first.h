/* What supersteps take more when something happens for the first time: memory is touched that nobody has touched, a
 * process comes so late that others sleep, code and buffers are in no cache. Tcomm and Tsync, stage "measure". Fills
 * the section "first" of a profile; a superstep is timed, and the same again right behind it. */
#ifndef SUP_MEASURE_EXCHANGE_FIRST_H
#define SUP_MEASURE_EXCHANGE_FIRST_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

sup_status sup_measure_first(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
