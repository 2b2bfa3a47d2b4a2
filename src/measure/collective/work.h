/* What both sides of a measurement of collectives use (collectives.h): the section, the tool, the target. */
#ifndef SUP_MEASURE_COLLECTIVE_WORK_H
#define SUP_MEASURE_COLLECTIVE_WORK_H

#include "measure/collective/collectives.h"
#include "measure/collective/word.h"
#include "measure/lab/lab.h"
#include "profile/profile.h"

/* ranks: room for so many; they and the word must stay while the trial is used. */
sup_trial sup_collective_trial(const sup_collective_case *c, int processes, int *ranks, bool rotates,
                               char word[SUP_COLLECTIVE_WORD]);

/* What it asks the algorithm for. */
sup_job sup_collectives_job(int operation, int processes, const sup_choice *choice, int64_t bytes);

/* Rows for lab->transport and lab->size, in place of those that are there. What is far from the best at the sizes
 * around is not visited. SUP_ETIMEOUT: some are not known. */
sup_status sup_measure_collectives(sup_lab *lab, sup_session *session, sup_profile *profile, sup_diag *diag);

#endif
