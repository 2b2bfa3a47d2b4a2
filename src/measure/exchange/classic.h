/* The classic g and l of bspbench, the baseline of BSP §3.1: time of a total exchange of h words a process, T = l +
 * g·h. Tcomm and Tsync in two scalars, stage "measure". r is measured with the kernels. */
#ifndef SUP_MEASURE_EXCHANGE_CLASSIC_H
#define SUP_MEASURE_EXCHANGE_CLASSIC_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

#define SUP_CLASSIC_WORD 8

/* Fills word_s (g, seconds per 8-byte word) and sync_s (l) of the entry of lab->transport and lab->size, made if it is
 * not there. SUP_ETIMEOUT: something is not known yet, and what was there stays. */
sup_status sup_measure_classic(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
