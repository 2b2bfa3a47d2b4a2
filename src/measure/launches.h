/* What earlier launches of the same processes found. Tcomm and Tsync, stage "measure".
 *
 * How a run's memory happens to lie makes a barrier 20 % slower for as long as the run lasts: no number of samples in
 * one run shows that, the next run does. So the processes of a transport are started several times, and a time is the
 * mean over launches, its interval their scatter. Trials are remembered by what they are, in a file that each launch
 * reads and leaves with its own times in it:
 *
 *     sup_launches *l;
 *     sup_launches_open(path, &l);  lab->launches = l;
 *     sup_lab_run(lab, &trial, diag, &timing);      timing: of all launches, this one included
 *     sup_launches_save(l, path);  sup_launches_free(l); */
#ifndef SUP_MEASURE_LAUNCHES_H
#define SUP_MEASURE_LAUNCHES_H

#include "measure/session.h"
#include "measure/trial.h"

typedef struct sup_launches sup_launches;

/* A file that is not there has nothing in it. SUP_EPARSE: not one of ours. */
sup_status sup_launches_open(const char *path, sup_launches **out);
sup_status sup_launches_save(const sup_launches *launches, const char *path);
void sup_launches_free(sup_launches *launches);

/* lab->run, and with launches to compare with what all of them say; what took long in an earlier one is not run again.
 */
sup_status sup_lab_run(sup_lab *lab, const sup_trial *trial, sup_diag *diag, sup_timing *out);
/* For when there is no time to run it: what earlier launches say. False: some group of it was not measured. */
bool sup_lab_known(const sup_lab *lab, const sup_trial *trial, sup_timing *out);
/* The sizes at which earlier launches ran this trial, ascending: the first `most`. */
size_t sup_lab_known_sizes(const sup_lab *lab, const sup_trial *trial, size_t *bytes, size_t most);

/* For everything measured on a lab: sup_lab_run within the session's time, its batches counted; what is known if there
 * is no time. SUP_ETIMEOUT: neither. A group's own trouble is returned too. */
sup_status sup_lab_try(sup_lab *lab, sup_session *session, double share, const char *text, const sup_trial *trial,
                       sup_diag *diag, sup_timing *out);

#endif
