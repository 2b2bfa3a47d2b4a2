/* Ratios of points to their calm time, by term and transport, and what a profile says of them. Below
 * measure/noise/noise.h, and of no store: what adds up what launches found. Stage "measure", all terms.
 *
 *     sup_noise_tally *tally = NULL;
 *     sup_noise_tally_add(&tally, 'm', "shm", calm, typical, bad);      a point
 *     sup_noise_tally_fill(tally, profile);
 *     sup_noise_tally_free(tally); */
#ifndef SUP_MEASURE_NOISE_TALLY_H
#define SUP_MEASURE_NOISE_TALLY_H

#include "profile/profile.h"

typedef struct sup_noise_tally sup_noise_tally; /* NULL: empty */

/* A point of a term, 'c', 'm' or 's'; others, and times that are none, are left out. SUP_ENOMEM. */
sup_status sup_noise_tally_add(sup_noise_tally **tally, char term, const char *transport, double calm, double typical,
                               double bad);
/* Replaces the section "noise". SUP_ENOMEM. */
sup_status sup_noise_tally_fill(const sup_noise_tally *tally, sup_profile *profile);
void sup_noise_tally_free(sup_noise_tally *tally);

/* Adds what a launch saw to the section "interruptions": rates of the same transport and number of processes are
 * weighted by the time that was watched. Once a launch. SUP_ENOMEM. */
sup_status sup_interruptions_merge(const sup_interruptions *launch, sup_profile *profile);

#endif
