/* The lab of processes over a transport: all that is measured between them in one launch, messages, barriers and
 * collectives by a lab over the net (lab/net.h), supersteps by one of the runtime (lab/steps.h). Stage "measure", Tcomm
 * and Tsync.
 *
 *     sup_lab_steps_listen();  bsp_begin(…);
 *     sup_lab_whole_open(transport, store, turns, diag, &lab);              all processes
 *     rank 0: sections ask the lab …                  the others: sup_lab_whole_serve(lab, diag);
 *     sup_lab_whole_close(lab);  bsp_end();                                 all processes */
#ifndef SUP_MEASURE_LAB_WHOLE_H
#define SUP_MEASURE_LAB_WHOLE_H

#include "measure/lab/steps.h"
#include "measure/noise/gaps.h"

/* Collective, inside of a section with all processes. store: of rank 0, else NULL. turns: in which it measures; NULL.
 */
sup_status sup_lab_whole_open(const char *transport, sup_store *store, sup_turns *turns, sup_diag *diag, sup_lab **out);
/* Processes other than the first: visit what it visits, until it closes its lab. */
sup_status sup_lab_whole_serve(sup_lab *lab, sup_diag *diag);
void sup_lab_whole_close(sup_lab *lab);

/* What all processes saw of interruptions, at rank 0; collective, as a visit is. */
sup_status sup_lab_whole_gaps(sup_lab *lab, sup_gaps *all, sup_diag *diag);
/* Rank 0: supersteps like those of a trial, for about so long, kept in the trace that the run was asked for. */
sup_status sup_lab_whole_keep(sup_lab *lab, const sup_trial *trial, double seconds, sup_diag *diag);

#endif
