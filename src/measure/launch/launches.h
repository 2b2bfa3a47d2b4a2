/* Launches of one kind, one after another, that time the same again: what cases (cases.h) and duels of supersteps
 * (duel.h) share. Stage "measure", on the tool's side. */
#ifndef SUP_MEASURE_LAUNCH_LAUNCHES_H
#define SUP_MEASURE_LAUNCH_LAUNCHES_H

#include "measure/lab/trial.h"
#include "measure/launch/start.h"
#include "measure/store/store.h"

typedef struct sup_launches {
    const sup_launch_place *at;
    const char *what;           /* is timed, where processes do not say what they are at: "barriers" */
    double begin_s, expected_s; /* of all of them */
    char tool[4096], size[16];
    sup_folder folder;
    sup_wish wish; /* the strongest so far */
} sup_launches;

/* Close after a failure, too. */
sup_status sup_launches_open(const sup_launch_place *at, const char *what, sup_diag *diag, sup_launches *out);
void sup_launches_close(sup_launches *launches);

/* One of them; what it found goes into the store. plan: as for superstep run; NULL: no such option. SUP_ENOTSUP: the
 * processes cannot be launched, diag says why; SUP_EINTR: somebody wished so; SUP_EIO, SUP_ENOMEM. */
sup_status sup_launches_run(sup_launches *launches, const sup_request *request, const char *plan, sup_store *store,
                            sup_diag *diag);

/* What the store of all launches says of a value of a trial; where it is not known, the status is SUP_ETIMEOUT. */
sup_timing sup_launches_say(const sup_store *store, const sup_trial *trial, int value);

#endif
