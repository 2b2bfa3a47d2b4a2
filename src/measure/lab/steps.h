/* A lab whose trials are supersteps of the BSP runtime itself, in a program of all processes: as a trace has their
 * times, without a file (bsp/tracing/trace.h). SUP_TRIAL_STEP, SUP_TRIAL_OVERLAP and SUP_TRIAL_FIRST; terms Tcomm and
 * Tsync, stage "measure".
 *
 *     sup_lab_steps_listen();  bsp_begin(…);
 *     lab = sup_lab_steps_open(transport, store);                           all processes
 *     rank 0: visits …, sup_lab_steps_over(lab)       the others: sup_lab_steps_serve(lab);
 *     sup_lab_steps_close(lab);  bsp_end();                                all processes */
#ifndef SUP_MEASURE_LAB_STEPS_H
#define SUP_MEASURE_LAB_STEPS_H

#include "measure/exchange/plan.h"
#include "measure/lab/lab.h"

/* Before bsp_begin: the runtime is to tell how long supersteps take. */
void sup_lab_steps_listen(void);

/* Collective, inside of a section with all processes. store: of rank 0, else NULL. Ends the run where there is no
 * memory. */
sup_lab *sup_lab_steps_open(const char *transport, sup_store *store);
/* Processes other than the first: visit what it visits, until it says that it is over. */
void sup_lab_steps_serve(sup_lab *lab);
void sup_lab_steps_over(sup_lab *lab);
/* Collective. */
void sup_lab_steps_close(sup_lab *lab);

/* Rank 0: supersteps like those of a trial, for about so long, kept in the trace that the run was asked for. Others are
 * not. */
void sup_lab_steps_keep(sup_lab *lab, const sup_trial *trial, double seconds);

#endif
