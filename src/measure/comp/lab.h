/* A lab of threads: visits of rates on this machine's cores (term Tcomp, stage measure).
 *
 *     sup_lab *lab;
 *     sup_lab_comp_open(&set, store, session, NULL, diag, &lab);
 *     sup_rounds_run(lab, …);
 *     sup_lab_comp_close(lab);
 */
#ifndef SUP_MEASURE_COMP_LAB_H
#define SUP_MEASURE_COMP_LAB_H

#include "measure/comp/set.h"
#include "measure/lab/lab.h"

/* What is given must live as long as the lab. team: NULL, or a clock and a judge of its own, for tests. */
sup_status sup_lab_comp_open(const sup_comp_set *set, sup_store *store, sup_session *session,
                             const sup_team_options *team, sup_diag *diag, sup_lab **out);
void sup_lab_comp_close(sup_lab *lab);

#endif
