/* Pairwise communication, measured: O, L, B of BSP §5.6.3 and the time over message size, per class of pairs. Tcomm,
 * stage "measure"; model/pair prices with it.
 *
 *   O_ii  a call that starts and completes P empty requests
 *   O_ij  slope of time over the number of minimal messages i → j started together
 *   L_ij  intercept, B_ij slope of time over message size; the curve itself is kept beside them
 *
 * P(P−1)/2 pairs are not measured one by one. Pairs are grouped by topology (pair/class.h); in every level each process
 * is in one pair that is looked at, disjoint pairs side by side as far as that changes nothing (interference check);
 * pairs and processes that deviate from their class beyond their intervals, twice, get a class of their own; a typical
 * pair of every class then gets the full curve, and a few others are compared with it, more where they disagree. That
 * costs a number of measurements proportional to P. */
#ifndef SUP_MEASURE_PAIR_PAIR_H
#define SUP_MEASURE_PAIR_PAIR_H

#include "measure/lab/lab.h"
#include "profile/profile.h"

typedef struct sup_pair_options {
    bool exhaustive; /* look at all P(P−1)/2 pairs */
} sup_pair_options;

/* Fills the section of lab->transport. options may be NULL. SUP_ETIMEOUT: some of it is not known; the rest is in the
 * profile. */
sup_status sup_measure_pairs(sup_lab *lab, sup_session *session, const sup_pair_options *options, sup_profile *profile,
                             sup_diag *diag);

#endif
