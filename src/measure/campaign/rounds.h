/* The scheduler of visits: all points in turn, round after round, until the time of this launch is over. Stage
 * "measure".
 *
 * A round visits every point once, barriers and their signals three times, in another order each time, in the first
 * round of a launch those first that few launches have visited. What takes long is visited in the first round of each
 * launch, and in few others, so that no kind of point takes more than its share; what is least certain, and what
 * predictions depend on most (sup_trial.use), is visited once more in each; what watches for rare things has its share
 * of the time, between all others. A round that is cut short is a shorter interval for all, never a hole. */
#ifndef SUP_MEASURE_CAMPAIGN_ROUNDS_H
#define SUP_MEASURE_CAMPAIGN_ROUNDS_H

#include "measure/lab/lab.h"

/* Asks for all that is wanted, on a lab: sections in order. Called first, and again now and then: what was found may
 * have made more points worth visiting. */
typedef sup_status sup_rounds_ask(void *context, sup_lab *lab, sup_session *session, sup_diag *diag);

typedef struct sup_rounds_result {
    int64_t rounds; /* whole ones, the first (the asking) included */
    bool complete;  /* the first was */
} sup_rounds_result;

typedef struct sup_rounds_end {
    double until; /* all points are within ± so much; not above 0: never */
    int64_t most; /* rounds, when everything has been asked for; 0: no end */
} sup_rounds_end;

/* Until the session's time is over, or the end that is given (NULL: none). SUP_EINTR: stopped by the user; what was
 * found is in the store. */
sup_status sup_rounds_run(sup_lab *lab, sup_session *session, sup_rounds_ask *ask, void *context,
                          const sup_rounds_end *end, sup_diag *diag, sup_rounds_result *out);

#endif
